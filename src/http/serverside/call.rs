//! `POST /api/serverside`: what plugins of shops send about shoppers, from their server.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::Map;

use super::answer::{ServersideAnswer, ServersideRequest};
use super::question::PluginCall;
use super::taking::{Taking, told};
use super::told::Told;
use super::visitor;
use crate::accounts::Account;
use crate::fairness::Asker;
use crate::http::body::{Fields, read_json_of_account};
use crate::http::events::storing;
use crate::http::refusal::{OfListReader, Refusal};
use crate::http::{account_quota, credentials, peer_of};
use crate::limits;
use crate::node::Node;

/// Takes what a shopper did, as plugins of shops tell it, and says whose browser it is.
#[utoipa::path(post, path = "/api/serverside", operation_id = "serverside", tag = "plugin", request_body = ServersideRequest,
    responses(OfListReader, (status = 200, description = "Taken, durably; what was left out stands in `errors`", body = ServersideAnswer)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<ServersideAnswer>, Refusal> {
    // red: it::serverside::sqlite::every_refusal_has_a_list_of_errors
    let listed = |refusal: Refusal| mutant!("a-refusal-has-no-list", refusal.listed(), refusal);
    by_server(&node, request).await.map(Json).map_err(listed)
}

async fn by_server(node: &Arc<Node>, request: Request<Body>) -> Result<ServersideAnswer, Refusal> {
    let peer = peer_of(&request);
    let body = read_json_of_account(node, request, limits::SERVERSIDE_BODY_BYTES).await?;
    let account = credentials::by_secret(node, peer, &Fields::parse(&body)?).await?;
    answer(node, &account, PluginCall::of_body(&body)?).await
}

async fn answer(
    node: &Arc<Node>,
    account: &Account,
    mut call: PluginCall,
) -> Result<ServersideAnswer, Refusal> {
    account_quota::check(node, account.id).await?;
    let is_back = call.visitor_id.is_some();
    let visitor = match call.visitor_id.take() {
        Some(sent) => sent,
        None => visitor::issue(&node.keys, account.id)?,
    };
    let named = call.events.iter().flat_map(Told::products).cloned().collect();
    let ids = node.derived.ids_of(&node.store, &node.blobs, account.id, named).await?;
    let shop_currency = account.currency.as_deref().and_then(|code| code.as_bytes().try_into().ok());
    let taking = Taking { ids: &ids, now: node.clock.now(), visitor: &visitor, is_back, shop_currency };
    let accepted = taking.accepted(&mut call);
    storing::count("left_out", call.left_out);
    let became = storing::store(node, account.id, Asker::Secret, accepted).await?;
    let stored = told(&became, &mut call.reasons).map(|session| session.to_string());
    let session = stored.or(call.session_id).unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    Ok(ServersideAnswer {
        visitor_id: visitor.normal().to_owned(),
        session_id: session,
        zones: Map::new(),
        errors: call.reasons.into_sentences(),
    })
}
