//! An index without products, for tests of what holds one.

use std::path::Path;
use std::sync::Arc;

use super::language_assets::LanguageAssetCache;
use crate::search::document::ProductDocument;
use crate::search::index::Index;
use crate::search::statistics::StatisticsCounter;
use crate::search::text::ShopLanguage;

/// An empty index in a folder, whose statistics are those of so many products.
pub(super) fn make_index(folder: &Path, counted: usize) -> Index {
    let spoken = LanguageAssetCache::default();
    let mut counter = StatisticsCounter::new(spoken.analyser(ShopLanguage::Other, &[]), Vec::new());
    let lamp = ProductDocument { title: "Lamp".to_owned(), ..ProductDocument::default() };
    (0..counted).for_each(|_| counter.add(&lamp));
    let knowledge = spoken.knowledge(ShopLanguage::Other, &[], Arc::new(counter.finish()));
    Index::create(folder, knowledge).expect("an index")
}
