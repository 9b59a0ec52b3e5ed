//! Snapshots on a faulty disk: damage is an error or harmless, never a wrong row.

use std::fs;

use super::snapshot::{IndexEntry, Snapshot, SnapshotFault, SnapshotRow};
use super::snapshot_diff::count;
use super::snapshot_format::{Footer, ROW_HEAD_BYTES};
use super::snapshot_tests::{Dice, World, last_of_each_id, products};
use crate::blobs::BlobName;
use crate::limits::SNAPSHOT_FRAME_BYTES;

/// Every answer from a damaged snapshot is an error or the truth; returns true when all were the truth.
fn errors_or_truth(world: &World, name: &BlobName, expected: &[SnapshotRow]) -> bool {
    let snapshot = match Snapshot::open(&world.blobs.hold_files(), name) {
        Ok(snapshot) => snapshot,
        Err(fault) => {
            assert!(matches!(fault, SnapshotFault::Damaged));
            return false;
        }
    };
    let mut whole = true;
    let mut shown = 0;
    for (row, expected) in snapshot.rows().unwrap().zip(expected) {
        let Ok(row) = row else {
            whole = false;
            break;
        };
        assert_eq!(row, *expected);
        shown += 1;
    }
    assert!(!whole || shown == expected.len());
    for (id, row) in expected.iter().step_by(29) {
        match snapshot.get(id) {
            Ok(found) => assert_eq!(found.as_ref(), Some(row)),
            Err(_) => whole = false,
        }
    }
    match count(&snapshot, &snapshot) {
        Ok(counts) => assert_eq!(counts.unchanged, expected.len() as u64),
        Err(_) => whole = false,
    }
    whole
}

/// A snapshot with several blocks in each of its tables.
fn snapshot_to_damage(world: &World) -> (BlobName, Vec<u8>, Vec<SnapshotRow>) {
    let mut rows = products(600, 12);
    rows.extend(products(150, 13));
    let name = world.write(&rows, 64).name;
    let content = fs::read(world.path(&name)).unwrap();
    assert!(errors_or_truth(world, &name, &last_of_each_id(&rows)));
    (name, content, last_of_each_id(&rows))
}

fn read_footer(content: &[u8]) -> Footer {
    let footer = content.last_chunk::<{ Footer::BYTES }>().unwrap();
    Footer::from_bytes(footer, (content.len() - Footer::BYTES) as u64).ok().unwrap()
}

#[test]
fn a_frame_ends_with_the_row_that_fills_it() {
    let world = World::new();
    let frames = |bytes: usize| {
        let filling = ("a".to_owned(), vec![b'x'; bytes - ROW_HEAD_BYTES - 1]);
        let name = world.write(&[filling, ("b".to_owned(), Vec::new())], 10).name;
        read_footer(&fs::read(world.path(&name)).unwrap()).frames
    };
    assert_eq!([SNAPSHOT_FRAME_BYTES - 1, SNAPSHOT_FRAME_BYTES].map(frames), [1, 2]);
}

#[test]
fn entries_and_rows_end_with_the_first_that_is_damaged() {
    let world = World::new();
    let (name, mut content, _) = snapshot_to_damage(&world);
    let block = read_footer(&content).frames_bytes as usize + 100 * IndexEntry::BYTES + 8;
    content[0] ^= 1;
    content[block] ^= 1;
    fs::write(world.path(&name), content).unwrap();
    let snapshot = Snapshot::open(&world.blobs.hold_files(), &name).unwrap();
    let entries: Vec<bool> = snapshot.index().map(|entry| entry.is_ok()).take(300).collect();
    assert_eq!((entries.len(), entries.iter().position(|is_whole| !is_whole)), (101, Some(100)));
    let rows: Vec<bool> = snapshot.rows().unwrap().map(|row| row.is_ok()).take(300).collect();
    assert_eq!(rows, [false]);
}

#[test]
fn a_changed_byte_anywhere_is_an_error_and_never_a_wrong_row() {
    let world = World::new();
    let (name, content, expected) = snapshot_to_damage(&world);
    let mut dice = Dice(14);
    let from_the_end = (1..=200).map(|back| content.len() - 20 * back).collect::<Vec<_>>();
    let anywhere = (0..200).map(|_| dice.below(content.len())).collect::<Vec<_>>();
    for at in from_the_end.into_iter().chain(anywhere) {
        let mut damaged = content.clone();
        damaged[at] ^= 1 << dice.below(8);
        fs::write(world.path(&name), damaged).unwrap();
        assert!(!errors_or_truth(&world, &name, &expected), "the change at {at} went unnoticed");
    }
}

#[test]
fn a_piece_read_from_a_wrong_place_is_noticed() {
    let world = World::new();
    let (name, content, expected) = snapshot_to_damage(&world);
    let footer = read_footer(&content);
    // Two blocks of the index, each with a checksum that fits it, the second one in the place of the first.
    let index = footer.frames_bytes as usize;
    let block = 100 * IndexEntry::BYTES + 8;
    let mut misplaced = content;
    misplaced.copy_within(index + block..index + 2 * block, index);
    fs::write(world.path(&name), misplaced).unwrap();
    assert!(!errors_or_truth(&world, &name, &expected));
}

#[test]
fn a_file_cut_short_or_grown_is_refused() {
    let world = World::new();
    let (name, content, _) = snapshot_to_damage(&world);
    for kept in [0, 1, 40, content.len() / 2, content.len() - 53, content.len() - 1] {
        fs::write(world.path(&name), &content[..kept]).unwrap();
        assert!(matches!(
            Snapshot::open(&world.blobs.hold_files(), &name).err(),
            Some(SnapshotFault::Damaged)
        ));
    }
    fs::write(world.path(&name), [&content[..], b"x"].concat()).unwrap();
    assert!(matches!(Snapshot::open(&world.blobs.hold_files(), &name).err(), Some(SnapshotFault::Damaged)));
    let footer_alone = &content[content.len() - Footer::BYTES..];
    fs::write(world.path(&name), footer_alone).unwrap();
    assert!(matches!(Snapshot::open(&world.blobs.hold_files(), &name).err(), Some(SnapshotFault::Damaged)));
    std::fs::remove_file(world.blobs.path(&name)).unwrap();
    assert!(matches!(Snapshot::open(&world.blobs.hold_files(), &name).err(), Some(SnapshotFault::Missing)));
}
