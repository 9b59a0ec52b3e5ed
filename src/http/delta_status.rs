//! `POST /api/deltastatus`, and `/api/productdeltastatus`, which needs no secret.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;

use super::body::{Fields, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{credentials, peer_of, tokens};
use crate::limits;
use crate::node::Node;
use crate::submissions::{Kind, State as Where};

/// A question about deltas.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the body; its fields are read under all their spellings")]
pub struct DeltaStatusRequest {
    /// The account's access key.
    #[schema(rename = "AppKey")]
    app_key: String,
    /// A live secret of the account.
    #[schema(rename = "SecretKey")]
    secret_key: String,
    /// At most 1,000 tokens.
    #[schema(rename = "Tokens")]
    tokens: Vec<String>,
}

/// Where one delta is.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct DeltaStatus {
    /// The token as it was sent.
    #[serde(rename = "Token")]
    token: String,
    /// 0 pending, 1 applied, 2 failed.
    #[serde(rename = "Status")]
    status: u8,
    /// Why it failed; only with 2.
    #[serde(rename = "Reason", skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Says where deltas are, one item for each token, in their order.
#[utoipa::path(post, path = "/api/deltastatus", tag = "operations", request_body = DeltaStatusRequest, responses(
    (status = 200, description = "One item for each token", body = Vec<DeltaStatus>),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Vec<DeltaStatus>>, Refusal> {
    statuses(&node, request, Proof::Secret).await
}

/// The same without a secret, for senders that have none: tokens cannot be guessed.
#[utoipa::path(post, path = "/api/productdeltastatus", tag = "additions", request_body = DeltaStatusRequest, responses(
    (status = 200, description = "One item for each token", body = Vec<DeltaStatus>),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Unknown access key", body = ErrorBody<'static>)))]
pub async fn post_without_secret(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Vec<DeltaStatus>>, Refusal> {
    statuses(&node, request, Proof::Key).await
}

/// What a sender has to show.
enum Proof {
    Secret,
    Key,
}

async fn statuses(
    node: &Node,
    request: Request<Body>,
    proof: Proof,
) -> Result<Json<Vec<DeltaStatus>>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let asked = tokens::asked(&fields)?;
    let account = match proof {
        Proof::Secret => credentials::by_secret(node, peer, &fields).await?,
        Proof::Key => credentials::by_key(node, peer, &fields).await?,
    };
    let found = tokens::look_up(node, &account, Kind::Delta, asked).await?;
    let item = |(token, status): (String, _)| match status {
        Some((Where::Open, _)) => DeltaStatus { token, status: 0, reason: None },
        Some((Where::Done, _)) => DeltaStatus { token, status: 1, reason: None },
        Some((Where::Failed, reason)) => DeltaStatus { token, status: 2, reason },
        None => DeltaStatus { token, status: 2, reason: Some(tokens::UNKNOWN.to_owned()) },
    };
    Ok(Json(found.into_iter().map(item).collect()))
}
