//! `POST /api/feed/publish` and `/api/snapshots/back`: what was checked or shown before is published. Additions beside
//! the fixed interface.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request};
use axum::response::Response;

use super::body::{Fields, Named, read_json};
use super::product::section_named;
use super::product_feed::with_token;
use super::refusal::{ErrorBody, Refusal};
use super::{answer, credentials, peer_of, tokens};
use crate::accept;
use crate::ids::{AccountId, Token};
use crate::jobs::Lane;
use crate::limits;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, Manner, Origin};

/// Publishes a feed that was held back: a dry run or, with `Anyway`, one that the removal guard stopped.
#[utoipa::path(post, path = "/api/feed/publish", tag = "additions", responses(
    (status = 200, description = "Accepted, durably; the token is in the header X-Feed-Token", body = String,
     content_type = "text/plain"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "Unknown token, or nothing is held of it", body = ErrorBody<'static>)))]
pub async fn publish(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let (headers, peer) = (request.headers().clone(), peer_of(&request));
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let (token, is_forced) = (Token::parse(&fields.text(&["Token"])?), fields.flag(&["Anyway"])?);
    let id = credentials::by_secret(&node, peer, &fields).await?.id;
    let held = node.store.read(move |tx| {
        token.map_or(Ok::<_, StoreFault>(None), |token| submissions::by_token(tx, id, token))
    });
    let held = held.await?.ok_or_else(|| Refusal::unknown(tokens::UNKNOWN))?;
    let origin = Origin { seq: held.held_seq(), section: None };
    let manner = if is_forced { Manner::Anyway } else { Manner::Guarded };
    accept(&node, &headers, id, origin, manner).await?.ok_or_else(|| {
        Refusal::unknown(
            "Nothing is held of that submission, or not any more; a dry run and a feed stopped by the removal guard are held, until \
         they are published, three newer ones came, or an erasure found somebody in their text",
        )
    })
}

/// Goes back to a snapshot that was shown before: the section shows it from then on, with the changes now on top.
#[utoipa::path(post, path = "/api/snapshots/back", tag = "additions", responses(
    (status = 200, description = "Accepted, durably; the token is in the header X-Feed-Token", body = String,
     content_type = "text/plain"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>),
    (status = 404, description = "That snapshot is not kept", body = ErrorBody<'static>)))]
pub async fn back(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Response, Refusal> {
    let (headers, peer) = (request.headers().clone(), peer_of(&request));
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let (number, section) = (fields.number(&["Number"])?, fields.opt_text(&["Section"])?);
    let id = credentials::by_secret(&node, peer, &fields).await?.id;
    let section = section_named(section.as_deref())?;
    let origin = Origin { seq: number, section: Some(section) };
    let accepted = accept(&node, &headers, id, origin, Manner::Anyway).await?;
    accepted.ok_or_else(|| Refusal::unknown(super::snapshots::NOT_KEPT))
}

/// The answer, or `None` when nothing of it is kept.
async fn accept(
    node: &Node,
    headers: &HeaderMap,
    id: AccountId,
    origin: Origin,
    manner: Manner,
) -> Result<Option<Response>, Refusal> {
    let now = node.clock.now();
    let token = Token::issue(now);
    let accept = move |tx: &mut Tx<'_>| accept::republish::accept(tx, id, token, origin, manner, now);
    let accepted = node.store.write(id, accept);
    let is_accepted = accepted.await.map_err(|fault: StoreFault| Refusal::from(fault))?;
    node.lanes.rouse(Lane::FEED);
    Ok(is_accepted.then(|| with_token(answer::accepted(headers), token)))
}
