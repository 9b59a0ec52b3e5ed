//! `POST /api/submissions`: an account's recent submissions with their progress. An addition.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::extract::Authenticated;
use super::from_fields::{FromFields, MemberNames};
use super::json_fields::{JsonFields, RequestFields};
use super::product_feed_status::FeedState;
use super::read_permits::turn_to_look;
use super::status_tokens;
use crate::catalogue::base;
use crate::feeds::feed_format::FeedFormat;
use crate::ids::{AccountId, SubmissionToken};
use crate::jobs::{self, Lane};
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::submissions::filter::SubmissionFilter;
use crate::submissions::{
    self, Input, RepublishSource, Submission, SubmissionKind, SubmissionState as Where,
};
use crate::transport::refusal::{OfShop, Refusal};
use crate::{accept, limits, uploads};

/// A question about recent submissions.
#[derive(utoipa::ToSchema)]
pub struct SubmissionsRequest {
    /// Token of one submission, which is then the only item; no item if the token is unknown.
    #[schema(rename = "Token", value_type = String, required = false)]
    token: Option<String>,
    /// Tokens of several, at most 50; each known one has an item, in their order.
    #[schema(rename = "Tokens", value_type = Vec<String>, required = false, max_items = 50)]
    tokens: Option<Vec<String>>,
    /// Only one kind: `feed` or `delta`. With tokens it is ignored, as are the next two.
    #[schema(rename = "Kind", value_type = String, required = false, pattern = "^(feed|delta)?$", example = "feed")]
    kind: Option<SubmissionKind>,
    /// Only one state: `open`, `complete` or `failed`.
    #[schema(rename = "State", value_type = String, required = false, pattern = "^(open|complete|failed)?$", example = "failed")]
    state: Option<Where>,
    /// `Number` of the last one of the page before.
    #[schema(rename = "Before", required = false)]
    before: i64,
}

impl FromFields for SubmissionsRequest {
    const MEMBERS: MemberNames = MemberNames::Tolerant;

    fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        let tokens = match fields.as_sent(&["Tokens"])?.as_deref() {
            None | Some("null") => None,
            Some(_) => Some(status_tokens::list(fields)?),
        };
        let most = usize::try_from(limits::SUBMISSIONS_SHOWN).unwrap_or(usize::MAX);
        if tokens.as_ref().is_some_and(|tokens| tokens.len() > most) {
            return Err(Refusal::malformed(format!("Tokens holds more than {most} items")));
        }
        let kind = match fields.opt_text(&["Kind"])?.as_deref() {
            None | Some("") => None,
            Some("feed") => Some(SubmissionKind::Feed),
            Some("delta") => Some(SubmissionKind::Delta),
            Some(_) => return Err(Refusal::malformed("Kind has to be feed or delta")),
        };
        let state = match fields.opt_text(&["State"])?.as_deref() {
            None | Some("") => None,
            Some("open") => Some(Where::Open),
            Some("complete") => Some(Where::Done),
            Some("failed") => Some(Where::Failed),
            Some(_) => return Err(Refusal::malformed("State has to be open, complete or failed")),
        };
        let before = fields.opt_number(&["Before"])?.unwrap_or(i64::MAX);
        Ok(Self { token: fields.opt_text(&["Token"])?, tokens, kind, state, before })
    }
}

type SubmissionsBySecret = Authenticated<SubmissionsRequest>;

/// A submission as it is shown.
#[derive(serde::Serialize, utoipa::ToSchema, Clone, PartialEq)]
#[serde(rename_all = "PascalCase")]
pub struct ShownSubmission {
    /// Its token.
    token: String,
    /// `delta` or `feed`.
    kind: &'static str,
    /// Its place in the account's order of acceptance.
    number: i64,
    /// Its number among the account's feeds, or among its deltas: the one to show to people.
    kind_number: i64,
    /// Its status, as the status operation of its kind says it.
    status: SubmissionStatus,
    /// Reason why it failed.
    reason: Option<String>,
    /// Source of a feed: the host of its URL, `upload`, or the snapshot that is published again.
    source: Option<String>,
    /// Format as which a feed was read; null before, and of a delta.
    format: Option<&'static str>,
    /// True if it stops before publishing.
    dry_run: bool,
    /// Time when it was accepted, in milliseconds since 1970.
    accepted_at: i64,
    /// Time when it ended.
    pub finished_at: Option<i64>,
    /// Its progress, while it is open.
    progress: Option<ShownProgress>,
}

/// `Processing`, `Complete` or `Error` of a feed; 0, 1 or 2 of a delta.
#[derive(serde::Serialize, utoipa::ToSchema, Clone, PartialEq)]
#[serde(untagged)]
pub enum SubmissionStatus {
    /// Status of a feed.
    Feed(FeedState),
    /// Status of a delta: 0 pending, 1 applied, 2 failed.
    Delta(u8),
}

/// Progress of an open submission. Members that its kind does not have are not there; unknown ones are null.
#[derive(serde::Serialize, utoipa::ToSchema, Clone, PartialEq, Default)]
#[serde(rename_all = "PascalCase")]
pub struct ShownProgress {
    /// The step that is done, or waited for.
    phase: String,
    /// Rows read; of a feed that is fetched or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    rows: Option<i64>,
    /// Rows a second, over all of the reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, required = false)]
    rows_per_second: Option<Option<i64>>,
    /// Bytes that came.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    bytes: Option<i64>,
    /// Total number of bytes that will come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, required = false)]
    bytes_total: Option<Option<i64>>,
    /// Seconds until the last byte is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, required = false)]
    seconds_left: Option<Option<i64>>,
    /// Time of its next run, if it does not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    next_try_at: Option<i64>,
    /// Reason why its last try failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, required = false)]
    fault: Option<Option<String>>,
    /// Number of tries that are left after a failed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, required = false)]
    tries_left: Option<Option<i64>>,
}

