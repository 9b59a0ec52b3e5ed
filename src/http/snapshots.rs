//! `POST /api/snapshots`, `/api/snapshots/compare` and `/api/feed/difference`: what was shown before, and what a feed
//! changes. Additions beside the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::{Map, Value, json};

use super::body::{Fields, Named, read_json};
use super::product::section_named;
use super::refusal::{ErrorBody, Refusal};
use super::{credentials, peer_of, tokens};
use crate::catalogue::CatalogueFault;
use crate::catalogue::base::{self, Kept};
use crate::catalogue::difference::{self, Difference, Kind};
use crate::catalogue::snapshot::Snapshot;
use crate::feeds::section::Section;
use crate::ids::Token;
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions;

/// Says that a snapshot is not there.
pub const NOT_KEPT: &str = "No snapshot of that number is kept; `lethe snapshot list` shows them";

/// The snapshots that are kept, newest first, and which of them is shown.
#[utoipa::path(post, path = "/api/snapshots", tag = "additions", responses(
    (status = 200, description = "The kept snapshots of all sections, or of one"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn list(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let section = fields.opt_text(&["Section"])?;
    let id = credentials::by_secret(&node, peer, &fields).await?.id;
    let sections: Vec<Section> = match section {
        Some(name) => vec![section_named(Some(&name))?],
        None => Section::ALL.to_vec(),
    };
    let listed = node.store.read(move |tx| {
        let bases = base::list(tx, id)?;
        let mut listed = Vec::new();
        for section in &sections {
            let shown = bases.get(section).map(|base| base.snapshot_seq);
            listed.extend(base::kept(tx, id, *section)?.iter().map(|kept| {
                json!({"Section": section.as_str(), "Number": kept.seq, "Items": kept.new.items,
                       "Bytes": kept.new.bytes, "PublishedAt": kept.published_at, "Shown": shown == Some(kept.seq)})
            }));
        }
        Ok::<_, StoreFault>(listed)
    });
    Ok(Json(Value::Array(listed.await?)))
}

/// What the snapshot `To` changes in the snapshot `From`.
#[utoipa::path(post, path = "/api/snapshots/compare", tag = "additions", responses(
    (status = 200, description = "Counts, and examples of each kind of difference"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "One of them is not kept", body = ErrorBody<'static>)))]
pub async fn compare(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let (from, to) = (fields.number(&["From"])?, fields.number(&["To"])?);
    let section = fields.opt_text(&["Section"])?;
    let id = credentials::by_secret(&node, peer, &fields).await?.id;
    let section = section_named(section.as_deref())?;
    // One at a time: it is work of seconds where catalogues are large, and nobody waits for it at a till.
    let turn = tokio::time::timeout(limits::COMPARE_WAIT_DURATION, node.comparing.clone().lock_owned());
    let turn = turn.await.map_err(|_| Refusal::busy())?;
    // The sweep leaves both files until they are open.
    let files = node.blobs.hold();
    let kept = node.store.read(move |tx| base::kept(tx, id, section)).await;
    let kept: Vec<Kept> = kept.map_err(|fault: StoreFault| Refusal::from(fault))?;
    let file = |number: i64| {
        let kept = kept.iter().find(|kept| kept.seq == number).map(|kept| kept.new.blob);
        kept.ok_or_else(|| Refusal::unknown(NOT_KEPT))
    };
    let (from, to, blobs) = (file(from)?, file(to)?, node.blobs.clone());
    let comparing = tokio::task::spawn_blocking(move || {
        let (old, new) = (Snapshot::open(&files, &from)?, Snapshot::open(&files, &to)?);
        drop(files);
        let compared = Difference::between(&blobs, section, Some(&old), &new, &|| true);
        // Only now, also when nobody waits for the answer any more.
        drop(turn);
        compared
    });
    let compared: Result<_, CatalogueFault> = comparing.await.map_err(|_| Refusal::fault())?;
    Ok(Json(shown(section, &compared?.unwrap_or_default())))
}

/// What a feed changes, or changed when it was published, section by section; and whether it is held.
#[utoipa::path(post, path = "/api/feed/difference", tag = "additions", responses(
    (status = 200, description = "Counts, and examples of each kind of difference"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "Unknown token", body = ErrorBody<'static>)))]
pub async fn of_feed(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let token = Token::parse(&fields.text(&["Token"])?);
    let id = credentials::by_secret(&node, peer, &fields).await?.id;
    let found = node.store.read(move |tx| {
        let Some(token) = token else { return Ok::<_, StoreFault>(None) };
        let Some(submission) = submissions::by_token(tx, id, token)? else { return Ok(None) };
        let differences = difference::list(tx, id, submission.work_seq())?;
        let sections: Vec<_> = differences.iter().map(|(section, found)| shown(*section, found)).collect();
        let is_held = !base::held(tx, id, submission.held_seq())?.is_empty();
        Ok(Some(json!({"Sections": sections, "Held": is_held})))
    });
    found.await?.map(Json).ok_or_else(|| Refusal::unknown(tokens::UNKNOWN))
}

fn shown(section: Section, difference: &Difference) -> Value {
    let counts = Kind::ALL.map(|kind| (kind.as_str().to_owned(), Value::from(difference.of(kind))));
    let examples = difference.examples.iter().map(|example| {
        json!({"Kind": example.kind.as_str(), "Id": example.item, "Before": example.before,
               "After": example.after})
    });
    json!({"Section": section.as_str(), "Counts": Map::from_iter(counts),
           "Examples": examples.collect::<Vec<_>>()})
}
