//! The workers: a few tasks per kind of jobs that claim due jobs, run them under a kept lease, and end them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::clock_guard::ClockComparison;
use super::fault::{JobResult, WorkFault};
use super::key_epoch;
use super::kinds::{GiveUpPolicy, JobKind, KINDS};
use crate::clock::{Millis, millis};
use crate::jobs::{
    self, End, INTERRUPTED, LEASE_DURATION, Lane, LastError, Lease, LeaseWatch, RetryState, TURN,
};
use crate::node::Node;
use crate::store::StoreFault;
use crate::{limits, submissions};

/// Time that a worker without a job waits before it looks again; it can be roused earlier.
const IDLE_DURATION: Duration = Duration::from_millis(500);
/// Interval between checks of leases and removals of old statuses.
const CARE_DURATION: Duration = Duration::from_secs(5);
/// Pause after the first failed try of a job; each further one doubles it …
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// … up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Interval between checks for lasting conditions that shops are notified of.
const NOTICE_DURATION: Duration = Duration::from_secs(60);

/// Starts all workers; they stop, after the slice they are in, when `stop` is cancelled.
pub fn start(node: &Arc<Node>, tasks: &TaskTracker, stop: &CancellationToken) {
    for kind in KINDS {
        for _ in 0..kind.workers {
            tasks.spawn(run_worker(node.clone(), kind, stop.clone()));
        }
    }
    tasks.spawn(care(node.clone(), stop.clone()));
    tasks.spawn(super::order_events::run_scans(node.clone(), stop.clone()));
    tasks.spawn(super::webhooks::run_deliveries(node.clone(), tasks.clone(), stop.clone()));
    tasks.spawn(key_epoch::rotate_when_due(node.clone(), stop.clone()));
}

async fn run_worker(node: Arc<Node>, kind: &'static JobKind, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match run_next(&node, kind, &stop).await {
            Ok(true) => {}
            Ok(false) => {
                tokio::select! {
                    () = node.lanes.idle(kind.lane, IDLE_DURATION) => {}
                    () = stop.cancelled() => {}
                }
            }
            Err(StoreFault::DiskFull) if kind.may_use_kept_room && node.ballast.release() => {
                tracing::warn!("the disk is full: erasures go on in the room that was kept for them");
            }
            Err(fault) => {
                if fault.is_told() {
                    tokio::time::sleep(IDLE_DURATION).await;
                    continue;
                }
                tracing::warn!(%fault, lane = kind.lane.as_str(), "a worker could not claim a job");
                tokio::time::sleep(IDLE_DURATION).await;
            }
        }
    }
}

/// Runs the next due job of a lane; returns `false` when no job is due.
///
/// # Errors
/// When the store cannot be queried for a job, or cannot record how it ended.
pub async fn run_due(node: &Arc<Node>, lane: Lane, stop: &CancellationToken) -> Result<bool, StoreFault> {
    match KINDS.iter().find(|kind| kind.lane == lane) {
        Some(kind) => run_next(node, kind, stop).await,
        None => Ok(false),
    }
}

async fn run_next(
    node: &Arc<Node>,
    kind: &'static JobKind,
    stop: &CancellationToken,
) -> Result<bool, StoreFault> {
    let now = node.clock.now();
    let places = kind.places.map(|of| of(&node.resources));
    let claimed = jobs::claim(&node.store, kind.lane, &node.id, now, places).await?;
    let Some(lease) = claimed else { return Ok(false) };
    // Another worker of the lane takes the next one.
    if !lease.is_alone {
        node.lanes.wake_lane(kind.lane);
    }
    let lease = Arc::new(lease.stopped_by(stop));
    let is_fatal = lease.attempts > limits::JOB_CLAIMS && matches!(kind.hopeless, GiveUpPolicy::GiveUp(_));
    let ended = if is_fatal { Err(WorkFault::Fatal) } else { run_kept(node, kind, &lease, stop).await };
    finish(node, kind, &lease, ended).await?;
    Ok(true)
}

/// Runs the job while its lease is kept. A panic is a fault like any other.
async fn run_kept(
    node: &Arc<Node>,
    kind: &'static JobKind,
    lease: &Arc<Lease>,
    stop: &CancellationToken,
) -> JobResult {
    let inner = node.clone();
    let job = lease.clone();
    let mut running = tokio::spawn(async move { (kind.run)(&inner, &job).await });
    let ended = tokio::select! {
        ended = &mut running => ended,
        () = lease.run_heartbeat(&node.store) => {
            lease.lose();
            running.abort();
            return Err(WorkFault::LeaseLost);
        }
        () = stop.cancelled(), if kind.is_interruptible => {
            // It begins again at the next start. Its reading thread, if it has one, sees the lost lease.
            lease.lose();
            running.abort();
            return Ok(INTERRUPTED);
        }
    };
    match ended.unwrap_or(Err(WorkFault::Panicked)) {
        Err(WorkFault::Stopped(_)) => Ok(INTERRUPTED),
        ended => ended,
    }
}

