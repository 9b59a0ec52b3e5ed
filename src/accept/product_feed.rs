//! Accepting a feed by its URL.

use super::Accepted;
use crate::accounts;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::jobs::{self, Lane};
use crate::keys::{SlotNumber, Tag};
use crate::limits;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, Manner, New, followers};

/// Stores the submission and a job of its own: a feed never waits for an earlier one. What waits for the same URL
/// ends as this one will.
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
    let freed = match new.digest.filter(|_| new.manner != Manner::DryRun) {
        Some(digest) => lead(tx, account, digest, seq)?,
        None => Vec::new(),
    };
    submissions::insert(tx, account, seq, new, now)?;
    jobs::wake(tx, Lane::Feed, account, seq, now)?;
    Ok(Accepted::Stored(freed))
}

/// Makes those that wait for the same URL followers of the one at `seq`, and gives their key slots. One that is being
/// fetched goes on alone: it may have begun before the shop changed its feed.
fn lead(tx: &mut Tx<'_>, account: AccountId, digest: &Tag, seq: i64) -> Result<Vec<SlotNumber>, StoreFault> {
    let (mut freed, mut led) = (Vec::new(), 0);
    for (waiting, slot) in followers::candidates(tx, account, digest)? {
        let more = 1 + followers::count(tx, account, waiting)?;
        if led + more <= limits::FEED_FOLLOWERS && jobs::take_back(tx, Lane::Feed, account, waiting)? {
            led += more;
            followers::follow(tx, account, waiting, seq)?;
            freed.extend(slot);
        }
    }
    Ok(freed)
}
