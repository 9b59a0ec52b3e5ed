//! Lists that a shop sets whole and that keep their versions (rules, campaigns): the common part of their operations.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::account_change::change;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, RequestFields};
use crate::accounts::AccountFault;
use crate::accounts::list_kind::ListKind;
use crate::accounts::lists::{self, ListVersion};
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::node::Node;
use crate::store::{Owner, StoreFault};
use crate::transport::refusal::Refusal;

/// Selects a list that was set.
#[derive(utoipa::ToSchema)]
pub struct ListOfVersionRequest {
    /// Its version, if another one is meant than by default; with 0 it is empty.
    #[schema(rename = "Version", required = false, value_type = i64)]
    version: Option<i64>,
}

impl FromFields for ListOfVersionRequest {
    const MEMBERS: MemberNames = MemberNames::Hints(&[&["Version"]]);

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { version: version_field(fields, "Version")? })
    }
}

/// A request for the versions of a list: it names nothing but the shop.
#[derive(utoipa::ToSchema)]
pub struct ListHistoryRequest {}

impl FromFields for ListHistoryRequest {
    const MEMBERS: MemberNames = MemberNames::Hints(&[]);

    fn from_fields(_: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self {})
    }
}

/// A live or kept list: its version, and its content.
///
/// # Errors
/// A refusal when the version is not kept, or the store fails.
pub async fn read_version(
    node: &Node,
    account: AccountId,
    kind: ListKind,
    ListOfVersionRequest { version }: ListOfVersionRequest,
) -> Result<(i64, Box<RawValue>), Refusal> {
    let reading = node.store.read(move |tx| {
        Ok::<_, AccountFault>(match version {
            None => lists::get(tx, account, kind)?,
            Some(0) => (0, String::new()),
            Some(version) => (version, lists::of_version(tx, account, kind, version)?),
        })
    });
    let (version, text) = reading.await?;
    let text = if text.is_empty() { "[]".to_owned() } else { text };
    Ok((version, RawValue::from_string(text).map_err(|_| Refusal::fault())?))
}

/// The version of a list that a request names, if it names one.
///
/// # Errors
/// When it is no whole number.
pub fn version_field(fields: &JsonFields<'_>, name: &'static str) -> Result<Option<i64>, Refusal> {
    let sent = fields.as_sent(&[name])?;
    if sent.is_none_or(|sent| sent.is_empty() || sent == "null") {
        return Ok(None);
    }
    Ok(Some(fields.number(&[name])?))
}

/// A list that was set.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ListOfVersion {
    /// Its number, from 1.
    version: i64,
    /// Time when it was set, in milliseconds since 1970.
    made_at: Millis,
    /// The earlier version that it brought back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = i64)]
    restored: Option<i64>,
    /// Number of rules or campaigns in it.
    count: i64,
}

/// The lists of a kind that are kept, newest first.
///
/// # Errors
/// A refusal when the store fails.
pub async fn list_versions(
    node: &Node,
    account: AccountId,
    kind: ListKind,
) -> Result<Vec<ListOfVersion>, Refusal> {
    let reading = node.store.read(move |tx| lists::history(tx, account, kind));
    let kept = reading.await.map_err(|fault: StoreFault| fault)?;
    let shown = kept.into_iter().map(|ListVersion { version, made_at, restored, count }| ListOfVersion {
        version,
        made_at,
        restored,
        count,
    });
    Ok(shown.collect())
}

/// Result of bringing a list back.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ListUndone {
    /// The live version: a new one.
    version: i64,
}

/// Brings an earlier list of a kind back.
///
/// # Errors
/// A refusal when it is not kept, was changed a moment ago, or the store fails.
pub async fn restore_version(
    node: &Arc<Node>,
    account: AccountId,
    kind: ListKind,
    ListOfVersionRequest { version }: ListOfVersionRequest,
) -> Result<ListUndone, Refusal> {
    let now = node.clock.now();
    let undoing =
        change(node, Owner::with_store(account), move |tx| lists::undo(tx, (account, kind), version, now));
    let version = undoing.await?;
    tracing::info!(account = account.0, version, list = kind.name(), "an earlier list was brought back");
    Ok(ListUndone { version })
}
