//! Erasures whose own key is gone: a restored backup, or a lost key file, so that their people can no longer be read.
//! Known data is removed; that nothing else is left cannot be proven.

use super::context::ErasureRun;
use crate::erasure::{self, ErasureState, OpenErasure, places};
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
    let alone = run.lock_shredding().await;
    let subjects = run.subjects(seq).await?;
    let slots: Vec<_> = subjects.iter().map(|(_, slot)| *slot).collect();
    key_slots::destroy(run.node, slots.clone()).await?;
    drop(alone);
    let ids: Vec<_> = subjects.into_iter().map(|(subject, _)| subject).collect();
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
