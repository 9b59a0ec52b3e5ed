//! `POST /api/productfeedstatus`.

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

/// A question about feeds; no secret is needed.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the body; its fields are read under all their spellings")]
pub struct FeedStatusRequest {
    /// The account's access key.
    #[schema(rename = "AppKey")]
    app_key: String,
    /// At most 1,000 tokens.
    #[schema(rename = "Tokens")]
    tokens: Vec<String>,
}

/// Where one feed is.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct FeedStatus {
    /// The token as it was sent.
    #[serde(rename = "Token")]
    token: String,
    /// `Processing`, `Complete` or `Error`.
    #[serde(rename = "Status")]
    status: &'static str,
    /// Why it failed; only with `Error`. Never quotes the feed.
    #[serde(rename = "Error", skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Says where feeds are, one item for each token, in their order.
#[utoipa::path(post, path = "/api/productfeedstatus", tag = "operations", request_body = FeedStatusRequest, responses(
    (status = 200, description = "One item for each token", body = Vec<FeedStatus>),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Unknown access key", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<Vec<FeedStatus>>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let asked = tokens::asked(&fields)?;
    let account = credentials::by_key(&node, peer, &fields).await?;
    let found = tokens::look_up(&node, &account, Kind::Feed, asked).await?;
    let item = |(token, status): (String, _)| match status {
        Some((Where::Open, _)) => FeedStatus { token, status: "Processing", error: None },
        Some((Where::Done, _)) => FeedStatus { token, status: "Complete", error: None },
        Some((Where::Failed, reason)) => FeedStatus { token, status: "Error", error: reason },
        None => FeedStatus { token, status: "Error", error: Some(tokens::UNKNOWN.to_owned()) },
    };
    Ok(Json(found.into_iter().map(item).collect()))
}
