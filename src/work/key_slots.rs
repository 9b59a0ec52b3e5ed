//! Key slots around a transaction: room for new ones is set aside before it and given back after it; slots that are no
//! longer named are destroyed after it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::fault::WorkFault;
use super::time_slice::UnitTime;
use crate::jobs::Lease;
use crate::keys::{ReservedSlots, SlotNumber};
use crate::limits;
use crate::node::Node;
use crate::people::row_context::RowContext;
use crate::people::subject::SubjectFault;
use crate::store::Tx;

/// Runs a unit of work of a job in which up to `people` people may be new; each takes a key slot.
///
/// # Errors
/// The error of `unit`; [`crate::keys::KeyFault::PoolEmpty`] when there is no room for new keys in time; or when the
/// store fails or the lease is lost.
pub async fn write<T: Send + 'static>(
    node: &Node,
    lease: &Lease,
    people: usize,
    unit: impl Fn(&mut Tx<'_>, &ReservedSlots) -> Result<T, WorkFault> + Send + 'static,
) -> Result<T, WorkFault> {
    let write = async move |spares: Arc<ReservedSlots>| {
        let of_unit = spares.clone();
        let writing = lease.write(&node.store, move |tx| {
            of_unit.begin();
            unit(tx, &of_unit)
        });
        let written = writing.await?;
        // A person whose key was lost is stored again: derived state must drop their previous subject.
        node.derived.forget(lease.account, &spares.lost_subjects()).await;
        Ok(written)
    };
    let is_unknown =
        |fault: &WorkFault| matches!(fault, WorkFault::Store(fault) if fault.is_outcome_unknown());
    node.keys.with_spares(people, is_unknown, write).await
}

/// Records stored before a unit of work looks at the clock.
const PACE: usize = limits::UNIT_PROFILES / 2;

/// Stores records of people, accepted at the place of a job: as many in one unit of work as it has time for. `ahead`
/// prefetches the rows that `store` needs for each; `store` returns the outcome of one.
///
/// # Errors
/// As [`write()`].
pub async fn store_each<I, T>(
    node: &Node,
    lease: &Lease,
    items: Vec<I>,
    ahead: impl Fn(&mut Tx<'_>, &RowContext<'_>, &[I]) -> Result<(), SubjectFault> + Clone + Send + 'static,
    store: impl Fn(&mut Tx<'_>, &RowContext<'_>, &I) -> Result<T, SubjectFault> + Clone + Send + 'static,
) -> Result<Vec<T>, WorkFault>
where
    I: Send + Sync + 'static,
    T: Send + 'static,
{
    let keys = node.keys.clone();
    let account = lease.account;
    let seq = lease.seq;
    let now = node.clock.now();
    let items = Arc::new(items);
    let mut stored = Vec::with_capacity(items.len());
    while stored.len() < items.len() {
        let keys = keys.clone();
        let ahead = ahead.clone();
        let store = store.clone();
        let items = items.clone();
        let from = stored.len();
        let unit = write(node, lease, items.len() - from, move |tx, spares| {
            let desk = RowContext { keys: &keys, account, seq, now, spares };
            let began = Instant::now();
            let together = |items: &[I]| {
                ahead(tx, &desk, items)?;
                items.iter().map(|item| store(tx, &desk, item)).collect()
            };
            Ok(while_time(&items[from..], || began.elapsed(), together)?)
        });
        stored.extend(unit.await?);
    }
    Ok(stored)
}

/// Stores items, [`PACE`] at a time, until a unit of work has taken its time; the first ones in any case.
fn while_time<I, T, E>(
    items: &[I],
    elapsed: impl Fn() -> Duration,
    mut together: impl FnMut(&[I]) -> Result<Vec<T>, E>,
) -> Result<Vec<T>, E> {
    let mut stored = Vec::with_capacity(items.len());
    let mut time = UnitTime::new(elapsed);
    for items in items.chunks(PACE) {
        if !time.goes_on() {
            break;
        }
        stored.extend(together(items)?);
    }
    Ok(stored)
}

/// Gives back slots that no row names.
///
/// # Errors
/// When a slot is not in use.
pub fn put_back(node: &Node, slots: &[SlotNumber]) -> Result<(), WorkFault> {
    Ok(slots.iter().try_for_each(|slot| node.keys.put_back(*slot))?)
}

/// Destroys keys, on a thread that may wait for the disk. Their slots stay taken until no row names them.
///
/// # Errors
/// When a slot is not in use or the disk refuses.
pub async fn destroy(node: &Node, slots: Vec<SlotNumber>) -> Result<(), WorkFault> {
    if slots.is_empty() {
        return Ok(());
    }
    let keys = node.keys.clone();
    let destroyed = tokio::task::spawn_blocking(move || keys.destroy(&slots)).await;
    Ok(destroyed.map_err(|_| WorkFault::Panicked)??)
}

/// Destroys keys that no row names any more, and gives their slots back.
///
/// # Errors
/// As [`destroy`].
pub async fn release(node: &Node, slots: Vec<SlotNumber>) -> Result<(), WorkFault> {
    destroy(node, slots.clone()).await?;
    put_back(node, &slots)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::config::Config;
    use crate::ids::AccountId;
    use crate::jobs::{self, Lane};
    use crate::keys::KeyFault;

    /// Number of these items that one unit of work stores when each [`PACE`] items take `each`.
    fn stored(items: usize, each: Duration) -> usize {
        let clock = Cell::new(Duration::ZERO);
        let together = |items: &[()]| {
            clock.set(clock.get() + each);
            Ok::<_, WorkFault>(items.to_vec())
        };
        while_time(&vec![(); items], || clock.get(), together).expect("no fault").len()
    }

    #[test]
    fn a_unit_of_work_ends_by_time_too() {
        assert_eq!(stored(3 * PACE + 1, limits::UNIT_DURATION / 8), 3 * PACE + 1);
        assert_eq!(stored(3 * PACE + 1, limits::UNIT_DURATION / 2), 2 * PACE);
        assert_eq!(stored(3 * PACE + 1, limits::UNIT_DURATION), PACE);
        assert_eq!(stored(1, limits::UNIT_DURATION), 1);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_record_that_cannot_be_stored_ends_the_work_with_its_fault() {
        const SHOP: AccountId = AccountId(1);
        let folder = tempfile::tempdir().expect("a folder");
        let config = Config::local(folder.path().join("data"), folder.path().join("keys"));
        let node = Node::open(config).await.expect("a node");
        let woken = node.store.write(SHOP, |tx| jobs::wake(tx, Lane::FEED, SHOP, 0, 5)).await;
        assert!(woken.is_ok());
        let claimed = jobs::claim(&node.store, Lane::FEED, "holder", 5, None).await;
        let lease = claimed.expect("the store answers").expect("a due job");
        let store = |_: &mut Tx<'_>, _: &RowContext<'_>, is_sound: &bool| {
            if *is_sound { Ok(7) } else { Err(SubjectFault::Keys(KeyFault::SealBroken)) }
        };
        let store_records = async |records| {
            let storing = store_each(&node, &lease, records, |_, _, _| Ok(()), store);
            tokio::time::timeout(Duration::from_secs(20), storing).await.expect("it comes to an end")
        };
        assert!(store_records(vec![true, true]).await.is_ok_and(|stored| stored == [7, 7]));
        let failed = store_records(vec![true, false]).await;
        assert!(matches!(failed, Err(WorkFault::Keys(KeyFault::SealBroken))));
        node.release().await;
    }
}
