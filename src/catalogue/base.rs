//! What an account's catalogue stands on: for each section a snapshot, and the cut after which changes count.

use std::collections::BTreeMap;

use crate::args;
use crate::blobs::BlobName;
use crate::clock::Millis;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// The base of one section.
#[derive(Clone)]
pub struct Base {
    /// Sequence of the feed that made the snapshot.
    pub snapshot_seq: i64,
    /// Changes up to this sequence were replaced by the feed.
    pub cut_seq: i64,
    /// File of the snapshot.
    pub blob: BlobName,
    /// File that leads from SKUs to ids, if any differ.
    pub sku_blob: Option<BlobName>,
    /// Items in the snapshot.
    pub items: i64,
}

/// The bases of an account.
pub type Bases = BTreeMap<Section, Base>;

/// A snapshot to be published.
#[derive(Clone)]
pub struct New {
    /// Its section.
    pub section: Section,
    /// Its file.
    pub blob: BlobName,
    /// The file that leads from SKUs to ids.
    pub sku_blob: Option<BlobName>,
    /// Items in it.
    pub items: i64,
    /// Size of the file.
    pub bytes: i64,
}

/// Reads the bases of an account.
pub fn list(tx: &mut Tx<'_>, account: AccountId) -> Result<Bases, StoreFault> {
    const SHAPE: StoreFault = StoreFault::Shape { statement: "base_list", column: 0 };
    let blob = |text: &str| BlobName::parse(text).ok_or(SHAPE);
    tx.run(&sql::base_list, args![account.0])?
        .iter()
        .map(|row| {
            let section = Section::parse(row.text(0)?).ok_or(SHAPE)?;
            let base = Base {
                snapshot_seq: row.int(1)?,
                cut_seq: row.int(2)?,
                blob: blob(row.text(3)?)?,
                sku_blob: row.opt_text(4)?.map(blob).transpose()?,
                items: row.int(5)?,
            };
            Ok((section, base))
        })
        .collect()
}

/// Publishes a feed's snapshot of one section: from the commit on, the section shows it and the changes after
/// `seq`. A snapshot equal to the one shown is not stored again; only the cut moves.
pub fn publish(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    new: &New,
    shown: Option<&Base>,
    now: Millis,
) -> Result<(), StoreFault> {
    let section = new.section.as_str();
    if let Some(base) = shown
        && base.blob == new.blob
        && base.sku_blob == new.sku_blob
    {
        return move_cut(tx, account, new.section, base, seq);
    }
    let (blob, sku_blob) = (new.blob.to_string(), new.sku_blob.map(|name| name.to_string()));
    let args = args![account.0, section, seq, blob.as_str(), sku_blob.as_deref(), new.items, new.bytes, now];
    tx.exec(&sql::snapshot_insert, args)?;
    tx.exec(&sql::base_put, args![account.0, section, seq, seq])?;
    for old in tx.run(&sql::snapshot_list, args![account.0, section])?.iter().skip(limits::SNAPSHOTS_KEPT) {
        tx.exec(&sql::snapshot_delete, args![account.0, section, old.int(0)?])?;
    }
    Ok(())
}

/// Keeps the snapshot and drops the changes up to `seq`: the feed was sent again unchanged.
pub fn move_cut(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    base: &Base,
    seq: i64,
) -> Result<(), StoreFault> {
    tx.exec(&sql::base_put, args![account.0, section.as_str(), base.snapshot_seq, seq])?;
    Ok(())
}

/// Every file that some snapshot needs.
pub fn blobs_needed(tx: &mut Tx<'_>) -> Result<std::collections::HashSet<BlobName>, StoreFault> {
    let mut needed = std::collections::HashSet::new();
    for row in tx.run(&sql::snapshot_blobs, args![])? {
        needed.extend(BlobName::parse(row.text(0)?));
        needed.extend(row.opt_text(1)?.and_then(BlobName::parse));
    }
    Ok(needed)
}
