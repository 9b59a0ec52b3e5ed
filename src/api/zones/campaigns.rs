//! `POST /api/zones`, `/api/zones/set`, `/api/zones/history` and `/api/zones/undo`: a merchandiser's campaigns for the
//! zones of the shop's pages.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::accounts::list_kind::ListKind;
use crate::accounts::lists;
use crate::api::account_change::change;
use crate::api::compute_pool;
use crate::api::extract::Authenticated;
use crate::api::from_fields::{FromFields, MemberNames};
use crate::api::json_fields::{JsonFields, unreadable};
use crate::api::search::TurnOf;
use crate::api::versioned_list::{
    ListHistoryRequest, ListOfVersion, ListOfVersionRequest, ListUndone, list_versions, read_version,
    restore_version, version_field,
};
use crate::limits;
use crate::node::Node;
use crate::store::Owner;
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};
use crate::zones::{Campaign, CampaignFault, parse_campaigns};

impl From<CampaignFault> for Refusal {
    fn from(fault: CampaignFault) -> Self {
        Self::malformed(fault.to_string())
    }
}

/// The campaigns of a request.
///
/// # Errors
/// When they are no list.
pub(super) fn campaigns_of(fields: &JsonFields<'_>) -> Result<Option<Vec<Value>>, Refusal> {
    let Some(sent) = fields.find(&["Campaigns"])? else { return Ok(None) };
    serde_json::from_str(RawValue::get(sent))
        .map(Some)
        .map_err(|fault| unreadable("Campaigns", &fault, "a list of campaigns"))
}

/// The campaigns of a shop, and the number of this version.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct CampaignsNow {
    /// 0: they were never set.
    version: i64,
    /// The campaigns.
    #[schema(value_type = Vec<Campaign>)]
    campaigns: Box<RawValue>,
}

type CampaignsBySecret = Authenticated<ListOfVersionRequest>;

/// The campaigns of the shop's zones; of a version that is kept, those that were set then.
#[utoipa::path(post, path = "/api/zones", operation_id = "zones", tag = "zones", request_body = CampaignsBySecret,
    responses(OfShop, (status = 200, description = "The campaigns", body = CampaignsNow),
    (status = 404, description = "That version is not kept", body = ErrorBody<'static>)))]
pub async fn list(
    State(node): State<Arc<Node>>,
    CampaignsBySecret { account, question, .. }: CampaignsBySecret,
) -> Result<Json<CampaignsNow>, Refusal> {
    let (version, campaigns) = read_version(&node, account.id, ListKind::Campaigns, question).await?;
    Ok(Json(CampaignsNow { version, campaigns }))
}

/// A whole list of campaigns.
#[derive(utoipa::ToSchema)]
pub struct CampaignsSetRequest {
    /// All campaigns from now on, of each zone in their order.
    #[schema(rename = "Campaigns", value_type = Vec<Campaign>)]
    campaigns: Vec<Value>,
    /// The version that was edited. If another one is live by now, nothing is changed.
    #[schema(rename = "Before", required = false, value_type = i64)]
    before: Option<i64>,
}

impl FromFields for CampaignsSetRequest {
    const LIMIT_BYTES: usize = limits::CAMPAIGNS_BODY_BYTES;
    const MEMBERS: MemberNames = MemberNames::Hints(&[&["Campaigns", "Before"]]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let missing = || Refusal::missing("Campaigns is missing: a list of campaigns");
        let campaigns = campaigns_of(fields)?.ok_or_else(missing)?;
        Ok(Self { campaigns, before: version_field(fields, "Before")? })
    }
}

/// Result of setting campaigns.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct CampaignsSet {
    /// The live version.
    version: i64,
}

type CampaignsSetBySecret = Authenticated<CampaignsSetRequest>;

/// Sets the whole list of campaigns.
#[utoipa::path(post, path = "/api/zones/set", operation_id = "zones_set", tag = "zones", request_body = CampaignsSetBySecret,
    responses(OfShop, (status = 200, description = "They are live", body = CampaignsSet),
    (status = 409, description = "Others changed them since", body = ErrorBody<'static>)))]
pub async fn set(
    State(node): State<Arc<Node>>,
    CampaignsSetBySecret { account, question: CampaignsSetRequest { campaigns: sent, before }, peer }: CampaignsSetBySecret,
) -> Result<Json<CampaignsSet>, Refusal> {
    let id = account.id;
    // A large list takes its time.
    let reading = compute_pool::work_apart(&node, TurnOf::new(id, peer), move || Ok(parse_campaigns(&sent)?));
    let (campaigns, text) = reading.await?;
    let count = campaigns.len();
    let now = node.clock.now();
    let set = change(&node, Owner::with_store(id), move |tx| {
        lists::set(tx, (id, ListKind::Campaigns), before, (&text, count), now)
    });
    let version = set.await?;
    tracing::info!(account = id.0, version, campaigns = count, "the campaigns of a shop's zones were set");
    Ok(Json(CampaignsSet { version }))
}

type CampaignsHistoryBySecret = Authenticated<ListHistoryRequest>;

/// The lists of campaigns that were set, newest first.
#[utoipa::path(post, path = "/api/zones/history", operation_id = "zones_history", tag = "zones",
    request_body = CampaignsHistoryBySecret,
    responses(OfShop, (status = 200, description = "The newest lists that were set", body = Vec<ListOfVersion>)))]
pub async fn history(
    State(node): State<Arc<Node>>,
    CampaignsHistoryBySecret { account, .. }: CampaignsHistoryBySecret,
) -> Result<Json<Vec<ListOfVersion>>, Refusal> {
    list_versions(&node, account.id, ListKind::Campaigns).await.map(Json)
}

type CampaignsUndoBySecret = Authenticated<ListOfVersionRequest>;

/// Brings back an earlier list of campaigns. That is a change as any other, and can be undone.
#[utoipa::path(post, path = "/api/zones/undo", operation_id = "zones_undo", tag = "zones", request_body = CampaignsUndoBySecret,
    responses(OfShop, (status = 200, description = "It is live", body = ListUndone),
    (status = 404, description = "That version is not kept", body = ErrorBody<'static>)))]
pub async fn undo(
    State(node): State<Arc<Node>>,
    CampaignsUndoBySecret { account, question, .. }: CampaignsUndoBySecret,
) -> Result<Json<ListUndone>, Refusal> {
    restore_version(&node, account.id, ListKind::Campaigns, question).await.map(Json)
}
