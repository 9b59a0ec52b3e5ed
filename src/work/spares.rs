//! Key slots around a transaction: room for new ones is set aside before it and given back after it; those that it no
//! longer names are destroyed after it.

use std::sync::Arc;

use crate::jobs::Lease;
use crate::keys::{SlotNumber, Spares};
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::subjects::admit::Desk;
use crate::subjects::subject::SubjectFault;

use super::WorkFault;

/// Runs a unit of work of a job in which up to `people` people may turn out to be new, each of whom takes a key slot.
pub async fn write<T: Send + 'static>(
    node: &Node,
    lease: &Lease,
    people: usize,
    unit: impl Fn(&mut Tx<'_>, &Spares) -> Result<T, WorkFault> + Send + 'static,
) -> Result<T, WorkFault> {
    let spares = Arc::new(node.keys.spares(people).await?);
    let in_unit = spares.clone();
    let written = lease.write(&node.store, move |tx| {
        in_unit.begin();
        unit(tx, &in_unit)
    });
    let outcome = written.await;
    match &outcome {
        // Nobody can say whether the keys are in use: the sweep at the next start will.
        Err(WorkFault::Store(StoreFault::UnknownOutcome | StoreFault::Closed)) => {}
        Err(_) => spares.put_back()?,
        Ok(_) => spares.keep()?,
    }
    outcome
}

/// Stores things about people, accepted at the place of a job, in one unit of work; `store` says what became of one.
pub async fn store_each<I, T>(
    node: &Node,
    lease: &Lease,
    items: Vec<I>,
    store: impl Fn(&mut Tx<'_>, &Desk<'_>, &I) -> Result<T, SubjectFault> + Send + 'static,
) -> Result<Vec<T>, WorkFault>
where
    I: Send + 'static,
    T: Send + 'static,
{
    let (keys, account, seq, now) = (node.keys.clone(), lease.account, lease.seq, node.clock.now());
    write(node, lease, items.len(), move |tx, spares| {
        let desk = Desk { keys: &keys, account, seq, now, spares };
        items.iter().map(|item| Ok(store(tx, &desk, item)?)).collect()
    })
    .await
}

/// Gives back slots that no row names.
pub fn put_back(node: &Node, slots: &[SlotNumber]) -> Result<(), WorkFault> {
    Ok(slots.iter().try_for_each(|slot| node.keys.put_back(*slot))?)
}

/// Destroys keys, on a thread that may wait for the disk. Their slots stay taken until no row names them.
pub async fn destroy(node: &Node, slots: Vec<SlotNumber>) -> Result<(), WorkFault> {
    if slots.is_empty() {
        return Ok(());
    }
    let keys = node.keys.clone();
    let destroyed = tokio::task::spawn_blocking(move || keys.destroy(&slots)).await;
    Ok(destroyed.map_err(|_| WorkFault::Panicked)??)
}

/// Destroys keys that no row names any more, and gives their slots back.
pub async fn release(node: &Node, slots: Vec<SlotNumber>) -> Result<(), WorkFault> {
    destroy(node, slots.clone()).await?;
    put_back(node, &slots)
}
