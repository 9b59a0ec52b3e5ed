//! What a new snapshot changes, from the two indices: no row is read that is in both.

use std::cmp::Ordering;

use itertools::{EitherOrBoth, Itertools};

use super::snapshot::{IndexEntry, Row, Snapshot, SnapshotFault};
use super::snapshot_format::RowPlace;
use super::snapshot_sort::Sorter;
use crate::blobs::Blobs;
use crate::limits::SNAPSHOT_RUN_ENTRIES;

/// How many ids are only in the new snapshot, in both with another row, only in the old one, in both with the same.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
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
pub type RowStream = Box<dyn Iterator<Item = Result<Row, SnapshotFault>> + Send>;

/// The difference of two snapshots with its rows.
pub struct Difference {
    /// How many of each.
    pub counts: Counts,
    /// The added and changed rows, as they are in the new snapshot, in its order.
    pub upserted: RowStream,
    /// The removed rows, as they were in the old snapshot, in its order.
    pub removed: RowStream,
}

/// Counts what `new` changes; reads the indices only.
///
/// # Errors
/// `Damaged` when an index is, `Io`.
pub fn count(old: &Snapshot, new: &Snapshot) -> Result<Counts, SnapshotFault> {
    compare(old, new, |_| Ok(()))
}

/// What `new` changes, in bounded memory; `blobs` takes what does not fit. A frame without a changed row is not read.
///
/// # Errors
/// `Damaged` when an index is, `Io`; the rows come with theirs.
pub fn difference(blobs: &Blobs, old: &Snapshot, new: &Snapshot) -> Result<Difference, SnapshotFault> {
    let mut upserted = Sorter::new(blobs, SNAPSHOT_RUN_ENTRIES);
    let mut removed = Sorter::new(blobs, SNAPSHOT_RUN_ENTRIES);
    let counts = compare(old, new, |row| match row {
        EitherOrBoth::Left(old) => Ok(removed.push(old.at.to_bytes())?),
        EitherOrBoth::Right(new) | EitherOrBoth::Both(_, new) => Ok(upserted.push(new.at.to_bytes())?),
    })?;
    Ok(Difference { counts, upserted: rows_at(new, upserted)?, removed: rows_at(old, removed)? })
}

fn rows_at(snapshot: &Snapshot, places: Sorter<{ RowPlace::BYTES }>) -> Result<RowStream, SnapshotFault> {
    let places = places.sorted()?.map(|place| Ok(RowPlace::from_bytes(&place?)));
    Ok(Box::new(snapshot.rows_at(places)?))
}

/// Walks both indices side by side, and shows every id that differs.
fn compare(
    old: &Snapshot,
    new: &Snapshot,
    mut differs: impl FnMut(EitherOrBoth<IndexEntry>) -> Result<(), SnapshotFault>,
) -> Result<Counts, SnapshotFault> {
    let mut counts = Counts::default();
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
