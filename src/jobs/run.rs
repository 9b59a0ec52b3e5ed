//! Claiming a job, running it under its lease, and ending it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::lane::{JobKey, Lane};
use super::lease::Lease;
use crate::admission::{Tenant, TenantSemaphore};
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::store::{Store, StoreFault};
use crate::{args, sql};

/// End of a job's run.
pub enum End {
    /// Its last transaction ended it.
    Done,
    /// It runs again.
    RetryAt {
        /// Time of the next run.
        when: Millis,
        /// Reason of its wait.
        phase: &'static str,
        /// Failure of this run, if it failed.
        setback: Option<LastError>,
    },
    /// It can never succeed.
    GiveUp {
        /// The reason, for the sender of the job's input.
        why: String,
    },
}

/// The end of a run that a stop of the node broke off: it goes on at the next start.
pub const INTERRUPTED: End = End::RetryAt { when: 0, phase: "interrupted", setback: None };

/// Failure of the last try of a job, for clients that wait for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastError {
    /// One plain sentence. It quotes nothing from the input, and names no address.
    pub fault: String,
    /// Number of tries left; `None` when failures of this kind are not counted.
    pub tries_left: Option<i64>,
}

/// State in which an unfinished job goes back to wait.
pub struct RetryState {
    /// Time of its next run.
    pub at: Millis,
    /// Number of its tries that failed through a fault of Lethe's.
    pub attempts: i64,
    /// Reason of its wait.
    pub phase: &'static str,
    /// Failure of its last try, if it failed.
    pub setback: Option<LastError>,
}

/// Wakes the workers of a lane at once, in this process; the due time in the store decides.
#[derive(Clone, Default)]
pub struct Lanes(Arc<Mutex<HashMap<Lane, Arc<Idle>>>>);

/// The workers of a lane that have nothing to do.
#[derive(Default)]
struct Idle {
    roused: Notify,
    /// Turn to look again after a while: one worker is enough.
    looking: tokio::sync::Mutex<()>,
}

impl Lanes {
    fn lane_state(&self, lane: Lane) -> Arc<Idle> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.entry(lane).or_default().clone()
    }

    /// Something was accepted for this lane.
    pub fn wake_lane(&self, lane: Lane) {
        self.lane_state(lane).roused.notify_one();
    }

    /// Waits until roused; or this long, if no other worker of the lane does.
    pub async fn idle(&self, lane: Lane, at_most: Duration) {
        let idle = self.lane_state(lane);
        let looking = async {
            let _turn = idle.looking.lock().await;
            tokio::time::sleep(at_most).await;
        };
        tokio::select! {
            () = idle.roused.notified() => {}
            () = looking => {}
        }
    }
}

/// Longer than any pause of a job. A longer one comes from a clock that was set back since.
const LONGEST_WAIT_DURATION: Duration = Duration::from_secs(60 * 60);

/// Claims the next due job of a lane, fairly between accounts. With `places`, only of an account that has a
/// place left.
///
/// # Errors
/// When the store fails.
pub async fn claim(
    store: &Store,
    lane: Lane,
    holder: &str,
    now: Millis,
    places: Option<&Arc<TenantSemaphore>>,
) -> Result<Option<Lease>, StoreFault> {
    while let Some((key, is_alone)) = due(store, lane, now, places).await? {
        let place = match places {
            None => None,
            Some(places) => match places.try_take(Tenant::Account(key.account), 1) {
                // Another worker has taken the account's last place; the next look passes the account over.
                None if places.full().contains(&key.account) => continue,
                None => return Ok(None),
                taken => taken,
            },
        };
        let holder = holder.to_owned();
        let latest = latest(now);
        let JobKey { account, seq, .. } = key;
        let claimed = store.write_of_job(account, move |tx| {
            let number = fencing_number();
            let row = args![account.0, lane.as_str(), seq, holder.as_str(), number, now, latest];
            let claimed = tx.row(&sql::job_claim, row)?;
            claimed.map(|row| Ok::<_, StoreFault>((row.int("attempts")?, number))).transpose()
        });
        // `None`: another worker was faster.
        if let Some((attempts, number)) = claimed.await? {
            return Ok(Some(Lease::new(key, attempts, number, is_alone, place)));
        }
    }
    Ok(None)
}

fn latest(now: Millis) -> Millis {
    now + millis(LONGEST_WAIT_DURATION)
}

