//! Origin of an item: the deltas that touched it after the cut, and the kept feeds, newest first.
//!
//! The store keeps what the catalogue may still need, and no more: a change that a later whole replacement or removal
//! made unreachable is gone, and so are changes before the cut, and all but the last few snapshots.

use crate::blobs::{Blobs, Hold};
use crate::catalogue::changes::{AfterCut, ChangeAction, sku_of};
use crate::catalogue::fault::CatalogueFault;
use crate::catalogue::snapshot::Snapshot;
use crate::catalogue::visible::CatalogueView;
use crate::catalogue::{base, names};
use crate::clock::Millis;
use crate::feeds::section::{FeedPart, Section};
use crate::ids::AccountId;
use crate::store::{Row, StoreFault, Tx};
use crate::{args, limits, sql};

/// An item and its known history.
pub struct Timeline {
    /// Its id.
    pub id: String,
    /// Its row as it is shown now, in normal form; `None` when it is not shown.
    pub shown: Option<Vec<u8>>,
    /// Changes and feeds that touched it, newest first.
    pub entries: Vec<TimelineEntry>,
}

/// One thing that touched an item.
pub struct TimelineEntry {
    /// Sequence of the submission.
    pub seq: i64,
    /// Number of a feed among the account's feeds, if its snapshot tells it; that of a delta stands with its status.
    pub kind_number: Option<i64>,
    /// The part of that submission in which the row stood.
    pub part: FeedPart,
    /// Number of the row in that section, from 1; `None` if the feed does not have the item.
    pub row_number: Option<i64>,
    /// Change or feed.
    pub touch: ItemTouch,
}

/// Change of an item by a delta, or a feed that may have the item.
pub enum ItemTouch {
    /// A delta changed it.
    Change {
        /// Action of the change.
        what: ChangeAction,
        /// The row in normal form, the list of categories, or the members of a variant.
        body: Option<Vec<u8>>,
        /// The row as it was sent, if it was kept.
        raw: Option<Vec<u8>>,
    },
    /// A feed that was published, and is kept.
    Feed {
        /// When it was published.
        published_at: Millis,
        /// True if the catalogue stands on it now.
        is_base: bool,
        /// Its row, if the feed has the item.
        row: Option<Vec<u8>>,
    },
}

/// The timeline of an item by its id or SKU, even if it is no longer shown; `None` when the item is unknown.
///
/// # Errors
/// When the store fails or a snapshot cannot be read.
pub fn timeline(
    tx: &mut Tx<'_>,
    blobs: &Blobs,
    account: AccountId,
    section: Section,
    key: &str,
) -> Result<Option<Timeline>, CatalogueFault> {
    let mut view = View::open(tx, blobs, account, section)?;
    if let Some(item) = CatalogueView::open(view.tx, blobs, account)?.find_by_key(section, key)? {
        let entries = view.entries(&item.id)?;
        return Ok(Some(Timeline { id: item.id, shown: Some(item.row), entries }));
    }
    let named = view.ids_of_sku(key)?;
    for id in [key.to_owned()].into_iter().chain(named) {
        let entries = view.entries(&id)?;
        let is_known = entries.iter().any(|entry| entry.row_number.is_some());
        if is_known {
            return Ok(Some(Timeline { id, shown: None, entries }));
        }
    }
    Ok(None)
}

/// A section with all its kept data.
struct View<'a, 'tx> {
    tx: &'a mut Tx<'tx>,
    account: AccountId,
    section: Section,
    /// Changes up to this sequence do not count.
    cut: i64,
    /// The feed the section stands on.
    base_seq: Option<i64>,
    /// Newest first.
    feeds: Vec<TimelineSnapshot>,
}

/// A feed's snapshot that is kept.
struct TimelineSnapshot {
    seq: i64,
    kind_number: Option<i64>,
    published_at: Millis,
    items: Snapshot,
    skus: Option<Snapshot>,
}

impl<'a, 'tx> View<'a, 'tx> {
    fn open(
        tx: &'a mut Tx<'tx>,
        blobs: &Blobs,
        account: AccountId,
        section: Section,
    ) -> Result<Self, CatalogueFault> {
        let files = blobs.hold_files();
        let base = base::list(tx, account)?.remove(&section);
        let kept = base::list_retained(tx, account, section)?;
        let feeds = kept.iter().map(|kept| TimelineSnapshot::open(&files, kept)).collect::<Result<_, _>>()?;
        let (cut, base_seq) = base.as_ref().map_or((0, None), |base| (base.cut_seq, Some(base.snapshot_seq)));
        Ok(Self { tx, account, section, cut, base_seq, feeds })
    }

