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
            named.extend(if found.is_empty() { keys } else { found });
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

#[cfg(test)]
mod tests {
    use super::super::testing::make_index;
    use super::*;

    fn item(section: Section, id: &str, row: &str) -> Vec<CurrentItem> {
        vec![CurrentItem { section, id: id.to_owned(), row: Some(row.as_bytes().to_vec()) }]
    }

    fn lamp() -> Vec<CurrentItem> {
        item(Section::Products, "P1", "{\"Id\":\"P1\",\"Sku\":\"S-1\",\"Title\":\"Lamp\"}")
    }

    fn price() -> Vec<CurrentItem> {
        item(
            Section::AccountPrices,
            "tag|P1",
            "{\"AccountTag\":\"tag\",\"Id\":\"P1\",\"Prices\":[\"8.00 GBP\"]}",
        )
    }

    fn brand(name: &str) -> Vec<CurrentItem> {
        item(Section::Brands, "b1", &format!("{{\"Id\":\"b1\",\"DisplayName\":\"{name}\"}}"))
    }

    fn follower<'a>(index: &'a mut Index, tables: &'a mut SectionTables, room: u64) -> IndexFollower<'a> {
        IndexFollower {
            index,
            tables,
            taken: 0,
            room,
            touched: BTreeSet::new(),
            is_stale: false,
            has_products: false,
            is_to_be_cleared: false,
        }
    }

    #[test]
    fn keys_that_the_index_does_not_find_stay_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut index = make_index(folder.path(), 0);
        let mut tables = SectionTables::default();
        let keys = BTreeSet::from(["++", "--", "P-1", "p1"].map(str::to_owned));
        let resolved = follower(&mut index, &mut tables, 1).resolve_keys(keys.clone()).expect("an index");
        assert_eq!(resolved, keys);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn rows_that_come_after_products_touch_them_until_all_come_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut index = make_index(folder.path(), 0);
        let mut tables = SectionTables::default();
        let mut filling = follower(&mut index, &mut tables, 1);
        for items in [price(), brand("Alder")] {
            filling.apply_items(items).expect("a row");
        }
        assert!(filling.touched.is_empty() && !filling.is_stale && filling.taken == 0, "there is no product");
        filling.apply_items(lamp()).expect("there is room for one");
        assert!(filling.has_products && filling.taken == 1);
        filling.tables.set_ahead(true);
        for items in [price(), brand("Birch")] {
            filling.apply_items(items).expect("a row");
        }
        assert!(filling.touched.iter().eq(["P1"]) && filling.is_stale);
        assert!(matches!(filling.apply_items(lamp()), Err(SearchFault::Outgrown)));
        assert_eq!(filling.index.commit("first").expect("a commit").products(), 1);
        filling.clear();
        assert!(filling.touched.is_empty() && !filling.is_stale && !filling.has_products);
        assert_eq!(filling.tables.shop().brands.name("b1"), "b1", "the tables are empty");
        filling.apply_items(Vec::new()).expect("nothing comes");
        assert!(!filling.is_to_be_cleared);
        assert_eq!(filling.index.commit("second").expect("a commit").products(), 0);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_row_that_is_no_document_is_a_fault_of_its_section() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut index = make_index(folder.path(), 0);
        let mut tables = SectionTables::default();
        let mut filling = follower(&mut index, &mut tables, 9);
        for section in [Section::Products, Section::Categories, Section::Brands, Section::AccountPrices] {
            let applied = filling.apply_items(item(section, "tag|P1", "[]"));
            assert!(matches!(applied, Err(SearchFault::Row(_))), "{section:?}");
        }
        let applied = SectionTables::default().apply_items(item(Section::Brands, "b1", "[]"));
        assert!(matches!(applied, Err(SearchFault::Row(_))));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn keys_are_resolved_to_the_products_that_have_them_and_stay_where_none_has() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut index = make_index(folder.path(), 0);
        let mut tables = SectionTables::default();
        let mut filling = follower(&mut index, &mut tables, 9);
        filling.apply_items(lamp()).expect("a product");
        filling.index.commit("first").expect("a commit");
        let keys = ["s1", "S-1", "P1", "none-9"].map(str::to_owned).into_iter().collect();
        assert!(filling.resolve_keys(keys).expect("an index").iter().eq(["P1", "none-9"]));
    }
}
