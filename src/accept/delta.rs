//! Accepting a delta.

use crate::accounts;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::jobs::{self, Lane};
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, New};

/// Stores the delta, always, and wakes the account's one delta job, which keeps their order.
pub fn accept(tx: &mut Tx<'_>, account: AccountId, new: &New<'_>, now: Millis) -> Result<bool, StoreFault> {
    let seq = accounts::next_seq(tx, account)?;
    submissions::insert(tx, account, seq, new, now)?;
    jobs::wake(tx, Lane::Delta, account, 0, now)?;
    Ok(true)
}