    /// Ids of items that had this SKU, newest first.
    fn ids_of_sku(&mut self, sku: &str) -> Result<Vec<String>, CatalogueFault> {
        let after = AfterCut { account: self.account, section: self.section, cut: self.cut };
        let changed = after.touched_by_sku(self.tx, sku)?;
        let mut ids: Vec<String> = changed.into_iter().collect();
        for skus in self.feeds.iter().filter_map(|feed| feed.skus.as_ref()) {
            ids.extend(names::id_of_sku(&mut skus.rows_anywhere()?, sku)?);
        }
        Ok(ids)
    }

    fn entries(&mut self, id: &str) -> Result<Vec<TimelineEntry>, CatalogueFault> {
        let mut feeds = Vec::with_capacity(self.feeds.len());
        for feed in &self.feeds {
            let found = feed.items.get_with_number(id)?;
            let (row_number, row) = found.map_or((None, None), |(number, row)| (Some(number), Some(row)));
            let row_number = row_number.map(|number| i64::try_from(number).unwrap_or(i64::MAX));
            let is_base = self.base_seq == Some(feed.seq);
            let touch = ItemTouch::Feed { published_at: feed.published_at, is_base, row };
            feeds.push(TimelineEntry {
                seq: feed.seq,
                kind_number: feed.kind_number,
                part: FeedPart::Items(self.section),
                row_number,
                touch,
            });
        }
        let mut entries = self.changes(id, &feeds)?;
        entries.append(&mut feeds);
        Ok(entries)
    }

    /// Changes of an item by deltas, newest first; also removals by the SKU that it has.
    fn changes(&mut self, id: &str, feeds: &[TimelineEntry]) -> Result<Vec<TimelineEntry>, CatalogueFault> {
        let section = self.section;
        let most = limits::PAGE_ITEMS as i64;
        let args = args![self.account.0, section.as_str(), id, self.cut, most];
        let mut rows = self.tx.run(&sql::change_timeline, args)?;
        let changes = rows.iter().map(|row| change(section, row)).collect::<Result<Vec<_>, _>>()?;
        let bodies = changes.iter().chain(feeds).filter_map(|entry| match &entry.touch {
            ItemTouch::Change { what: ChangeAction::Put, body, .. } => body.as_deref(),
            ItemTouch::Feed { is_base: true, row, .. } => row.as_deref(),
            ItemTouch::Change { .. } | ItemTouch::Feed { .. } => None,
        });
        let skus = bodies.take(1).map(sku_of).collect::<Result<Vec<_>, _>>()?;
        if let Some(sku) = skus.into_iter().flatten().find(|sku| sku != id) {
            let args = args![self.account.0, section.as_str(), sku.as_str(), self.cut, id, most];
            rows.extend(self.tx.run(&sql::change_timeline_by_sku, args)?);
        }
        rows.sort_by_key(|row| std::cmp::Reverse((row.int("seq").unwrap_or(0), row.int("n").unwrap_or(0))));
        Ok(rows.iter().map(|row| change(section, row)).collect::<Result<_, _>>()?)
    }
}

impl TimelineSnapshot {
    fn open(files: &Hold, kept: &base::RetainedSnapshot) -> Result<Self, CatalogueFault> {
        let skus = kept.new.sku_blob.map(|name| Snapshot::open(files, &name)).transpose()?;
        let items = Snapshot::open(files, &kept.new.blob)?;
        Ok(Self {
            seq: kept.seq,
            kind_number: kept.kind_number,
            published_at: kept.published_at,
            items,
            skus,
        })
    }
}

fn change(section: Section, row: &Row) -> Result<TimelineEntry, StoreFault> {
    let what = ChangeAction::parse(row.text("op")?);
    let what = what.ok_or(StoreFault::Shape { statement: "change_timeline", column: "op" })?;
    let blob = |column| Ok::<_, StoreFault>(row.opt_blob(column)?.map(<[u8]>::to_vec));
    Ok(TimelineEntry {
        seq: row.int("seq")?,
        kind_number: None,
        part: sent_in(section, what),
        row_number: Some(row.int("row_number")?),
        touch: ItemTouch::Change { what, body: blob("body")?, raw: blob("raw")? },
    })
}

/// The part of a delta that makes such a change to an item of `section`.
fn sent_in(section: Section, what: ChangeAction) -> FeedPart {
    match (what, section) {
        (ChangeAction::Put, section) => FeedPart::Items(section),
        (ChangeAction::Join, _) => FeedPart::SetCategoryOnProducts,
        (ChangeAction::Leave, _) => FeedPart::RemoveCategoryFromProducts,
        (ChangeAction::AddVariant | ChangeAction::SetVariant, _) => FeedPart::SetVariants,
        (ChangeAction::DeleteVariant, _) => FeedPart::DeleteVariants,
        (ChangeAction::Delete, Section::AccountPrices) => FeedPart::DeleteAccountPrices,
        (ChangeAction::Delete, _) => FeedPart::DeleteProducts,
    }
}
