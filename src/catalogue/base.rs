//! Base of an account's catalogue: for each section a snapshot, and the cut after which changes count.

use std::collections::BTreeMap;

use crate::args;
use crate::blobs::BlobName;
use crate::clock::Millis;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits;
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

/// The base of one section.
#[derive(Clone)]
pub struct Base {
    /// Sequence of the feed that made the snapshot.
    pub snapshot_seq: i64,
    /// Changes up to this sequence were replaced by the feed.
    pub cut_seq: i64,
    /// File of the snapshot.
    pub blob: BlobName,
    /// File that leads from SKUs and children to ids, if there are any (`names`).
    pub sku_blob: Option<BlobName>,
    /// Items in the snapshot.
    pub items: i64,
    /// Place of the feed among feeds.
    pub ready_seq: i64,
    /// Changes up to this sequence may be gone from the store.
    pub swept_seq: i64,
}

/// A feed's places: where it was submitted, where it was whole, which is its order among feeds, and its cut through the
/// changes. The same for a feed by URL.
#[derive(Clone, Copy)]
pub struct Places {
    /// Sequence of its submission.
    pub seq: i64,
    /// Sequence at which the whole base was there.
    pub ready_seq: i64,
    /// Changes up to this sequence are replaced by it.
    pub cut_seq: i64,
}

impl Places {
    /// Places of a feed that counts as submitted and whole at one place.
    #[must_use]
    pub fn from_seq(seq: i64) -> Self {
        Self { seq, ready_seq: seq, cut_seq: seq }
    }

    /// Returns true if the feed may publish a section: no feed that was whole later has published it.
    #[must_use]
    pub fn may_publish(&self, shown: Option<&Base>) -> bool {
        shown.is_none_or(|base| base.ready_seq < self.ready_seq)
    }

    /// Its cut. Changes that an earlier feed has cut off do not come back.
    pub(super) fn cut_seq(&self, shown: Option<&Base>) -> i64 {
        shown.map_or(self.cut_seq, |base| base.cut_seq.max(self.cut_seq))
    }
}

/// The bases of an account.
pub type Bases = BTreeMap<Section, Base>;

/// A snapshot to be published.
#[derive(Clone, PartialEq, Eq)]
pub struct NewSnapshot {
    /// Its section.
    pub section: Section,
    /// Its file.
    pub blob: BlobName,
    /// The file that leads from SKUs and children to ids.
    pub sku_blob: Option<BlobName>,
    /// Number of its items.
    pub items: i64,
    /// Size of its files.
    pub bytes: i64,
}

/// Reads the bases of an account.
///
/// # Errors
/// When the store fails or a row names no section or file.
pub fn list(tx: &mut Tx<'_>, account: AccountId) -> Result<Bases, StoreFault> {
    tx.run(&sql::base_list, args![account.0])?
        .iter()
        .map(|row| {
            let section = Section::parse(row.text("section")?).ok_or(SHAPE)?;
            let base = Base {
                snapshot_seq: row.int("snapshot_seq")?,
                cut_seq: row.int("cut_seq")?,
                blob: blob_named(row.text("blob")?)?,
                sku_blob: row.opt_text("sku_blob")?.map(blob_named).transpose()?,
                items: row.int("items")?,
                ready_seq: row.int("ready_seq")?,
                swept_seq: row.int("swept_seq")?,
            };
            Ok((section, base))
        })
        .collect()
}

/// Stores a feed's snapshot of one section. The section does not stand on it yet (`show`).
pub(super) fn insert(
    tx: &mut Tx<'_>,
    account: AccountId,
    feed: Places,
    new: &NewSnapshot,
    now: Millis,
) -> Result<(), StoreFault> {
    let NewSnapshot { section, blob, sku_blob, items, bytes } = new;
    let section = section.as_str();
    let blob = blob.to_string();
    let sku_blob = sku_blob.map(|name| name.to_string());
    let seq = feed.seq;
    let ready_seq = feed.ready_seq;
    let row =
        args![account.0, section, seq, ready_seq, blob.as_str(), sku_blob.as_deref(), *items, *bytes, now];
    tx.exec(&sql::snapshot_insert, row).map(drop)
}

/// A snapshot that was published and is kept.
pub struct RetainedSnapshot {
    /// Sequence of the feed that made it.
    pub seq: i64,
    /// Number of that feed among the account's feeds; `None` if it was not known when it was published.
    pub kind_number: Option<i64>,
    /// The snapshot.
    pub new: NewSnapshot,
    /// When it was published first.
    pub published_at: Millis,
}

/// The kept snapshots of a section, newest first.
///
/// # Errors
/// When the store fails or a row names no file.
pub fn list_retained(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
) -> Result<Vec<RetainedSnapshot>, StoreFault> {
    tx.run(&sql::snapshot_list, args![account.0, section.as_str()])?
        .iter()
        .map(|row| {
            Ok(RetainedSnapshot {
                seq: row.int("seq")?,
                kind_number: row.opt_int("kind_number")?,
                new: read_new(row, section)?,
                published_at: row.int("published_at")?,
            })
        })
        .collect()
}

