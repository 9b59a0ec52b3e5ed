//! Doing an erasure: fence, destroy the keys, delete. Each step is durable before the next and may run twice.

use std::sync::Arc;

use super::user_forget_journal::{self, Fenced};
use super::{Ended, WorkFault, forgotten_text, spares};
use crate::erase::{self, State};
use crate::jobs::{End, Lease};
use crate::keys::SlotNumber;
use crate::node::Node;
use crate::recovery::replay;

/// How long an erasure waits before it looks again whether older payloads have ended.
const HELD_UP_MILLIS: i64 = 200;

/// Runs one erasure as far as it goes.
pub async fn run(node: &Arc<Node>, lease: &Arc<Lease>) -> Ended {
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
        let mut id = [0; 16];
        id[..8].copy_from_slice(&account.0.to_be_bytes());
        id[8..].copy_from_slice(&seq.to_be_bytes());
        let subjects = subjects.into_iter().map(|(subject, _)| subject).collect();
        let fenced = vec![Fenced { id, seq, subjects, asked_at: now }];
        let appended = user_forget_journal::record(node, account, fenced).await?;
        spares::destroy(node, slots_of_subjects(node, lease).await?).await?;
        let fence = fence.clone();
        node.store
            .write(move |tx| {
                fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
                replay::note(tx, &appended)?;
                Ok::<_, WorkFault>(erase::advance(tx, account, seq, State::Shredded, now)?)
            })
            .await?;
    }
    if node.store.read(move |tx| erase::is_held_up(tx, account, seq)).await? {
        super::upload::give_up_for_erasure(node, account).await?;
        return Ok(End::RetryAt(now + HELD_UP_MILLIS, "waiting for older payloads"));
    }
    lease.progress.enter("looking through the catalogue");
    if !forgotten_text::erase(node, lease).await? {
        return Ok(End::RetryAt(now + HELD_UP_MILLIS, "waiting for a feed to be published"));
    }
    let (wake, slots) = (lease.wake, slots_of_subjects(node, lease).await?);
    node.store
        .write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            erase::delete(tx, account, seq, now)?;
            fence.done(tx, wake)?;
            Ok::<_, WorkFault>(())
        })
        .await?;
    // Their rows are gone, so the places of their keys may be used again.
    spares::put_back(node, &slots)?;
    spares::release(node, erasure.slot.into_iter().collect()).await?;
    Ok(End::Done)
}

async fn slots_of_subjects(node: &Node, lease: &Lease) -> Result<Vec<SlotNumber>, WorkFault> {
    let (account, seq) = (lease.account, lease.seq);
    let subjects = node.store.read(move |tx| erase::subjects(tx, account, seq)).await?;
    Ok(subjects.into_iter().map(|(_, slot)| slot).collect())
}
