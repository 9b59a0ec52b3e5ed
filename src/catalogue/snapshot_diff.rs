//! Difference of a new snapshot, from the two indices: no row is read that is in both.

use std::cmp::Ordering;

use itertools::{EitherOrBoth, Itertools};

use super::snapshot::{IndexEntry, Snapshot, SnapshotFault, SnapshotRow};
use super::snapshot_format::RowPlace;
use super::snapshot_sort::Sorter;
use crate::blobs::Blobs;
use crate::limits::SNAPSHOT_RUN_ENTRIES;

/// Number of ids only in the new snapshot, in both with another row, only in the old one, in both with the same row.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DiffCounts {
    /// Only in the new snapshot.
    pub added: u64,
    /// In both, with another row.
    pub changed: u64,
    /// Only in the old snapshot.
    pub removed: u64,
    /// In both, with the same row.
    pub unchanged: u64,
}

/// Rows read one by one.
pub type RowStream = Box<dyn Iterator<Item = Result<SnapshotRow, SnapshotFault>> + Send>;

/// Rows of one id before and after, read one by one.
pub type PairStream = Box<dyn Iterator<Item = Result<(SnapshotRow, SnapshotRow), SnapshotFault>> + Send>;

/// The difference of two snapshots with its rows.
pub struct SnapshotDiff {
    /// Number of rows of each kind.
    pub counts: DiffCounts,
    /// The added rows, in the order of the new snapshot.
    pub added: RowStream,
    /// The changed rows, old and new, in the order of the new snapshot.
    pub changed: PairStream,
    /// The removed rows of the old snapshot, in its order.
    pub removed: RowStream,
}

/// Counts the changes of `new`; reads the indices only.
///
/// # Errors
/// `Damaged` when an index is damaged; `Io` when the disk refuses.
pub fn count(old: &Snapshot, new: &Snapshot) -> Result<DiffCounts, SnapshotFault> {
    compare(old, new, |_| Ok(()))
}

/// Changes in `new`, in bounded memory; `blobs` takes the overflow. A frame without a changed row is not read.
///
/// # Errors
/// `Damaged` when an index is damaged, `Io` when the disk refuses; the rows come with faults of their own.
pub fn difference(blobs: &Blobs, old: &Snapshot, new: &Snapshot) -> Result<SnapshotDiff, SnapshotFault> {
    let mut added = Sorter::new(blobs, SNAPSHOT_RUN_ENTRIES);
    let mut changed = Sorter::new(blobs, SNAPSHOT_RUN_ENTRIES);
    let mut removed = Sorter::new(blobs, SNAPSHOT_RUN_ENTRIES);
    let counts = compare(old, new, |row| match row {
        EitherOrBoth::Left(old) => Ok(removed.push(old.at.to_bytes())?),
        EitherOrBoth::Right(new) => Ok(added.push(new.at.to_bytes())?),
        EitherOrBoth::Both(old, new) => Ok(changed.push(RowPlace::pair_to_bytes(new.at, old.at))?),
    })?;
    let added = rows_at(new, added)?;
    let removed = rows_at(old, removed)?;
    Ok(SnapshotDiff { counts, added, changed: pairs_at(old, new, changed)?, removed })
}

/// Both sides are read along the new order: where the old one is much the same, each frame is decoded once.
fn pairs_at(
    old: &Snapshot,
    new: &Snapshot,
    places: Sorter<{ RowPlace::PAIR_BYTES }>,
) -> Result<PairStream, SnapshotFault> {
    let mut before = old.rows_anywhere()?;
    let mut after = new.rows_anywhere()?;
    Ok(Box::new(places.into_sorted()?.map(move |pair| {
        let (new, old) = RowPlace::pair_from_bytes(&pair?);
        Ok((before.row(old)?, after.row(new)?))
    })))
}

fn rows_at(snapshot: &Snapshot, places: Sorter<{ RowPlace::BYTES }>) -> Result<RowStream, SnapshotFault> {
    let places = places.into_sorted()?.map(|place| Ok(RowPlace::from_bytes(&place?)));
    Ok(Box::new(snapshot.rows_at(places)?))
}

/// Walks both indices side by side, and returns every id that differs.
fn compare(
    old: &Snapshot,
    new: &Snapshot,
    mut differs: impl FnMut(EitherOrBoth<IndexEntry>) -> Result<(), SnapshotFault>,
) -> Result<DiffCounts, SnapshotFault> {
    let mut counts = DiffCounts::default();
    for pair in old.index().merge_join_by(new.index(), by_id_hash) {
        let entry = match pair {
            EitherOrBoth::Left(old) => EitherOrBoth::Left(old?),
            EitherOrBoth::Right(new) => EitherOrBoth::Right(new?),
            EitherOrBoth::Both(old, new) => EitherOrBoth::Both(old?, new?),
        };
        match &entry {
            EitherOrBoth::Left(_) => counts.removed += 1,
            EitherOrBoth::Right(_) => counts.added += 1,
            EitherOrBoth::Both(old, new) if old.content_hash != new.content_hash => counts.changed += 1,
            EitherOrBoth::Both(..) => {
                counts.unchanged += 1;
                continue;
            }
        }
        differs(entry)?;
    }
    Ok(counts)
}

/// An error comes at once: it ends the comparison.
fn by_id_hash(old: &Result<IndexEntry, SnapshotFault>, new: &Result<IndexEntry, SnapshotFault>) -> Ordering {
    match (old, new) {
        (Ok(old), Ok(new)) => old.id_hash.cmp(&new.id_hash),
        (Err(_), _) => Ordering::Less,
        (_, Err(_)) => Ordering::Greater,
    }
}
