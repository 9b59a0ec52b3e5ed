//! `POST /api/rules/preview`: what a search answers, and what it would answer with other rules. For the shop's server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::answer::Found;
use super::asked::{self, Asked, computed};
use super::question::Searching;
use super::{caller, found, wishes_of};
use crate::derived::search::Shown;
use crate::http::asking::Question;
use crate::http::body::Fields;
use crate::http::packing::Packing;
use crate::http::recommend::question::Shopper;
use crate::http::refusal::{OfShop, Refusal};
use crate::http::rules::rules_of;
use crate::limits;
use crate::node::Node;
use crate::search::engine::Wishes;
use crate::search::rules::{Rule, Rules, read};
use crate::search::text::Analyser;

/// A search, and the rules to try with it.
#[derive(utoipa::ToSchema)]
#[schema(as = RulesPreviewRequest)]
pub struct Previewing {
    /// The whole list of rules to try.
    #[schema(rename = "Rules", value_type = Vec<Rule>)]
    rules: Vec<serde_json::Value>,
    /// What a shopper types.
    #[schema(rename = "Query", required = false, value_type = String)]
    searching: Searching,
}

impl Question for Previewing {
    const LIMIT_BYTES: usize = limits::RULES_BODY_BYTES;
    const NAMES: &[&[&str]] = &[&["Rules"], Searching::NAMES[0]];

    fn read(fields: &Fields<'_>) -> Result<Self, Refusal> {
        Ok(Self { rules: rules_of(fields)?, searching: Searching::read(fields)? })
    }
}

/// Both answers.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct RulesPreview {
    /// With the rules that act now.
    before: Found,
    /// With those of the request.
    after: Found,
}

type AskedForPreview = Asked<Previewing>;

/// What a search answers now, and with other rules.
#[utoipa::path(post, path = "/api/rules/preview", operation_id = "rules_preview", tag = "search",
    request_body = AskedForPreview,
    responses(OfShop, (status = 200, description = "Both answers", body = RulesPreview)))]
pub async fn preview(State(node): State<Arc<Node>>, asked: AskedForPreview) -> Result<Response, Refusal> {
    if !asked.shows_secret {
        return Err(Refusal::credentials());
    }
    let Asked { known, question: Previewing { rules, searching }, shopper, origin, turn_of, .. } = asked;
    let Shown { snapshot, shop, .. } = node.derived.searches().shown(known.account.id).await?;
    let caller = caller(&node, &known, shopper, searching.currency);
    let before = wishes_of(&node, &known, &searching, Shopper::Unknown);
    let set = known.search.clone();
    let both = computed(&node, turn_of, Packing::Never, move || {
        let analyser = Analyser::new(set.language());
        let (rules, _) = read(&rules, &analyser, &set.origins)?;
        let after = Wishes { rules: Some(Arc::new(Rules::new(rules, &analyser))), ..before.clone() };
        Ok(RulesPreview {
            before: found(searching.clone(), &snapshot, &shop, &caller, before)?,
            after: found(searching, &snapshot, &shop, &caller, after)?,
        })
    });
    Ok(asked::build_response(origin, both.await?))
}
