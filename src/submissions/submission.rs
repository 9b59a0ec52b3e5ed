//! A submission: stored, found, finished, counted.

use super::input::{Input, RepublishSource, SubmissionKind};
use super::payload::SubmissionPayload;
use super::state::{SubmissionOutcome, SubmissionState, number_and_reason};
use super::{issues, payload};
use crate::clock::{Millis, millis};
use crate::feeds::feed_format::FeedFormat;
use crate::ids::{AccountId, SubmissionPlace, SubmissionToken};
use crate::keys::{SlotNumber, Tag};
use crate::store::{Row, StoreFault, Tx};
use crate::{args, limits, sql};

/// A new submission.
pub struct NewSubmission<'a> {
    /// Its handle.
    pub token: SubmissionToken,
    /// Its input.
    pub input: Input,
    /// Payload that it waits with.
    pub payload: Option<SubmissionPayload<'a>>,
    /// Keyed hash of its content, to recognise it when it is sent again.
    pub digest: Option<&'a Tag>,
}

/// A submission as the store has it.
pub struct Submission {
    /// Place in the account's order of acceptance.
    pub seq: i64,
    /// Number among the account's feeds, or among its deltas.
    pub kind_number: i64,
    /// Its handle.
    pub token: SubmissionToken,
    /// Its input.
    pub input: Input,
    /// Its state.
    pub state: SubmissionState,
    /// Reason of the failure.
    pub reason: Option<String>,
    /// When it was accepted.
    pub accepted_at: Millis,
    /// When it ended.
    pub finished_at: Option<Millis>,
    /// Place among feeds: when its last byte arrived or, for a URL, when it was submitted.
    pub ready_seq: Option<i64>,
    /// Keyed hash of its content, if it may be sent again.
    pub digest: Option<Vec<u8>>,
    /// The later submission of the same content that does the work for both.
    pub leader_seq: Option<i64>,
    /// Format as which it was read, once it was.
    pub read_as: Option<FeedFormat>,
    /// State in which it ends, once its last row is shown: then it waits only for derived state.
    pub published: Option<SubmissionState>,
}

impl Submission {
    /// The place of the submission whose work it shares; its own, if it has none to share.
    #[must_use]
    pub fn work_seq(&self) -> i64 {
        self.leader_seq.unwrap_or(self.seq)
    }

    /// The place of the submission that holds the unpublished snapshots of this one.
    #[must_use]
    pub fn held_seq(&self) -> i64 {
        match self.input {
            Input::Republish { origin: RepublishSource { seq, section: None }, .. } => seq,
            _ => self.work_seq(),
        }
    }
}

/// Stores a submission at its place.
///
/// # Errors
/// When the store fails.
pub fn insert(
    tx: &mut Tx<'_>,
    account: AccountId,
    place: SubmissionPlace,
    new: &NewSubmission<'_>,
    now: Millis,
) -> Result<(), StoreFault> {
    let SubmissionPlace { seq, kind_number } = place;
    let is_ready = matches!(new.input, Input::Url { .. } | Input::Republish { .. });
    let columns = new.input.columns();
    let token = new.token.bytes();
    let row = args![
        account.0,
        seq,
        &token,
        now,
        is_ready.then_some(seq),
        new.digest.map(|digest| &digest[..]),
        columns.input,
        columns.host,
        columns.upload,
        columns.manner,
        columns.from,
        columns.from_section,
        kind_number,
        columns.format
    ];
    tx.defer(&sql::submission_insert, row)?;
    match new.payload {
        Some(payload) => payload::insert(tx, account, seq, &new.input, payload),
        None => Ok(()),
    }
}

/// Makes an upload ready at place `ready_seq`, after its last piece.
///
/// # Errors
/// When the store fails.
pub fn make_ready(tx: &mut Tx<'_>, account: AccountId, seq: i64, ready_seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_ready, args![account.0, seq, ready_seq])?;
    Ok(())
}

