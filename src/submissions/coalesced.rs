//! Submissions of the same content that wait: a later one does the work for the earlier ones, and ends them.

use super::state::SubmissionOutcome;
use crate::clock::Millis;
use crate::ids::{AccountId, SubmissionToken};
use crate::keys::{SlotNumber, Tag};
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Lets the submission at `leader` do the work of the one at `seq`, and of its followers.
///
/// # Errors
/// When the store fails.
pub fn follow(tx: &mut Tx<'_>, account: AccountId, seq: i64, leader: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_follow, args![account.0, seq, leader])?;
    super::payload::delete(tx, account, &[seq])
}

/// Open submissions of the same content that follow no other: the place of each, and the key slot of its content.
///
/// # Errors
/// When the store fails.
pub fn candidates(
    tx: &mut Tx<'_>,
    account: AccountId,
    digest: &Tag,
) -> Result<Vec<(i64, Option<SlotNumber>)>, StoreFault> {
    let rows = tx.run(&sql::submission_open_same, args![account.0, digest])?;
    rows.iter()
        .map(|row| Ok((row.int("seq")?, row.opt_int("slot")?.and_then(SlotNumber::from_row))))
        .collect()
}

/// Number of submissions that will end as the one at `seq`.
///
/// # Errors
/// When the store fails.
pub fn count(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<i64, StoreFault> {
    let row = tx.row(&sql::submission_follower_count, args![account.0, seq])?;
    row.map_or(Ok(0), |row| row.int("counted"))
}

/// The tokens of the submissions that wait for the one at `seq` and will end with it, those accepted up to
/// `accepted_until`.
///
/// # Errors
/// When the store fails.
pub fn open_tokens(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    accepted_until: Millis,
) -> Result<Vec<SubmissionToken>, StoreFault> {
    let rows = tx.run(&sql::submission_followers_open, args![account.0, seq, accepted_until])?;
    rows.iter().map(|row| row.bytes("token").map(SubmissionToken::from_bytes)).collect()
}

/// Ends the submissions that follow the one at `seq`, those accepted up to `accepted_until`.
///
/// # Errors
/// When the store fails.
pub fn finish(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    outcome: SubmissionOutcome<'_>,
    now: Millis,
    accepted_until: Millis,
) -> Result<(), StoreFault> {
    let (state, reason) = super::state::number_and_reason(outcome);
    let args = args![account.0, seq, state, reason, now, accepted_until];
    tx.exec(&sql::submission_finish_followers, args)?;
    Ok(())
}
