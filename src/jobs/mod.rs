//! Work that waits: durable rows, leased to one holder at a time, counted, ended in one of three ways.

mod lease;
mod progress;
mod run;

pub use lease::{BEAT_DURATION, Fence, LEASE_DURATION, Lease, LeaseWatch, Progress};
pub use progress::{Seen, progress};
pub use run::{End, Lanes, backoff, claim, release};

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// Kinds of work with workers of their own, so that an erasure never waits behind an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    /// An account's deltas, one after the other.
    Delta,
    /// One feed from a URL.
    Feed,
    /// One erasure.
    Erase,
}

impl Lane {
    /// All lanes.
    pub const ALL: [Self; 3] = [Self::Erase, Self::Delta, Self::Feed];

    /// The lane as it stands in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::Feed => "feed",
            Self::Erase => "erase",
        }
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
