//! Key slots around a transaction: spare ones are named before it and given back when it needed none; those
//! it no longer names are destroyed after it.

use std::collections::HashSet;

use crate::jobs::Lease;
use crate::keys::SlotNumber;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::subjects::subject::SubjectFault;

use super::WorkFault;

/// Names `count` slots whose keys are durable already, or none.
pub async fn take(node: &Node, count: usize) -> Result<Vec<SlotNumber>, WorkFault> {
    let mut taken = Vec::with_capacity(count);
    while taken.len() < count {
        match node.keys.taken().await {
            Ok(slot) => taken.push(slot),
            Err(fault) => {
                put_back(node, &taken)?;
                return Err(fault.into());
            }
        }
    }
    Ok(taken)
}

/// Stores things about people in one unit of work of a job, each with a spare slot; `store` says what became of one,
/// `is_new` whether it took its slot.
pub async fn store_each<I, T>(
    node: &Node,
    lease: &Lease,
    items: Vec<I>,
    store: impl Fn(&mut Tx<'_>, &I, SlotNumber) -> Result<T, SubjectFault> + Send + 'static,
    is_new: impl Fn(&T) -> bool + Send + 'static,
) -> Result<Vec<T>, WorkFault>
where
    I: Send + 'static,
    T: Send + 'static,
{
    let spares = take(node, items.len()).await?;
    let (fence, given) = (lease.fence(), spares.clone());
    let stored = node.store.write(move |tx| {
        fence.held(tx)?.ok_or(WorkFault::LeaseLost)?;
        let (mut became, mut used) = (Vec::with_capacity(items.len()), Vec::new());
        for (item, spare) in items.iter().zip(&given) {
            let one = store(tx, item, *spare)?;
            used.extend(is_new(&one).then_some(*spare));
            became.push(one);
        }
        Ok::<_, WorkFault>((became, used))
    });
    settle(node, &spares, stored.await, |(_, used)| used).map(|(became, _)| became)
}

/// Gives back the slots that the transaction did not use; all of them when it did not happen.
pub fn settle<T>(
    node: &Node,
    taken: &[SlotNumber],
    outcome: Result<T, WorkFault>,
    used: impl Fn(&T) -> &Vec<SlotNumber>,
) -> Result<T, WorkFault> {
    match &outcome {
        // Nobody can say whether the keys are in use: the sweep at the next start will.
        Err(WorkFault::Store(StoreFault::UnknownOutcome | StoreFault::Closed)) => {}
        Err(_) => put_back(node, taken)?,
        Ok(done) => {
            let used: HashSet<_> = used(done).iter().collect();
            for slot in taken.iter().filter(|slot| !used.contains(slot)) {
                node.keys.return_unused(*slot)?;
            }
        }
    }
    outcome
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
