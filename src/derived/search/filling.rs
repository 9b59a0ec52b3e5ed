//! An index while it takes what its account shows.

use std::collections::{BTreeMap, BTreeSet};

use super::SearchFault;
use super::tables::{Tables, Touches};
use crate::catalogue::since::Seen;
use crate::derived::follow::Follower;
use crate::feeds::section::Section;
use crate::search::index::{Change, Index};
use crate::search::statistics::Counter;
use crate::search::text::squeezed;

impl Follower for Tables {
    type Fault = SearchFault;

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn take(&mut self, items: Vec<Seen>) -> Result<(), SearchFault> {
        for Seen { section, id, row } in items {
            self.set(section, &id, row)?;
        }
        Ok(())
    }
}

/// Counts what the statistics of an index are made of.
pub(super) struct Counting<'a> {
    pub(super) tables: &'a Tables,
    pub(super) counter: Counter,
    /// A counter without anything.
    pub(super) begin: &'a (dyn Fn() -> Counter + Send + Sync),
}

impl Follower for Counting<'_> {
    type Fault = SearchFault;

    fn clear(&mut self) {
        self.counter = (self.begin)();
    }

    fn take(&mut self, items: Vec<Seen>) -> Result<(), SearchFault> {
        tokio::task::block_in_place(|| {
            for row in items.into_iter().filter_map(|seen| seen.row) {
                self.counter.add(&self.tables.document(&row)?);
            }
            Ok(())
        })
    }
}

/// An index that takes rows; nothing of them is seen before it is committed.
pub(super) struct Filling<'a> {
    pub(super) index: &'a mut Index,
    pub(super) tables: &'a mut Tables,
    /// Rows of products that came.
    pub(super) taken: u64,
    /// So many of them may come.
    pub(super) room: u64,
    /// Products, by id or SKU, whose document changes without their row.
    pub(super) touched: BTreeSet<String>,
    /// A brand or category changed after products came: all have to come again.
    pub(super) is_stale: bool,
    /// Whether there are documents.
    pub(super) has_products: bool,
    /// Everything has to go from the index before anything comes.
    pub(super) is_to_be_cleared: bool,
}

impl Follower for Filling<'_> {
    type Fault = SearchFault;

    fn clear(&mut self) {
        self.is_to_be_cleared = true;
        *self.tables = Tables::default();
        self.touched.clear();
        self.is_stale = false;
        self.has_products = false;
    }

    fn take(&mut self, items: Vec<Seen>) -> Result<(), SearchFault> {
        tokio::task::block_in_place(|| {
            self.clear_if_due()?;
            items.into_iter().try_for_each(|seen| self.take_one(seen))
        })
    }
}

impl Filling<'_> {
    /// Lets everything go from the index if that is due.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub(super) fn clear_if_due(&mut self) -> Result<(), SearchFault> {
        if std::mem::take(&mut self.is_to_be_cleared) { Ok(self.index.clear()?) } else { Ok(()) }
    }

    /// The ids of the products that the index finds by these ids and article numbers, and those by which it finds none:
    /// they may have neither letter nor digit.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(super) fn named(&self, keys: BTreeSet<String>) -> Result<BTreeSet<String>, SearchFault> {
        let snapshot = self.index.snapshot();
        // However many keys are one number written otherwise, it is looked up once.
        let mut keys_by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for key in keys {
            keys_by_name.entry(squeezed(&key)).or_default().push(key);
        }
        let mut named = BTreeSet::new();
        for (name, keys) in keys_by_name {
            let found = snapshot.named(&name)?;
            let most = found.len();
            named.extend(if found.is_empty() { keys } else { found }.into_iter().take(most.max(1)));
        }
        Ok(named)
    }

    fn take_one(&mut self, Seen { section, id, row }: Seen) -> Result<(), SearchFault> {
        if section == Section::Products {
            // A price of this id may be that of other products too, which have it as an article number.
            self.taken += 1;
            self.has_products = true;
            metrics::counter!("lethe_search_written_products_total").increment(1);
            if self.taken > self.room {
                return Err(SearchFault::Outgrown);
            }
            let document = row.map(|row| self.tables.document(&row)).transpose()?;
            let change = document.as_ref().map_or(Change::Remove(&id), Change::Put);
            return Ok(self.index.write(change)?);
        }
        match self.tables.set(section, &id, row)? {
            Touches::Nothing => {}
            Touches::Product(product) => {
                self.touched.extend(self.has_products.then_some(product));
            }
            Touches::Any => self.is_stale |= self.has_products,
        }
        Ok(())
    }
}
