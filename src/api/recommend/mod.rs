//! `/api/recommend`: products that a shopper may want next. The access key alone opens it.

pub(super) mod request;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::value::RawValue;

use super::search::policy::buyer_context;
use super::search::{AnswerHit, AnswerRoom, StorefrontRequest, build_response, compute_json};
use crate::node::Node;
use crate::personalise::account_model::model_or_empty;
use crate::personalise::fallbacks::Recommending;
use crate::personalise::ranked::Reason;
use crate::personalise::request::RecommendRequest;
use crate::personalise::viewed_variants::list_viewed_variants;
use crate::projections::search::SearchView;
use crate::search::engine::ProductConstraints;
use crate::search::pricing::{BuyerContext, QueryPurpose};
use crate::search::query::facets::check_currency;
use crate::search::query::filters::Filters;
use crate::transport::refusal::{OfShop, Refusal};

type StorefrontRecommend = StorefrontRequest<RecommendRequest>;

/// Products, the best first.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
struct RecommendAnswer {
    #[schema(value_type = Vec<RecommendedItem>)]
    items: Vec<Box<RawValue>>,
    /// `fields`, where products that had no room have their `Id` alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    cut: Vec<&'static str>,
}

/// A hit of a search, and why it is recommended.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct RecommendedItem {
    #[serde(flatten)]
    hit: super::search::SearchHit,
    reason: Reason,
}

/// Recommends products that a shopper may want next.
#[utoipa::path(post, path = "/api/recommend", operation_id = "recommend", tag = "search",
    request_body = StorefrontRecommend,
    responses(OfShop, (status = 200, description = "Products, the best first, each with its reason", body = RecommendAnswer)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    asked: StorefrontRequest<RecommendRequest>,
) -> Result<Response, Refusal> {
    let StorefrontRequest { known, question, shopper, origin, packing, turn_of, .. } = asked;
    let account = known.account.id;
    let SearchView { snapshot, .. } = node.derived.searches().get_or_open(account).await?;
    let caller = BuyerContext {
        purpose: QueryPurpose::Recommendation,
        ..buyer_context(&node, &known, shopper, question.currency)
    };
    let model = model_or_empty(&node, account).await;
    let set = known.search.clone();
    let found = compute_json(&node, turn_of, packing, move || {
        let filters = Filters::parse(&question.filters, snapshot.knowledge().columns())?;
        check_currency(&filters, &[], caller.currency.is_some())?;
        let rules = set.rules.rules();
        let viewed = model.with_model(|model, _| list_viewed_variants(model, &question));
        let wanted = ProductConstraints { filters: &filters, rules, caller: &caller, viewed: Some(&viewed) };
        let fields = question.fields.as_slice().into();
        let recommending = Recommending {
            asked: &question,
            snapshot: &snapshot,
            wanted: &wanted,
            focus: set.bought_together,
        };
        let found = recommending.items(&model)?;
        let mut room = AnswerRoom::default();
        let items =
            found.into_iter().map(|(item, reason)| AnswerHit::because(item, &fields, reason)).collect();
        let items = room.hits(items)?;
        Ok(RecommendAnswer { items, cut: room.lacks_fields.then_some("fields").into_iter().collect() })
    });
    Ok(build_response(origin, found.await?))
}
