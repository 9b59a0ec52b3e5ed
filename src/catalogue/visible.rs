//! What a shop shows now: its snapshots with the changes after their cuts on top.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::blobs::{BlobName, Blobs};
use crate::catalogue::CatalogueFault;
use crate::catalogue::base::{self, Base, Bases};
use crate::catalogue::changes::{self, Folded};
use crate::catalogue::names;
use crate::catalogue::snapshot::Snapshot;
use crate::feeds::section::Section;
use crate::ids::AccountId;
use crate::limits::CHANGES_COUNTED;
use crate::store::Tx;

/// A view of one account's catalogue inside a read transaction.
pub struct Catalogue<'a, 'tx> {
    tx: &'a mut Tx<'tx>,
    blobs: &'a Blobs,
    account: AccountId,
    bases: Bases,
    /// Those read so far: opening one reads its footer.
    snapshots: HashMap<BlobName, Snapshot>,
}

/// An item that is shown.
pub struct Item {
    /// Its id.
    pub id: String,
    /// Its row in normal form, as JSON.
    pub row: Vec<u8>,
    /// The feed its section stands on, by sequence; 0 when no feed was published.
    pub feed_seq: i64,
    /// The delta that touched it last, if one did after that feed.
    pub delta_seq: Option<i64>,
}

impl<'a, 'tx> Catalogue<'a, 'tx> {
    /// Opens the view.
    pub fn open(tx: &'a mut Tx<'tx>, blobs: &'a Blobs, account: AccountId) -> Result<Self, CatalogueFault> {
        let bases = base::list(tx, account)?;
        Ok(Self { tx, blobs, account, bases, snapshots: HashMap::new() })
    }

    fn base(&self, section: Section) -> Option<&Base> {
        self.bases.get(&section)
    }

    fn cut(&self, section: Section) -> i64 {
        self.base(section).map_or(0, |base| base.cut_seq)
    }

    /// An item by its id.
    pub fn get(&mut self, section: Section, id: &str) -> Result<Option<Item>, CatalogueFault> {
        let row = self.row_in_base(section, id)?;
        self.shown(section, id, row)
    }

    /// An item given its row in the snapshot.
    fn shown(
        &mut self,
        section: Section,
        id: &str,
        row: Option<Vec<u8>>,
    ) -> Result<Option<Item>, CatalogueFault> {
        let cut = self.cut(section);
        let Folded { row, changed_seq } = changes::fold(self.tx, self.account, section, id, cut, row)?;
        let feed_seq = self.base(section).map_or(0, |base| base.snapshot_seq);
        Ok(row.map(|row| Item { id: id.to_owned(), row, feed_seq, delta_seq: changed_seq }))
    }

    /// An item by its id; if none has it, by its SKU; if none has that either, the product that lists it as a child.
    pub fn find(&mut self, section: Section, key: &str) -> Result<Option<Item>, CatalogueFault> {
        if let Some(item) = self.get(section, key)? {
            return Ok(Some(item));
        }
        if let Some(id) = self.id_of_sku(section, key)?
            && let Some(item) = self.get(section, &id)?
        {
            return Ok(Some(item));
        }
        self.parent(section, key)
    }

