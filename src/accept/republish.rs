//! Accepting to publish something earlier: a feed that was held back, or a snapshot that was shown before.

use crate::accounts;
use crate::catalogue::base;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::jobs::{self, Lane};
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, New};

/// Stores the submission and its job. `false`: nothing of it is kept.
pub fn accept(tx: &mut Tx<'_>, account: AccountId, new: &New<'_>, now: Millis) -> Result<bool, StoreFault> {
    let Some(origin) = new.origin else { return Ok(false) };
    let is_kept = !base::kept_under(tx, account, (origin.seq, origin.section))?.is_empty();
    if is_kept {
        let seq = accounts::next_seq(tx, account)?;
        submissions::insert(tx, account, seq, new, now)?;
        jobs::wake(tx, Lane::Feed, account, seq, now)?;
    }
    Ok(is_kept)
}