/// Records the format as which a feed was read, also for the submissions whose work it does.
///
/// # Errors
/// When the store fails.
pub fn note_format(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    format: FeedFormat,
) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_read_as, args![account.0, seq, format.as_str()])?;
    Ok(())
}

/// Records why an open submission will fail when its job runs.
///
/// # Errors
/// When the store fails.
pub fn note_reason(tx: &mut Tx<'_>, account: AccountId, seq: i64, reason: &str) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_note_reason, args![account.0, seq, reason])?;
    Ok(())
}

/// One submission by its place.
///
/// # Errors
/// When the store fails.
pub fn load_by_seq(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Option<Submission>, StoreFault> {
    tx.row(&sql::submission_get, args![account.0, seq])?.map(|row| submission_from_row(&row)).transpose()
}

/// One submission by its token.
///
/// # Errors
/// When the store fails.
pub fn by_token(
    tx: &mut Tx<'_>,
    account: AccountId,
    token: SubmissionToken,
) -> Result<Option<Submission>, StoreFault> {
    tx.row(&sql::submission_by_token, args![account.0, &token.bytes()])?
        .map(|row| submission_from_row(&row))
        .transpose()
}

/// An account's submissions before a place, newest first.
///
/// # Errors
/// When the store fails.
pub fn recent(
    tx: &mut Tx<'_>,
    account: AccountId,
    before: i64,
    limit: i64,
) -> Result<Vec<Submission>, StoreFault> {
    tx.run(&sql::submission_recent, args![account.0, before, limit])?
        .iter()
        .map(submission_from_row)
        .collect()
}

pub(super) fn submission_from_row(row: &Row) -> Result<Submission, StoreFault> {
    Ok(Submission {
        seq: row.int("seq")?,
        kind_number: row.int("kind_number")?,
        token: SubmissionToken::from_bytes(row.bytes("token")?),
        state: SubmissionState::from_number(row.int("state")?),
        reason: row.opt_text("reason")?.map(str::to_owned),
        accepted_at: row.int("accepted_at")?,
        finished_at: row.opt_int("finished_at")?,
        ready_seq: row.opt_int("ready_seq")?,
        digest: row.opt_blob("digest")?.map(<[u8]>::to_vec),
        leader_seq: row.opt_int("leader_seq")?,
        published: row.opt_int("published_as")?.map(SubmissionState::from_number),
        read_as: row.opt_text("read_as")?.and_then(FeedFormat::parse),
        input: Input::from_row(row)?,
    })
}

/// State of the submission of a token, and why it failed.
pub type Status = (SubmissionState, Option<String>);

/// The states of tokens of one kind, in any order; an unknown token is not in the answer.
///
/// # Errors
/// When the store fails.
pub fn statuses(
    tx: &mut Tx<'_>,
    account: AccountId,
    kind: SubmissionKind,
    tokens: &[SubmissionToken],
) -> Result<Vec<(SubmissionToken, Status)>, StoreFault> {
    let mut found = Vec::with_capacity(tokens.len());
    for some in tokens.chunks(16) {
        let bytes: Vec<[u8; 16]> = some.iter().map(SubmissionToken::bytes).collect();
        let mut args = Vec::with_capacity(17);
        args.push(account.0.into());
        args.extend((0..16).map(|n| crate::store::Arg::Blob(bytes.get(n).map(|token| &token[..]))));
        for row in tx.run(&sql::submission_status, &args)? {
            let status =
                (SubmissionState::from_number(row.int("state")?), row.opt_text("reason")?.map(str::to_owned));
            if SubmissionKind::of_input(row.text("input")?) == kind {
                found.push((SubmissionToken::from_bytes(row.bytes("token")?), status));
            }
        }
    }
    Ok(found)
}

/// States of an account's newest feed by URL and of its newest upload of each kind, newest first.
///
/// # Errors
/// When the store fails.
pub fn newest_feeds(tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<Status>, StoreFault> {
    let rows = tx.run(&sql::submission_newest_feeds, args![account.0])?;
    rows.iter()
        .map(|row| {
            Ok((SubmissionState::from_number(row.int("state")?), row.opt_text("reason")?.map(str::to_owned)))
        })
        .collect()
}

/// Ends a submission and drops its payload. A submission that has ended already stays as it is, and the result is
/// false; a published one ends as it was published.
///
/// # Errors
/// When the store fails.
pub fn finish(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    outcome: SubmissionOutcome<'_>,
    now: Millis,
) -> Result<bool, StoreFault> {
    let (state, reason) = number_and_reason(outcome);
    let ended = tx.exec(&sql::submission_finish, args![account.0, seq, state, reason, now])?;
    payload::delete(tx, account, &[seq])?;
    Ok(ended > 0)
}

/// Counts the submissions that are not done, by kind.
///
/// # Errors
/// When the store fails.
pub fn count_open(tx: &mut Tx<'_>) -> Result<[(SubmissionKind, i64); 2], StoreFault> {
    let mut counts = [(SubmissionKind::Delta, 0), (SubmissionKind::Feed, 0)];
    for row in tx.run(&sql::submission_count_open, args![])? {
        let kind = SubmissionKind::of_input(row.text("input")?);
        for (_, count) in counts.iter_mut().filter(|(counted, _)| *counted == kind) {
            *count += row.int("counted")?;
        }
    }
    Ok(counts)
}

/// A delta that waits.
pub struct PendingDelta {
    /// Its place.
    pub seq: i64,
    /// Its handle, which its payload is bound to.
    pub token: SubmissionToken,
    /// Key slot of its payload, if it is sealed.
    pub slot: Option<SlotNumber>,
    /// Its sections.
    pub payload: Vec<u8>,
}

static_assertions::assert_not_impl_any!(PendingDelta: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(NewSubmission<'static>: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// The first waiting deltas of an account, in their order.
///
/// # Errors
/// When the store fails.
pub fn waiting(tx: &mut Tx<'_>, account: AccountId, limit: usize) -> Result<Vec<PendingDelta>, StoreFault> {
    tx.run(&sql::submission_waiting, args![account.0, limit as i64])?
        .iter()
        .map(|row| {
            Ok(PendingDelta {
                seq: row.int("seq")?,
                token: SubmissionToken::from_bytes(row.bytes("token")?),
                slot: row.opt_int("slot")?.and_then(SlotNumber::from_row),
                payload: row.opt_blob("body")?.unwrap_or_default().to_vec(),
            })
        })
        .collect()
}

/// Some expired submissions, of all accounts, oldest first.
///
/// # Errors
/// When the store fails.
pub fn list_expired(tx: &mut Tx<'_>, now: Millis) -> Result<Vec<(AccountId, i64)>, StoreFault> {
    let kept = millis(limits::STATUS_KEPT_DURATION);
    let rows = tx.run(&sql::submission_expired, args![now - kept, (limits::UNIT_ROWS / 10) as i64])?;
    rows.iter().map(|row| Ok((AccountId(row.int("account_id")?), row.int("seq")?))).collect()
}

/// Removes the kept data of an account's submissions at these places, as many as one unit of work may.
///
/// # Errors
/// When the store fails.
pub fn expire(tx: &mut Tx<'_>, account: AccountId, seqs: &[i64]) -> Result<(), StoreFault> {
    let mut rows = 0;
    for seq in seqs {
        rows += issues::delete(tx, account, *seq)?;
        for statement in
            [&sql::difference_delete, &sql::difference_example_delete, &sql::held_snapshot_delete]
        {
            tx.exec(statement, args![account.0, *seq])?;
        }
        tx.exec(&sql::submission_delete, args![account.0, *seq])?;
        if rows > limits::UNIT_ROWS as u64 {
            break;
        }
    }
    Ok(())
}
