//! Rewriting what is stored of a catalogue: the text of a row changes, its place among feeds and deltas does not.

use std::io;

use crate::args;
use crate::blobs::{BlobName, Blobs};
use crate::catalogue::snapshot::Snapshot;
use crate::catalogue::snapshot_writer::{SnapshotWriter, Summary};
use crate::catalogue::{CatalogueFault, base};
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// A snapshot that is kept: the one shown, one from before, or one that is held back.
#[derive(Clone)]
pub struct Kept {
    /// Its section.
    pub section: Section,
    /// Sequence of its feed.
    pub seq: i64,
    /// Its file.
    pub blob: BlobName,
    /// Whether the section stands on it.
    pub is_base: bool,
    /// Whether it was never published.
    pub is_held: bool,
}

/// All snapshots of an account.
pub fn kept(tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<Kept>, StoreFault> {
    const SHAPE: StoreFault = StoreFault::Shape { statement: "snapshot_kept", column: 0 };
    let rows = tx.run(&sql::snapshot_kept, args![account.0])?;
    rows.iter()
        .map(|row| {
            Ok(Kept {
                section: Section::parse(row.text(0)?).ok_or(SHAPE)?,
                seq: row.int(1)?,
                blob: BlobName::parse(row.text(2)?).ok_or(SHAPE)?,
                is_base: row.opt_int(3)?.is_some(),
                is_held: row.int(4)? == 1,
            })
        })
        .collect()
}

/// What a row becomes; `None` leaves it as it is.
pub type Rewrite<'a> = &'a dyn Fn(&[u8]) -> Option<Vec<u8>>;

/// Writes a snapshot anew, each row as `rewrite` says, also one that a later row of the same id has superseded: its bytes
/// are in the file. The rows keep their order, so the file is the one that a feed of such rows makes.
///
/// # Errors
/// When the snapshot cannot be read or written; `go_on` can end it with an error of its own.
pub fn rewritten(
    blobs: &Blobs,
    name: &BlobName,
    rewrite: Rewrite<'_>,
    go_on: &dyn Fn() -> io::Result<()>,
) -> Result<Summary, CatalogueFault> {
    let snapshot = Snapshot::open(blobs, name)?;
    let mut writer = SnapshotWriter::create(blobs)?;
    for row in snapshot.rows_with_superseded()? {
        go_on()?;
        let (number, (id, row)) = row?;
        writer.push(number, &id, rewrite(&row).as_deref().unwrap_or(&row))?;
    }
    Ok(writer.finish()?)
}

/// Shows every row of a snapshot, also those that a later row of the same id has superseded.
///
/// # Errors
/// When the snapshot cannot be read, or as `go_on` says.
pub fn each_row(
    blobs: &Blobs,
    name: &BlobName,
    go_on: &dyn Fn() -> io::Result<()>,
    see: &mut dyn FnMut(&[u8]),
) -> Result<(), CatalogueFault> {
    for row in Snapshot::open(blobs, name)?.rows_with_superseded()? {
        go_on()?;
        see(&row?.1.1);
    }
    Ok(())
}

/// Whether `rewrite` would change a row of a snapshot.
///
/// # Errors
/// When the snapshot cannot be read, or as `go_on` says.
pub fn would_change(
    blobs: &Blobs,
    name: &BlobName,
    rewrite: Rewrite<'_>,
    go_on: &dyn Fn() -> io::Result<()>,
) -> Result<bool, CatalogueFault> {
    for row in Snapshot::open(blobs, name)?.rows_with_superseded()? {
        go_on()?;
        if rewrite(&row?.1.1).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Puts a rewritten file in the place of a snapshot's; false when the snapshot is another meanwhile.
pub fn replace(tx: &mut Tx<'_>, account: AccountId, old: &Kept, new: &Summary) -> Result<bool, StoreFault> {
    let (old_blob, new_blob) = (old.blob.to_string(), new.name.to_string());
    let bytes = i64::try_from(new.bytes).unwrap_or(i64::MAX);
    let place = (old.section.as_str(), old.seq);
    let args = args![account.0, place.0, place.1, old_blob.as_str(), new_blob.as_str(), bytes];
    Ok(tx.exec(&sql::snapshot_replace, args)? == 1)
}

/// Forgets a snapshot from before, or all that is held of its feed; false when its section stands on it.
pub fn remove_old(tx: &mut Tx<'_>, account: AccountId, old: &Kept) -> Result<bool, StoreFault> {
    if old.is_held {
        base::release(tx, account, old.seq)?;
        return Ok(true);
    }
    Ok(tx.exec(&sql::snapshot_delete_old, args![account.0, old.section.as_str(), old.seq])? == 1)
}

/// A row that a delta put.
pub struct Put {
    /// Sequence of its delta.
    pub seq: i64,
    /// Its number in the delta.
    pub n: i64,
    /// The row in normal form.
    pub row: Vec<u8>,
}

/// Up to `limit` rows that deltas put, behind the place `after`.
pub fn puts(
    tx: &mut Tx<'_>,
    account: AccountId,
    after: (i64, i64),
    limit: i64,
) -> Result<Vec<Put>, StoreFault> {
    let rows = tx.run(&sql::change_puts, args![account.0, after.0, after.1, limit])?;
    let put = |row: &crate::store::Row| {
        Ok(Put { seq: row.int(0)?, n: row.int(1)?, row: row.opt_blob(2)?.unwrap_or_default().to_vec() })
    };
    rows.iter().map(put).collect()
}

/// Puts a rewritten row in the place of one that a delta put.
pub fn replace_put(tx: &mut Tx<'_>, account: AccountId, put: &Put, row: &[u8]) -> Result<(), StoreFault> {
    tx.exec(&sql::change_replace, args![account.0, put.seq, put.n, row])?;
    Ok(())
}
