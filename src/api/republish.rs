//! `POST /api/feed/publish` and `/api/snapshots/back`: publish what was checked or shown before. Additions to the
//! fixed interface.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, RequestFields};
use super::plain_answer;
use super::plain_answer::AcceptedFeed;
use super::product::section;
use super::product_feed::with_token;
use crate::accounts::Account;
use crate::catalogue::{base, hold_reasons};
use crate::feeds::section::Section;
use crate::ids::{AccountId, SubmissionToken};
use crate::jobs::Lane;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, PublishMode, RepublishSource};
use crate::transport::error_body::ErrorBody;
use crate::transport::refusal::{ErrorCode, OfShop, Refusal};
use crate::{accept, limits};

/// The held feed to publish.
#[derive(utoipa::ToSchema)]
pub struct PublishRequest {
    /// The token of the feed.
    #[schema(rename = "Token", value_type = String)]
    token: SubmissionToken,
    /// `true` publishes it even if the removal guard stopped it.
    #[schema(rename = "Anyway", required = false)]
    anyway: bool,
}

impl FromFields for PublishRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let token = fields.text(&["Token"])?;
        let anyway = fields.flag(&["Anyway"])?;
        let token = SubmissionToken::parse(&token).ok_or_else(Refusal::token_unknown)?;
        Ok(Self { token, anyway })
    }
}

type PublishBySecret = Authenticated<PublishRequest>;

/// Publishes a feed that was held back: a dry run or, with `Anyway`, one that the removal guard stopped.
#[utoipa::path(post, path = "/api/feed/publish", operation_id = "feed_publish", tag = "additions",
    request_body = PublishBySecret, responses(OfShop, AcceptedFeed,
    (status = 404, description = "Unknown token, or nothing is held of it", body = ErrorBody<'static>),
    (status = 409, description = "The removal guard stopped it: only `Anyway` publishes it", body = ErrorBody<'static>)))]
pub async fn publish(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    PublishBySecret { account, question, .. }: PublishBySecret,
) -> Result<Response, Refusal> {
    let PublishRequest { token, anyway: is_forced } = question;
    let id = account.id;
    let held = node.store.read(move |tx| submissions::by_token(tx, id, token)).await;
    let held = held.map_err(|fault: StoreFault| Refusal::from(fault))?.ok_or_else(Refusal::token_unknown)?;
    let origin = RepublishSource { seq: held.held_seq(), section: None };
    if !is_forced {
        refuse_stopped(&node, &account, origin, held.reason).await?;
    }
    let manner = if is_forced { PublishMode::Anyway } else { PublishMode::Guarded };
    accept(&node, &headers, id, origin, manner).await?.ok_or_else(|| {
        Refusal::unknown(
            "Nothing is held of that submission, or not any more; a dry run and a feed stopped by the removal guard are held, until \
         they are published, three newer ones came, or an erasure found somebody in their text",
        )
    })
}

/// Refuses to publish a feed again that the removal guard stopped, as long as it would stop it again.
async fn refuse_stopped(
    node: &Node,
    account: &Account,
    origin: RepublishSource,
    reason: Option<String>,
) -> Result<(), Refusal> {
    let id = account.id;
    let percent = account.removal_percent.unwrap_or(limits::REMOVAL_GUARD_PERCENT);
    let reason = reason.filter(|reason| hold_reasons::has_stopped(reason, percent));
    let Some(reason) = reason else { return Ok(()) };
    let kept = node.store.read(move |tx| base::kept_under(tx, id, (origin.seq, None)));
    if kept.await.map_err(|fault: StoreFault| Refusal::from(fault))?.is_empty() {
        Ok(())
    } else {
        Err(Refusal::new(
            ErrorCode::FeedStopped,
            format!("That feed was stopped, and would be again: {reason}"),
        ))
    }
}

/// The snapshot to go back to.
#[derive(utoipa::ToSchema)]
pub struct BackRequest {
    /// Its number.
    #[schema(rename = "Number")]
    number: i64,
    /// Its section; by default `Products`.
    #[schema(rename = "Section", required = false)]
    section: Section,
}

impl FromFields for BackRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { number: fields.number(&["Number"])?, section: section(fields)? })
    }
}

type GoBackBySecret = Authenticated<BackRequest>;

/// Goes back to a snapshot that was shown before: the section shows it from then on, with the changes now on top.
#[utoipa::path(post, path = "/api/snapshots/back", operation_id = "snapshots_back", tag = "additions",
    request_body = GoBackBySecret, responses(OfShop, AcceptedFeed,
    (status = 404, description = "That snapshot is not kept", body = ErrorBody<'static>)))]
pub async fn go_back(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    GoBackBySecret { account, question, .. }: GoBackBySecret,
) -> Result<Response, Refusal> {
    let (id, BackRequest { number, section }) = (account.id, question);
    let origin = RepublishSource { seq: number, section: Some(section) };
    let accepted = accept(&node, &headers, id, origin, PublishMode::Anyway).await?;
    accepted.ok_or_else(|| Refusal::unknown(super::snapshots::NOT_KEPT))
}

/// The answer, or `None` when none of its snapshots is kept.
async fn accept(
    node: &Node,
    headers: &HeaderMap,
    id: AccountId,
    origin: RepublishSource,
    manner: PublishMode,
) -> Result<Option<Response>, Refusal> {
    let now = node.clock.now();
    let token = SubmissionToken::issue(now);
    let accept = move |tx: &mut Tx<'_>| accept::republish::accept(tx, id, token, origin, manner, now);
    let accepted = node.store.write(id, accept);
    let is_accepted = accepted.await.map_err(|fault: StoreFault| Refusal::from(fault))?;
    node.lanes.wake_lane(Lane::FEED);
    Ok(is_accepted.then(|| with_token(plain_answer::accepted_response(headers), token)))
}
