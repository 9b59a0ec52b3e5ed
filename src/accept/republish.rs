//! Accepting a republication: a feed that was held back, or a snapshot that was shown before.

use crate::accounts;
use crate::catalogue::base;
use crate::clock::Millis;
use crate::ids::{AccountId, SubmissionToken};
use crate::jobs::{self, Lane};
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, Input, NewSubmission, PublishMode, RepublishSource};

/// Stores the submission and its job. Returns `false` when nothing of the origin is kept.
///
/// # Errors
/// When the store fails.
pub fn accept(
    tx: &mut Tx<'_>,
    account: AccountId,
    token: SubmissionToken,
    origin: RepublishSource,
    manner: PublishMode,
    now: Millis,
) -> Result<bool, StoreFault> {
    let is_kept = !base::kept_under(tx, account, (origin.seq, origin.section))?.is_empty();
    if is_kept {
        let place = accounts::next_feed(tx, account)?;
        let new =
            NewSubmission { token, input: Input::Republish { origin, manner }, payload: None, digest: None };
        submissions::insert(tx, account, place, &new, now)?;
        jobs::wake(tx, Lane::FEED, account, place.seq, now)?;
    }
    Ok(is_kept)
}
