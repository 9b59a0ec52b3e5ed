//! The part of an erasure that is about the catalogue: an address of a forgotten person in its text is blanked, in the
//! snapshots shown and in what deltas put on top; older snapshots that hold one are destroyed.
//!
//! Nothing that is published after the erasure was fenced can hold one: every door asks again inside its transaction.
//! So it is enough to look through what is there, once. Scanning reads and decompresses every kept snapshot.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use tokio::sync::OwnedRwLockReadGuard;

use super::WorkFault;
use super::forgotten::{self, Asker};
use crate::blobs::BlobName;
use crate::catalogue::CatalogueFault;
use crate::catalogue::rewriting::{self, Kept, Put};
use crate::catalogue::snapshot::SnapshotFault;
use crate::catalogue::snapshot_writer::Summary;
use crate::feeds::rows;
use crate::jobs::Lease;
use crate::node::Node;

/// Rows of deltas looked at in one unit of work: each may be as large as a delta.
const PUTS_READ: i64 = 50;
/// How often a file may be gone because a feed replaced its snapshot while we looked.
const FILES_MISSING: usize = 20;

/// Blanks what is held of forgotten people in the text of the account's catalogue. The files that had it are left to the
/// sweep.
pub async fn blank(node: &Arc<Node>, lease: &Arc<Lease>) -> Result<(), WorkFault> {
    blank_puts(node, lease).await?;
    blank_snapshots(node, lease).await
}

fn go_on(lease: &Lease) -> io::Result<()> {
    match lease.is_lost() {
        true => Err(io::Error::other("the lease was lost")),
        false => Ok(()),
    }
}

/// Looks through every row that a delta put.
async fn blank_puts(node: &Arc<Node>, lease: &Lease) -> Result<(), WorkFault> {
    let (account, mut after) = (lease.account, (0, -1));
    loop {
        let puts = node.store.read(move |tx| rewriting::puts(tx, account, after, PUTS_READ)).await?;
        let Some(last) = puts.last() else { return Ok(()) };
        after = (last.seq, last.n);
        let suspects: Vec<Put> = puts.into_iter().filter(|put| rows::may_hold_address(&put.row)).collect();
        if suspects.is_empty() {
            continue;
        }
        let (keys, fence) = (node.keys.clone(), lease.fence());
        let blanking = node.store.write(move |tx| {
            fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
            for put in &suspects {
                if let Some(row) = forgotten::blanked(tx, &keys, account, &put.row)? {
                    rewriting::replace_put(tx, account, put, &row)?;
                }
            }
            Ok::<_, WorkFault>(())
        });
        blanking.await?;
    }
}

/// Looks through every kept snapshot.
async fn blank_snapshots(node: &Arc<Node>, lease: &Arc<Lease>) -> Result<(), WorkFault> {
    let account = lease.account;
    let (mut clean, mut missing) = (HashSet::<BlobName>::new(), 0);
    loop {
        let kept = node.store.read(move |tx| rewriting::kept(tx, account)).await?;
        let Some(next) = kept.into_iter().find(|kept| !clean.contains(&kept.blob)) else { return Ok(()) };
        let blob = next.blob;
        match rewritten(node, lease, &next).await {
            Ok(None) => drop(clean.insert(blob)),
            Ok(Some((new, publishing))) => {
                switch(node, lease, next, new).await?;
                drop(publishing);
            }
            Err(WorkFault::Catalogue(CatalogueFault::Snapshot(SnapshotFault::Missing)))
                if missing < FILES_MISSING =>
            {
                missing += 1;
            }
            Err(fault) => return Err(fault),
        }
    }
}

/// What becomes of a snapshot that held something: a file without it in its place, or (for one from before) nothing; and
/// what keeps the sweep from that file until a row names it.
type New = (Option<Summary>, OwnedRwLockReadGuard<()>);

/// Looks through a snapshot and, when it is shown and holds something, writes it anew. `None`: it holds nothing.
async fn rewritten(node: &Arc<Node>, lease: &Arc<Lease>, kept: &Kept) -> Result<Option<New>, WorkFault> {
    let publishing = node.publishing.clone().read_owned().await;
    let (node, lease, blob, is_base) = (node.clone(), lease.clone(), kept.blob, kept.is_base);
    let scanning = tokio::task::spawn_blocking(move || {
        let asker = Asker::new(&node, lease.account, &|| Ok(()));
        let is_forgotten = |email: &str| asker.is_forgotten(email);
        let go_on = || go_on(&lease);
        let rewrite = |row: &[u8]| rows::without_forgotten(row, &is_forgotten);
        let holds = rewriting::would_change(&node.blobs, &blob, &rewrite, &go_on)?;
        let new = (holds && is_base).then(|| rewriting::rewritten(&node.blobs, &blob, &rewrite, &go_on));
        let new = new.transpose()?;
        asker.end()?;
        Ok::<_, WorkFault>(holds.then_some(new))
    });
    let new = scanning.await.map_err(|_| WorkFault::Panicked)??;
    Ok(new.map(|new| (new, publishing)))
}

/// Puts the new file in the place of the old one; a snapshot that its section does not stand on goes as a whole. If that
/// changed while we looked, nothing happens and it is looked at again.
async fn switch(node: &Node, lease: &Lease, old: Kept, new: Option<Summary>) -> Result<(), WorkFault> {
    let (fence, account) = (lease.fence(), lease.account);
    let switching = node.store.write(move |tx| {
        fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        if !rewriting::remove_old(tx, account, &old)?
            && let Some(new) = &new
        {
            rewriting::replace(tx, account, &old, new)?;
        }
        Ok::<_, WorkFault>(())
    });
    switching.await
}
