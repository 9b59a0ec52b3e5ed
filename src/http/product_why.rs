//! `POST /api/product/why`: why the shop shows an item as it does, or does not show it. An addition.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::{Map, Value, json};

use super::body::{Fields, read_json};
use super::product::section_named;
use super::refusal::{ErrorBody, Refusal};
use super::{credentials, peer_of};
use crate::catalogue::CatalogueFault;
use crate::catalogue::timeline::{self, Entry, Timeline, Touch};
use crate::ids::AccountId;
use crate::limits;
use crate::node::Node;
use crate::store::Tx;
use crate::submissions::{self, issues};

/// The timeline of one item, by its Id or SKU: what touched it, newest first. Also of one that is gone.
#[utoipa::path(post, path = "/api/product/why", tag = "additions", responses(
    (status = 200, description = "The item as it is shown, if it is, and its timeline"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "Nothing is known of it", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let key = fields.text(&["Id", "Sku"])?;
    let section = fields.opt_text(&["Section"])?;
    let account = credentials::by_secret(&node, peer, &fields).await?;
    let section = section_named(section.as_deref())?;
    let blobs = node.blobs.clone();
    let found = node.store.read(move |tx| {
        let found = timeline::timeline(tx, &blobs, account.id, section, &key)?;
        found.map(|found| shown(tx, account.id, &found)).transpose()
    });
    let mut found: Map<String, Value> =
        found.await?.ok_or_else(|| Refusal::unknown("Nothing is known of an item of that Id or Sku"))?;
    found.insert("Section".to_owned(), section.as_str().into());
    Ok(Json(Value::Object(found)))
}

fn shown(
    tx: &mut Tx<'_>,
    account: AccountId,
    found: &Timeline,
) -> Result<Map<String, Value>, CatalogueFault> {
    let mut entries = Vec::with_capacity(found.entries.len());
    for entry in &found.entries {
        let mut told = match &entry.touch {
            Touch::Change { what, body, raw } => json!({
                "Kind": "delta", "What": what.as_str(), "Row": json_of(body.as_deref())?,
                "Raw": raw.as_ref().map(|raw| String::from_utf8_lossy(raw)),
            }),
            Touch::Feed { published_at, is_base, row } => json!({
                "Kind": "feed", "What": if row.is_some() { "holds" } else { "lacks" },
                "Row": json_of(row.as_deref())?, "IsBase": is_base, "PublishedAt": published_at,
                "IsAsShown": *row == found.shown,
            }),
        };
        submitted(tx, account, entry, &mut told)?;
        entries.push(told);
    }
    let item = json_of(found.shown.as_deref())?;
    let whole = json!({"Id": found.id, "Item": item, "Timeline": entries});
    Ok(whole.as_object().cloned().unwrap_or_default())
}

/// Which submission it was, where in it the row stood, and what was wrong with the row.
fn submitted(
    tx: &mut Tx<'_>,
    account: AccountId,
    entry: &Entry,
    told: &mut Value,
) -> Result<(), CatalogueFault> {
    told["Number"] = entry.seq.into();
    // Its status, and with it what was wrong, is kept 30 days.
    let submission = submissions::get(tx, account, entry.seq)?;
    told["Token"] = submission.as_ref().map(|submission| submission.token.to_string()).into();
    told["AcceptedAt"] = submission.map(|submission| submission.accepted_at).into();
    told["RowNumber"] = entry.row_number.into();
    told["SentIn"] = entry.part.as_str().into();
    let found = match entry.row_number {
        Some(row) => issues::of_row(tx, account, entry.seq, entry.part, row)?,
        None => Vec::new(),
    };
    told["Issues"] = found.iter().map(|issue| issue.line().json()).collect();
    Ok(())
}

fn json_of(row: Option<&[u8]>) -> Result<Value, CatalogueFault> {
    row.map_or(Ok(Value::Null), |row| serde_json::from_slice(row).map_err(|_| CatalogueFault::Row))
}
