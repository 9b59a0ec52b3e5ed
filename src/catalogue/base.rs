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
    /// File that leads from SKUs and children to ids, if there are any (`names`).
    pub sku_blob: Option<BlobName>,
    /// Items in the snapshot.
    pub items: i64,
    /// Place of the feed among feeds.
    pub ready_seq: i64,
}

/// A feed's two places: where it was submitted, which is its cut through the changes, and where it was whole, which
/// is its order among feeds. The same for a feed by URL.
#[derive(Clone, Copy)]
pub struct Places {
    /// Sequence of its submission.
    pub seq: i64,
    /// Sequence at which all of it was there.
    pub ready_seq: i64,
}

impl Places {
    /// Whether the feed may publish a section: no feed that was whole later has published it.
    #[must_use]
    pub fn may_publish(&self, shown: Option<&Base>) -> bool {
        shown.is_none_or(|base| base.ready_seq < self.ready_seq)
    }

    /// Its cut. What an earlier feed has cut off does not come back.
    fn cut_seq(&self, shown: Option<&Base>) -> i64 {
        shown.map_or(self.seq, |base| base.cut_seq.max(self.seq))
    }
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
    /// The file that leads from SKUs and children to ids.
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
                ready_seq: row.int(6)?,
            };
            Ok((section, base))
        })
        .collect()
}

/// Publishes a feed's snapshot of one section: from the commit on, the section shows it and the changes after its
/// cut, which is given back. A snapshot equal to the one shown is not stored again; only the cut moves.
pub fn publish(
    tx: &mut Tx<'_>,
    account: AccountId,
    feed: Places,
    new: &New,
    shown: Option<&Base>,
    now: Millis,
) -> Result<i64, StoreFault> {
    let section = new.section.as_str();
    if let Some(base) = shown
        && base.blob == new.blob
        && base.sku_blob == new.sku_blob
    {
        return move_cut(tx, account, new.section, base, feed);
    }
    let (blob, sku_blob) = (new.blob.to_string(), new.sku_blob.map(|name| name.to_string()));
    let Places { seq, ready_seq } = feed;
    let args = args![
        account.0,
        section,
        seq,
        ready_seq,
        blob.as_str(),
        sku_blob.as_deref(),
        new.items,
        new.bytes,
        now
    ];
    tx.exec(&sql::snapshot_insert, args)?;
    let cut_seq = feed.cut_seq(shown);
    tx.exec(&sql::base_put, args![account.0, section, seq, cut_seq, ready_seq])?;
    for old in tx.run(&sql::snapshot_list, args![account.0, section])?.iter().skip(limits::SNAPSHOTS_KEPT) {
        tx.exec(&sql::snapshot_delete, args![account.0, section, old.int(0)?])?;
    }
    Ok(cut_seq)
}

/// Keeps the snapshot and drops the changes up to the feed's cut: it was sent again unchanged. Gives the cut.
pub fn move_cut(
    tx: &mut Tx<'_>,
    account: AccountId,
    section: Section,
    base: &Base,
    feed: Places,
) -> Result<i64, StoreFault> {
    let cut_seq = feed.cut_seq(Some(base));
    let row = args![account.0, section.as_str(), base.snapshot_seq, cut_seq, feed.ready_seq];
    tx.exec(&sql::base_put, row)?;
    Ok(cut_seq)
}

/// Every file that some snapshot or upload needs.
pub fn blobs_needed(tx: &mut Tx<'_>) -> Result<std::collections::HashSet<BlobName>, StoreFault> {
    let mut needed = std::collections::HashSet::new();
    for row in tx.run(&sql::blob_needed, args![])? {
        needed.extend(BlobName::parse(row.text(0)?));
    }
    Ok(needed)
}
