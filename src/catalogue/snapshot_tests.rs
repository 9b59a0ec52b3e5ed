//! Snapshots from feeds, checked against a model in memory.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use super::snapshot::{Snapshot, SnapshotRow};
use super::snapshot_diff::{DiffCounts, count, difference};
use super::snapshot_format::ROW_HEAD_BYTES;
use super::snapshot_writer::{SnapshotSummary, SnapshotWriter};
use crate::blobs::{BlobName, Blobs};
use crate::limits::{SNAPSHOT_FRAME_BYTES, SNAPSHOT_ID_BYTES, SNAPSHOT_ROW_BYTES};

pub(super) struct World {
    dir: tempfile::TempDir,
    pub blobs: Blobs,
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(dir.path()).unwrap();
        Self { dir, blobs }
    }

    pub fn write(&self, rows: &[SnapshotRow], run_entries: usize) -> SnapshotSummary {
        let mut writer = SnapshotWriter::with_run(&self.blobs, run_entries).unwrap();
        (1..).zip(rows).for_each(|(number, (id, row))| writer.push(number, id, row).unwrap());
        writer.finish(&self.blobs.hold_files()).unwrap()
    }

    fn snapshot(&self, rows: &[SnapshotRow], run_entries: usize) -> Snapshot {
        Snapshot::open(&self.blobs.hold_files(), &self.write(rows, run_entries).name).unwrap()
    }

    fn unpublished(&self) -> usize {
        fs::read_dir(self.dir.path().join("new")).unwrap().count()
    }

    pub fn path(&self, name: &BlobName) -> PathBuf {
        let name = name.to_string();
        self.dir.path().join(&name[..2]).join(name)
    }
}

/// Numbers that look random and are the same in every run.
pub(super) struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }
}

/// A product row of about 760 bytes, of words that repeat as those of a shop do.
fn product(dice: &mut Dice, id: &str) -> SnapshotRow {
    const WORDS: &str = "running shoe leather wide black winter jacket for men waterproof light grey";
    let vocabulary: Vec<_> = WORDS.split(' ').collect();
    let mut words =
        |count: usize| (0..count).map(|_| vocabulary[dice.below(12)]).collect::<Vec<_>>().join(" ");
    let title = words(5);
    let text = words(70);
    let row = format!(
        r#"{{"Id":"{id}","Title":"{title}","Link":"https://shop.example/p/{id}","Image":"https://cdn.example/{id}.jpg","Price":{}.{:02},"Stock":{},"Description":"{text}"}}"#,
        dice.below(900),
        dice.below(100),
        dice.below(50),
    );
    (id.to_owned(), row.into_bytes())
}

pub(super) fn products(count: usize, seed: u64) -> Vec<SnapshotRow> {
    let mut dice = Dice(seed);
    (0..count).map(|number| product(&mut dice, &format!("sku-{number}"))).collect()
}

/// The rows a snapshot of `pushed` has to show.
pub(super) fn last_of_each_id(pushed: &[SnapshotRow]) -> Vec<SnapshotRow> {
    let last: HashMap<&str, usize> =
        pushed.iter().enumerate().map(|(at, (id, _))| (id.as_str(), at)).collect();
    let live = pushed.iter().enumerate().filter(|(at, (id, _))| last[id.as_str()] == *at);
    live.map(|(_, row)| row.clone()).collect()
}

fn all(snapshot: &Snapshot) -> Vec<SnapshotRow> {
    snapshot.rows().unwrap().collect::<Result<_, _>>().unwrap()
}

fn assert_shows(snapshot: &Snapshot, expected: &[SnapshotRow]) {
    assert_eq!(snapshot.len(), expected.len() as u64);
    assert_eq!(all(snapshot), expected);
    let hashes: Vec<_> = snapshot.index().map(|entry| entry.unwrap().id_hash).collect();
    assert!(hashes.is_sorted() && hashes.len() == expected.len());
}

#[test]
fn rows_come_back_by_id_and_in_feed_order() {
    let world = World::new();
    let rows = products(1_000, 1);
    let summary = world.write(&rows, 1_000_000);
    assert_eq!((summary.rows, summary.duplicates), (1_000, 0));
    assert_eq!(summary.bytes, fs::metadata(world.path(&summary.name)).unwrap().len());
    assert_eq!(world.unpublished(), 0);
    let snapshot = Snapshot::open(&world.blobs.hold_files(), &summary.name).unwrap();
    assert_shows(&snapshot, &rows);
    for (id, row) in rows.iter().step_by(37) {
        assert_eq!(snapshot.get(id).unwrap().as_ref(), Some(row));
        assert_eq!(snapshot.content_hash(id).unwrap(), Some(xxhash_rust::xxh3::xxh3_64(row)));
    }
    assert_eq!(snapshot.get("sku-1000").unwrap(), None);
    assert_eq!(snapshot.get("").unwrap(), None);
}

