//! The start page of a shop: what search and zones bring, what to do next, what arrived, and the state of the rest.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::catalogue_quality::find_read_feed;
use super::counted_figures::FigureMoment;
use super::dashboard_figures::build_figures;
use super::import_record::with_outcome;
use super::overview::{count_erasures, load_shown_lists};
use crate::console::auth::authorization::{Authorized, View};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::live_parts::LivePart;
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::console::ui::{csv, sse};
use crate::operators::Right;
use crate::transport::listener::ListenerStop;

/// Columns of the newest arrivals.
const ARRIVED: [&str; 7] = ["KindNumber", "Token", "Kind", "Outcome", "Reason", "AcceptedAt", "FinishedAt"];

/// Time that the page waits for its figures, which come later as a live part, and for the checks of the server.
const PAGE_WAIT: Duration = Duration::from_millis(200);

/// Imports that the page lists.
const IMPORTS: usize = 5;

/// One shop: its figures, what to do next, its newest imports, and its open erasures. With `count` in the address the
/// page waits for its figures.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Query(asked): Query<FieldMap>,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let listed = console.operations.call_for_shop(shop, "/api/submissions", json!({})).await?;
    let submissions: Value = listed.as_array().into_iter().flatten().cloned().map(with_outcome).collect();
    if may.wants_sheet() {
        return csv::file("arrived", &ARRIVED, &submissions);
    }
    let all = submissions.as_array().map(Vec::as_slice).unwrap_or_default();
    let failed = all.iter().filter(|one| one["Outcome"] == "failed").count();
    let newest = all.iter().take(IMPORTS).collect::<Vec<_>>();
    // All at once: what takes long makes nothing else late.
    let (figures, checks, shown, erasures, deltas, quality) = tokio::try_join!(
        wait_for_figures(&console, shop, asked.has("count")),
        load_checks(&console, &may),
        load_shown_lists(&console, shop),
        load_erasures(&console, shop),
        console.operations.call_for_shop(shop, "/api/deltas", json!({})),
        load_quality(&console, shop),
    )?;
    let values = json!({"here": "shop", "shown": shown, "submissions": newest, "erasures": erasures,
        "failed": failed, "figures": figures, "deltas": deltas, "failed_feed": find_failed_feed(all),
        "quality": quality, "checks": checks, "may_merchandise": may_merchandise(&may)});
    console.drawing.render_signed_in(&may, "shop.html", values)
}

/// Figures counted anew, or those that are there within the page's time.
async fn wait_for_figures(
    console: &Arc<Console>,
    shop: &ConsoleShop,
    is_anew: bool,
) -> Result<Option<Value>, Problem> {
    let counting = load_figures(console, shop, is_anew);
    if is_anew {
        return counting.await.map(Some);
    }
    tokio::time::timeout(PAGE_WAIT, counting).await.ok().transpose()
}

/// Streams the figures, once they are counted.
pub(crate) async fn live(
    State(console): State<Arc<Console>>,
    may: Authorized<View>,
    Extension(stopping): Extension<ListenerStop>,
) -> Result<Response, Problem> {
    let may_merchandise = may_merchandise(&may);
    let shop = may.shop()?.clone();
    let language = may.session.language;
    let pages = console.clone();
    // A store that fails is an answer of its own, and no stream.
    load_shown_lists(&console, &shop).await?;
    let next = move || {
        let console = console.clone();
        let shop = shop.clone();
        async move {
            let figures = load_figures(&console, &shop, false).await?;
            let values = json!({"figures": figures, "shop": shop, "may_merchandise": may_merchandise});
            let html = console.drawing.text(language, "figures.html", values)?;
            Ok(LivePart { html, is_last: true })
        }
    };
    sse::stream(&pages, &may, stopping, next).await
}

/// Returns true if the operator may set synonyms.
fn may_merchandise(may: &Authorized<View>) -> bool {
    may.operator.is_allowed(Right::Merchandise, may.shop().ok().map(|shop| shop.id))
}

/// Figures of a shop, remembered ones unless they are asked for anew.
async fn load_figures(console: &Arc<Console>, shop: &ConsoleShop, is_anew: bool) -> Result<Value, Problem> {
    let at = FigureMoment {
        now: console.node.clock.now(),
        departures: console.node.derived.count_departures(shop.id),
    };
    let counting = count_figures(Arc::clone(console), shop.clone());
    console.figures.load(shop.id, at, is_anew, counting).await
}

/// Figures of the last 28 days and of the 28 before, in one count; the reason if the server is too busy for it.
async fn count_figures(console: Arc<Console>, shop: ConsoleShop) -> Result<Value, Problem> {
    let question = json!({"Report": "quality", "Size": 20, "With": ["before", "days", "missed"]});
    match console.operations.call_for_shop(&shop, "/api/report", question).await {
        Ok(report) => Ok(build_figures(&report)),
        Err(refused) if refused.status == StatusCode::SERVICE_UNAVAILABLE => {
            Ok(json!({"Fault": refused.sentence}))
        }
        Err(refused) => Err(refused),
    }
}

/// Number of the newest erasures, of those among them that are verified, of all that go on, and of all overdue ones.
async fn load_erasures(console: &Console, shop: &ConsoleShop) -> Result<Value, Problem> {
    let newest = console.operations.call_for_shop(shop, "/api/erasures", json!({})).await?;
    let all = newest.as_array().cloned().unwrap_or_default();
    let verified = all.iter().filter(|erasure| erasure["State"] == "verified").count();
    let counted = count_erasures(console, shop).await?;
    Ok(
        json!({"All": all.len(), "Verified": verified, "Overdue": counted["Overdue"], "Open": counted["Open"]}),
    )
}

/// The newest feed, if it failed.
fn find_failed_feed(submissions: &[Value]) -> Option<&Value> {
    let is_ended_feed = |one: &&Value| one["Kind"] == "feed" && one["Outcome"] != "open";
    submissions.iter().find(is_ended_feed).filter(|feed| feed["Outcome"] == "failed")
}

/// Products of the newest feed that lack something, with the token of the feed; null if there is no feed.
async fn load_quality(console: &Console, shop: &ConsoleShop) -> Result<Value, Problem> {
    let read = find_read_feed(console, shop).await?;
    Ok(read.map_or(
        Value::Null,
        |read| json!({"Token": read.feed["Token"], "Incomplete": read.incomplete_products()}),
    ))
}

/// Checks of the server that are not good; null for an operator who may not see them, or when they take long.
async fn load_checks(console: &Console, may: &Authorized<View>) -> Result<Value, Problem> {
    if !may.operator.is_allowed(Right::Admin, None) {
        return Ok(Value::Null);
    }
    let asking = console.operations.call("/control/doctor", json!({}));
    let Ok(checks) = tokio::time::timeout(PAGE_WAIT, asking).await else { return Ok(Value::Null) };
    let checks = checks?;
    let all = checks.as_array().into_iter().flatten();
    Ok(all.filter(|check| check["Standing"] != "Good").cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_that_failed_is_told_until_a_later_one_ended_well() {
        let feed = |kind: &str, outcome: &str| json!({"Kind": kind, "Outcome": outcome});
        let failed = [feed("delta", "complete"), feed("feed", "open"), feed("feed", "failed")];
        assert_eq!(find_failed_feed(&failed), Some(&failed[2]));
        let mended = [feed("feed", "complete"), feed("feed", "failed"), feed("delta", "failed")];
        assert_eq!((find_failed_feed(&mended), find_failed_feed(&[])), (None, None));
    }
}
