//! Work that waits: durable rows, leased to one holder at a time, counted, ended in one of three ways.

mod fence;
mod lease;
mod progress;
mod run;

pub use fence::LeaseLost;
pub use lease::{BEAT_DURATION, LEASE_DURATION, Lease, LeaseWatch, Progress};
pub use progress::{Seen, progress};
pub use run::{End, Lanes, backoff, claim, release};

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// The name of a kind of jobs, as it stands in the store. Each has workers of its own, so that an erasure never waits
/// behind an import. `work::KINDS` says what each kind does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lane(&'static str);

impl Lane {
    /// An account's deltas, one after the other.
    pub const DELTA: Self = Self::named("delta");
    /// One feed: by URL, by upload, or published again.
    pub const FEED: Self = Self::named("feed");
    /// An account's erasures.
    pub const ERASE: Self = Self::named("erase");

    /// The lane of this name. Jobs of a name that has no row in `work::KINDS` are run by nobody.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self(name)
    }

    /// The lane as it stands in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// The key of a job: its lane, its account, and the submission's sequence (0 for an account's deltas).
#[must_use]
pub fn key(lane: Lane, account: AccountId, seq: i64) -> String {
    format!("{}/{}/{seq}", lane.as_str(), account.0)
}

/// Takes a job back that nobody works on; whether there was one.
pub fn take_back(tx: &mut Tx<'_>, lane: Lane, account: AccountId, seq: i64) -> Result<bool, StoreFault> {
    Ok(tx.exec(&sql::job_idle_delete, args![key(lane, account, seq).as_str()])? > 0)
}

/// Gives a job a reason to run at `now`, in the transaction that accepts its work.
pub fn wake(
    tx: &mut Tx<'_>,
    lane: Lane,
    account: AccountId,
    seq: i64,
    now: Millis,
) -> Result<(), StoreFault> {
    let key = key(lane, account, seq);
    tx.exec(&sql::job_wake, args![key.as_str(), lane.as_str(), account.0, seq, now])?;
    Ok(())
}
