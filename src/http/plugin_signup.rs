//! `POST /api/plugin/signuprequest`, `signupstatus` and `add-store`: closed. Who sends them is told where keys come
//! from, in the shape these clients read: `errors`, a list, beside `Error`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;

use super::body::{Fields, read_json};
use super::plugin;
use super::refusal::{ListedErrorBody, Refusal};
use crate::limits;
use crate::node::Node;

fn closed() -> Refusal {
    Refusal::malformed(
        "Signing up is closed here: the operator of this server makes accounts and hands out their keys",
    )
}

/// Refuses a body that is JSON like one that is not, and looks at none of its members: they hold a person's name,
/// address and password.
async fn refuse(request: Request<Body>) -> Result<(), Refusal> {
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    Fields::parse(&body)?;
    Err(closed())
}

/// Always refused: accounts are made by the operator.
#[utoipa::path(post, path = "/api/plugin/signuprequest", tag = "plugin", responses(
    (status = 400, description = "Signing up is closed", body = ListedErrorBody<'static>)))]
pub async fn request(request: Request<Body>) -> Result<(), Refusal> {
    refuse(request).await.map_err(Refusal::listed)
}

/// Always refused: no request to sign up is ever open.
#[utoipa::path(post, path = "/api/plugin/signupstatus", tag = "plugin", responses(
    (status = 400, description = "Signing up is closed", body = ListedErrorBody<'static>)))]
pub async fn status(request: Request<Body>) -> Result<(), Refusal> {
    refuse(request).await.map_err(Refusal::listed)
}

/// Refused for right keys too: a further store is a further account, made by the operator.
#[utoipa::path(post, path = "/api/plugin/add-store", tag = "plugin", request_body = plugin::PluginRequest, responses(
    (status = 400, description = "Signing up is closed", body = ListedErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ListedErrorBody<'static>)))]
pub async fn add_store(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<(), Refusal> {
    let known = plugin::account(&node, request).await;
    known.and_then(|_| Err(closed())).map_err(Refusal::listed)
}
