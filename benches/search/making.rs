//! Index as the server makes one (`projections/search/build`): all products are read and counted, then read and written.

use std::path::Path;
use std::sync::Arc;

use lethe::search::document::{ShopTables, read_document};
use lethe::search::index::{DocumentChange, Index};
use lethe::search::index_context::IndexContext;
use lethe::search::spellcheck::Dictionary;
use lethe::search::statistics::{Statistics, StatisticsCounter};
use lethe::search::text::{Analyser, ShopLanguage};

use super::catalogue::Catalogue;

/// Data that all shops of a language share.
pub struct English {
    pub analyser: Arc<Analyser>,
    dictionary: Arc<Dictionary>,
}

impl English {
    pub fn new() -> Self {
        let language = ShopLanguage::parse("en").expect("a language");
        let dictionary = Dictionary::of_system(language, &Dictionary::FOLDERS.map(Path::new));
        Self { analyser: Arc::new(Analyser::new(language)), dictionary: Arc::new(dictionary) }
    }

    /// Counts these products; returns the knowledge that goes with their index.
    pub fn count(&self, catalogue: &Catalogue, products: u64) -> Arc<IndexContext> {
        let tables = ShopTables::default();
        let mut counter = StatisticsCounter::new(Arc::clone(&self.analyser), []);
        for number in 0..products {
            counter.add(&read_document(catalogue.row(number).as_bytes(), &tables).expect("a product"));
        }
        self.know(counter.finish())
    }

    /// The knowledge that goes with an index with these statistics.
    pub fn know(&self, statistics: Statistics) -> Arc<IndexContext> {
        IndexContext::new(Arc::clone(&self.analyser), Arc::new(statistics), Arc::clone(&self.dictionary))
    }

    /// Makes the index of these products in an empty folder.
    pub fn index(&self, catalogue: &Catalogue, products: u64, folder: &Path) -> Index {
        let knowledge = self.count(catalogue, products);
        std::fs::write(folder.join("statistics"), knowledge.statistics().encode()).expect("written");
        let tables = ShopTables::default();
        let mut index = Index::create(folder, knowledge).expect("an index");
        for number in 0..products {
            let document = read_document(catalogue.row(number).as_bytes(), &tables).expect("a product");
            index.write(DocumentChange::Put(&document)).expect("written");
        }
        index.commit("").expect("committed");
        index
    }
}
