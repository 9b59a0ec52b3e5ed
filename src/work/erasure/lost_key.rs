//! Erasures whose own key is gone: a restored backup, or a lost key file, so that their people can no longer be read.
//! Known data is removed; that nothing else is left cannot be proven.

use super::context::ErasureRun;
use crate::erasure::{self, ErasureState, OpenErasure, SubjectId, places};
use crate::keys::SlotNumber;
use crate::store::Tx;
use crate::work::fault::WorkFault;
use crate::work::key_slots;

/// Ends the erasures whose identifiers cannot be read: the person's subjects go, and a repeated request starts over.
pub(super) async fn end(run: &ErasureRun<'_>, open: &mut [OpenErasure]) -> Result<(), WorkFault> {
    for erasure in open.iter_mut() {
        match erasure.person(&run.node.keys, run.account) {
            Ok(_) => {}
            Err(fault) if fault.is_lost() => lose(run, erasure).await?,
            Err(fault) => return Err(fault.into()),
        }
    }
    Ok(())
}

async fn lose(run: &ErasureRun<'_>, erasure: &mut OpenErasure) -> Result<(), WorkFault> {
    let account = run.account;
    let seq = erasure.seq;
    let now = run.now();
    tracing::error!(
        account = account.0,
        seq,
        "the key of an erasure is lost: its request has to be sent again"
    );
    let subjects = destroy_keys(run, seq).await?;
    let (ids, slots): (Vec<_>, Vec<_>) = subjects.into_iter().unzip();
    loop {
        let ids = ids.clone();
        let ending = run.write(move |tx: &mut Tx<'_>| {
            let is_done = places::delete_some(tx, account, seq, &ids)?;
            if is_done {
                erasure::mark_key_lost(tx, account, seq, now)?;
            }
            Ok(is_done)
        });
        if ending.await? {
            break;
        }
    }
    run.node.derived.forget(account, &ids).await;
    erasure.state = ErasureState::Lost;
    key_slots::put_back(run.node, &slots)?;
    key_slots::release(run.node, vec![erasure.slot]).await
}

/// Destroys the keys of an erasure's subjects; returns the subjects with the slots, which stay taken.
async fn destroy_keys(run: &ErasureRun<'_>, seq: i64) -> Result<Vec<(SubjectId, SlotNumber)>, WorkFault> {
    let _alone = run.lock_shredding().await;
    let subjects = run.subjects(seq).await?;
    key_slots::destroy(run.node, subjects.iter().map(|(_, slot)| *slot).collect()).await?;
    Ok(subjects)
}
