//! The one log line of a feed that ended: numbers alone, none of the input.

use std::sync::atomic::Ordering;

use crate::clock::Millis;
use crate::feeds::issue::Severity;
use crate::ids::AccountId;
use crate::jobs::Lease;
use crate::store::{StoreFault, Tx};
use crate::submissions::{self, issues};

/// All its sections are shown, except those that a later feed has switched.
pub(super) const PUBLISHED: &str = "a feed was published";
/// It held nothing of the catalogue: an order file.
pub(super) const STORED: &str = "a feed was stored";
/// It was checked and is held; nothing stopped it.
pub(super) const DRY_RUN: &str = "a dry run of a feed ended";
/// It is held because it would remove too much.
pub(super) const STOPPED: &str = "a feed was stopped by the removal guard";
/// None of its sections is shown or held.
pub(super) const FAILED: &str = "a feed failed";

/// Log line of a feed that ended.
pub(super) struct EndedFeed {
    kind: &'static str,
    bad_rows: i64,
    /// From its acceptance to its end.
    ms: Millis,
}

impl EndedFeed {
    /// Reads it in the transaction that ends the feed, after the end. `None` when nothing is known about the feed.
    ///
    /// # Errors
    /// When the store fails.
    pub fn load(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Option<Self>, StoreFault> {
        let Some(feed) = submissions::load_by_seq(tx, account, seq)? else { return Ok(None) };
        let counts = issues::counts(tx, account, seq)?;
        let bad = counts.iter().filter(|counted| counted.severity == Severity::Bad.as_str());
        let bad_rows = bad.map(|counted| counted.found).sum();
        let ms = feed.finished_at.map_or(0, |at| at - feed.accepted_at);
        Ok(Some(Self { kind: feed.input.as_str(), bad_rows, ms }))
    }

    /// Writes the line. Call it after the commit: a transaction may run several times.
    pub fn log(&self, lease: &Lease, became: &'static str) {
        let Self { kind, bad_rows, ms } = *self;
        let account = lease.account.0;
        let seq = lease.seq;
        let rows = lease.progress.rows.load(Ordering::Relaxed);
        tracing::info!(account, seq, kind, rows, bad_rows, ms, "{became}");
    }
}
