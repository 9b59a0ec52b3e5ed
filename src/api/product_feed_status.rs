//! `POST /api/productfeedstatus`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::extract::WithAccessKey;
use super::status_tokens::{self, TokensRequest};
use crate::node::Node;
use crate::submissions::{SubmissionKind, SubmissionState as Where};
use crate::transport::refusal::{OfShop, Refusal, UNKNOWN_TOKEN};

type FeedStatusByKey = WithAccessKey<TokensRequest>;

/// State of a feed.
#[derive(serde::Serialize, utoipa::ToSchema, Clone, PartialEq)]
pub enum FeedState {
    /// It waits, or is read.
    Processing,
    /// It is shown; a dry run was checked.
    Complete,
    /// It was not published.
    Error,
}

/// Status of one feed.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct FeedStatus {
    /// The token as it was sent.
    #[serde(rename = "Token")]
    token: String,
    /// `Processing`, `Complete` or `Error`.
    #[serde(rename = "Status")]
    status: FeedState,
    /// Reason why it failed; only with `Error`. Never quotes the feed.
    #[serde(rename = "Error", skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Says where feeds are, one item for each token, in their order.
#[utoipa::path(post, path = "/api/productfeedstatus", operation_id = "product_feed_status", tag = "operations",
    request_body = FeedStatusByKey, responses(OfShop, (status = 200, description = "One item for each token", body = Vec<FeedStatus>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    FeedStatusByKey { account, question }: FeedStatusByKey,
) -> Result<Json<Vec<FeedStatus>>, Refusal> {
    let found = status_tokens::look_up(&node, &account, SubmissionKind::Feed, question.tokens).await?;
    let item = |(token, status): (String, _)| match status {
        Some((Where::Open, _)) => FeedStatus { token, status: FeedState::Processing, error: None },
        Some((Where::Done, _)) => FeedStatus { token, status: FeedState::Complete, error: None },
        Some((Where::Failed, reason)) => FeedStatus { token, status: FeedState::Error, error: reason },
        None => FeedStatus { token, status: FeedState::Error, error: Some(UNKNOWN_TOKEN.to_owned()) },
    };
    Ok(Json(found.into_iter().map(item).collect()))
}
