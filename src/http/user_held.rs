//! `POST /api/user/held`: what is held of a person, counted. An addition beside the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::Value;

use super::refusal::{ErrorBody, Refusal};
use super::user_forget::{ForgetRequest, about};
use super::user_scan::turn;
use crate::evidence::person;
use crate::node::Node;

/// Who would be forgotten, and how much is held of them, place by place. Changes nothing.
#[utoipa::path(post, path = "/api/user/held", tag = "people", request_body = ForgetRequest, responses(
    (status = 200, description = "Counts"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let (account, asked) = about(&node, request).await?;
    let _turn = turn(&node).await?;
    Ok(Json(person::held(&node, account.id, asked).await?))
}
