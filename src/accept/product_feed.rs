//! Accepting a feed by its URL.

use super::acceptance::Acceptance;
use crate::clock::Millis;
use crate::feeds::feed_format::FeedFormat;
use crate::ids::{AccountId, SubmissionToken};
use crate::jobs::{self, Lane};
use crate::keys::{SlotNumber, Tag};
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, Input, NewSubmission, PublishMode, SubmissionPayload, coalesced};
use crate::{accounts, limits};

/// A feed to fetch.
pub struct NewFeed<'a> {
    /// Its handle.
    pub token: SubmissionToken,
    /// The server of its URL, without path and query.
    pub host: &'a str,
    /// Manner of its publication.
    pub manner: PublishMode,
    /// Format that its sender named.
    pub format: Option<FeedFormat>,
    /// The key slot of its URL.
    pub slot: SlotNumber,
    /// Its URL, sealed.
    pub url: &'a [u8],
    /// Keyed hash of its URL.
    pub digest: &'a Tag,
}

/// Stores the submission and a job of its own: a feed never waits for an earlier one. Waiting submissions of the same
/// URL get the outcome of this one.
///
/// # Errors
/// When the store fails.
pub fn accept(
    tx: &mut Tx<'_>,
    account: AccountId,
    feed: &NewFeed<'_>,
    now: Millis,
) -> Result<Acceptance, StoreFault> {
    let new = NewSubmission {
        token: feed.token,
        input: Input::Url { host: feed.host.to_owned(), manner: feed.manner, format: feed.format },
        payload: Some(SubmissionPayload::Sealed(feed.slot, feed.url)),
        digest: Some(feed.digest),
    };
    if let Some(earlier) = super::acceptance::earlier(tx, account, &new)? {
        return Ok(earlier);
    }
    let place = accounts::next_feed(tx, account)?;
    let seq = place.seq;
    let leads = feed.manner != PublishMode::DryRun;
    let freed = if leads { coalesce_waiting(tx, account, feed.digest, seq)? } else { Vec::new() };
    submissions::insert(tx, account, place, &new, now)?;
    jobs::wake(tx, super::acceptance::lane_of(&new.input), account, seq, now)?;
    Ok(Acceptance::Stored(freed))
}

/// Makes waiting feeds from the same URL followers of the one at `seq`, and returns their key slots. A feed that is
/// being fetched goes on alone: it may have begun before the shop changed its feed.
fn coalesce_waiting(
    tx: &mut Tx<'_>,
    account: AccountId,
    digest: &Tag,
    seq: i64,
) -> Result<Vec<SlotNumber>, StoreFault> {
    let mut freed = Vec::new();
    let mut led = 0;
    for (waiting, slot) in coalesced::candidates(tx, account, digest)? {
        let more = 1 + coalesced::count(tx, account, waiting)?;
        let has_room = led + more <= limits::FEED_FOLLOWERS;
        if has_room && jobs::take_back(tx, Lane::FETCH, account, waiting)? {
            led += more;
            coalesced::follow(tx, account, waiting, seq)?;
            freed.extend(slot);
        }
    }
    Ok(freed)
}
