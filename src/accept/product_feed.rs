//! Accepting a feed by its URL.

use crate::accounts;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::jobs::{self, Lane};
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, New};

/// Stores the submission, always, and a job of its own: a feed never waits for an earlier one.
pub fn accept(tx: &mut Tx<'_>, account: AccountId, new: &New<'_>, now: Millis) -> Result<bool, StoreFault> {
    let seq = accounts::next_seq(tx, account)?;
    submissions::insert(tx, account, seq, new, now)?;
    jobs::wake(tx, Lane::Feed, account, seq, now)?;
    Ok(true)
}
