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

/// Longer than any test runs: who waits so long is woken.
const LONG: Duration = Duration::from_secs(3600);

#[test]
fn losses_are_what_a_row_names_and_no_spare_key() {
    let has = |orphans, keyless, damaged| SlotSweep { orphans, keyless, damaged }.has_losses();
    assert_eq!([has(9, 0, 0), has(0, 1, 0), has(0, 0, 1), has(0, 1, 2)], [false, true, true, true]);
}

#[test]
fn the_lowest_slots_are_made_ready_first_and_the_file_grows_when_too_few_are_spare() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    // The last slot of the file is held: as long as it is, and no longer.
    let full = KEY_POOL_SLOTS as u32;
    pool.start(SlotNumber::from_row(2 * i64::from(full) - 1)).unwrap();
    assert_eq!(pool.file.count().unwrap(), 2 * full);
    let is_ready = |range| pool.lock().ready.iter().copied().eq(SlotNumber::span(range));
    assert!(is_ready(0..full));
    let taken: Vec<_> = (0..KEY_POOL_SLOTS).map(|_| take(&pool).unwrap()).collect();
    taken.iter().for_each(|slot| pool.put_back(*slot).unwrap());
    pool.lock().spare.truncate(KEY_POOL_SLOTS);
    pool.refill().unwrap();
    assert_eq!(pool.file.count().unwrap(), 2 * full, "as many are spare as the pool holds");
    while take(&pool).is_ok() {}
    pool.refill().unwrap();
    assert_eq!(pool.file.count().unwrap(), 3 * full);
    assert!(is_ready(2 * full..3 * full));
}

#[test]
fn a_slot_that_was_not_used_is_handed_out_next_with_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    pool.start([]).unwrap();
    let slot = take(&pool).unwrap();
    let key = pool.key(slot).ok().unwrap();
    pool.return_unused(slot).unwrap();
    for refused in [pool.return_unused(slot), pool.destroy(&[slot]), pool.put_back(slot)] {
        assert!(matches!(refused, Err(KeyFault::SlotNotHeld { slot: named }) if named == slot));
    }
    assert_eq!(take(&pool).unwrap(), slot);
    assert!(pool.key(slot).ok().unwrap() == key);
    pool.destroy(&[slot]).unwrap();
}

#[test]
fn work_that_sets_nothing_aside_leaves_half_of_the_pool_and_the_reserved_slots() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    assert!(matches!(pool.take_above_half(), Err(KeyFault::NotStarted)));
    assert!(matches!(pool.reserve(1, Duration::ZERO), Err(KeyFault::NotStarted)));
    pool.start([]).unwrap();
    pool.reserve(3, Duration::ZERO).unwrap();
    let taken: Vec<_> = (3..LOW_SLOTS).map(|_| pool.take_above_half().unwrap()).collect();
    assert!(matches!(pool.take_above_half(), Err(KeyFault::PoolEmpty)));
    assert_eq!(pool.lock().ready.len(), LOW_SLOTS + 3);
    pool.destroy(&taken).unwrap();
    pool.unreserve(2);
    assert!(pool.take_above_half().is_ok() && pool.take_above_half().is_ok());
    assert!(matches!(pool.take_above_half(), Err(KeyFault::PoolEmpty)));
}

#[test]
fn a_reservation_that_is_refused_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    pool.start([]).unwrap();
    let state = || {
        let state = pool.lock();
        (state.waiting, state.reserved)
    };
    assert_eq!(pool.reserve(5, Duration::ZERO).unwrap(), 5);
    assert_eq!(state(), (0, 5));
    assert!(pool.reserve(LOW_SLOTS, Duration::ZERO).is_err());
    assert_eq!(state(), (0, 5));
    pool.take_reserved().unwrap();
    assert_eq!(state(), (0, 4));
    pool.unreserve(9);
    assert_eq!(state(), (0, 0));
}

/// Runs `wake` while somebody waits for more room than there is; returns what they get.
fn while_somebody_waits(pool: &Pool, wake: impl FnOnce()) -> Result<usize, KeyFault> {
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| pool.reserve(LOW_SLOTS, LONG));
        while pool.lock().waiting == 0 {
            std::thread::yield_now();
        }
        wake();
        waiting.join().unwrap()
    })
}

#[test]
fn who_waits_for_room_is_woken_by_room_given_back_by_a_refill_and_by_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(folder.path());
    pool.start([]).unwrap();
    pool.reserve(LOW_SLOTS, Duration::ZERO).unwrap();
    assert_eq!(while_somebody_waits(&pool, || pool.unreserve(LOW_SLOTS)).unwrap(), LOW_SLOTS);
    for _ in 0..LOW_SLOTS {
        pool.take_reserved().unwrap();
    }
    assert_eq!(while_somebody_waits(&pool, || pool.refill().unwrap()).unwrap(), LOW_SLOTS);
    let ended = while_somebody_waits(&pool, || pool.stop());
    assert!(matches!(ended, Err(KeyFault::PoolEmpty)));
    pool.keep_filled();
    while pool.take_slot(Duration::ZERO).is_ok() {}
    assert!(matches!(pool.take_slot(LONG), Err(KeyFault::PoolEmpty)), "nobody fills it any more");
}
