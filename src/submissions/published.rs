//! Submissions whose last row is shown, and which have not ended: they wait for derived state.

use std::ops::RangeInclusive;

use super::payload;
use super::state::SubmissionOutcome;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Records, in the transaction that shows the last rows of these submissions, how each will end, and removes their
/// payloads. From then on no part of them is applied again.
///
/// # Errors
/// When the store fails.
pub fn record_outcomes(
    tx: &mut Tx<'_>,
    account: AccountId,
    ended: &[(i64, SubmissionOutcome<'_>)],
) -> Result<(), StoreFault> {
    tx.exec_many(&sql::submission_publish, ended, |(seq, outcome)| {
        let (state, reason) = super::state::number_and_reason(*outcome);
        args![account.0, *seq, state, reason].to_vec()
    })?;
    let seqs: Vec<_> = ended.iter().map(|(seq, _)| *seq).collect();
    payload::delete(tx, account, &seqs)
}

/// Returns true if there is a delta whose last row is shown and that has not ended.
///
/// # Errors
/// When the store fails.
pub fn has_deltas(tx: &mut Tx<'_>, account: AccountId) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::submission_is_published, args![account.0])?.is_some())
}

/// Ends the deltas between two places whose last row is shown, as each was published.
///
/// # Errors
/// When the store fails.
pub fn finish_deltas(
    tx: &mut Tx<'_>,
    account: AccountId,
    places: &RangeInclusive<i64>,
    now: Millis,
) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_finish_deltas, args![account.0, now, *places.start(), *places.end()])?;
    Ok(())
}
