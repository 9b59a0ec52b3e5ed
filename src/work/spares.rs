//! Spare key slots: named before a transaction that may need new keys, given back when it did not.

use crate::keys::SlotNumber;
use crate::node::Node;
use crate::store::StoreFault;

use super::WorkFault;

/// Names `count` slots whose keys are durable already.
pub fn take(node: &Node, count: usize) -> Result<Vec<SlotNumber>, WorkFault> {
    (0..count).map(|_| node.keys.take()).collect::<Result<_, _>>().map_err(WorkFault::Keys)
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
        Err(_) => taken.iter().try_for_each(|slot| node.keys.put_back(*slot))?,
        Ok(done) => {
            let used = used(done);
            taken.iter().filter(|slot| !used.contains(slot)).try_for_each(|slot| node.keys.put_back(*slot))?;
        }
    }
    outcome
}
