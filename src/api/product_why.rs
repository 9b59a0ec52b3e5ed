//! `POST /api/product/why`: why the shop shows an item as it does, or does not show it. An addition.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::Value;

use super::product::{AuthenticatedItem, ItemRequest};
use crate::catalogue::CatalogueFault;
use crate::catalogue::timeline::{self, ItemTouch, Timeline, TimelineEntry};
use crate::feeds::listing::IssueItem;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::node::Node;
use crate::store::Tx;
use crate::submissions::{self, issues};
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{OfShop, Refusal};

/// Reasons why an item is shown as it is.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ItemWhy {
    /// Its id.
    id: String,
    /// Its row as it is shown now, in normal form; null when it is not shown.
    #[schema(value_type = Option<Object>)]
    item: Value,
    /// Deltas and feeds that touched it, newest first.
    timeline: Vec<Touched>,
    /// Its section.
    section: Section,
}

/// One thing that touched an item: a delta that changed it, or a feed that was published.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Touched {
    /// `delta` or `feed`.
    kind: &'static str,
    /// For a delta `put`, `delete`, `join`, `leave`, `add_variant`, `set_variant` or `delete_variant`; for a feed
    /// `holds` or `lacks`.
    what: &'static str,
    /// The row in normal form, the list of categories, or the variant with the fields that the row sets.
    #[schema(value_type = Value)]
    row: Value,
    #[serde(flatten)]
    by: TouchedBy,
    /// Place of the submission in the account's order of acceptance.
    number: i64,
    /// Its number among the account's feeds, or among its deltas, as long as it is known: the one to show to people.
    kind_number: Option<i64>,
    /// Its token, as long as its status is kept.
    token: Option<String>,
    /// Time when it was accepted.
    accepted_at: Option<i64>,
    /// Number of the row in its section, from 1.
    row_number: Option<i64>,
    /// The section it was sent in.
    sent_in: &'static str,
    /// Issues of the row.
    issues: Vec<IssueItem>,
}

/// Members that only a delta or only a feed has.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct TouchedBy {
    /// For a delta: the row as it was sent, if it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, required = false)]
    raw: Option<Option<String>>,
    /// For a feed: `true` if the catalogue stands on it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = bool, required = false)]
    is_base: Option<bool>,
    /// For a feed: the time when it was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    published_at: Option<i64>,
    /// For a feed: `true` if it has the item as it is shown now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = bool, required = false)]
    is_as_shown: Option<bool>,
}

/// The timeline of one item, by its Id or SKU: everything that touched it, newest first. Also of a removed item.
#[utoipa::path(post, path = "/api/product/why", operation_id = "product_why", tag = "additions",
    request_body = AuthenticatedItem, responses(OfShop,
    (status = 200, description = "The item as it is shown, if it is, and its timeline", body = ItemWhy),
    (status = 404, description = "Nothing is known of it", body = ErrorBody<'static>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    AuthenticatedItem { account, question, .. }: AuthenticatedItem,
) -> Result<Json<ItemWhy>, Refusal> {
    let ItemRequest { key, section } = question;
    let blobs = node.blobs.clone();
    let found = node.store.read(move |tx| {
        let found = timeline::timeline(tx, &blobs, account.id, section, &key)?;
        found.map(|found| explain_item(tx, account.id, section, &found)).transpose()
    });
    let found = found.await?;
    found.map(Json).ok_or_else(|| Refusal::unknown("Nothing is known of an item of that Id or Sku"))
}

fn explain_item(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    found: &Timeline,
) -> Result<ItemWhy, CatalogueFault> {
    let timeline =
        found.entries.iter().map(|entry| describe_entry(tx, account, entry, found.shown.as_deref()));
    let timeline = timeline.collect::<Result<_, _>>()?;
    Ok(ItemWhy { id: found.id.clone(), item: json_of(found.shown.as_deref())?, timeline, section })
}

/// Describes an entry: its content, its submission, the place of the row in that, and the issues of the row.
fn describe_entry(
    tx: &mut Tx<'_>,
    account: AccountId,
    entry: &TimelineEntry,
    shown: Option<&[u8]>,
) -> Result<Touched, CatalogueFault> {
    let (kind, what, row) = match &entry.touch {
        ItemTouch::Change { what, body, .. } => ("delta", what.as_str(), body),
        ItemTouch::Feed { row: Some(row), .. } => ("feed", "holds", &Some(row.clone())),
        ItemTouch::Feed { row: None, .. } => ("feed", "lacks", &None),
    };
    let by = match &entry.touch {
        ItemTouch::Change { raw, .. } => TouchedBy {
            raw: Some(raw.as_ref().map(|raw| String::from_utf8_lossy(raw).into_owned())),
            is_base: None,
            published_at: None,
            is_as_shown: None,
        },
        ItemTouch::Feed { published_at, is_base, row } => TouchedBy {
            raw: None,
            is_base: Some(*is_base),
            published_at: Some(*published_at),
            is_as_shown: Some(row.as_deref() == shown),
        },
    };
    // Its status, and its issues with it, are kept 30 days.
    let submission = submissions::load_by_seq(tx, account, entry.seq)?;
    let found = match entry.row_number {
        Some(row) => issues::of_row(tx, account, entry.seq, entry.part, row)?,
        None => Vec::new(),
    };
    Ok(Touched {
        kind,
        what,
        row: json_of(row.as_deref())?,
        by,
        number: entry.seq,
        kind_number: submission.as_ref().map(|submission| submission.kind_number).or(entry.kind_number),
        token: submission.as_ref().map(|submission| submission.token.to_string()),
        accepted_at: submission.map(|submission| submission.accepted_at),
        row_number: entry.row_number,
        sent_in: entry.part.as_str(),
        issues: found.iter().map(|issue| issue.line().to_item()).collect(),
    })
}

fn json_of(row: Option<&[u8]>) -> Result<Value, CatalogueFault> {
    row.map_or(Ok(Value::Null), |row| serde_json::from_slice(row).map_err(|_| CatalogueFault::Row))
}
