//! Claiming a job, running it under its lease, and ending it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::lease::Lease;
use super::{JobKey, Lane};
use crate::args;
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::sql;
use crate::store::{Store, StoreFault};

/// How a job ended.
pub enum End {
    /// Its last transaction ended it.
    Done,
    /// It runs again.
    RetryAt {
        /// When.
        when: Millis,
        /// What it waits for.
        phase: &'static str,
    },
    /// It can never succeed.
    GiveUp {
        /// The reason, for whoever sent what it was for.
        why: String,
    },
}

/// Wakes the workers of a lane at once, in this process; the due time in the store is what decides.
#[derive(Clone, Default)]
pub struct Lanes(Arc<Mutex<HashMap<Lane, Arc<Notify>>>>);

impl Lanes {
    fn notify(&self, lane: Lane) -> Arc<Notify> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.entry(lane).or_default().clone()
    }

    /// Something was accepted for this lane.
    pub fn rouse(&self, lane: Lane) {
        self.notify(lane).notify_one();
    }

    /// Waits until roused, or this long.
    pub async fn idle(&self, lane: Lane, at_most: Duration) {
        // A time-out is as good a reason to look as a call.
        let _ = tokio::time::timeout(at_most, self.notify(lane).notified()).await;
    }
}

/// Longer than any job waits to run again. One that seems to have to was put off before the clock was set back.
const LONGEST_WAIT_DURATION: Duration = Duration::from_secs(60 * 60);

/// Claims the next due job of a lane, fairly between accounts.
pub async fn claim(
    store: &Store,
    lane: Lane,
    holder: &str,
    now: Millis,
) -> Result<Option<Lease>, StoreFault> {
    while let Some(key) = due(store, lane, now).await? {
        let (holder, latest) = (holder.to_owned(), latest(now));
        let JobKey { account, seq, .. } = key;
        let claimed = store.write(account, move |tx| {
            // red: it::late_holders::sqlite::a_late_holder_of_a_job_that_ended_and_came_back_holds_nothing
            let number = mutant!("a-fencing-number-comes-again", fencing_number(), 1);
            let row = args![account.0, lane.as_str(), seq, holder.as_str(), number, now, latest];
            let claimed = tx.row(&sql::job_claim, row)?;
            claimed.map(|row| Ok::<_, StoreFault>(Lease::new(key, row.int(0)?, number))).transpose()
        });
        // `None`: another worker was faster.
        if let Some(lease) = claimed.await? {
            return Ok(Some(lease));
        }
    }
    Ok(None)
}

fn latest(now: Millis) -> Millis {
    now + millis(LONGEST_WAIT_DURATION)
}

/// The job whose turn it is.
async fn due(store: &Store, lane: Lane, now: Millis) -> Result<Option<JobKey>, StoreFault> {
    let due = store.read(move |tx| {
        let row = tx.row(&sql::job_due, args![lane.as_str(), now, latest(now)])?;
        row.map(|row| Ok(JobKey { account: AccountId(row.int(0)?), lane, seq: row.int(1)? })).transpose()
    });
    due.await
}

/// Drawn, not counted: a job that has ended and comes back is a new row, and would be counted from the beginning.
fn fencing_number() -> i64 {
    let (drawn, _) = uuid::Uuid::new_v4().as_u64_pair();
    i64::try_from(drawn >> 1).unwrap_or(i64::MAX)
}

/// Gives a job back to run again; its attempts begin anew when it made progress.
pub async fn release(
    store: &Store,
    lease: &Lease,
    at: Millis,
    attempts: i64,
    phase: &'static str,
) -> Result<(), StoreFault> {
    let (JobKey { account, lane, seq }, number) = (lease.key(), lease.number);
    let released = store.write(account, move |tx| {
        let row = args![account.0, lane.as_str(), seq, number, at, attempts, phase];
        tx.exec(&sql::job_release, row).map(drop)
    });
    released.await
}

/// The pause before try number `attempts` + 1: doubling from `first`, at most `longest`, with jitter.
#[must_use]
pub fn backoff(attempts: i64, first: Duration, longest: Duration) -> Duration {
    let doublings = u32::try_from(attempts.clamp(1, 20) - 1).unwrap_or(0);
    let pause = first.saturating_mul(1 << doublings).min(longest);
    let jitter = u32::from(uuid::Uuid::new_v4().as_bytes()[0]);
    pause * 3 / 4 + pause * jitter / 512
}
