//! `POST /api/submissions`: an account's recent submissions with their progress. An addition.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use serde_json::{Value, json};

use super::body::{Fields, read_json};
use super::refusal::{ErrorBody, Refusal};
use super::{credentials, peer_of};
use crate::ids::{AccountId, Token};
use crate::jobs::{self, Lane};
use crate::limits;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, Kind, State as Where, Submission};
use crate::uploads;

/// Recent submissions, newest first, or the one of `Token`.
#[utoipa::path(post, path = "/api/submissions", tag = "additions", responses(
    (status = 200, description = "Submissions with their progress"),
    (status = 400, description = "Malformed, missing or ambiguous", body = ErrorBody<'static>),
    (status = 403, description = "Wrong credentials", body = ErrorBody<'static>)))]
pub async fn post(State(node): State<Arc<Node>>, request: Request<Body>) -> Result<Json<Value>, Refusal> {
    let peer = peer_of(&request);
    let body = read_json(request, limits::REQUEST_BODY_BYTES).await?;
    let fields = Fields::parse(&body)?;
    let token = fields.opt_text(&["Token"])?;
    let account = credentials::by_secret(&node, peer, &fields).await?;
    let shown = node
        .store
        .read(move |tx| {
            let found = match &token {
                Some(text) => match Token::parse(text) {
                    Some(token) => submissions::by_token(tx, account.id, token)?.into_iter().collect(),
                    None => Vec::new(),
                },
                None => submissions::recent(tx, account.id, limits::SUBMISSIONS_SHOWN)?,
            };
            found.iter().map(|submission| shown(tx, account.id, submission)).collect::<Result<Vec<_>, _>>()
        })
        .await
        .map_err(|fault: StoreFault| Refusal::from(fault))?;
    Ok(Json(Value::Array(shown)))
}

/// A submission as it is shown, here and in every event about it.
pub(super) fn shown(
    tx: &mut Tx<'_>,
    account: AccountId,
    submission: &Submission,
) -> Result<Value, StoreFault> {
    let kind = submission.input.kind();
    let is_feed = kind == Kind::Feed;
    let state = match (submission.state, is_feed) {
        (Where::Open, true) => json!("Processing"),
        (Where::Done, true) => json!("Complete"),
        (Where::Failed, true) => json!("Error"),
        (Where::Open, false) => json!(0),
        (Where::Done, false) => json!(1),
        (Where::Failed, false) => json!(2),
    };
    let progress = match submission.state {
        Where::Done | Where::Failed => Value::Null,
        Where::Open if !is_feed => progress_of_deltas(tx, account)?,
        Where::Open if submission.ready_seq.is_none() => {
            let bytes = uploads::received(tx, account, submission.seq)?;
            json!({"Phase": "receiving pieces", "Bytes": bytes})
        }
        Where::Open => progress(tx, account, submission.work_seq())?,
    };
    Ok(json!({"Token": submission.token.to_string(), "Kind": kind.as_str(), "Number": submission.seq,
              "Status": state, "Reason": submission.reason, "Source": submission.input.source(),
              "DryRun": submission.input.is_dry_run(),
              "AcceptedAt": submission.accepted_at, "FinishedAt": submission.finished_at,
              "Progress": progress}))
}

fn progress(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Value, StoreFault> {
    let seen = jobs::progress(tx, Lane::FEED, account, seq)?;
    Ok(seen.map_or(Value::Null, |seen| {
        json!({"Phase": seen.phase, "Rows": seen.rows, "RowsPerSecond": seen.rows_per_second(),
               "Bytes": seen.bytes, "BytesTotal": seen.bytes_total, "SecondsLeft": seen.seconds_left(),
               "NextTryAt": seen.next_try_at})
    }))
}

/// An account's deltas are one job, whose counts tell nothing of a single one.
fn progress_of_deltas(tx: &mut Tx<'_>, account: AccountId) -> Result<Value, StoreFault> {
    let seen = jobs::progress(tx, Lane::DELTA, account, 0)?;
    Ok(seen.map_or(Value::Null, |seen| json!({"Phase": seen.phase, "NextTryAt": seen.next_try_at})))
}
