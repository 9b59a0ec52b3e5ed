//! Blocks of the slot file, and how far it reaches.

use super::*;
use crate::keys::testing::{Disk, Machine, SET};

const FIRST: SlotNumber = SlotNumber(0);

/// The wrapped key of a slot, written over `old`.
fn keyed(machine: &Machine, old: &KeyBlock) -> KeyBlock {
    let pool = machine.open().ok().unwrap();
    fresh_key(&pool.epochs.keys(), FIRST, old).ok().unwrap()
}

fn with_byte(mut block: KeyBlock, at: usize, byte: u8) -> KeyBlock {
    block[at] = byte;
    with_crc(block)
}

#[test]
fn a_block_is_keyless_if_it_was_never_written_or_its_key_was_destroyed() {
    let zeros = [0; BLOCK_BYTES];
    let destroyed = destroyed_block(&zeros);
    let mut damaged = destroyed;
    damaged[60] ^= 1;
    for (block, expected) in [
        (zeros, true),
        (destroyed, true),
        (damaged, false),
        (with_byte(destroyed, 0, 1), false),
        (with_byte(destroyed, 3, 1), false),
        (with_byte(destroyed, 12, 1), false),
        (with_byte(destroyed, 59, 1), false),
        (with_byte(destroyed, 11, 1), true),
        (keyed(&Machine::new(1), &zeros), false),
    ] {
        assert_eq!(is_keyless(&block), expected, "{block:?}");
    }
}

#[test]
fn each_write_of_a_slot_counts_its_version_up_and_a_damaged_block_begins_anew() {
    let machine = Machine::new(1);
    let one = keyed(&machine, &[0; BLOCK_BYTES]);
    let two = destroyed_block(&one);
    let three = keyed(&machine, &two);
    assert_eq!([one, two, three].map(|block| version(&block)), [1, 2, 3]);
    assert_eq!(three[4..12], [3, 0, 0, 0, 0, 0, 0, 0]);
    let mut damaged = three;
    damaged[20] ^= 1;
    assert_eq!((version(&damaged), version(&destroyed_block(&damaged))), (0, 1));
}

#[test]
fn the_newer_of_two_blocks_wins_and_of_one_version_that_without_a_key() {
    let machine = Machine::new(1);
    let zeros = [0; BLOCK_BYTES];
    let one = keyed(&machine, &zeros);
    let other = keyed(&machine, &zeros);
    let second = keyed(&machine, &one);
    let destroyed = destroyed_block(&zeros);
    let mut damaged = second;
    damaged[20] ^= 1;
    let mut also_damaged = second;
    also_damaged[21] ^= 1;
    for (ours, mirror, expected) in [
        (one, second, second),
        (second, one, second),
        (one, destroyed, destroyed),
        (destroyed, one, destroyed),
        (zeros, one, one),
        (damaged, one, one),
        (one, damaged, one),
        (damaged, zeros, zeros),
        (one, other, one),
        (damaged, also_damaged, damaged),
    ] {
        assert!(*newer((&ours, &mirror)) == expected, "{ours:?} {mirror:?}");
    }
}

fn lost<T>(outcome: Result<T, KeyFault>) -> Option<&'static str> {
    match outcome {
        Ok(_) => None,
        Err(KeyFault::SlotsLost { how }) => Some(how),
        Err(fault) => panic!("{fault}"),
    }
}

#[test]
fn a_file_that_ends_before_a_slot_that_a_row_names_is_lost_unless_the_mirror_has_more() {
    let above = tempfile::tempdir().unwrap();
    let [folder, mirror] = ["keys", "mirror"].map(|name| above.path().join(name));
    for folder in [&folder, &mirror] {
        std::fs::create_dir(folder).unwrap();
    }
    let write = |folder: &Path, blocks: usize| {
        std::fs::write(KeyFile::Slots.path(folder), vec![0; blocks * BLOCK_BYTES]).unwrap();
    };
    let reaches = |is_mirrored: bool, last| {
        lost(check_reach(&folder, is_mirrored.then_some(mirror.as_path()), SlotNumber(last)))
    };
    assert_eq!((reaches(false, 0), reaches(true, 0)), (Some("is missing"), Some("is missing")));
    // The header and two slots.
    write(&folder, 3);
    assert_eq!([0, 1, 2].map(|last| reaches(false, last)), [None, None, Some("was cut short")]);
    write(&mirror, 2);
    assert_eq!([1, 2].map(|last| reaches(true, last)), [None, Some("was cut short")]);
    write(&mirror, 4);
    assert_eq!([2, 3].map(|last| reaches(true, last)), [None, Some("was cut short")]);
    assert_eq!(reaches(false, 2), Some("was cut short"));
    std::fs::remove_file(KeyFile::Slots.path(&folder)).unwrap();
    assert_eq!([2, 3].map(|last| reaches(true, last)), [None, Some("is missing")]);
}

