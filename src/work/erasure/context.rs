//! Context of one run of an account's erasures, and the reasons for which they wait.

use std::sync::Arc;
use std::time::Instant;

use crate::ids::AccountId;
use crate::jobs::Lease;
use crate::node::Node;

/// Pause of erasures before the next check whether older payloads have ended.
pub(super) const HELD_UP_MILLIS: i64 = 200;

/// Reason why an erasure waits before it deletes, and, if a feed has come since, before it is proven.
pub(super) const WAITS_FOR_PAYLOADS: &str = "payloads that were accepted earlier and may hold the person";

/// One run of the job.
pub(super) struct ErasureRun<'a> {
    pub(super) node: &'a Arc<Node>,
    pub(super) lease: &'a Arc<Lease>,
    pub(super) account: AccountId,
    pub(super) began: Instant,
}