/// Recent submissions, newest first, or the one of `Token`, or those of `Tokens`. For those of a kind or a state
/// 5,000 are looked through.
#[utoipa::path(post, path = "/api/submissions", operation_id = "submissions", tag = "additions", request_body = SubmissionsBySecret,
    responses(OfShop, (status = 200, description = "Submissions with their progress", body = Vec<ShownSubmission>)))]
pub async fn post(
    State(node): State<Arc<Node>>,
    SubmissionsBySecret { account, question, .. }: SubmissionsBySecret,
) -> Result<Json<Vec<ShownSubmission>>, Refusal> {
    let SubmissionsRequest { token, tokens, kind, state, before } = question;
    let asked = tokens.or_else(|| token.map(|token| vec![token]));
    // Many may be looked through for few: one request of an account at a time.
    let _turn = match (kind, state) {
        (None, None) => None,
        _ => Some(turn_to_look(&node.resources.looks, account.id).await?),
    };
    let listed = node.store.read(move |tx| {
        let found = match &asked {
            Some(asked) => {
                let tokens = asked.iter().filter_map(|text| SubmissionToken::parse(text));
                let found = tokens.map(|token| submissions::by_token(tx, account.id, token));
                found.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?
            }
            None => SubmissionFilter { kind, state, before }.newest(tx, account.id)?,
        };
        found
            .iter()
            .map(|submission| describe_submission(tx, account.id, submission))
            .collect::<Result<Vec<_>, _>>()
    });
    listed.await.map(Json).map_err(|fault: StoreFault| Refusal::from(fault))
}

/// A submission as it is shown, here and in every event about it.
pub(super) fn describe_submission(
    tx: &mut Tx<'_>,
    account: AccountId,
    submission: &Submission,
) -> Result<ShownSubmission, StoreFault> {
    let kind = submission.input.kind();
    let is_feed = kind == SubmissionKind::Feed;
    let status = match (submission.state, is_feed) {
        (Where::Open, true) => SubmissionStatus::Feed(FeedState::Processing),
        (Where::Done, true) => SubmissionStatus::Feed(FeedState::Complete),
        (Where::Failed, true) => SubmissionStatus::Feed(FeedState::Error),
        (Where::Open, false) => SubmissionStatus::Delta(0),
        (Where::Done, false) => SubmissionStatus::Delta(1),
        (Where::Failed, false) => SubmissionStatus::Delta(2),
    };
    let progress = match submission.state {
        Where::Done | Where::Failed => None,
        Where::Open if !is_feed => progress_of_deltas(tx, account)?,
        Where::Open if submission.ready_seq.is_none() => {
            let bytes = uploads::received_bytes(tx, account, submission.seq)?;
            Some(ShownProgress { phase: "receiving pieces".to_owned(), bytes, ..ShownProgress::default() })
        }
        Where::Open => progress(tx, account, submission)?,
    };
    let origin = match &submission.input {
        Input::Republish { origin, .. } => number_of_origin(tx, account, *origin)?,
        Input::Delta | Input::Url { .. } | Input::Upload { .. } => None,
    };
    Ok(ShownSubmission {
        token: submission.token.to_string(),
        kind: kind.as_str(),
        number: submission.seq,
        kind_number: submission.kind_number,
        status,
        reason: submission.reason.clone(),
        source: submission.input.source(origin),
        format: submission.read_as.map(FeedFormat::as_str),
        dry_run: submission.input.is_dry_run(),
        accepted_at: submission.accepted_at,
        finished_at: submission.finished_at,
        progress,
    })
}

/// Number of the feed that is published again, as long as it or its snapshot is kept.
fn number_of_origin(
    tx: &mut Tx<'_>,
    account: AccountId,
    origin: RepublishSource,
) -> Result<Option<i64>, StoreFault> {
    if let Some(feed) = submissions::load_by_seq(tx, account, origin.seq)? {
        return Ok(Some(feed.kind_number));
    }
    let Some(section) = origin.section else { return Ok(None) };
    base::feed_number(tx, account, section, origin.seq)
}

fn progress(
    tx: &mut Tx<'_>,
    account: AccountId,
    feed: &Submission,
) -> Result<Option<ShownProgress>, StoreFault> {
    let seen = jobs::progress(tx, accept::lane_of(&feed.input), account, feed.work_seq())?;
    Ok(seen.map(|seen| ShownProgress {
        rows: Some(seen.rows),
        rows_per_second: Some(seen.rows_per_second()),
        bytes: Some(seen.bytes),
        bytes_total: Some(seen.bytes_total),
        seconds_left: Some(seen.seconds_left()),
        next_try_at: Some(seen.next_try_at),
        phase: seen.phase,
        fault: Some(seen.fault),
        tries_left: Some(seen.tries_left),
    }))
}

/// An account's deltas are one job, whose counts tell nothing of a single one.
fn progress_of_deltas(tx: &mut Tx<'_>, account: AccountId) -> Result<Option<ShownProgress>, StoreFault> {
    let seen = jobs::progress(tx, Lane::DELTA, account, 0)?;
    Ok(seen.map(|seen| ShownProgress {
        phase: seen.phase,
        next_try_at: Some(seen.next_try_at),
        fault: Some(seen.fault),
        tries_left: Some(seen.tries_left),
        ..ShownProgress::default()
    }))
}
