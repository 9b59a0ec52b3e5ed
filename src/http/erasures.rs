//! `POST /api/erasures`, `/api/erasure` and `/api/erasure/certificate`: what became of requests to forget, and the
//! evidence. Additions beside the fixed interface.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::body::{Fields, Named, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{credentials, peer_of};
use crate::evidence::{EvidenceFault, erasures};
use crate::ids::AccountId;
use crate::limits;
use crate::node::Node;

/// Says that there is no such erasure.
const UNKNOWN: &str = "There is no erasure of this id; `lethe erasure list` shows them";

/// The account's erasures, newest first; `Before` a `Number` goes on.
#[utoipa::path(post, path = "/api/erasures", tag = "people", responses(
    (status = 200, description = "How far each is, by when it is due, what it waits for"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn list(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let before = match fields.as_sent(&["Before"])? {
        Some(_) => fields.number(&["Before"])?,
        None => i64::MAX,
    };
    let account = credentials::by_secret(&node, peer, &fields).await?.id;
    let now = node.clock.now();
    let listed =
        node.store.read(move |tx| erasures::list(tx, account, before, limits::ERASURES_SHOWN, now)).await;
    Ok(Json(Value::Array(listed?)))
}

/// One erasure: its steps, and what was removed from each place.
#[utoipa::path(post, path = "/api/erasure", tag = "people", responses(
    (status = 200, description = "Steps with their times, places with their counts"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "No erasure of this id", body = ErrorBody<'static>)))]
pub async fn show(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let (account, id) = about(&node, request).await?;
    let now = node.clock.now();
    let shown = node.store.read(move |tx| erasures::show(tx, account, id, now)).await?;
    shown.map(Json).ok_or_else(|| Refusal::unknown(UNKNOWN))
}

/// The signed certificate of a verified erasure, with its proof in the ledger; `lethe-verify` checks it offline.
#[utoipa::path(post, path = "/api/erasure/certificate", tag = "people", responses(
    (status = 200, description = "The certificate, byte for byte as it is checked"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "No erasure of this id", body = ErrorBody<'static>),
    (status = 409, description = "It is not verified yet", body = ErrorBody<'static>)))]
pub async fn certificate(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let (account, id) = about(&node, request).await?;
    let (keys, now) = (node.keys.clone(), node.clock.now());
    let found = node.store.read(move |tx| {
        let certificate = erasures::certificate(tx, &keys, account, id, now)?;
        Ok::<_, EvidenceFault>((certificate, erasures::show(tx, account, id, now)?.is_some()))
    });
    match found.await? {
        (Some(certificate), _) => {
            Ok(([(header::CONTENT_TYPE, "application/json")], certificate).into_response())
        }
        (None, true) => Err(Refusal::conflict(
            "The erasure is not verified yet; `lethe erasure show` tells how far it is",
        )),
        (None, false) => Err(Refusal::unknown(UNKNOWN)),
    }
}

async fn about(node: &Node, request: Request<Body>) -> Result<(AccountId, uuid::Uuid), Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let id = fields.text(&["Erasure"])?;
    let account = credentials::by_secret(node, peer, &fields).await?.id;
    // A malformed id gets the same answer as an unknown one.
    let id = uuid::Uuid::try_parse(id.trim()).map_err(|_| Refusal::unknown(UNKNOWN))?;
    Ok((account, id))
}
