//! Background jobs: durable rows, leased to one holder at a time, counted, ended in one of three ways.

mod background;
mod fence;
mod lease;
mod progress;
mod run;

pub use background::Rounds;
pub use fence::LeaseLost;
pub use lease::{JobProgress, LEASE_DURATION, Lease, LeaseWatch, PROGRESS_DURATION, Stopped};
pub use progress::{ReportedProgress, progress};
pub use run::{Again, End, INTERRUPTED, Lanes, Setback, backoff, claim, mean_pause, release};

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// The name of a kind of jobs, as it stands in the store. Each has workers of its own, so that an erasure never waits
/// for an import. `work::KINDS` describes each kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lane(&'static str);

impl Lane {
    /// An account's deltas, one after the other.
    pub const DELTA: Self = Self::new("delta");
    /// One feed that is fetched.
    pub const FETCH: Self = Self::new("fetch");
    /// One feed that has arrived: an upload, or a republication.
    pub const FEED: Self = Self::new("feed");
    /// An account's erasures.
    pub const ERASE: Self = Self::new("erase");

    /// The lane of this name. Jobs whose lane has no row in `work::KINDS` never run.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The lane as it stands in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// The phase of a job that waits for its turn.
pub const TURN: &str = "waiting for its turn";

/// Key of a job: its account, its lane, and the sequence of its submission (0: the account's only job in the lane).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobKey {
    /// Its account.
    pub account: AccountId,
    /// Its lane.
    pub lane: Lane,
    /// Sequence of its submission, or 0.
    pub seq: i64,
}

impl std::fmt::Display for JobKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.lane.as_str(), self.account.0, self.seq)
    }
}

/// Takes back a job that no worker holds; returns whether there was one.
///
/// # Errors
/// When the store fails.
pub fn take_back(tx: &mut Tx<'_>, lane: Lane, account: AccountId, seq: i64) -> Result<bool, StoreFault> {
    Ok(tx.exec(&sql::job_idle_delete, args![account.0, lane.as_str(), seq])? > 0)
}

/// Takes a job away, even from a holder, who from this transaction on writes nothing more and stops at its
/// next beat.
///
/// # Errors
/// When the store fails.
pub fn take_away(tx: &mut Tx<'_>, lane: Lane, account: AccountId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::job_take_away, args![account.0, lane.as_str(), seq]).map(drop)
}

/// Gives a job a reason to run at `now`, in the transaction that accepts its work.
///
/// # Errors
/// When the store fails.
pub fn wake(
    tx: &mut Tx<'_>,
    lane: Lane,
    account: AccountId,
    seq: i64,
    now: Millis,
) -> Result<(), StoreFault> {
    // An account's only job in a lane needs no turn: it cannot have two.
    let turn = match seq {
        0 => None,
        _ => tx.row(&sql::job_turn, args![account.0, lane.as_str()])?,
    };
    let turn = turn.map_or(Ok(None), |row| row.opt_int("turn"))?.unwrap_or(0);
    tx.exec_once(&sql::job_wake, args![account.0, lane.as_str(), seq, turn, now])
}
