//! `POST /api/plugin/signuprequest`, `signupstatus` and `add-store`: closed. The answer tells the sender where keys
//! come from, in the shape that these clients read: `errors`, a list, and `Error`.

use axum::body::Body;
use axum::http::Request;

use super::credentials::AuthenticatedOnly;
use crate::api::body::read_json;
use crate::api::json_fields::JsonFields;
use crate::limits;
use crate::transport::refusal::{OfListReader, Refusal};

fn refuse_signup() -> Refusal {
    Refusal::malformed(
        "Signing up is closed here: the operator of this server makes accounts and hands out their keys",
    )
}

/// Refuses any body, JSON or not, and reads none of its members: they hold a person's name, address and password.
async fn refuse(request: Request<Body>) -> Result<(), Refusal> {
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    JsonFields::parse(&body)?;
    Err(refuse_signup())
}

/// Always refused: accounts are made by the operator. No member is looked at.
#[utoipa::path(post, path = "/api/plugin/signuprequest", operation_id = "plugin_signup_request", tag = "plugin",
    request_body = Object, responses(OfListReader))]
pub async fn request(request: Request<Body>) -> Result<(), Refusal> {
    refuse(request).await.map_err(Refusal::with_list)
}

/// Always refused: no request to sign up is ever open. No member is looked at.
#[utoipa::path(post, path = "/api/plugin/signupstatus", operation_id = "plugin_signup_status", tag = "plugin",
    request_body = Object, responses(OfListReader))]
pub async fn status(request: Request<Body>) -> Result<(), Refusal> {
    refuse(request).await.map_err(Refusal::with_list)
}

/// Refused for right keys too: a further store is a further account, made by the operator.
#[utoipa::path(post, path = "/api/plugin/add-store", operation_id = "plugin_add_store", tag = "plugin",
    request_body = AuthenticatedOnly, responses(OfListReader))]
pub async fn add_store(known: Result<AuthenticatedOnly, Refusal>) -> Result<(), Refusal> {
    known.and_then(|_| Err(refuse_signup())).map_err(Refusal::with_list)
}
