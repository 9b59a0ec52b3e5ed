//! `POST /api/plugin/dashboard`: figures that a plugin shows to the people of the shop.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use iso_currency::Currency;

use super::credentials::AuthenticatedOnly;
use crate::feeds::section::Section;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions::{self, Status, SubmissionState as Where};
use crate::transport::refusal::{OfShop, Refusal};

/// The dashboard. Plugins read it member by member, one without checking that it is there.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Dashboard {
    /// Steps that are left to do; empty when there are none.
    next_steps: Vec<NextStep>,
    /// Counts of events.
    stats: Stats,
    /// State of the account.
    account: Standing,
}

/// Something to do.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct NextStep {
    /// `product-feed` or `newest-feed`.
    id: &'static str,
    /// A few words.
    title: &'static str,
    /// A sentence or two, plain text.
    description: String,
}

/// Counts of two spans of time.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct Stats {
    /// Counts since midnight.
    today: Counts,
    /// Counts of the last thirty days.
    last30days: Counts,
}

/// Counts of events in a span of time.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Counts {
    /// Pages seen.
    impressions: u64,
    /// Visits.
    sessions: u64,
    /// Visits that ended with an order, in percent.
    conversion_rate: f64,
    /// Sum of the orders, with its currency.
    sales_total_display: String,
    /// Orders.
    order_count: u64,
    /// Sum of purchases after a recommendation.
    recommender_product_total: f64,
    /// The same with its currency.
    recommender_product_total_display: String,
}

/// State of the account: there is no trial that could end.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Standing {
    /// Always 1, an integer: plugins then show no box about a trial.
    is_signed_up: u8,
    /// Always 0.
    days_left: u8,
    /// Always empty.
    free_trial_end_date: &'static str,
}

/// The next steps, counts of events, and the state of the account.
#[utoipa::path(post, path = "/api/plugin/dashboard", operation_id = "plugin_dashboard", tag = "plugin",
    request_body = AuthenticatedOnly, responses(OfShop, (status = 200, description = "The dashboard", body = Dashboard)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    AuthenticatedOnly { account, .. }: AuthenticatedOnly,
) -> Result<Json<Dashboard>, Refusal> {
    let id = account.id;
    let is_shown = node.derived.listing().with_list(id, |list| list.count(Section::Products) > 0).await?;
    let newest = node.store.read(move |tx| submissions::newest_feeds(tx, id)).await;
    let newest = newest.map_err(|fault: StoreFault| Refusal::from(fault))?;
    let currency = account.currency.as_deref();
    Ok(Json(Dashboard {
        next_steps: next_steps(is_shown, &newest),
        stats: Stats { today: empty_counts(currency), last30days: empty_counts(currency) },
        account: Standing { is_signed_up: 1, days_left: 0, free_trial_end_date: "" },
    }))
}

/// Steps that are left to do: depends on whether a product is shown, and on the state of the newest feeds.
fn next_steps(is_shown: bool, newest: &[Status]) -> Vec<NextStep> {
    let is_coming = newest.iter().any(|(state, _)| *state == Where::Open);
    // A reason is a sentence of ours that quotes nothing of the feed.
    let unusable = newest.iter().find(|(state, _)| *state == Where::Failed).map(|(_, reason)| {
        let reason = reason.as_deref().unwrap_or("no reason is known");
        format!("The newest feed could not be used: {reason}.")
    });
    let (id, title, description) = match (is_shown, unusable) {
        (true, None) => return Vec::new(),
        (true, Some(unusable)) => (
            "newest-feed",
            "Repair the newest feed",
            format!("{unusable} What was shown before it is still shown."),
        ),
        (false, _) if is_coming => (
            "product-feed",
            "Wait for the feed",
            "A feed is on its way. It is shown when all of it has arrived and is checked.".to_owned(),
        ),
        (false, Some(unusable)) => ("product-feed", "Repair the feed", unusable),
        (false, None) => (
            "product-feed",
            "Send a product feed",
            "No product is shown yet. Send a product feed from the plugin.".to_owned(),
        ),
    };
    vec![NextStep { id, title, description }]
}

/// No event is taken in yet, so nothing happened.
fn empty_counts(currency: Option<&str>) -> Counts {
    let amount = display(0.0, currency);
    Counts {
        impressions: 0,
        sessions: 0,
        conversion_rate: 0.0,
        sales_total_display: amount.clone(),
        order_count: 0,
        recommender_product_total: 0.0,
        recommender_product_total_display: amount,
    }
}

/// An amount as prices are written, with the digits of its currency: `0.00 GBP`, `0 JPY`.
fn display(amount: f64, code: Option<&str>) -> String {
    let digits = code.and_then(Currency::from_code).and_then(|currency| currency.exponent()).unwrap_or(2);
    let number = format!("{amount:.*}", usize::from(digits));
    code.map_or(number.clone(), |code| format!("{number} {code}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_the_digits_of_its_currency() {
        let written = [Some("GBP"), Some("JPY"), None].map(|code| display(0.0, code));
        assert_eq!(written, ["0.00 GBP", "0 JPY", "0.00"]);
    }
}
