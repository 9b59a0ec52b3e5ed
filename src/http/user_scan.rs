//! `POST /api/user/scan`: where a person is found. An addition beside the fixed interface.

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

/// Looks for a person in every place: rows, the text of the catalogue, and every file byte by byte. Takes as long as reading the data folder.
#[utoipa::path(post, path = "/api/user/scan", tag = "people", request_body = ForgetRequest, responses(
    (status = 200, description = "Counts, and what was scanned"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let (account, asked) = about(&node, request).await?;
    Ok(Json(person::searched(&node, account.id, asked).await?))
}
