//! Notifying a shop's server that a feed ended, in the transaction that ends it.

use std::collections::BTreeMap;

use crate::catalogue::base;
use crate::clock::Millis;
use crate::feeds::issue::Severity;
use crate::ids::AccountId;
use crate::limits;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, SubmissionState, coalesced, issues};
use crate::webhooks::message::FeedEnded;
use crate::webhooks::{self, WebhookEvent};

const COMPLETE: &str = "Complete";
const ERROR: &str = "Error";

/// Queues the notice that the feed at `seq` ended, before the submissions that wait for it end.
///
/// # Errors
/// When the store fails.
pub(super) fn feed_ended(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    now: Millis,
) -> Result<(), StoreFault> {
    if !webhooks::is_on(tx, account)? {
        return Ok(());
    }
    let Some(feed) = submissions::load_by_seq(tx, account, seq)? else { return Ok(()) };
    let counts = issues::counts(tx, account, seq)?;
    let bad = counts.iter().filter(|counted| counted.severity == Severity::Bad.as_str());
    let bad_rows = bad.map(|counted| counted.found).sum();
    let shown = base::list(tx, account)?.into_iter();
    let shown = shown.filter(|(_, base)| feed.ready_seq == Some(base.ready_seq));
    let ended = FeedEnded {
        feed: feed.token,
        also: coalesced::open_tokens(tx, account, seq, Millis::MAX)?,
        kind: feed.input.as_str(),
        dry_run: feed.input.is_dry_run(),
        outcome: if feed.state == SubmissionState::Done { COMPLETE } else { ERROR },
        reason: feed.reason.map(|reason| truncate_reason(&reason)),
        bad_rows,
        items: shown.map(|(section, base)| (section.as_str(), base.items)).collect(),
    };
    webhooks::enqueue(tx, account, &WebhookEvent::FeedEnded(ended), now)
}

/// Queues notices of failure for the feeds that waited for the fetch of the one at `seq`, those accepted up to a time;
/// before they end.
///
/// # Errors
/// When the store fails.
pub fn followers_failed(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    reason: &str,
    (accepted_until, now): (Millis, Millis),
) -> Result<(), StoreFault> {
    if !webhooks::is_on(tx, account)? {
        return Ok(());
    }
    let mut tokens = coalesced::open_tokens(tx, account, seq, accepted_until)?;
    if tokens.is_empty() {
        return Ok(());
    }
    let ended = FeedEnded {
        feed: tokens.remove(0),
        also: tokens,
        kind: "url",
        dry_run: false,
        outcome: ERROR,
        reason: Some(truncate_reason(reason)),
        bad_rows: 0,
        items: BTreeMap::new(),
    };
    webhooks::enqueue(tx, account, &WebhookEvent::FeedEnded(ended), now)
}

fn truncate_reason(reason: &str) -> String {
    reason.chars().take(limits::WEBHOOK_REASON_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_so_many_letters_in_a_notice() {
        let letters = |count: usize| "é".repeat(count);
        let most = limits::WEBHOOK_REASON_CHARACTERS;
        assert_eq!(truncate_reason("not found"), "not found");
        assert_eq!(truncate_reason(&letters(most)), letters(most));
        assert_eq!(truncate_reason(&letters(most + 1)), letters(most));
    }
}
