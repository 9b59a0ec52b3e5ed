//! Claiming a job, running it under its lease, and ending it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::Lane;
use super::lease::Lease;
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
    let (holder, latest) = (holder.to_owned(), now + millis(LONGEST_WAIT_DURATION));
    let due = store.read(move |tx| {
        let row = tx.row(&sql::job_next_due, args![lane.as_str(), now, latest])?;
        row.map_or(Ok(None), |row| row.opt_int(0))
    });
    if due.await?.is_none() {
        return Ok(None);
    }
    store
        .write(move |tx| {
            let Some(due) = tx.row(&sql::job_due, args![lane.as_str(), now, latest])? else {
                return Ok(None);
            };
            // red: it::late_holders::sqlite::a_late_holder_of_a_job_that_ended_and_came_back_holds_nothing
            let number = mutant!("a-fencing-number-comes-again", fencing_number(), 1);
            let Some(row) = tx.row(&sql::job_claim, args![due.text(0)?, holder.as_str(), number])? else {
                return Ok(None);
            };
            Ok(Some(Lease::new(
                row.text(0)?.to_owned(),
                AccountId(row.int(1)?),
                row.int(2)?,
                row.int(3)?,
                row.int(4)?,
            )))
        })
        .await
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
    let (key, number) = (lease.key.clone(), lease.number);
    store
        .write(move |tx| {
            tx.exec(&sql::job_release, args![key.as_str(), number, at, attempts, phase]).map(drop)
        })
        .await
}

/// The pause before try number `attempts` + 1: doubling from `first`, at most `longest`, with jitter.
#[must_use]
pub fn backoff(attempts: i64, first: Duration, longest: Duration) -> Duration {
    let doublings = u32::try_from(attempts.clamp(1, 20) - 1).unwrap_or(0);
    let pause = first.saturating_mul(1 << doublings).min(longest);
    let jitter = u32::from(uuid::Uuid::new_v4().as_bytes()[0]);
    pause * 3 / 4 + pause * jitter / 512
}
