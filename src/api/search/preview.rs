//! `POST /api/rules/preview`: the answer of a search now, and with other rules. For the shop's server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::extract::{self, StorefrontRequest, compute_json};
use super::policy::{buyer_context, search_policy_with_boosts};
use super::request::{SEARCH_MEMBERS, SearchRequest};
use super::response::SearchAnswer;
use super::storefront::build_search_answer;
use crate::api::compression::Packing;
use crate::api::from_fields::{FromFields, MemberNames};
use crate::api::json_fields::JsonFields;
use crate::api::rules::rules_of;
use crate::limits;
use crate::node::Node;
use crate::personalise::request::ShopperIdentity;
use crate::projections::search::SearchView;
use crate::search::engine::SearchPolicy;
use crate::search::rules::{Rule, Rules, parse_rules};
use crate::transport::refusal::{OfShop, Refusal};

/// A search, and the rules to try with it.
#[derive(utoipa::ToSchema)]
pub struct RulesPreviewRequest {
    /// The whole list of rules to try.
    #[schema(rename = "Rules", value_type = Vec<Rule>)]
    rules: Vec<serde_json::Value>,
    /// Text that a shopper types.
    #[schema(rename = "Query", required = false, value_type = String)]
    searching: SearchRequest,
}

impl FromFields for RulesPreviewRequest {
    const LIMIT_BYTES: usize = limits::RULES_BODY_BYTES;
    const MEMBERS: MemberNames = MemberNames::Hints(&[&["Rules"], SEARCH_MEMBERS]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { rules: rules_of(fields)?, searching: SearchRequest::from_fields(fields)? })
    }
}

/// Both answers.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct RulesPreview {
    /// With the live rules.
    before: SearchAnswer,
    /// With those of the request.
    after: SearchAnswer,
}

type StorefrontRulesPreview = StorefrontRequest<RulesPreviewRequest>;

/// Answers a search as it is answered now, and with other rules.
#[utoipa::path(post, path = "/api/rules/preview", operation_id = "rules_preview", tag = "search",
    request_body = StorefrontRulesPreview,
    responses(OfShop, (status = 200, description = "Both answers", body = RulesPreview)))]
pub async fn preview(
    State(node): State<Arc<Node>>,
    asked: StorefrontRulesPreview,
) -> Result<Response, Refusal> {
    if !asked.shows_secret {
        return Err(Refusal::credentials());
    }
    let StorefrontRequest {
        known,
        question: RulesPreviewRequest { rules, searching },
        shopper,
        origin,
        turn_of,
        ..
    } = asked;
    let SearchView { snapshot, shop, .. } = node.derived.searches().get_or_open(known.account.id).await?;
    let caller = buyer_context(&node, &known, shopper, searching.currency);
    let before = search_policy_with_boosts(&node, &known, &searching, ShopperIdentity::Unknown);
    let set = known.search.clone();
    let both = compute_json(&node, turn_of, Packing::Never, move || {
        let analyser = set.analyser();
        let (rules, _) = parse_rules(&rules, &analyser, &set.origins)?;
        let after = SearchPolicy { rules: Some(Arc::new(Rules::new(rules, &analyser))), ..before.clone() };
        Ok(RulesPreview {
            before: build_search_answer(searching.clone(), &snapshot, &shop, &caller, before)?,
            after: build_search_answer(searching, &snapshot, &shop, &caller, after)?,
        })
    });
    Ok(extract::build_response(origin, both.await?))
}
