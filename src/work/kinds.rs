//! Every kind of jobs, one row each. A new kind is a file of its own and a row here.

use std::pin::Pin;
use std::sync::Arc;

use super::fault::{JobResult, WorkFault};
use super::{delta, erasure, feed};
use crate::admission::{SharedResources, TenantSemaphore};
use crate::jobs::{Lane, Lease};
use crate::limits;
use crate::node::Node;

/// A run of a job.
pub(super) type RunFuture<'a> = Pin<Box<dyn Future<Output = JobResult> + Send + 'a>>;
/// A run that gives a job up.
pub(super) type GiveUpFuture<'a> = Pin<Box<dyn Future<Output = Result<(), WorkFault>> + Send + 'a>>;

/// A kind of jobs: its work, and how its workers treat it.
pub struct JobKind {
    /// The name under which its jobs wait.
    pub lane: Lane,
    /// Number of jobs that run at once on a node.
    pub workers: usize,
    /// Counter of the places of each account, if one account may have many such jobs.
    pub places: Option<fn(&SharedResources) -> &Arc<TenantSemaphore>>,
    /// True if a stop of the node aborts a run, which begins again at the next start. If false, the stop waits for the
    /// run.
    pub is_interruptible: bool,
    /// True if it may use the room that is reserved for erasures when the disk is full.
    pub may_use_kept_room: bool,
    /// Runs a job. May be broken off anywhere, and is then run again from the beginning.
    pub(super) run: for<'a> fn(&'a Arc<Node>, &'a Arc<Lease>) -> RunFuture<'a>,
    /// Treatment of a job that cannot succeed.
    pub(super) hopeless: GiveUpPolicy,
}

/// Treatment of a job that cannot succeed, or has failed [`crate::limits::JOB_TRIES`] times.
pub(super) enum GiveUpPolicy {
    /// Ends the submission with a reason for its sender. The job then ends too, or goes on with the rest.
    GiveUp(for<'a> fn(&'a Arc<Node>, &'a Lease, &'a str) -> GiveUpFuture<'a>),
    /// It alarms each time it fails, and is tried for ever.
    TryOn,
}

/// Every kind of jobs.
pub static KINDS: &[JobKind] = &[
    JobKind {
        lane: Lane::ERASE,
        // A slow step is done once for all erasures of an account; the other worker destroys keys of others meanwhile.
        workers: 2,
        places: None,
        is_interruptible: false,
        may_use_kept_room: true,
        run: |node, lease| Box::pin(erasure::run(node, lease)),
        hopeless: GiveUpPolicy::TryOn,
    },
    JobKind {
        lane: Lane::DELTA,
        // Each mostly waits until searches show the applied changes.
        workers: 4,
        places: None,
        is_interruptible: false,
        may_use_kept_room: false,
        run: |node, lease| Box::pin(delta::run(node, lease)),
        hopeless: GiveUpPolicy::GiveUp(|node, lease, why| Box::pin(delta::give_up(node, lease, why))),
    },
    JobKind {
        lane: Lane::FETCH,
        // They mostly wait for other people's servers, and a dead one must delay no other job.
        workers: limits::FETCHES_AT_ONCE,
        places: Some(|resources| &resources.fetches),
        ..FEEDS
    },
    JobKind {
        lane: Lane::FEED,
        workers: limits::FEEDS_AT_ONCE,
        places: Some(|resources| &resources.feeds),
        ..FEEDS
    },
];

/// Common part of all kinds of feed jobs.
const FEEDS: JobKind = JobKind {
    lane: Lane::FEED,
    workers: 0,
    places: None,
    is_interruptible: true,
    may_use_kept_room: false,
    run: |node, lease| Box::pin(feed::run(node, lease)),
    hopeless: GiveUpPolicy::GiveUp(|node, lease, why| Box::pin(feed::give_up(node, lease, why))),
};
