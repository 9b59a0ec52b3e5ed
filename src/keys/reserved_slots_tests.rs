//! Slots of newcomers: the same in each run, and given back unless a row may name them.

use super::*;

fn started() -> (tempfile::TempDir, Keys) {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keys::open(folder.path()).unwrap();
    keys.start([]).unwrap();
    (folder, keys)
}

fn reserved(keys: &Keys, count: usize) -> ReservedSlots {
    ReservedSlots::reserve(keys, count, Duration::ZERO).unwrap()
}

fn newcomer(spares: &ReservedSlots) -> ([u8; 16], SlotNumber) {
    spares.take_newcomer().map(|ReservedSlot { id, slot }| (id, slot)).unwrap()
}

/// Returns true if the slot was not given back; destroys its key.
fn is_held(keys: &Keys, slot: SlotNumber) -> bool {
    keys.destroy(&[slot]).is_ok()
}

#[test]
fn each_run_of_a_unit_of_work_gets_the_same_slots_and_ids() {
    let (_folder, keys) = started();
    let spares = reserved(&keys, 2);
    let run = || {
        spares.begin();
        [newcomer(&spares), newcomer(&spares)]
    };
    let first = run();
    assert_eq!(run(), first);
    let [(one, slot), (other, another)] = first;
    assert_ne!(slot, another);
    assert_eq!((&one[10..], &other[10..]), (&[0, 0, 0, 0, 0, 1][..], &[0, 0, 0, 0, 0, 2][..]));
    assert_eq!(one[..10], other[..10]);
    let apart = reserved(&keys, 1);
    apart.begin();
    let (third, _) = newcomer(&apart);
    assert_ne!(third[..10], one[..10], "each unit of work has a beginning of its own");
    assert!(matches!(spares.take_newcomer(), Err(KeyFault::PoolEmpty)), "two were set aside");
    assert!(spares.is_short() && !apart.is_short());
    spares.begin();
    assert!(!spares.is_short());
}

#[test]
fn what_the_last_run_did_not_use_is_given_back_and_its_own_slots_are_kept() {
    let (_folder, keys) = started();
    let spares = reserved(&keys, 3);
    spares.begin();
    let slots = [(); 3].map(|()| newcomer(&spares).1);
    spares.begin();
    assert_eq!(newcomer(&spares).1, slots[0]);
    spares.release_unused().unwrap();
    assert_eq!(slots.map(|slot| is_held(&keys, slot)), [true, false, false]);
    spares.put_back().unwrap();
    assert!(!is_held(&keys, slots[0]));
    spares.put_back().unwrap();
}

#[test]
fn a_failed_unit_of_work_gives_its_slots_back_unless_it_may_have_been_committed() {
    let (_folder, keys) = started();
    let certain: fn(&KeyFault) -> bool = |_| false;
    let unknown: fn(&KeyFault) -> bool = |_| true;
    for (outcome, is_unknown, is_kept) in [
        (Ok(7), certain, true),
        (Err(KeyFault::Cryptography), certain, false),
        (Err(KeyFault::Cryptography), unknown, true),
    ] {
        let spares = reserved(&keys, 1);
        spares.begin();
        let slot = newcomer(&spares).1;
        let expected = outcome.as_ref().ok().copied();
        assert_eq!(spares.settle(outcome, is_unknown).ok(), expected);
        assert_eq!(is_held(&keys, slot), is_kept);
    }
}

#[test]
fn subjects_that_a_run_gave_up_are_those_of_the_last_run() {
    let (_folder, keys) = started();
    let spares = reserved(&keys, 0);
    spares.begin();
    spares.note_lost([1; 16]);
    spares.begin();
    spares.note_lost([2; 16]);
    spares.note_lost([3; 16]);
    assert_eq!(spares.lost_subjects(), [[2; 16], [3; 16]]);
}

/// The pool holds 4,096 keys, of which half are left to requests.
#[test]
fn room_that_was_not_used_is_free_when_the_work_has_ended() {
    let (_folder, keys) = started();
    let one = reserved(&keys, 1000);
    let other = reserved(&keys, 1000);
    one.begin();
    newcomer(&one);
    drop(one);
    let rest = reserved(&keys, 1047);
    let refused = ReservedSlots::reserve(&keys, 1, Duration::ZERO);
    assert!(matches!(refused, Err(KeyFault::PoolEmpty)));
    drop((other, rest));
}

#[tokio::test]
async fn work_that_found_no_key_runs_again_with_keys_set_aside_and_other_work_does_not() {
    let (_folder, keys) = started();
    let certain: fn(&KeyFault) -> bool = |_| false;
    let unknown: fn(&KeyFault) -> bool = |_| true;
    for (is_newcomer, is_unknown, expected) in [(true, unknown, 1), (false, certain, 1), (true, certain, 2)] {
        // All above the half of requests, until the first run has ended.
        let full = Mutex::new(Some(reserved(&keys, 2048)));
        let runs = Mutex::new(0);
        let done = keys.with_spares_at_need(1, is_unknown, |spares| {
            *runs.lock().unwrap() += 1;
            spares.begin();
            let outcome = if is_newcomer { spares.take_newcomer().map(drop) } else { Err(KeyFault::TooLong) };
            *full.lock().unwrap() = None;
            std::future::ready(outcome)
        });
        assert_eq!(done.await.is_ok(), expected == 2);
        assert_eq!(*runs.lock().unwrap(), expected);
    }
}
