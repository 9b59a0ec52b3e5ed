//! Doing an erasure: fence, destroy the keys, delete. Each step is durable before the next and may run twice.

use std::sync::Arc;

use super::{Ended, WorkFault};
use crate::erase::{self, State};
use crate::jobs::{End, Lease};
use crate::keys::SlotNumber;
use crate::node::Node;

/// How long an erasure waits before it looks again whether older payloads have ended.
const HELD_UP_MILLIS: i64 = 200;

/// Runs one erasure as far as it goes.
pub async fn run(node: &Arc<Node>, lease: &Lease) -> Ended {
    let (account, seq, now) = (lease.account, lease.seq, node.clock.now());
    let fence = lease.fence();
    let Some(erasure) = node.store.read(move |tx| erase::get(tx, account, seq)).await? else {
        return Ok(End::Done);
    };
    if erasure.state < State::Fenced {
        let (keys, fence) = (node.keys.clone(), fence.clone());
        node.store
            .write(move |tx| {
                fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
                Ok::<_, WorkFault>(erase::fence(tx, &keys, account, seq, now)?)
            })
            .await?;
    }
    if erasure.state < State::Shredded {
        lease.progress.enter("shredding");
        let subjects = node.store.read(move |tx| erase::subjects(tx, account, seq)).await?;
        destroy(node, subjects.into_iter().map(|(_, slot)| slot).collect()).await?;
        let fence = fence.clone();
        node.store
            .write(move |tx| {
                fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
                Ok::<_, WorkFault>(erase::advance(tx, account, seq, State::Shredded, now)?)
            })
            .await?;
    }
    if node.store.read(move |tx| erase::is_held_up(tx, account, seq)).await? {
        return Ok(End::RetryAt(now + HELD_UP_MILLIS, "waiting for older payloads"));
    }
    let wake = lease.wake;
    node.store
        .write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            erase::delete(tx, account, seq, now)?;
            fence.done(tx, wake)?;
            Ok::<_, WorkFault>(())
        })
        .await?;
    destroy(node, erasure.slot.into_iter().collect()).await?;
    Ok(End::Done)
}

/// Destroys keys on a thread that may wait for the disk.
pub async fn destroy(node: &Arc<Node>, slots: Vec<SlotNumber>) -> Result<(), WorkFault> {
    if slots.is_empty() {
        return Ok(());
    }
    let keys = node.keys.clone();
    let destroyed = tokio::task::spawn_blocking(move || keys.destroy(&slots)).await;
    Ok(destroyed.map_err(|_| WorkFault::Panicked)??)
}