#[test]
fn of_rows_with_the_same_id_the_last_one_stays_also_across_sorted_runs() {
    let world = World::new();
    let mut rows = products(3_000, 2);
    rows.extend(products(500, 3));
    rows.extend(products(40, 4));
    rows.push(("sku-39".to_owned(), b"the last".to_vec()));
    for run_entries in [1, 7, 100, 1_000_000] {
        let summary = world.write(&rows, run_entries);
        assert_eq!((summary.rows, summary.duplicates), (3_000, 541));
        let snapshot = Snapshot::open(&world.blobs.hold_files(), &summary.name).unwrap();
        assert_shows(&snapshot, &last_of_each_id(&rows));
        assert_eq!(snapshot.get("sku-39").unwrap().unwrap(), b"the last");
        assert_eq!(snapshot.get("sku-38").unwrap().unwrap(), rows[3_538].1);
        assert_eq!(snapshot.get("sku-499").unwrap().unwrap(), rows[3_499].1);
    }
    assert_eq!(world.unpublished(), 0);
}

#[test]
fn the_same_rows_in_the_same_order_have_the_same_name_however_they_were_sorted() {
    let world = World::new();
    let mut rows = products(1_000, 5);
    let name = world.write(&rows, 1_000_000).name;
    let content = fs::read(world.path(&name)).unwrap();
    assert_eq!(world.write(&rows, 9).name, name);
    assert_eq!(fs::read(world.path(&name)).unwrap(), content);
    let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &content);
    assert_eq!(name.hash(), hash.as_ref());
    rows.swap(0, 1);
    assert_ne!(world.write(&rows, 9).name, name);
    assert_eq!(world.blobs.list().unwrap().count(), 2);
}

#[test]
fn an_empty_snapshot_is_a_snapshot() {
    let world = World::new();
    let summary = world.write(&[], 10);
    assert_eq!((summary.rows, summary.duplicates), (0, 0));
    let snapshot = Snapshot::open(&world.blobs.hold_files(), &summary.name).unwrap();
    assert_shows(&snapshot, &[]);
    assert!(snapshot.is_empty());
    assert_eq!(snapshot.get("any").unwrap(), None);
}

#[test]
fn a_hundred_thousand_rows_equal_the_model() {
    let world = World::new();
    let mut dice = Dice(6);
    let rows: Vec<SnapshotRow> = (0..100_000)
        .map(|number| {
            let id = format!("p{}", dice.below(60_000));
            let row = format!("{id}:{number}:{}", dice.below(1_000_000)).into_bytes();
            (id, row)
        })
        .collect();
    let expected = last_of_each_id(&rows);
    let snapshot = world.snapshot(&rows, 1_000);
    assert_shows(&snapshot, &expected);
    let model: HashMap<String, Vec<u8>> = rows.into_iter().collect();
    for number in (0..60_500).step_by(211) {
        let id = format!("p{number}");
        assert_eq!(snapshot.get(&id).unwrap().as_ref(), model.get(&id));
    }
}

#[test]
fn a_whole_frame_of_superseded_rows_is_passed_over() {
    let world = World::new();
    let mut rows = products(1_500, 7);
    rows.extend(products(700, 8).into_iter().step_by(3));
    // The same ids again, several frames later.
    rows.extend(products(200, 9));
    assert_shows(&world.snapshot(&rows, 50), &last_of_each_id(&rows));
}

#[test]
fn rows_that_came_again_are_listed_by_their_numbers_in_feed_order() {
    let world = World::new();
    let mut rows = products(300, 16);
    let again = [250, 3, 120].map(|at| rows[at].clone());
    rows.extend(again);
    let snapshot = world.snapshot(&rows, 64);
    assert_eq!(snapshot.list_superseded(9).unwrap(), [4, 121, 251]);
    assert_eq!(snapshot.list_superseded(2).unwrap(), [4, 121]);
    assert!(world.snapshot(&rows[..300], 64).list_superseded(9).unwrap().is_empty());
}

