//! The pool: the owner of each slot, and the bytes on the disk meanwhile.

use super::*;
use crate::keys::key_file::KeyFile;
use crate::keys::replicas::KeyReplicas;
use std::collections::HashSet;
use std::path::Path;

/// A pool without its thread: it refills nothing unless the test does.
fn pool(folder: &Path) -> Pool {
    let set = [7; 16];
    if !KeyFile::Slots.exists(folder).unwrap() {
        EpochFile::create(folder, set, 0).unwrap();
        SlotFile::create(folder, set).unwrap();
    }
    let open = |file| KeyReplicas::open(file, folder, None).unwrap();
    let slots = SlotFile::open(open(KeyFile::Slots), set).unwrap();
    Pool::new(slots, EpochFile::open(open(KeyFile::Epochs), set).unwrap())
}

fn take(pool: &Pool) -> Result<SlotNumber, KeyFault> {
    pool.take_slot(Duration::from_millis(1))
}

#[test]
fn nothing_is_handed_out_before_the_start_and_there_is_one_start() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    let slot = SlotNumber::from_row(0).unwrap();
    assert!(matches!(take(&pool), Err(KeyFault::NotStarted)));
    assert!(matches!(pool.destroy(&[slot]), Err(KeyFault::NotStarted)));
    assert!(matches!(pool.put_back(slot), Err(KeyFault::NotStarted)));
    pool.start([]).unwrap();
    assert!(take(&pool).is_ok());
    assert!(matches!(pool.start([]), Err(KeyFault::StartedBefore)));
}

#[test]
fn a_pool_that_is_full_or_half_full_with_nobody_waiting_is_filled() {
    let is_filled = |ready: usize, waiting: usize| {
        let ready = (0..ready).filter_map(|number| SlotNumber::from_row(number as i64)).collect();
        PoolState { ready, waiting, ..PoolState::default() }.is_filled()
    };
    assert_eq!(
        [is_filled(LOW_SLOTS - 1, 0), is_filled(LOW_SLOTS, 0), is_filled(LOW_SLOTS, 1)],
        [false, true, false]
    );
    assert_eq!([is_filled(KEY_POOL_SLOTS - 1, 1), is_filled(KEY_POOL_SLOTS, 1)], [false, true]);
}

#[test]
fn an_empty_pool_says_so_and_a_refill_fills_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    pool.start([]).unwrap();
    let taken: HashSet<_> = (0..KEY_POOL_SLOTS).map(|_| take(&pool).unwrap()).collect();
    assert_eq!(taken.len(), KEY_POOL_SLOTS);
    assert!(matches!(take(&pool), Err(KeyFault::PoolEmpty)));
    pool.refill().unwrap();
    assert!(!taken.contains(&take(&pool).unwrap()));
}

#[test]
fn an_empty_pool_is_seen_without_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    pool.start([]).unwrap();
    for _ in 0..KEY_POOL_SLOTS {
        assert!(pool.take_ready().unwrap().is_some());
    }
    assert!(pool.take_ready().unwrap().is_none());
}

#[test]
fn a_slot_put_back_comes_again_only_with_a_new_key() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    pool.start([]).unwrap();
    let slot = take(&pool).unwrap();
    let old = pool.key(slot).ok().unwrap();
    pool.put_back(slot).unwrap();
    let mut taken: Vec<_> = (1..KEY_POOL_SLOTS).map(|_| take(&pool).unwrap()).collect();
    assert!(!taken.contains(&slot));
    pool.refill().unwrap();
    taken.extend((0..KEY_POOL_SLOTS).map(|_| take(&pool).unwrap()));
    assert_eq!(taken.iter().filter(|again| **again == slot).count(), 1);
    assert!(pool.key(slot).ok().unwrap() != old);
}

#[test]
fn a_slot_that_is_not_held_can_be_neither_put_back_nor_destroyed() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    pool.start([]).unwrap();
    let slot = take(&pool).unwrap();
    pool.put_back(slot).unwrap();
    assert!(matches!(pool.put_back(slot), Err(KeyFault::SlotNotHeld { .. })));
    assert!(matches!(pool.destroy(&[slot]), Err(KeyFault::SlotNotHeld { .. })));
}

#[test]
fn a_destroyed_slot_is_not_reused_while_a_row_may_name_it() {
    let folder = tempfile::tempdir().unwrap();
    let before = pool(folder.path());
    before.start([]).unwrap();
    let slot = take(&before).unwrap();
    before.destroy(&[slot]).unwrap();
    for _ in 0..5 {
        while let Ok(other) = take(&before) {
            assert!(other != slot);
        }
        before.refill().unwrap();
    }
    let after = pool(folder.path());
    assert_eq!(after.start([slot]).unwrap().keyless, 1);
    after.destroy(&[slot]).unwrap();
    assert!(matches!(after.key(slot), Err(KeyFault::KeyDestroyed { .. })));
    assert!((0..KEY_POOL_SLOTS).all(|_| take(&after).unwrap() != slot));
}

