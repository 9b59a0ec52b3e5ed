//! `POST /api/search/why`: why a product is where it is, in words. For the shop's server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::extract::{self, StorefrontRequest, compute_json};
use super::policy::{buyer_context, search_policy_with_boosts};
use super::reasons::ReasonWriter;
use super::request::{SEARCH_MEMBERS, SearchRequest};
use crate::api::compression::Packing;
use crate::api::from_fields::{FromFields, MemberNames};
use crate::api::json_fields::JsonFields;
use crate::limits;
use crate::node::Node;
use crate::personalise::request::ShopperIdentity;
use crate::projections::search::SearchView;
use crate::search::engine::{NotFoundReason, SearchExplanation, SearchPolicy, VariantExplanation};
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::{BuyerContext, HiddenReason};
use crate::transport::refusal::{OfShop, Refusal};

/// A search, and the product that is looked for in its answer.
#[derive(utoipa::ToSchema)]
pub struct SearchWhyRequest {
    /// The product's id, an article number, or an identifier of a variant.
    #[schema(rename = "Id", example = "4711", min_length = 1, max_length = 512)]
    id: String,
    /// Text that a shopper types.
    #[schema(rename = "Query", required = false, value_type = String)]
    searching: SearchRequest,
}

impl FromFields for SearchWhyRequest {
    const ACCESS_KEY: &str = "AppKey";
    const MEMBERS: MemberNames = MemberNames::Hints(&[&["Id"], SEARCH_MEMBERS]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let id = fields.text(&["Id"])?;
        if id.is_empty() || id.len() > limits::ITEM_ID_BYTES {
            return Err(Refusal::malformed(format!("Id has 1 to {} bytes", limits::ITEM_ID_BYTES)));
        }
        Ok(Self { id, searching: SearchRequest::from_fields(fields)? })
    }
}

/// Place of a product in the answer to a search, and the reasons.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct SearchWhy {
    /// The product's id.
    id: String,
    /// True if pages of the answer lead to it.
    is_found: bool,
    /// Its place over all pages, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = usize)]
    place: Option<usize>,
    /// The page on which it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = usize)]
    page: Option<usize>,
    /// `found`, `below_the_page`, or why it is not found: `not_in_catalogue`, `hidden_by_flag`, `out_of_period`,
    /// `other_accounts`, `rule`, `price`, `stock`, `filter`, `no_word`, `fewer_words`, `beyond_the_last_page`.
    reason: &'static str,
    /// The same in sentences, with the numbers that they rest on.
    reasons: Vec<String>,
    /// The part of the variant, if `Id` names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = VariantWhy)]
    variant: Option<VariantWhy>,
}

/// Part of a variant in the answer to a search.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = SearchWhyVariant)]
struct VariantWhy {
    /// Its id.
    id: String,
    /// True if it stands for its product, where that is found.
    is_shown: bool,
    /// `shown`, `another_variant` (it passes, and another one stands for the product or its group), `price`, `stock` or
    /// `filter`; of a product that the caller does not see the product's: `hidden_by_flag`, `out_of_period` or
    /// `other_accounts`.
    reason: &'static str,
    /// The same in a sentence.
    says: String,
}

impl VariantWhy {
    fn new(why: &VariantExplanation, writer: &ReasonWriter) -> Self {
        let is_shown = why.missing.is_empty() && why.shown.as_ref() == Some(&why.id);
        let passes = || if is_shown { "shown" } else { "another_variant" };
        let reason = why.missing.first().map_or_else(passes, code);
        Self { id: why.id.clone(), is_shown, reason, says: writer.describe_variant(why) }
    }
}

type StorefrontSearchWhy = StorefrontRequest<SearchWhyRequest>;

/// Place of a product in the answer to a search and the reasons, or the reasons why it is not in it.
#[utoipa::path(post, path = "/api/search/why", operation_id = "search_why", tag = "search",
    request_body = StorefrontSearchWhy,
    responses(OfShop, (status = 200, description = "Its place, and reasons", body = SearchWhy)))]
pub async fn post(State(node): State<Arc<Node>>, asked: StorefrontSearchWhy) -> Result<Response, Refusal> {
    if !asked.shows_secret {
        return Err(Refusal::credentials());
    }
    let StorefrontRequest { known, question, shopper, origin, turn_of, .. } = asked;
    let SearchView { snapshot, .. } = node.derived.searches().get_or_open(known.account.id).await?;
    let caller = buyer_context(&node, &known, shopper, question.searching.currency);
    let wishes = search_policy_with_boosts(&node, &known, &question.searching, ShopperIdentity::Unknown);
    let why = compute_json(&node, turn_of, Packing::Never, move || {
        explain_place(question, &snapshot, &caller, wishes)
    });
    Ok(extract::build_response(origin, why.await?))
}

fn explain_place(
    question: SearchWhyRequest,
    snapshot: &IndexSnapshot,
    caller: &BuyerContext,
    wishes: SearchPolicy,
) -> Result<SearchWhy, Refusal> {
    let SearchWhyRequest { id: name, searching } = question;
    let writer = ReasonWriter::new(searching.explain_language);
    let request = searching.request(snapshot, caller, wishes)?;
    let id = snapshot.id_of(&name)?.unwrap_or_else(|| name.clone());
    let variant = snapshot.explain_variant(&id, &name, &request, caller)?;
    let groups = variant.as_ref().map(|why| why.groups.clone()).unwrap_or_default();
    let variant = variant.map(|why| VariantWhy::new(&why, &writer));
    Ok(match snapshot.verdict(&id, &groups, &request, caller)? {
        SearchExplanation::Found(why) => {
            let page = (searching.size > 0).then(|| why.place.div_ceil(searching.size));
            let mut reasons = vec![writer.describe_rank(why.place, page)];
            reasons.extend(writer.rank_reasons(&why, &request.sort));
            let reason = if page == Some(searching.page) { "found" } else { "below_the_page" };
            SearchWhy { id, is_found: true, place: Some(why.place), page, reason, reasons, variant }
        }
        SearchExplanation::Missing(missing) => {
            let reason = missing.first().map_or("beyond_the_last_page", code);
            let reasons = missing.iter().map(|reason| writer.describe_absence(reason)).collect();
            SearchWhy { id, is_found: false, place: None, page: None, reason, reasons, variant }
        }
    })
}

fn code(missing: &NotFoundReason) -> &'static str {
    match missing {
        NotFoundReason::Unknown => "not_in_catalogue",
        NotFoundReason::Unseen(
            HiddenReason::Hidden | HiddenReason::Unlisted | HiddenReason::Unrecommended,
        ) => "hidden_by_flag",
        NotFoundReason::Unseen(HiddenReason::OutOfPeriod) => "out_of_period",
        NotFoundReason::Unseen(HiddenReason::OfOtherAccounts) => "other_accounts",
        NotFoundReason::Unseen(HiddenReason::WithoutPrice) => "price",
        NotFoundReason::Ruled(_) => "rule",
        NotFoundReason::HoldsNothing => "no_word",
        NotFoundReason::Filtered(name) if name == "InStock" => "stock",
        NotFoundReason::Filtered(name) if name == "Price" => "price",
        NotFoundReason::Filtered(_) | NotFoundReason::FilteredTogether => "filter",
        NotFoundReason::Lacks(_) => "fewer_words",
        NotFoundReason::Beyond => "beyond_the_last_page",
    }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
