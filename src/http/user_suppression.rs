//! `POST /api/user/suppression`: whether an identifier is forgotten. An addition beside the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::Value;

use super::refusal::{ErrorBody, Refusal};
use super::user_forget::{ForgetRequest, about};
use crate::evidence::person;
use crate::node::Node;

/// Whether an identifier was forgotten, and since when.
#[utoipa::path(post, path = "/api/user/suppression", tag = "people", request_body = ForgetRequest, responses(
    (status = 200, description = "What is kept of it"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let (account, asked) = about(&node, request).await?;
    Ok(Json(person::suppression(&node, account.id, asked).await?))
}
