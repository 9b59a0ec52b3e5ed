//! `POST /api/user/scan`: where a person is found. An addition beside the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::Value;
use tokio::sync::OwnedMutexGuard;

use super::listener::Peer;
use super::peer_of;
use super::refusal::{ErrorBody, Refusal};
use super::user_forget::{ForgetRequest, about};
use crate::evidence::person;
use crate::limits;
use crate::node::Node;

/// Looks for a person in every place: rows and, for the operator, every file byte by byte.
#[utoipa::path(post, path = "/api/user/scan", tag = "people", request_body = ForgetRequest, responses(
    (status = 200, description = "Counts, and what was scanned"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let is_operator = peer_of(&request) == Peer::Operator;
    let (account, asked) = about(&node, request).await?;
    let _turn = turn(&node).await?;
    Ok(Json(person::searched(&node, account.id, asked, is_operator).await?))
}

/// Who looks through the catalogue does it one at a time: it is work of seconds where much is stored.
pub async fn turn(node: &Node) -> Result<OwnedMutexGuard<()>, Refusal> {
    let turn = tokio::time::timeout(limits::COMPARE_WAIT_DURATION, node.comparing.clone().lock_owned());
    turn.await.map_err(|_| Refusal::busy())
}