#[test]
fn a_difference_has_the_added_changed_and_removed_rows_and_no_other() {
    let world = World::new();
    let rows = products(2_000, 10);
    let mut newer = rows[100..].to_vec();
    newer[7].1 = b"another price".to_vec();
    newer[1_500].1 = b"another title".to_vec();
    newer.insert(40, ("new".to_owned(), b"first".to_vec()));
    newer.push(("newest".to_owned(), b"last".to_vec()));
    let old = world.snapshot(&rows, 64);
    let new = world.snapshot(&newer, 64);

    let difference = difference(&world.blobs, &old, &new).unwrap();
    let added: Vec<SnapshotRow> = difference.added.map(Result::unwrap).collect();
    let changed: Vec<(SnapshotRow, SnapshotRow)> = difference.changed.map(Result::unwrap).collect();
    let removed: Vec<SnapshotRow> = difference.removed.map(Result::unwrap).collect();
    assert_eq!(difference.counts, DiffCounts { added: 2, changed: 2, removed: 100, unchanged: 1_898 });
    assert_eq!(added, [40, 1_901].map(|at| newer[at].clone()));
    assert_eq!(
        changed,
        [7, 1_501].map(|at| (rows[if at < 40 { at + 100 } else { at + 99 }].clone(), newer[at].clone()))
    );
    assert_eq!(removed, rows[..100]);

    assert_eq!(count(&old, &old).unwrap(), DiffCounts { unchanged: 2_000, ..DiffCounts::default() });
    let empty = world.snapshot(&[], 64);
    assert_eq!(count(&empty, &old).unwrap(), DiffCounts { added: 2_000, ..DiffCounts::default() });
    assert_eq!(count(&old, &empty).unwrap(), DiffCounts { removed: 2_000, ..DiffCounts::default() });
}

#[test]
fn a_dropped_writer_leaves_nothing_behind() {
    let world = World::new();
    let mut writer = SnapshotWriter::with_run(&world.blobs, 10).unwrap();
    products(500, 11).iter().for_each(|(id, row)| writer.push(1, id, row).unwrap());
    assert!(world.unpublished() >= 2, "the rows and the sorted runs are on the disk");
    drop(writer);
    assert_eq!((world.unpublished(), world.blobs.list().unwrap().count()), (0, 0));
}

#[test]
fn a_row_over_the_limits_is_left_out_and_the_largest_one_is_kept() {
    let world = World::new();
    let mut writer = SnapshotWriter::create(&world.blobs).unwrap();
    let largest = vec![b'x'; SNAPSHOT_ROW_BYTES];
    let longest = "i".repeat(SNAPSHOT_ID_BYTES);
    let almost = SNAPSHOT_FRAME_BYTES - ROW_HEAD_BYTES - "almost a frame".len() - 1;
    writer.push(1, "almost a frame", &vec![b'y'; almost]).unwrap();
    writer.push(2, &longest, &largest).unwrap();
    assert!(writer.push(3, "a", &vec![0; SNAPSHOT_ROW_BYTES + 1]).is_err());
    assert!(writer.push(4, &"i".repeat(SNAPSHOT_ID_BYTES + 1), b"").is_err());
    writer.push(u64::MAX, "empty", b"").unwrap();
    let snapshot =
        Snapshot::open(&world.blobs.hold_files(), &writer.finish(&world.blobs.hold_files()).unwrap().name)
            .unwrap();
    assert_eq!(snapshot.len(), 3);
    assert!(snapshot.get(&longest).unwrap() == Some(largest));
    assert_eq!(snapshot.get("empty").unwrap(), Some(Vec::new()));
}

#[test]
fn readers_in_several_threads_see_the_same_rows() {
    let world = World::new();
    let rows = products(400, 15);
    let snapshot = world.snapshot(&rows, 64);
    std::thread::scope(|scope| {
        for start in 0..4 {
            let snapshot = snapshot.clone();
            let rows = &rows;
            scope.spawn(move || {
                for (id, row) in rows.iter().skip(start).step_by(4) {
                    assert_eq!(snapshot.get(id).unwrap().as_ref(), Some(row));
                }
                assert_eq!(all(&snapshot), *rows);
            });
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_rows_equal_the_model(
        rows in prop::collection::vec(("[a-d]{0,3}|é", prop::collection::vec(any::<u8>(), 0..3_000)), 0..120),
        run_entries in 0_usize..40,
    ) {
        let world = World::new();
        let expected = last_of_each_id(&rows);
        let snapshot = world.snapshot(&rows, run_entries);
        assert_shows(&snapshot, &expected);
        for (id, row) in &expected {
            let number = 1 + rows.iter().rposition(|(known, _)| known == id).unwrap() as u64;
            assert_eq!(snapshot.get_with_number(id).unwrap(), Some((number, row.clone())));
        }
    }
}