/// The job whose turn it is, of an account that has a place left, and whether it is the only one.
async fn due(
    store: &Store,
    lane: Lane,
    now: Millis,
    places: Option<&Arc<TenantSemaphore>>,
) -> Result<Option<(JobKey, bool)>, StoreFault> {
    let full = places.map(|places| places.full()).unwrap_or_default();
    let full: String = full.iter().map(|account| format!(",{}", account.0)).chain([",".to_owned()]).collect();
    let due = store.look_up(move |tx| {
        let rows = tx.run(&sql::job_due, args![lane.as_str(), now, latest(now), full.as_str()])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let key = JobKey { account: AccountId(row.int("account_id")?), lane, seq: row.int("seq")? };
        Ok(Some((key, rows.len() == 1)))
    });
    due.await
}

/// Drawn, not counted: a job that has ended and comes back is a new row, and would be counted from the beginning.
fn fencing_number() -> i64 {
    let (drawn, _) = uuid::Uuid::new_v4().as_u64_pair();
    i64::try_from(drawn >> 1).unwrap_or(i64::MAX)
}

/// Gives a job back to run again. If it made progress, its attempts are counted from 0 again.
///
/// # Errors
/// When the store fails. If the lease was lost, this does nothing and returns no error.
pub async fn release(store: &Store, lease: &Lease, again: RetryState) -> Result<(), StoreFault> {
    let (JobKey { account, lane, seq }, number) = (lease.key(), lease.number);
    let released = store.write(account, move |tx| {
        let RetryState { at, attempts, phase, setback } = &again;
        let fault = setback.as_ref().map(|setback| setback.fault.as_str());
        let tries_left = setback.as_ref().and_then(|setback| setback.tries_left);
        let row = args![account.0, lane.as_str(), seq, number, *at, *attempts, *phase, fault, tries_left];
        tx.exec(&sql::job_release, row).map(drop)
    });
    released.await
}

/// The pause before try number `attempts` + 1 without its jitter: doubling from `first`, at most `longest`.
#[must_use]
pub fn mean_pause(attempts: i64, first: Duration, longest: Duration) -> Duration {
    let doublings = u32::try_from(attempts.clamp(1, 20) - 1).unwrap_or(0);
    first.saturating_mul(1 << doublings).min(longest)
}

/// The pause before try number `attempts` + 1: doubling from `first`, at most `longest`, with jitter.
#[must_use]
pub fn backoff(attempts: i64, first: Duration, longest: Duration) -> Duration {
    let pause = mean_pause(attempts, first, longest);
    let jitter = u32::from(uuid::Uuid::new_v4().as_bytes()[0]);
    pause * 3 / 4 + pause * jitter / 512
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_from_the_first_to_the_longest() {
        let second = Duration::from_secs(1);
        let pauses = |longest| {
            [i64::MIN, 0, 1, 2, 3, 7, 19, 20, 21, i64::MAX]
                .map(|attempts| mean_pause(attempts, second, longest).as_secs())
        };
        assert_eq!(pauses(Duration::MAX), [1, 1, 1, 2, 4, 64, 262_144, 524_288, 524_288, 524_288]);
        assert_eq!(pauses(Duration::from_secs(60)), [1, 1, 1, 2, 4, 60, 60, 60, 60, 60]);
    }

    #[test]
    fn a_pause_is_its_mean_and_a_quarter_less_or_more() {
        let [first, longest] = [8, 3600].map(Duration::from_secs);
        let pauses: Vec<_> = (0..200).map(|_| backoff(2, first, longest)).collect();
        let [least, most] = [12, 20].map(Duration::from_secs);
        assert!(pauses.iter().all(|pause| (least..most).contains(pause)), "{pauses:?}");
        // Of 200 draws some are in each outer quarter.
        let [low, high] = [14, 18].map(Duration::from_secs);
        assert!(pauses.iter().any(|pause| *pause < low) && pauses.iter().any(|pause| *pause > high));
    }

    #[tokio::test]
    async fn a_worker_waits_until_its_lane_is_woken() {
        let lanes = Lanes::default();
        let hour = Duration::from_secs(3600);
        let mut waiting = std::pin::pin!(lanes.idle(Lane::DELTA, hour));
        tokio::select! {
            biased;
            () = &mut waiting => panic!("nothing came"),
            () = std::future::ready(()) => {}
        }
        lanes.wake_lane(Lane::ERASE);
        tokio::select! {
            biased;
            () = &mut waiting => panic!("another lane was woken"),
            () = std::future::ready(()) => {}
        }
        lanes.wake_lane(Lane::DELTA);
        tokio::time::timeout(Duration::from_secs(5), waiting).await.expect("it was woken");
        // Woken before it waits.
        let erasures = lanes.idle(Lane::ERASE, hour);
        tokio::time::timeout(Duration::from_secs(5), erasures).await.expect("it was woken");
    }
}
