//! `POST /api/user/export`: what is stored about a person, for them. An addition beside the fixed interface.

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

/// Everything that is stored about a person, opened, for the person (Article 15 GDPR).
#[utoipa::path(post, path = "/api/user/export", tag = "people", request_body = ForgetRequest, responses(
    (status = 200, description = "Identifiers, profiles and orders"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let (account, asked) = about(&node, request).await?;
    let _turn = turn(&node).await?;
    Ok(Json(person::export(&node, &account, asked).await?))
}
