//! Jobs of order files, run without an upload.

use std::collections::BTreeMap;
use std::sync::Arc;

use lethe::ids::AccountId;
use lethe::jobs::{self, Lane};
use lethe::store::{Owner, StoreFault};
use lethe::submissions::issues;
use lethe::work::WorkFault;
use lethe::work::orders::{self, FeedFailure, OrdersReadContext};

use crate::support::world::World;

pub const SHOP: AccountId = AccountId(1);

/// Outcome of an order file: the sentence it failed with, or the number of each fault.
pub type OrderFileOutcome = Result<BTreeMap<String, i64>, String>;

/// Runs the job of an upload, as submission `seq`.
pub async fn process_order_file(world: &World, seq: i64, csv: &str) -> OrderFileOutcome {
    let now = world.clock.now();
    let store = &world.node().store;
    store
        .write(Owner::STORE, move |tx| jobs::wake(tx, Lane::FEED, SHOP, seq, now))
        .await
        .map_err(pass_fault)
        .expect("a job");
    let lease = jobs::claim(store, Lane::FEED, "a test", now, None).await.expect("a claim").expect("a lease");
    let lease = Arc::new(lease);
    let ended = read_order_file(world, &lease, csv).await;
    let end = lease.write_last(store, |_| Ok::<_, WorkFault>(Some(()))).await;
    assert!(end.is_ok_and(|end| end.is_some()));
    ended
}

pub async fn read_order_file(world: &World, lease: &Arc<jobs::Lease>, csv: &str) -> OrderFileOutcome {
    let node = world.node();
    let slot = node.keys.take_slot_async().await.expect("a slot");
    let sealer = node.keys.sealer(slot).expect("a sealer");
    let aad = b"an upload".as_slice();
    let reading =
        OrdersReadContext { blobs: &node.blobs, sealer: &sealer, aad, lease, accepted_at: world.clock.now() };
    let checked = match orders::read_file(csv.as_bytes(), &reading) {
        Ok(checked) => checked,
        Err(FeedFailure::Final(sentence, _)) => return Err(sentence),
        Err(_) => panic!("a fault"),
    };
    let found = assert_sendable(orders::store(node, lease, &sealer, aad, checked))
        .await
        .map_err(|fault| fault.to_string())?;
    node.keys.put_back(slot).expect("put back");
    let seq = lease.seq;
    let counts = node.store.write(Owner::STORE, move |tx| {
        issues::delete(tx, SHOP, seq)?;
        found.write_counts(tx, SHOP, seq)?;
        for (first, some) in found.slices() {
            issues::write(tx, SHOP, seq, first, &some)?;
        }
        issues::counts(tx, SHOP, seq)
    });
    Ok(counts
        .await
        .map_err(pass_fault)
        .expect("counts")
        .into_iter()
        .map(|one| (one.code, one.found))
        .collect())
}

/// A job runs on any thread.
pub fn assert_sendable<T: Send>(future: T) -> T {
    future
}

pub fn pass_fault(fault: StoreFault) -> StoreFault {
    fault
}