#[test]
fn slots_that_were_appended_are_there_after_a_power_cut() {
    let machine = Machine::new(2);
    let pool = machine.open().ok().unwrap();
    assert_eq!(pool.file.append_slots().unwrap(), 0..KEY_FILE_GROWTH_SLOTS);
    machine.crash(|| false);
    let lengths = [0, 1].map(|place: usize| machine.slots[place].bytes().len());
    assert_eq!(lengths, [(KEY_FILE_GROWTH_SLOTS as usize + 1) * BLOCK_BYTES; 2]);
    let pool = machine.open().ok().unwrap();
    assert_eq!(pool.file.append_slots().unwrap(), KEY_FILE_GROWTH_SLOTS..2 * KEY_FILE_GROWTH_SLOTS);
    let starts = |from| pool.file.read_span(from).unwrap().iter().map(|(slot, _)| slot.0).collect::<Vec<_>>();
    assert_eq!(starts(0), (0..KEY_FILE_GROWTH_SLOTS).collect::<Vec<_>>());
    assert_eq!(starts(2 * KEY_FILE_GROWTH_SLOTS - 3).len(), 3);
}

#[test]
fn a_copy_that_is_shorter_by_empty_slots_alone_is_made_as_long() {
    for shorter in [0, 1] {
        let mut machine = Machine::new(2);
        let whole = [KeyFile::Slots.header(SET).as_slice(), &[0; 3 * BLOCK_BYTES]].concat();
        let bytes = |place| if place == shorter { whole[..2 * BLOCK_BYTES].to_vec() } else { whole.clone() };
        machine.slots = (0..2).map(|place| Disk::new(&machine.power, bytes(place))).collect();
        assert_eq!(machine.open().ok().unwrap().file.count().unwrap(), 3, "the copy {shorter} was shorter");
        assert!(machine.slots.iter().all(|disk| disk.bytes() == whole));
    }
}

#[test]
fn slots_in_any_order_are_changed_once_each_and_their_neighbours_are_not() {
    let machine = Machine::new(1);
    let pool = machine.open().ok().unwrap();
    pool.file.append_slots().unwrap();
    let mut seen = Vec::new();
    let slots = [7, 2, 3, 7, 9].map(SlotNumber).to_vec();
    let written = pool.file.update(slots, |slot, old| {
        seen.push(slot.0);
        Ok((slot.0 != 3).then(|| destroyed_block(old)))
    });
    pool.file.sync(written.unwrap()).unwrap();
    machine.crash(|| false);
    assert_eq!(seen, [2, 3, 7, 9]);
    let bytes = machine.slots[0].bytes();
    let (blocks, _) = bytes.as_chunks::<BLOCK_BYTES>();
    let changed = (0..12).filter(|slot| !is_zero(&blocks[slot + 1]));
    assert_eq!(changed.collect::<Vec<_>>(), [2, 7, 9]);
    let beyond = pool.file.read_block(SlotNumber(KEY_FILE_GROWTH_SLOTS));
    assert!(matches!(beyond, Err(KeyFault::SlotUnknown { slot: SlotNumber(KEY_FILE_GROWTH_SLOTS) })));
    assert!(is_zero(&pool.file.read_block(SlotNumber(KEY_FILE_GROWTH_SLOTS - 1)).ok().unwrap()));
}

#[test]
fn two_copies_of_many_slots_are_made_equal_to_the_last_slot() {
    let machine = Machine::new(2);
    let pool = machine.open().ok().unwrap();
    (0..3).for_each(|_| assert!(pool.file.append_slots().is_ok()));
    drop(pool);
    let whole = machine.slots[0].bytes();
    for slot in [0, KEY_FILE_GROWTH_SLOTS, 3 * KEY_FILE_GROWTH_SLOTS - 1] {
        machine.slots[1].flip((slot as usize + 1) * BLOCK_BYTES, 1);
    }
    assert_eq!(machine.open().ok().unwrap().file.count().unwrap(), 3 * KEY_FILE_GROWTH_SLOTS);
    assert!(machine.slots.iter().all(|disk| disk.bytes() == whole));
}
