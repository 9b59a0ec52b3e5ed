//! Accepting that a feed is not to be published.

use crate::clock::Millis;
use crate::ids::{AccountId, SubmissionToken};
use crate::keys::SlotNumber;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, SubmissionKind, SubmissionState, payload};
use crate::{jobs, uploads};

/// Failure reason of a cancelled feed.
pub const CANCELLED: &str = "cancelled";

/// Outcome of the request to cancel a feed.
pub enum CancelOutcome {
    /// The feed ended now. Holds the key slot of its payload; destroy it after the commit.
    Now(Option<SlotNumber>),
    /// Nothing changed: the feed had ended, or its content is shown already.
    Before,
}

/// Ends the feed of `token`, and the submissions that wait for its fetch. A worker that has it at this moment can write
/// nothing more from this transaction on. Returns `None` when no feed of the account has this token.
///
/// # Errors
/// When the store fails.
pub fn cancel(
    tx: &mut Tx<'_>,
    account: AccountId,
    token: SubmissionToken,
    now: Millis,
) -> Result<Option<CancelOutcome>, StoreFault> {
    let found = submissions::by_token(tx, account, token)?;
    let Some(feed) = found.filter(|found| found.input.kind() == SubmissionKind::Feed) else {
        return Ok(None);
    };
    let has_ended = feed.state != SubmissionState::Open || feed.published.is_some();
    if has_ended {
        return Ok(Some(CancelOutcome::Before));
    }
    let waits = payload::load(tx, account, feed.seq)?;
    uploads::close(tx, account, feed.seq)?;
    // An upload that was given up has its reason already.
    let reason = feed.reason.as_deref().unwrap_or(CANCELLED);
    super::acceptance::end_feed(tx, account, feed.seq, Err(reason), now)?;
    jobs::take_away(tx, super::acceptance::lane_of(&feed.input), account, feed.seq)?;
    Ok(Some(CancelOutcome::Now(waits.and_then(|waits| waits.slot))))
}
