//! Submissions whose last row is shown, and which have not ended: what is derived from the catalogue is waited for.

use super::{Outcome, payload};
use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// The last row of a submission is shown, in this transaction, and it will end like this; its payload goes. From here
/// on nothing of it is applied again.
pub fn note(tx: &mut Tx<'_>, account: AccountId, seq: i64, outcome: Outcome<'_>) -> Result<(), StoreFault> {
    let (state, reason) = super::number_and_reason(outcome);
    tx.exec(&sql::submission_publish, args![account.0, seq, state, reason])?;
    payload::delete(tx, account, seq)
}

/// Whether the last row of some delta is shown that has not ended.
pub fn has_deltas(tx: &mut Tx<'_>, account: AccountId) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::submission_is_published, args![account.0])?.is_some())
}

/// Ends the deltas whose last row is shown, as each was published.
pub fn finish_deltas(tx: &mut Tx<'_>, account: AccountId, now: Millis) -> Result<(), StoreFault> {
    tx.exec(&sql::submission_finish_deltas, args![account.0, now])?;
    Ok(())
}
