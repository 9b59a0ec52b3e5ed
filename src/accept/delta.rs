//! Accepting a delta.

use super::acceptance::Acceptance;
use crate::accounts;
use crate::clock::Millis;
use crate::ids::{AccountId, SubmissionToken};
use crate::jobs::{self, Lane};
use crate::keys::Tag;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, Input, NewSubmission, SubmissionPayload};

/// Stores the delta and wakes the account's one delta job, which keeps their order. `digest` is for a delta that may be
/// sent again under its token.
///
/// # Errors
/// When the store fails.
pub fn accept(
    tx: &mut Tx<'_>,
    account: AccountId,
    token: SubmissionToken,
    payload: SubmissionPayload<'_>,
    digest: Option<&Tag>,
    now: Millis,
) -> Result<Acceptance, StoreFault> {
    let new = NewSubmission { token, input: Input::Delta, payload: Some(payload), digest };
    if let Some(earlier) = super::acceptance::earlier(tx, account, &new)? {
        return Ok(earlier);
    }
    let place = accounts::next_delta(tx, account)?;
    submissions::insert(tx, account, place, &new, now)?;
    jobs::wake(tx, Lane::DELTA, account, 0, now)?;
    Ok(Acceptance::Stored(Vec::new()))
}
