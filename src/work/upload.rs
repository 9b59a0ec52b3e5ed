//! Doing an upload: its pieces are read as one feed, checked and published like a feed by URL, or as an order file.

use super::fault::{JobResult, WorkFault};
use super::feed::attempt::{Attempt, ProgressOf};
use super::feed::publish;
use super::orders;
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::jobs::{End, Lane};
use crate::keys::{Sealer, SlotNumber};
use crate::node::Node;
use crate::store::StoreFault;
use crate::submissions::UploadKind;
use crate::uploads::pieces::PiecesReader;
use crate::{accept, limits, uploads};

/// Reads a whole upload, and publishes or stores its content.
pub(super) async fn run(
    attempt: &Attempt<'_>,
    holds: UploadKind,
    slot: SlotNumber,
    sealer: Sealer,
) -> JobResult {
    let account = attempt.account.id;
    let seq = attempt.submission.seq;
    let pieces = attempt.node.store.read(move |tx| uploads::pieces(tx, account, seq)).await?;
    let Some(_turn) = attempt.acquire_turn().await else { return Ok(attempt.retry_later()) };
    let total = pieces.iter().map(|piece| u64::try_from(piece.bytes).unwrap_or(0)).sum();
    let blobs = attempt.node.blobs.clone();
    let of_pieces = attempt.node.keys.sealer(slot)?;
    let reader = PiecesReader::new(blobs, of_pieces, attempt.aad(), pieces);
    if holds == UploadKind::Orders {
        return store_orders(attempt, reader, slot, sealer).await;
    }
    let progress: ProgressOf = Box::new(move |read| (read, total));
    // A sender whose rows were all skipped closes an empty feed, which is refused for products only.
    let may_be_empty = holds != UploadKind::Product;
    let read = attempt.read_feed(reader, progress, sealer, may_be_empty).await;
    attempt.settle(read, slot, None).await
}

async fn store_orders(
    attempt: &Attempt<'_>,
    reader: PiecesReader,
    slot: SlotNumber,
    sealer: Sealer,
) -> JobResult {
    let node = attempt.node.clone();
    let lease = attempt.lease.clone();
    let aad = attempt.aad();
    lease.progress.enter("reading");
    let accepted_at = attempt.submission.accepted_at;
    let of_spool = attempt.node.keys.sealer(slot)?;
    let reading = tokio::task::spawn_blocking(move || {
        let reading = orders::OrdersReadContext {
            blobs: &node.blobs,
            sealer: &of_spool,
            aad: &aad,
            lease: &lease,
            accepted_at,
        };
        orders::read_file(reader, &reading)
    });
    match reading.await.map_err(|_| WorkFault::Panicked)? {
        Ok(checked) => {
            let node = attempt.node;
            let lease = attempt.lease;
            let found = orders::store(node, lease, &sealer, &attempt.aad(), checked).await?;
            node.noting.schedule(lease.account);
            publish::end_stored(node, lease, &found).await?;
            Ok(End::Done)
        }
        Err(refused) => attempt.settle(Err(refused), slot, None).await,
    }
}

/// Gives up uploads without a new piece for too long.
pub async fn give_up_idle(node: &Node, now: Millis) {
    let before = now - millis(limits::UPLOAD_IDLE_DURATION);
    const REASON: &str = "nothing was added to the upload for 24 hours";
    if let Err(fault) = give_up(node, before, None, REASON).await {
        tracing::warn!(%fault, "idle uploads could not be given up");
    }
}

/// Gives up the uploads of an account that have been idle for a while and were begun before `newest`, the place of the
/// last waiting erasure; and all that were begun before `overdue`, the place of the last erasure that has waited too
/// long.
pub(super) async fn give_up_for_erasure(
    node: &Node,
    account: AccountId,
    newest: i64,
    overdue: i64,
) -> Result<(), WorkFault> {
    let now = node.clock.now();
    let before = now - millis(limits::UPLOAD_IDLE_ERASURE_DURATION);
    const IDLE: &str = "an erasure had to wait for the upload, and nothing was added to it for 15 minutes";
    give_up(node, before, Some((account, newest)), IDLE).await?;
    const LONG: &str = "an erasure had to wait for the upload for 24 hours";
    Ok(give_up(node, now + 1, Some((account, overdue)), LONG).await?)
}

async fn give_up(
    node: &Node,
    before: Millis,
    of: Option<(AccountId, i64)>,
    reason: &'static str,
) -> Result<(), StoreFault> {
    let now = node.clock.now();
    let idle = node.store.read(move |tx| uploads::idle(tx, before, of)).await?;
    if idle.is_empty() {
        return Ok(());
    }
    let until = of.map_or(i64::MAX, |(_, until)| until);
    let mut accounts: Vec<_> = idle.into_iter().map(|(account, _)| account).collect();
    accounts.dedup();
    for account in accounts {
        let giving_up = node.store.write_of_job(account, move |tx| {
            // Again, because a piece may have come since.
            for (_, seq) in uploads::idle(tx, before, Some((account, until)))? {
                accept::upload::abandon(tx, account, seq, reason, now)?;
            }
            Ok::<_, StoreFault>(())
        });
        giving_up.await?;
    }
    node.lanes.wake_lane(Lane::FEED);
    Ok(())
}
