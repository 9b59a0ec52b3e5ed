//! Accepting a delta.

use super::Accepted;
use crate::accounts;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::jobs::{self, Lane};
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, New};

/// Stores the delta and wakes the account's one delta job, which keeps their order.
pub fn accept(
    tx: &mut Tx<'_>,
    account: AccountId,
    new: &New<'_>,
    now: Millis,
) -> Result<Accepted, StoreFault> {
    if let Some(earlier) = super::earlier(tx, account, new)? {
        return Ok(earlier);
    }
    let seq = accounts::next_seq(tx, account)?;
    submissions::insert(tx, account, seq, new, now)?;
    jobs::wake(tx, Lane::Delta, account, 0, now)?;
    Ok(Accepted::Stored(Vec::new()))
}
