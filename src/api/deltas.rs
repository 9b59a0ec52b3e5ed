//! `POST /api/deltas`: an account's deltas: how many wait, how long the newest took, and the newest themselves. An
//! addition.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, RequestFields};
use super::submission::{self, ShownSubmission};
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions::deltas::{self, LAG_STEPS_MS, Lags};
use crate::submissions::{self, Submission, SubmissionKind, SubmissionState as Where};
use crate::transport::refusal::{OfShop, Refusal};

/// A question about deltas.
#[derive(utoipa::ToSchema)]
pub struct DeltasRequest {
    /// Only deltas of one state: `pending`, `applied` or `failed`.
    #[schema(rename = "State", value_type = String, required = false, pattern = "^(pending|applied|failed)?$", example = "failed")]
    state: Option<Where>,
    /// `Next` of the page before.
    #[schema(rename = "Before", required = false)]
    before: i64,
}

impl FromFields for DeltasRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let state = match fields.opt_text(&["State"])?.as_deref() {
            None | Some("") => None,
            Some("pending") => Some(Where::Open),
            Some("applied") => Some(Where::Done),
            Some("failed") => Some(Where::Failed),
            Some(_) => return Err(Refusal::malformed("State has to be pending, applied or failed")),
        };
        let before = fields.opt_number(&["Before"])?.unwrap_or(i64::MAX);
        Ok(Self { state, before })
    }
}

impl DeltasRequest {
    fn admits(&self, one: &Submission) -> bool {
        one.input.kind() == SubmissionKind::Delta && self.state.is_none_or(|state| one.state == state)
    }
}

type DeltasBySecret = Authenticated<DeltasRequest>;

/// The deltas of an account.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Deltas {
    /// Number of deltas that wait or are being applied, counted up to 10,000.
    waiting: i64,
    /// Time when the oldest waiting one was accepted, in milliseconds since 1970.
    oldest_at: Option<i64>,
    /// Number of ended deltas among the newest 500 submissions: the figures below are theirs.
    ended: usize,
    /// Median time from accepted to ended, in milliseconds.
    median_ms: Option<i64>,
    /// 95 of 100 took no longer than this.
    percentile95_ms: Option<i64>,
    /// Counts of the deltas that ended, by the time that they took.
    lags: Vec<DeltaLag>,
    /// The newest, up to 50.
    deltas: Vec<ShownSubmission>,
    /// `Before` of the next page, if there is one. A page can be empty and have a next one: 500 submissions are looked
    /// through for each.
    next: Option<i64>,
}

/// Deltas that took about as long as each other.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct DeltaLag {
    /// Upper limit of their time; the lag before has the lower one. Null for the longest.
    up_to_ms: Option<i64>,
    /// Number of deltas that were applied.
    applied: i64,
    /// Number of deltas that failed, or had rows that were refused.
    failed: i64,
}

/// The deltas of an account, newest first, with how many wait and how long the newest took.
#[utoipa::path(post, path = "/api/deltas", operation_id = "deltas", tag = "additions", request_body = DeltasBySecret,
    responses(OfShop, (status = 200, description = "What waits, lags, and a page of deltas", body = Deltas)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    DeltasBySecret { account, question, .. }: DeltasBySecret,
) -> Result<Json<Deltas>, Refusal> {
    let id = account.id;
    let found = node.store.read(move |tx| {
        let newest = submissions::recent(tx, id, i64::MAX, limits::DELTAS_LOOKED_THROUGH)?;
        let lags = Lags::from_submissions(&newest);
        let looked = match question.before {
            i64::MAX => newest,
            before => submissions::recent(tx, id, before, limits::DELTAS_LOOKED_THROUGH)?,
        };
        let queue = deltas::queue(tx, id, limits::DELTAS_COUNTED)?;
        let page = page(&question, &looked);
        let shown = page.shown.iter().map(|one| submission::describe_submission(tx, id, one));
        let shown = shown.collect::<Result<Vec<_>, StoreFault>>()?;
        Ok::<_, StoreFault>(Deltas {
            waiting: queue.waiting,
            oldest_at: queue.oldest_at,
            ended: lags.count(),
            median_ms: lags.percentile_ms(50),
            percentile95_ms: lags.percentile_ms(95),
            lags: steps(&lags),
            deltas: shown,
            next: page.next,
        })
    });
    Ok(Json(found.await?))
}

fn steps(lags: &Lags) -> Vec<DeltaLag> {
    let bounds = LAG_STEPS_MS.into_iter().map(Some).chain([None]);
    let all = bounds.zip(lags.counts);
    all.map(|(up_to_ms, (applied, failed))| DeltaLag { up_to_ms, applied, failed }).collect()
}

/// Some of the submissions that were looked through.
struct DeltasPage<'s> {
    shown: Vec<&'s Submission>,
    /// The place before which the next page begins.
    next: Option<i64>,
}

fn page<'s>(question: &DeltasRequest, looked: &'s [Submission]) -> DeltasPage<'s> {
    let most = limits::SUBMISSIONS_SHOWN.unsigned_abs() as usize;
    let mut shown: Vec<_> = looked.iter().filter(|one| question.admits(one)).collect();
    let is_all = looked.len() < limits::DELTAS_LOOKED_THROUGH.unsigned_abs() as usize;
    let next = if shown.len() > most {
        Some(shown[most - 1].seq)
    } else {
        let last = looked.last().filter(|_| !is_all);
        last.map(|last| last.seq)
    };
    shown.truncate(most);
    DeltasPage { shown, next }
}
