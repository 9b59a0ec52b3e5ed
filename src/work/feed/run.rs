//! Runs a feed's job: one attempt of the fetch, and everything after it; or gives it up.

use std::sync::Arc;
use std::time::Duration;

use super::attempt::{Attempt, UNREADABLE};
use super::{publish, republish};
use crate::jobs::{End, Lease};
use crate::keys::SlotNumber;
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions::payload::StoredPayload;
use crate::submissions::{Input, payload};
use crate::work::fault::{JobResult, WorkFault, end_idle};
use crate::work::{key_slots, upload};
use crate::{accounts, submissions};

/// Runs a feed's job: one attempt of the fetch, and everything after it.
pub async fn run(node: &Arc<Node>, lease: &Arc<Lease>) -> JobResult {
    let account = lease.account;
    let seq = lease.seq;
    let found = node
        .store
        .read(move |tx| {
            let submission = submissions::load_by_seq(tx, account, seq)?;
            Ok::<_, StoreFault>((accounts::by_id(tx, account)?, submission, payload::load(tx, account, seq)?))
        })
        .await?;
    let (Some(account), Some(submission), waits) = found else { return end_idle(node, lease).await };
    if submission.published.is_none() {
        let slot = waits.as_ref().and_then(|waits| waits.slot);
        let attempt = Attempt { node, lease, account: Arc::new(account), submission };
        let ended = attempt.run_input(waits).await?;
        if !matches!(ended, End::Done) {
            return Ok(ended);
        }
        leave_nothing(node, slot).await?;
    }
    publish::end_published(node, lease).await
}

/// After a feed was published, or has failed: removes its key, and the files that are no longer needed.
pub(super) async fn leave_nothing(node: &Node, slot: Option<SlotNumber>) -> Result<(), WorkFault> {
    key_slots::release(node, slot.into_iter().collect()).await?;
    node.note_files_left();
    Ok(node.sweep_blobs(Duration::ZERO).await?)
}

/// Ends as failed, with the reason, a feed that cannot be published; leaves the catalogue alone. A feed that
/// was published already ends as published.
///
/// # Errors
/// When the feed is still open, or when a part of it was left on the disk.
pub async fn give_up(node: &Node, lease: &Lease, why: &str) -> Result<(), WorkFault> {
    let account = lease.account;
    let seq = lease.seq;
    let reading = node.store.read(move |tx| {
        let submission = submissions::load_by_seq(tx, account, seq)?;
        Ok::<_, StoreFault>((submission, payload::load(tx, account, seq)?))
    });
    let (submission, waits) = reading.await?;
    if submission.is_some_and(|submission| submission.published.is_some()) {
        return publish::end_published(node, lease).await.map(drop);
    }
    publish::end_failed(node, lease, why).await?;
    leave_nothing(node, waits.and_then(|waits| waits.slot)).await
}

impl Attempt<'_> {
    async fn run_input(&self, waits: Option<StoredPayload>) -> JobResult {
        // Known before: an upload that was given up.
        if let Some(reason) = &self.submission.reason {
            return self.fail(reason).await;
        }
        if let Input::Republish { origin, manner } = self.submission.input {
            return republish::run(self, origin, manner).await;
        }
        let Some(StoredPayload { slot: Some(slot), body }) = waits else {
            return self.fail(UNREADABLE).await;
        };
        let sealer = match self.node.keys.sealer(slot) {
            Err(fault) if fault.is_lost() => return self.fail(UNREADABLE).await,
            sealer => sealer?,
        };
        match self.submission.input {
            Input::Upload { holds, .. } => upload::run(self, holds, slot, sealer).await,
            Input::Url { .. } => self.run_url(slot, sealer, &body.unwrap_or_default()).await,
            // Neither waits in this lane, sealed.
            Input::Republish { .. } | Input::Delta => self.fail(UNREADABLE).await,
        }
    }
}