#[test]
fn the_start_overwrites_every_key_that_no_row_names_and_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let before = pool(folder.path());
    before.start([]).unwrap();
    let slots: Vec<_> = (0..3).map(|_| take(&before).unwrap()).collect();
    let keys: Vec<_> = slots.iter().map(|slot| before.key(*slot).ok().unwrap()).collect();
    let after = pool(folder.path());
    let sweep = after.start([slots[1], slots[1]]).unwrap();
    assert_eq!(sweep, SlotSweep { orphans: KEY_POOL_SLOTS - 1, keyless: 0, damaged: 0 });
    assert!(after.key(slots[1]).ok().unwrap() == keys[1]);
    assert!(after.key(slots[0]).ok().is_none_or(|key| key != keys[0]));
    assert!(after.key(slots[2]).ok().is_none_or(|key| key != keys[2]));
}

#[test]
fn after_a_start_without_rows_the_only_keys_in_the_file_are_those_of_the_pool() {
    let folder = tempfile::tempdir().unwrap();
    let before = pool(folder.path());
    before.start([]).unwrap();
    for _ in 0..2 {
        while take(&before).is_ok() {}
        before.refill().unwrap();
    }
    let after = pool(folder.path());
    assert_eq!(after.start([]).unwrap().orphans, 3 * KEY_POOL_SLOTS);
    let span = after.file.read_span(0).unwrap();
    assert_eq!(span.iter().filter(|(_, block)| !is_keyless(block)).count(), KEY_POOL_SLOTS);
}

#[test]
fn rows_that_name_slots_a_lost_file_had_are_counted_and_their_slots_not_reused() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    let far = SlotNumber::from_row(10_000).unwrap();
    assert_eq!(pool.start([far]).unwrap(), SlotSweep { orphans: 0, keyless: 1, damaged: 0 });
    assert!(matches!(pool.key(far), Err(KeyFault::KeyDestroyed { .. })));
    let beyond = SlotNumber::from_row(1 << 20).unwrap();
    assert!(matches!(pool.key(beyond), Err(KeyFault::SlotUnknown { .. })));
}

#[test]
fn a_failed_refill_gives_its_slots_back_and_wakes_who_waits() {
    let folder = tempfile::tempdir().unwrap();
    drop(pool(folder.path()));
    let read_only = std::fs::File::open(KeyFile::Slots.path(folder.path())).unwrap();
    let epochs = KeyReplicas::open(KeyFile::Epochs, folder.path(), None).unwrap();
    let slots = KeyReplicas::new(KeyFile::Slots, Box::new(read_only), None);
    let pool = Pool::new(SlotFile::open(slots, [7; 16]).unwrap(), EpochFile::open(epochs, [7; 16]).unwrap());
    pool.lock().running = true;
    pool.lock().spare = SlotNumber::span(0..2000).collect();
    assert!(matches!(pool.refill(), Err(KeyFault::Disk { .. })));
    assert_eq!(pool.lock().spare.len(), 2000);
    assert!(matches!(take(&pool), Err(KeyFault::PoolEmpty)));
}

#[test]
fn bulk_work_leaves_half_of_the_pool_to_requests() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    pool.start([]).unwrap();
    let wait = Duration::ZERO;
    assert_eq!(pool.reserve(300, wait).unwrap(), 300);
    assert!(matches!(pool.reserve(LOW_SLOTS - 299, wait), Err(KeyFault::PoolEmpty)));
    assert_eq!(pool.reserve(LOW_SLOTS - 300, wait).unwrap(), LOW_SLOTS - 300);
    let taken: HashSet<_> = (0..LOW_SLOTS).map(|_| pool.take_reserved().unwrap()).collect();
    assert_eq!(taken.len(), LOW_SLOTS);
    assert!(matches!(pool.reserve(1, wait), Err(KeyFault::PoolEmpty)));
    for _ in 0..LOW_SLOTS {
        take(&pool).unwrap();
    }
    pool.refill().unwrap();
    // However many are asked for: more than half is never set aside.
    assert_eq!(pool.reserve(usize::MAX, wait).unwrap(), LOW_SLOTS);
    pool.unreserve(LOW_SLOTS);
    assert_eq!(pool.reserve(LOW_SLOTS, wait).unwrap(), LOW_SLOTS);
}

#[test]
fn who_waits_for_room_wakes_the_refill() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    pool.start([]).unwrap();
    for _ in 0..100 {
        take(&pool).unwrap();
    }
    std::thread::scope(|scope| {
        scope.spawn(|| pool.keep_filled());
        assert_eq!(pool.reserve(LOW_SLOTS, Duration::from_secs(60)).unwrap(), LOW_SLOTS);
        pool.stop();
    });
}
