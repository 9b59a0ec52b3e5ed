//! Assets that all shops of a language share, built once.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::search::index_context::IndexContext;
use crate::search::spellcheck::Dictionary;
use crate::search::statistics::Statistics;
use crate::search::text::{Analyser, ShopLanguage};

/// The languages of the shops that were searched.
#[derive(Default)]
pub(super) struct LanguageAssetCache(Mutex<HashMap<ShopLanguage, LanguageAssets>>);

#[derive(Clone)]
struct LanguageAssets {
    analyser: Arc<Analyser>,
    dictionary: Arc<Dictionary>,
}

impl LanguageAssetCache {
    /// Analyser of texts in this language. Shops that keep words apart have one of their own.
    pub(super) fn analyser(&self, language: ShopLanguage, apart: &[String]) -> Arc<Analyser> {
        if apart.is_empty() {
            return self.words(language).analyser;
        }
        Arc::new(Analyser::with_words_apart(language, apart))
    }

    /// Knowledge that a search needs besides its index.
    pub(super) fn knowledge(
        &self,
        language: ShopLanguage,
        apart: &[String],
        statistics: Arc<Statistics>,
    ) -> Arc<IndexContext> {
        IndexContext::new(self.analyser(language, apart), statistics, self.words(language).dictionary)
    }

    fn words(&self, language: ShopLanguage) -> LanguageAssets {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || LanguageAssets {
            analyser: Arc::new(Analyser::new(language)),
            dictionary: Arc::new(Dictionary::of_system(language, &Dictionary::FOLDERS.map(Path::new))),
        };
        known.entry(language).or_insert_with(make).clone()
    }
}
