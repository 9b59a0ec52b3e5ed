//! The catalogues with judged queries, a file each, and the indices of their products.

use std::path::Path;
use std::sync::Arc;

use crate::search::feed::{SearchEvalFault, build, count};
use crate::search::judged::FLOORS;
use lethe::search::document::ProductDocument;
use lethe::search::index::snapshot::IndexSnapshot;
use lethe::search::index_context::IndexContext;
use lethe::search::spellcheck::Dictionary;
use lethe::search::text::ShopLanguage;

/// A catalogue and its judged queries.
pub struct Catalogue {
    /// Language of its texts and queries.
    pub language: ShopLanguage,
    /// The feed's file, from the folder of the words.
    pub products: &'static str,
    /// The judgments' file, from there.
    pub judgments: &'static str,
    /// Floor of nDCG@10 raw on these judgments.
    pub floor: f64,
}

const fn catalogue(
    language: ShopLanguage,
    products: &'static str,
    judgments: &'static str,
    floor: f64,
) -> Catalogue {
    Catalogue { language, products, judgments, floor }
}

/// All catalogues, in the order of the table.
pub static CATALOGUES: [Catalogue; 6] = [
    catalogue(
        ShopLanguage::English,
        "../electronics-products.json.gz",
        "../electronics-judgments.csv",
        FLOORS.0,
    ),
    catalogue(ShopLanguage::German, "de-products.json.gz", "de-judgments-dev.csv", 0.81),
    catalogue(ShopLanguage::Dutch, "nl-products.json.gz", "nl-judgments-dev.csv", 0.71),
    catalogue(ShopLanguage::French, "fr-products.json.gz", "fr-judgments-dev.csv", 0.78),
    catalogue(ShopLanguage::Spanish, "es-products.json.gz", "es-judgments-dev.csv", 0.89),
    catalogue(ShopLanguage::Polish, "pl-products.json.gz", "pl-judgments-dev.csv", 0.935),
];

/// The statistics and the index of a shop in memory, in one segment, as a server has them after a merge.
pub struct ShopIndex {
    /// Knowledge besides the index.
    pub knowledge: Arc<IndexContext>,
    /// The products.
    pub snapshot: Arc<IndexSnapshot>,
}

impl ShopIndex {
    /// Indexes products with the dictionaries of this machine.
    ///
    /// # Errors
    ///
    /// If tantivy fails.
    pub fn build(products: &[ProductDocument], language: ShopLanguage) -> Result<Self, SearchEvalFault> {
        let dictionary = Dictionary::of_system(language, &Dictionary::FOLDERS.map(Path::new));
        let knowledge = count(products, language, Arc::new(dictionary));
        Self::build_with(products, knowledge)
    }

    /// Indexes products by the statistics of another catalogue.
    ///
    /// # Errors
    ///
    /// If tantivy fails.
    pub fn build_with(
        products: &[ProductDocument],
        knowledge: Arc<IndexContext>,
    ) -> Result<Self, SearchEvalFault> {
        let mut index = build(products, &knowledge)?;
        index.merge_all()?;
        Ok(Self { snapshot: index.snapshot(), knowledge })
    }
}

/// A product that has nothing but a title.
#[must_use]
pub fn titled(id: String, title: &str) -> ProductDocument {
    ProductDocument { id, title: title.to_owned(), in_stock: true, ..ProductDocument::default() }
}
