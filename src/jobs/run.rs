//! Claiming a job, running it under its lease, and ending it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::Lane;
use super::lease::Lease;
use crate::args;
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::limits;
use crate::sql;
use crate::store::{Store, StoreFault};

/// How a job ended.
pub enum End {
    /// Its last transaction ended it.
    Done,
    /// It runs again at this time; the phase says what it waits for.
    RetryAt(Millis, &'static str),
}

/// Wakes the workers of a lane at once, in this process; the due time in the store is what decides.
#[derive(Clone, Default)]
pub struct Lanes(Arc<[Notify; 3]>);

impl Lanes {
    fn notify(&self, lane: Lane) -> &Notify {
        match lane {
            Lane::Delta => &self.0[0],
            Lane::Feed => &self.0[1],
            Lane::Erase => &self.0[2],
        }
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

/// Claims the next due job of a lane, fairly between accounts.
pub async fn claim(
    store: &Store,
    lane: Lane,
    holder: &str,
    now: Millis,
) -> Result<Option<Lease>, StoreFault> {
    let holder = holder.to_owned();
    let beyond = now + millis(limits::JOB_PAUSE_DURATION);
    let due = store.read(move |tx| {
        tx.row(&sql::job_next_due, args![lane.as_str(), beyond])?.map_or(Ok(None), |row| row.opt_int(0))
    });
    if due.await?.is_none_or(|due: i64| due > now) {
        return Ok(None);
    }
    store
        .write(move |tx| {
            let Some(due) = tx.row(&sql::job_due, args![lane.as_str(), now, beyond])? else {
                return Ok(None);
            };
            let Some(row) = tx.row(&sql::job_claim, args![due.text(0)?, holder.as_str()])? else {
                return Ok(None);
            };
            Ok(Some(Lease::new(
                row.text(0)?.to_owned(),
                AccountId(row.int(2)?),
                row.int(3)?,
                row.int(4)?,
                row.int(5)?,
                row.int(6)?,
            )))
        })
        .await
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
