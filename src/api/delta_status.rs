//! `POST /api/deltastatus`, and `/api/productdeltastatus`, which needs no secret.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::extract::{Authenticated, WithAccessKey};
use super::status_tokens::{self, TokensRequest};
use crate::accounts::Account;
use crate::node::Node;
use crate::submissions::{SubmissionKind, SubmissionState as Where};
use crate::transport::refusal::{OfShop, Refusal, UNKNOWN_TOKEN};

type DeltaStatusBySecret = Authenticated<TokensRequest>;
type DeltaStatusByKey = WithAccessKey<TokensRequest>;

/// Status of one delta.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct DeltaStatus {
    /// The token as it was sent.
    #[serde(rename = "Token")]
    token: String,
    /// 0 pending, 1 applied, 2 failed.
    #[serde(rename = "Status")]
    status: u8,
    /// Reason why it failed; only with 2.
    #[serde(rename = "Reason", skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Says where deltas are, one item for each token, in their order.
#[utoipa::path(post, path = "/api/deltastatus", operation_id = "delta_status", tag = "operations",
    request_body = DeltaStatusBySecret, responses(OfShop, (status = 200, description = "One item for each token", body = Vec<DeltaStatus>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    asked: DeltaStatusBySecret,
) -> Result<Json<Vec<DeltaStatus>>, Refusal> {
    statuses(&node, &asked.account, asked.question.tokens).await
}

/// The same without a secret, for senders that have none: tokens cannot be guessed.
#[utoipa::path(post, path = "/api/productdeltastatus", operation_id = "delta_status_without_secret", tag = "additions",
    request_body = DeltaStatusByKey, responses(OfShop, (status = 200, description = "One item for each token", body = Vec<DeltaStatus>)))]
pub async fn post_without_secret(
    State(node): State<Arc<Node>>,
    asked: DeltaStatusByKey,
) -> Result<Json<Vec<DeltaStatus>>, Refusal> {
    statuses(&node, &asked.account, asked.question.tokens).await
}

async fn statuses(
    node: &Node,
    account: &Account,
    asked: Vec<String>,
) -> Result<Json<Vec<DeltaStatus>>, Refusal> {
    let found = status_tokens::look_up(node, account, SubmissionKind::Delta, asked).await?;
    let item = |(token, status): (String, _)| match status {
        Some((Where::Open, _)) => DeltaStatus { token, status: 0, reason: None },
        Some((Where::Done, _)) => DeltaStatus { token, status: 1, reason: None },
        Some((Where::Failed, reason)) => DeltaStatus { token, status: 2, reason },
        None => DeltaStatus { token, status: 2, reason: Some(UNKNOWN_TOKEN.to_owned()) },
    };
    Ok(Json(found.into_iter().map(item).collect()))
}