    /// The item that lists this child, as it is shown: a delta may have taken the child from it.
    fn parent(&mut self, section: Section, child: &str) -> Result<Option<Item>, CatalogueFault> {
        let cut = self.cut(section);
        let changed = changes::item_of_child(self.tx, self.account, section, child, cut)?;
        let in_base = match self.base(section).and_then(|base| base.sku_blob) {
            Some(name) => names::id_of_parent(self.snapshot(name)?, child)?,
            None => None,
        };
        for id in changed.into_iter().chain(in_base) {
            if let Some(item) = self.get(section, &id)?
                && names::is_listed(&item.row, child)?
            {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }

    /// The id of the item with this SKU, when the two differ.
    pub fn id_of_sku(&mut self, section: Section, sku: &str) -> Result<Option<String>, CatalogueFault> {
        let cut = self.cut(section);
        if let Some(id) = changes::item_of_sku(self.tx, self.account, section, sku, cut)? {
            return Ok(Some(id));
        }
        self.id_of_sku_in_base(section, sku)
    }

    fn id_of_sku_in_base(&mut self, section: Section, sku: &str) -> Result<Option<String>, CatalogueFault> {
        let Some(name) = self.base(section).and_then(|base| base.sku_blob) else { return Ok(None) };
        names::id_of_sku(self.snapshot(name)?, sku)
    }

    fn snapshot(&mut self, name: BlobName) -> Result<&Snapshot, CatalogueFault> {
        Ok(match self.snapshots.entry(name) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(free) => free.insert(Snapshot::open(self.blobs, &name)?),
        })
    }

    /// How many items are shown.
    pub fn count(&mut self, section: Section) -> Result<i64, CatalogueFault> {
        let mut count = self.base(section).map_or(0, |base| base.items);
        let mut after = String::new();
        loop {
            let items = self.changed_after(section, &after, CHANGES_COUNTED)?;
            for id in &items {
                count += self.difference(section, id)?;
            }
            match items.last() {
                Some(last) => after.clone_from(last),
                None => return Ok(count + self.hidden_by_sku(section)?),
            }
        }
    }

    /// What changes do to the count for one item: 1, 0 or -1.
    fn difference(&mut self, section: Section, id: &str) -> Result<i64, CatalogueFault> {
        let before = self.row_in_base(section, id)?;
        let was = i64::from(before.is_some());
        Ok(i64::from(self.shown(section, id, before)?.is_some()) - was)
    }

    /// The same for items that no change names but by their SKU.
    fn hidden_by_sku(&mut self, section: Section) -> Result<i64, CatalogueFault> {
        let (cut, mut count, mut after) = (self.cut(section), 0, String::new());
        loop {
            let skus = changes::deleted_skus(self.tx, self.account, section, cut, &after, CHANGES_COUNTED)?;
            for sku in &skus {
                let Some(id) = self.id_of_sku_in_base(section, sku)? else { continue };
                if !changes::is_touched(self.tx, self.account, section, &id, cut)? {
                    count += self.difference(section, &id)?;
                }
            }
            match skus.last() {
                Some(last) => after.clone_from(last),
                None => return Ok(count),
            }
        }
    }

    fn changed_after(
        &mut self,
        section: Section,
        after: &str,
        limit: i64,
    ) -> Result<Vec<String>, CatalogueFault> {
        let cut = self.cut(section);
        Ok(changes::items(self.tx, self.account, section, cut, after, limit)?)
    }

    fn row_in_base(&mut self, section: Section, id: &str) -> Result<Option<Vec<u8>>, CatalogueFault> {
        let Some(name) = self.base(section).map(|base| base.blob) else { return Ok(None) };
        Ok(self.snapshot(name)?.get(id)?)
    }

    /// A page of items: those of the snapshot in the feed's order, then those only deltas brought.
    /// Gives the items and where the next page begins, if there is one.
    pub fn page(
        &mut self,
        section: Section,
        from: Cursor,
        limit: usize,
    ) -> Result<(Vec<Item>, Option<Cursor>), CatalogueFault> {
        let mut page = Vec::new();
        let mut cursor = from;
        while page.len() < limit {
            let wanted = limit - page.len();
            let next = match cursor {
                Cursor::Snapshot(offset) => self.snapshot_page(section, offset, wanted, &mut page)?,
                Cursor::Added(after) => self.added_page(section, &after, wanted, &mut page)?,
            };
            match next {
                Some(next) => cursor = next,
                None => return Ok((page, None)),
            }
        }
        Ok((page, Some(cursor)))
    }

    fn snapshot_page(
        &mut self,
        section: Section,
        offset: u64,
        wanted: usize,
        page: &mut Vec<Item>,
    ) -> Result<Option<Cursor>, CatalogueFault> {
        let rows = match self.base(section).map(|base| base.blob) {
            Some(name) => self.snapshot(name)?.page(offset, wanted)?,
            None => Vec::new(),
        };
        if rows.is_empty() {
            return Ok(Some(Cursor::Added(String::new())));
        }
        let read = rows.len() as u64;
        for (id, row) in rows {
            page.extend(self.shown(section, &id, Some(row))?);
        }
        Ok(Some(Cursor::Snapshot(offset + read)))
    }

    fn added_page(
        &mut self,
        section: Section,
        after: &str,
        wanted: usize,
        page: &mut Vec<Item>,
    ) -> Result<Option<Cursor>, CatalogueFault> {
        let ids = self.changed_after(section, after, wanted as i64)?;
        for id in &ids {
            if self.row_in_base(section, id)?.is_none() {
                page.extend(self.shown(section, id, None)?);
            }
        }
        Ok(ids.last().map(|last| Cursor::Added(last.clone())))
    }
}

/// Where a page begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cursor {
    /// At this row of the snapshot, from 0.
    Snapshot(u64),
    /// After this id among the items that only deltas brought.
    Added(String),
}

impl Cursor {
    /// Reads what [`std::fmt::Display`] wrote; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_at_checked(2)? {
            ("s:", offset) => offset.parse().ok().map(Self::Snapshot),
            ("a:", after) => Some(Self::Added(after.to_owned())),
            _ => None,
        }
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Snapshot(offset) => write!(f, "s:{offset}"),
            Self::Added(after) => write!(f, "a:{after}"),
        }
    }
}
