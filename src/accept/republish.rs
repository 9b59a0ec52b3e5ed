//! Accepting to publish something earlier: a feed that was held back, or a snapshot that was shown before.

use crate::accounts;
use crate::catalogue::base;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::jobs::{self, Lane};
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, New, Origin};

/// Stores the submission and its job. `false`: nothing of it is kept.
pub fn accept(tx: &mut Tx<'_>, account: AccountId, new: &New<'_>, now: Millis) -> Result<bool, StoreFault> {
    let is_kept = match new.origin {
        Some(Origin { seq, section: Some(section) }) => {
            base::kept(tx, account, section)?.iter().any(|kept| kept.seq == seq)
        }
        Some(Origin { seq, section: None }) => !base::held(tx, account, seq)?.is_empty(),
        None => false,
    };
    if is_kept {
        let seq = accounts::next_seq(tx, account)?;
        submissions::insert(tx, account, seq, new, now)?;
        jobs::wake(tx, Lane::Feed, account, seq, now)?;
    }
    Ok(is_kept)
}
