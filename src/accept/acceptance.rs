//! Acceptance of a submission: stored with its job, or an earlier one named again.

use super::webhook;
use crate::clock::Millis;
use crate::ids::{AccountId, SubmissionToken};
use crate::jobs::Lane;
use crate::keys::SlotNumber;
use crate::people::profile;
use crate::store::{StoreFault, Tx};
use crate::submissions::{Input, NewSubmission, SubmissionOutcome, coalesced};
use crate::{submissions, uploads};

/// Outcome of a submission that is to be accepted.
#[derive(Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Stored, with its job. Holds the key slots of the submissions that it supersedes; destroy them after the commit.
    Stored(Vec<SlotNumber>),
    /// It was accepted before, under the same token.
    Before,
    /// Something else was accepted under its token.
    TokenTaken,
}

impl Acceptance {
    /// Returns true if it is stored now.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        matches!(self, Self::Stored(_))
    }
}

/// Finds an earlier acceptance under the token of a submission that may be sent again.
pub(super) fn earlier(
    tx: &mut Tx<'_>,
    account: AccountId,
    new: &NewSubmission<'_>,
) -> Result<Option<Acceptance>, StoreFault> {
    let Some(digest) = new.digest else { return Ok(None) };
    let earlier = submissions::by_token(tx, account, new.token)?;
    Ok(earlier.map(|earlier| {
        if earlier.digest.as_deref() == Some(digest) { Acceptance::Before } else { Acceptance::TokenTaken }
    }))
}

/// Ends a feed and the submissions that follow it. Its pieces, and data that was only remembered because of open feeds,
/// may go.
///
/// # Errors
/// When the store fails.
pub fn end_feed(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    outcome: SubmissionOutcome<'_>,
    now: Millis,
) -> Result<(), StoreFault> {
    if submissions::finish(tx, account, seq, outcome, now)? {
        webhook::feed_ended(tx, account, seq, now)?;
    }
    coalesced::finish(tx, account, seq, outcome, now, Millis::MAX)?;
    uploads::delete_pieces(tx, account, seq)?;
    profile::sweep_removals(tx, account)
}

/// Lane in which the job of a feed waits.
#[must_use]
pub fn lane_of(feed: &Input) -> Lane {
    let is_fetched = matches!(feed, Input::Url { .. });
    if is_fetched { Lane::FETCH } else { Lane::FEED }
}

/// Associated data to which a submission's sealed payload is bound.
#[must_use]
pub fn payload_aad(account: AccountId, token: SubmissionToken) -> Vec<u8> {
    let mut aad = b"lethe/payload/v1/".to_vec();
    aad.extend_from_slice(&account.0.to_be_bytes());
    aad.extend_from_slice(&token.bytes());
    aad
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::submissions::{PublishMode, RepublishSource, UploadKind};

    #[test]
    fn a_payload_is_bound_to_its_account_and_token() {
        let account = 258_i64.to_be_bytes();
        let bound = [b"lethe/payload/v1/".as_slice(), &account, &[3_u8; 16]].concat();
        assert_eq!(payload_aad(AccountId(258), SubmissionToken::from_bytes([3; 16])), bound);
    }

    #[test]
    fn what_is_stored_now_is_told_from_what_was_stored_before() {
        let all = [Acceptance::Stored(Vec::new()), Acceptance::Before, Acceptance::TokenTaken];
        assert_eq!(all.map(|acceptance| acceptance.is_stored()), [true, false, false]);
    }

    #[test]
    fn a_feed_by_its_url_waits_to_be_fetched_and_others_to_be_read() {
        let manner = PublishMode::Guarded;
        let origin = RepublishSource { seq: 1, section: None };
        let inputs = [
            Input::Url { host: "https://shop.test".to_owned(), manner, format: None },
            Input::Upload { holds: UploadKind::User, manner, format: None },
            Input::Republish { origin, manner },
        ];
        assert_eq!(inputs.map(|input| lane_of(&input)), [Lane::FETCH, Lane::FEED, Lane::FEED]);
    }
}
