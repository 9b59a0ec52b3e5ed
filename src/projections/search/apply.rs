//! An index while it takes what its account shows.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::SearchFault;
use super::tables::{AffectedProducts, SectionTables};
use crate::catalogue::since::CurrentItem;
use crate::feeds::section::Section;
use crate::projections::follow::Follower;
use crate::search::index::{DocumentChange, Index};
use crate::search::statistics::StatisticsCounter;
use crate::search::text::fold_identifier;

impl Follower for SectionTables {
    type Fault = SearchFault;

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn apply_items(&mut self, items: Vec<CurrentItem>) -> Result<(), SearchFault> {
        for CurrentItem { section, id, row } in items {
            self.set_row(section, &id, row)?;
        }
        Ok(())
    }
}

/// Counts the products for the statistics of an index.
pub(super) struct StatisticsFollower<'a> {
    pub(super) tables: &'a SectionTables,
    pub(super) counter: StatisticsCounter,
    /// A counter without anything.
    pub(super) begin: &'a (dyn Fn() -> StatisticsCounter + Send + Sync),
}

impl Follower for StatisticsFollower<'_> {
    type Fault = SearchFault;

    fn clear(&mut self) {
        self.counter = (self.begin)();
    }

    fn apply_items(&mut self, items: Vec<CurrentItem>) -> Result<(), SearchFault> {
        tokio::task::block_in_place(|| {
            for row in items.into_iter().filter_map(|seen| seen.row) {
                self.counter.add(&self.tables.document(&row)?);
            }
            Ok(())
        })
    }
}

/// An index that takes rows; they are visible only after the commit.
pub(super) struct IndexFollower<'a> {
    pub(super) index: &'a mut Index,
    pub(super) tables: &'a mut SectionTables,
    /// Rows of products that came.
    pub(super) taken: u64,
    /// Number of rows that may still come.
    pub(super) room: u64,
    /// Products, by id or SKU, whose document changes without their row.
    pub(super) touched: BTreeSet<String>,
    /// A brand or category changed after products came: all have to come again.
    pub(super) is_stale: bool,
    /// True if there are documents.
    pub(super) has_products: bool,
    /// Everything has to go from the index before anything comes.
    pub(super) is_to_be_cleared: bool,
}

impl Follower for IndexFollower<'_> {
    type Fault = SearchFault;

    fn clear(&mut self) {
        self.is_to_be_cleared = true;
        *self.tables = SectionTables::default();
        self.touched.clear();
        self.is_stale = false;
        self.has_products = false;
    }

    fn apply_items(&mut self, items: Vec<CurrentItem>) -> Result<(), SearchFault> {
        tokio::task::block_in_place(|| {
            self.clear_if_due()?;
            items.into_iter().try_for_each(|seen| self.take_one(seen))
        })
    }
}

impl IndexFollower<'_> {
    /// Lets everything go from the index if that is due.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub(super) fn clear_if_due(&mut self) -> Result<(), SearchFault> {
        if std::mem::take(&mut self.is_to_be_cleared) { Ok(self.index.clear()?) } else { Ok(()) }
    }

    /// The ids of the products that the index finds by these ids and article numbers, and the ones that find none: they
    /// may have neither letter nor digit.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(super) fn resolve_keys(&self, keys: BTreeSet<String>) -> Result<BTreeSet<String>, SearchFault> {
        let snapshot = self.index.snapshot();
        // Keys that are spellings of one number cause one look-up.
        let mut keys_by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for key in keys {
            keys_by_name.entry(fold_identifier(&key)).or_default().push(key);
        }
        let mut named = BTreeSet::new();
        for (name, keys) in keys_by_name {
            let found = snapshot.find_ids(&name)?;
            let most = found.len();
            named.extend(if found.is_empty() { keys } else { found }.into_iter().take(most.max(1)));
        }
        Ok(named)
    }

    fn take_one(&mut self, CurrentItem { section, id, row }: CurrentItem) -> Result<(), SearchFault> {
        if section == Section::Products {
            // A price of this id may belong to other products too, which have it as an article number.
            self.taken += 1;
            self.has_products = true;
            metrics::counter!("lethe_search_written_products_total").increment(1);
            if self.taken > self.room {
                return Err(SearchFault::Outgrown);
            }
            let document = row.map(|row| self.tables.document(&row)).transpose()?;
            let change = document.as_ref().map_or(DocumentChange::Remove(&id), DocumentChange::Put);
            return Ok(self.index.write(change)?);
        }
        match self.tables.set_row(section, &id, row)? {
            AffectedProducts::Nothing => {}
            AffectedProducts::Product(product) => {
                self.touched.extend(self.has_products.then_some(product));
            }
            AffectedProducts::Any => self.is_stale |= self.has_products,
        }
        Ok(())
    }
}
