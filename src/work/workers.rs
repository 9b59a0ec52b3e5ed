//! The workers: a few tasks per lane that claim due jobs, run them under a kept lease, and end them.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Ended, WorkFault, delta, key_epoch, product_feed, user_forget};
use crate::clock::millis;
use crate::jobs::{self, End, LEASE_DURATION, Lane, Lease, LeaseWatch};
use crate::limits;
use crate::node::Node;
use crate::store::StoreFault;

/// Workers of a lane. Feeds mostly wait for other people's servers, and a dead one must delay nobody.
fn workers(lane: Lane) -> usize {
    match lane {
        Lane::Erase => 1,
        Lane::Delta => 2,
        Lane::Feed => 4,
    }
}

/// How long a worker that found nothing waits before it looks again; it is roused before.
const IDLE_DURATION: Duration = Duration::from_millis(500);
/// How often leases are watched and old statuses removed.
const CARE_DURATION: Duration = Duration::from_secs(5);

/// Starts all workers; they stop, after the slice they are in, when `stop` is cancelled.
pub fn start(node: &Arc<Node>, tasks: &TaskTracker, stop: &CancellationToken) {
    for lane in Lane::ALL {
        for _ in 0..workers(lane) {
            tasks.spawn(work(node.clone(), lane, stop.clone()));
        }
    }
    tasks.spawn(care(node.clone(), stop.clone()));
    tasks.spawn(key_epoch::keep(node.clone(), stop.clone()));
}

async fn work(node: Arc<Node>, lane: Lane, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match run_due(&node, lane, &stop).await {
            Ok(true) => {}
            Ok(false) => {
                tokio::select! {
                    () = node.lanes.idle(lane, IDLE_DURATION) => {}
                    () = stop.cancelled() => {}
                }
            }
            Err(StoreFault::DiskFull) if lane == Lane::Erase && node.ballast.release() => {
                tracing::warn!("the disk is full: erasures go on in the room that was kept for them");
            }
            Err(fault) => {
                tracing::warn!(%fault, lane = lane.as_str(), "a worker could not claim a job");
                tokio::time::sleep(IDLE_DURATION).await;
            }
        }
    }
}

/// Runs the next due job of a lane; `false` when there is none.
pub async fn run_due(node: &Arc<Node>, lane: Lane, stop: &CancellationToken) -> Result<bool, StoreFault> {
    let now = node.clock.now();
    let Some(lease) = jobs::claim(&node.store, lane, &node.id, now).await? else { return Ok(false) };
    // Another worker of the lane may find the next one.
    node.lanes.rouse(lane);
    let lease = Arc::new(lease);
    let ended = run_kept(node, lane, &lease, stop).await;
    finish(node, lane, &lease, ended).await?;
    Ok(true)
}

/// Runs the job while its lease is kept. A panic is a fault like any other.
async fn run_kept(node: &Arc<Node>, lane: Lane, lease: &Arc<Lease>, stop: &CancellationToken) -> Ended {
    let (inner, job) = (node.clone(), lease.clone());
    let mut running = tokio::spawn(async move {
        match lane {
            Lane::Delta => delta::run(&inner, &job).await,
            Lane::Feed => product_feed::run(&inner, &job).await,
            Lane::Erase => user_forget::run(&inner, &job).await,
        }
    });
    let ended = tokio::select! {
        ended = &mut running => ended,
        () = lease.keep(&node.store) => {
            lease.lose();
            running.abort();
            return Err(WorkFault::LeaseLost);
        }
        () = stop.cancelled(), if lane == Lane::Feed => {
            // A feed can take hours; it begins again at the next start. Its reading thread sees the lost lease.
            lease.lose();
            running.abort();
            return Ok(End::RetryAt(0, "interrupted"));
        }
    };
    ended.unwrap_or(Err(WorkFault::Panicked))
}

async fn finish(node: &Arc<Node>, lane: Lane, lease: &Lease, ended: Ended) -> Result<(), StoreFault> {
    match ended {
        Ok(End::Done) | Err(WorkFault::LeaseLost) => Ok(()),
        Ok(End::RetryAt(at, phase)) => jobs::release(&node.store, lease, at, 0, phase).await,
        Err(fault) => {
            tracing::error!(%fault, job = lease.key, attempts = lease.attempts, "a job failed");
            metrics::counter!("lethe_job_faults_total", "lane" => lane.as_str()).increment(1);
            let is_hopeless = fault.is_lost() || !fault.is_passing() && lease.attempts >= limits::JOB_TRIES;
            if lane == Lane::Feed && is_hopeless {
                if let Err(fault) = product_feed::give_up(node, lease, fault.reason()).await {
                    tracing::error!(%fault, job = lease.key, "a feed could not be given up");
                }
                return Ok(());
            }
            // A delta job gives up single deltas itself, and an erasure is never given up: both alarm.
            // What passes by itself is no try of this job.
            let attempts = lease.attempts - i64::from(fault.is_passing());
            let pause = jobs::backoff(attempts.max(1), Duration::from_millis(250), Duration::from_secs(60));
            let at = node.clock.now() + millis(pause);
            jobs::release(&node.store, lease, at, attempts, "failed, will be tried again").await
        }
    }
}

/// Frees what a dead holder left and removes statuses past their time.
async fn care(node: Arc<Node>, stop: CancellationToken) {
    let mut watch = LeaseWatch::default();
    while !stop.is_cancelled() {
        if let Err(fault) = watch.look(&node.store, LEASE_DURATION).await {
            tracing::warn!(%fault, "the leases could not be watched");
        }
        let now = node.clock.now();
        super::user_forget::keep_room(&node).await;
        super::upload::give_up_idle(&node, now).await;
        while let Ok(1..) = node.store.write(move |tx| crate::submissions::expire(tx, now)).await {
            // Some may have been held.
            node.note_files_left();
        }
        if let Err(fault) = node.sweep_blobs().await {
            tracing::warn!(%fault, "files that are no longer needed could not be looked for");
        }
        tokio::select! {
            () = tokio::time::sleep(CARE_DURATION) => {}
            () = stop.cancelled() => {}
        }
    }
}
