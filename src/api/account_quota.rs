//! `/control/account/quota`, and the disk part of every answer: what an account holds, and how much it may.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;

use super::account_change::{change, load_owner};
use super::body::read_json;
use super::json_fields::JsonFields;
use crate::accounts::quota::{self, Quota, QuotaExceeded, QuotaUse};
use crate::ids::AccountId;
use crate::limits;
use crate::node::Node;
use crate::transport::refusal::Refusal;

/// Disk use of an account.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct DiskUse {
    /// Bytes on the disk of the server: of feeds on their way, and of catalogues shown, held or kept.
    held_bytes: i64,
    /// Most bytes that it may hold; null: as many as there is room for.
    quota_bytes: Option<i64>,
}

impl From<QuotaUse> for DiskUse {
    fn from(holding: QuotaUse) -> Self {
        Self { held_bytes: holding.held_bytes, quota_bytes: holding.limit_bytes }
    }
}

/// The answer to a limit that was set.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Limited {
    name: String,
    #[serde(flatten)]
    held: DiskUse,
}

/// Sets how much an account may hold; without `Quota` back to the default.
///
/// # Errors
/// A refusal when the request or the size is malformed, no account has the name, or the store fails.
pub async fn set(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Limited>, Refusal> {
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let quota = fields.opt_text(&["Quota"])?.map_or(Ok(Quota::Default), |text| Quota::parse(&text))?;
    let owner = load_owner(&node, &name).await?;
    let part = node.quota_part();
    let (account, holding) = change(&node, owner, move |tx| quota::set(tx, &name, quota, part)).await?;
    let quota_bytes = holding.limit_bytes;
    tracing::info!(account = account.id.0, quota_bytes, "the quota of an account was set");
    node.full_accounts.clear();
    Ok(Json(Limited { name: account.name, held: holding.into() }))
}

/// Refuses a request of an account that was over its quota at the last count. Requests to forget skip this check.
/// While the store cannot be read the last count stands; pieces are checked again in their transaction.
///
/// # Errors
/// A refusal when the account holds as much as it may.
pub async fn check(node: &Node, account: AccountId) -> Result<(), Refusal> {
    let no_room = node.full_accounts.find(&node.store, account, || node.quota_part()).await;
    no_room.map_or(Ok(()), |no_room| Err(no_room.into()))
}

impl From<QuotaExceeded> for Refusal {
    fn from(no_room: QuotaExceeded) -> Self {
        metrics::counter!("lethe_quota_refusals_total").increment(1);
        Self::no_room(format!("There is no room for this: {no_room}"))
    }
}