/// Number among the account's feeds of the feed that made a kept snapshot; `None` if no snapshot of it is kept.
///
/// # Errors
/// As [`list_retained`].
pub fn feed_number(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    seq: i64,
) -> Result<Option<i64>, StoreFault> {
    let kept = list_retained(tx, account, section)?;
    Ok(kept.iter().find(|kept| kept.seq == seq).and_then(|kept| kept.kind_number))
}

/// Holds back checked snapshots of a submission, unpublished. Drops the longest held ones beyond
/// [`limits::HELD_FEEDS`].
///
/// # Errors
/// When the store fails.
pub fn hold_snapshots(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    sections: &[NewSnapshot],
) -> Result<(), StoreFault> {
    tx.exec(&sql::held_snapshot_delete, args![account.0, seq])?;
    for new in sections {
        let blob = new.blob.to_string();
        let sku_blob = new.sku_blob.map(|name| name.to_string());
        let section = new.section.as_str();
        let row = args![account.0, seq, section, blob.as_str(), sku_blob.as_deref(), new.items, new.bytes];
        tx.exec(&sql::held_snapshot_insert, row)?;
    }
    for old in tx.run(&sql::held_snapshot_seqs, args![account.0])?.iter().skip(limits::HELD_FEEDS) {
        release(tx, account, old.int("seq")?)?;
    }
    Ok(())
}

/// The snapshots held for a submission; empty when nothing is held, or no longer.
///
/// # Errors
/// When the store fails or a row names no section or file.
pub fn list_held(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Vec<NewSnapshot>, StoreFault> {
    tx.run(&sql::held_snapshot_list, args![account.0, seq])?
        .iter()
        .map(|row| read_new(row, Section::parse(row.text("section")?).ok_or(SHAPE)?))
        .collect()
}

/// Snapshots kept under an earlier submission: all that are held or, with a `section`, the one that it published. Empty
/// if nothing is kept, or no longer.
///
/// # Errors
/// As [`list_held`] and [`list_retained`].
pub fn kept_under(
    tx: &mut Tx<'_>,
    account: AccountId,
    (seq, section): (i64, Option<Section>),
) -> Result<Vec<NewSnapshot>, StoreFault> {
    let Some(section) = section else { return list_held(tx, account, seq) };
    let kept = list_retained(tx, account, section)?;
    Ok(kept.into_iter().filter(|kept| kept.seq == seq).map(|kept| kept.new).collect())
}

/// Drops the held snapshots of a submission.
///
/// # Errors
/// When the store fails.
pub fn release(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::held_snapshot_delete, args![account.0, seq])?;
    Ok(())
}

const SHAPE: StoreFault = StoreFault::Shape { statement: "a snapshot's row", column: "blob" };

fn blob_named(text: &str) -> Result<BlobName, StoreFault> {
    BlobName::parse(text).ok_or(SHAPE)
}

/// Reads file, second file, items and bytes.
fn read_new(row: &Row, section: Section) -> Result<NewSnapshot, StoreFault> {
    Ok(NewSnapshot {
        section,
        blob: blob_named(row.text("blob")?)?,
        sku_blob: row.opt_text("sku_blob")?.map(blob_named).transpose()?,
        items: row.int("items")?,
        bytes: row.int("bytes")?,
    })
}

/// The present files of accounts, each with the name of its account and its section.
///
/// # Errors
/// When the store fails.
pub fn blobs_shown(tx: &mut Tx<'_>) -> Result<Vec<(BlobName, String, String)>, StoreFault> {
    let mut shown = Vec::new();
    for row in tx.run(&sql::blob_shown, args![])? {
        for name in [Some(row.text("blob")?), row.opt_text("sku_blob")?].into_iter().flatten() {
            let name =
                BlobName::parse(name).ok_or(StoreFault::Shape { statement: "blob_shown", column: "blob" })?;
            shown.push((name, row.text("name")?.to_owned(), row.text("section")?.to_owned()));
        }
    }
    Ok(shown)
}

/// Every file that some snapshot or upload needs.
///
/// # Errors
/// When the store fails.
pub fn blobs_needed(tx: &mut Tx<'_>) -> Result<std::collections::HashSet<BlobName>, StoreFault> {
    let mut needed = std::collections::HashSet::new();
    for row in tx.run(&sql::blob_needed, args![])? {
        needed.extend(BlobName::parse(row.text("blob")?));
    }
    Ok(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(ready_seq: i64, cut_seq: i64) -> Base {
        let blob = BlobName::from_hash([1; 32]);
        Base { snapshot_seq: 1, cut_seq, blob, sku_blob: None, items: 0, ready_seq, swept_seq: 0 }
    }

    #[test]
    fn a_feed_publishes_unless_one_that_was_whole_later_did_and_no_cut_goes_back() {
        let feed = Places { seq: 3, ready_seq: 5, cut_seq: 4 };
        assert!(feed.may_publish(None));
        assert_eq!([4, 5, 6].map(|ready| feed.may_publish(Some(&base(ready, 9)))), [true, false, false]);
        assert_eq!(feed.cut_seq(None), 4);
        assert_eq!([3, 4, 9].map(|cut| feed.cut_seq(Some(&base(1, cut)))), [4, 4, 9]);
        let Places { seq, ready_seq, cut_seq } = Places::from_seq(8);
        assert_eq!([seq, ready_seq, cut_seq], [8; 3]);
    }
}