/// Carries out the end of a run. A failure is tried again with growing pauses, [`limits::JOB_TRIES`] times; then the
/// job is given up, if its kind can be.
async fn finish(
    node: &Arc<Node>,
    kind: &'static JobKind,
    lease: &Lease,
    ended: JobResult,
) -> Result<(), StoreFault> {
    let mut attempts = lease.attempts;
    let mut setback = None;
    let why = match ended {
        Ok(End::Done) | Err(WorkFault::LeaseLost) => return Ok(()),
        Ok(End::RetryAt { when, phase, setback }) => {
            setback.iter().for_each(|setback| warn_of(lease, &setback.fault));
            return jobs::release(&node.store, lease, RetryState { at: when, attempts: 0, phase, setback })
                .await;
        }
        Ok(End::GiveUp { why }) => {
            warn_of(lease, &why);
            Some(why)
        }
        Err(fault) => {
            record_fault(kind, lease, &fault);
            // A fault that passes by itself is no try of this job.
            attempts -= i64::from(fault.is_passing());
            let is_hopeless = fault.is_lost() || !fault.is_passing() && attempts >= limits::JOB_TRIES;
            setback = Some(setback_of(&fault, attempts));
            is_hopeless.then(|| fault.reason().to_owned())
        }
    };
    if let (Some(why), GiveUpPolicy::GiveUp(give_up)) = (why, &kind.hopeless) {
        match give_up(node, lease, &why).await {
            // A job that ended so does not exist any more, and is not released.
            Ok(()) => {
                let now = node.clock.now();
                let again = RetryState { at: now, attempts: 0, phase: TURN, setback: None };
                return jobs::release(&node.store, lease, again).await;
            }
            Err(WorkFault::LeaseLost) => return Ok(()),
            Err(fault) => record_fault(kind, lease, &fault),
        }
    }
    let at = node.clock.now() + millis(jobs::backoff(attempts, FIRST_PAUSE, LONGEST_PAUSE));
    let phase = "failed, will be tried again";
    jobs::release(&node.store, lease, RetryState { at, attempts, phase, setback }).await
}

/// Message for waiting clients, after a fault of Lethe's. The details are in the log.
fn setback_of(fault: &WorkFault, attempts: i64) -> LastError {
    let counted = (limits::JOB_TRIES - attempts).max(0);
    LastError { fault: fault.setback().to_owned(), tries_left: (!fault.is_passing()).then_some(counted) }
}

/// The one line of a try that failed through no fault of Lethe's. No sentence of a fault quotes the input, and none
/// names the address of a feed.
fn warn_of(lease: &Lease, fault: &str) {
    let account = lease.account.0;
    let seq = lease.seq;
    tracing::warn!(account, seq, fault, "a try failed");
}

fn record_fault(kind: &JobKind, lease: &Lease, fault: &WorkFault) {
    tracing::error!(%fault, job = %lease.key(), attempts = lease.attempts, "a job failed");
    metrics::counter!("lethe_job_faults_total", "lane" => kind.lane.as_str()).increment(1);
}

/// Removes statuses past their time.
async fn expire(node: &Node, now: Millis) -> Result<(), StoreFault> {
    loop {
        let expired = node.store.read(move |tx| submissions::list_expired(tx, now)).await?;
        let Some((account, _)) = expired.first().copied() else { return Ok(()) };
        let seqs: Vec<_> = expired.into_iter().filter(|(of, _)| *of == account).map(|(_, seq)| seq).collect();
        node.store.write_of_job(account, move |tx| submissions::expire(tx, account, &seqs)).await?;
        // Some may have been held.
        node.note_files_left();
    }
}

/// Ends expired data, every few seconds: uploads without further pieces, statuses, and records of people. A failure
/// holds up nothing else, and is tried again the next time.
pub async fn end_what_is_kept(node: &Arc<Node>) {
    let now = node.clock.now();
    super::erasure::run::keep_room(node).await;
    super::upload::give_up_idle(node, now).await;
    if let Err(fault) = expire(node, now).await {
        tracing::warn!(%fault, "statuses past their time could not be removed");
    }
    ask_for_orders(node).await;
    if let Err(fault) = super::retention::end(node).await {
        tracing::warn!(%fault, "what is kept for a time could not be removed on its day");
    }
}

async fn ask_for_orders(node: &Arc<Node>) {
    if let Err(fault) = super::order_events::ask_all(node).await {
        tracing::warn!(%fault, "orders that were not looked at could not be asked for");
    }
}

/// Frees jobs of dead holders, and ends expired data.
async fn care(node: Arc<Node>, stop: CancellationToken) {
    let mut watch = LeaseWatch::default();
    let mut noticed_at = None;
    let mut ageing = ClockComparison::default();
    while !stop.is_cancelled() {
        if let Err(fault) = watch.free_expired(&node.store, LEASE_DURATION).await {
            tracing::warn!(%fault, "the leases could not be watched");
        }
        if ageing.may_remove(node.clock.now(), Instant::now()) {
            end_what_is_kept(&node).await;
        } else {
            super::erasure::run::keep_room(&node).await;
            ask_for_orders(&node).await;
        }
        if noticed_at.is_none_or(|at: Instant| at.elapsed() > NOTICE_DURATION) {
            noticed_at = Some(Instant::now());
            if let Err(fault) = super::webhooks::notice(&node).await {
                tracing::warn!(%fault, "what shops are to be told could not be looked for");
            }
        }
        if let Err(fault) = node.sweep_blobs(limits::SWEEP_PATIENCE_DURATION).await {
            tracing::warn!(%fault, "files that are no longer needed could not be looked for");
        }
        tokio::select! {
            () = tokio::time::sleep(CARE_DURATION) => {}
            () = stop.cancelled() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tries_that_are_left_are_told_of_faults_that_do_not_pass() {
        let left = |attempts: i64| setback_of(&WorkFault::Panicked, attempts);
        let fault = "the server failed on this; the fault was logged".to_owned();
        assert_eq!(left(1), LastError { fault, tries_left: Some(limits::JOB_TRIES - 1) });
        let most = limits::JOB_TRIES;
        let told = [0, most - 1, most, most + 1].map(|attempts| left(attempts).tries_left);
        assert_eq!(told, [Some(most), Some(1), Some(0), Some(0)]);
        let busy = setback_of(&WorkFault::Store(StoreFault::Busy), 1);
        let fault = "the server could not do this now".to_owned();
        assert_eq!(busy, LastError { fault, tries_left: None });
    }
}
