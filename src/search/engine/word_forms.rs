//! Words of a shop's texts that count as the same word.

use crate::limits;
use crate::search::index::snapshot::IndexSnapshot;

/// A word of the shop's texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordForm {
    /// The word, folded.
    pub word: String,
    /// Number of products with it.
    pub products: u32,
}

impl IndexSnapshot {
    /// The first word of a text, folded, and the other words of the shop that count as the same, those of most products
    /// first; `None` for a text without a word.
    #[must_use]
    pub fn word_forms(&self, text: &str) -> Option<(String, Vec<WordForm>)> {
        let analyser = self.knowledge.analyser();
        let word = analyser.words(text).into_iter().next()?;
        let stem = analyser.stem(&word);
        // All words are stemmed: forms of a word may begin otherwise (`yeux`, `oeil`).
        let is_form = |other: &str| other != word && analyser.stem(other) == stem;
        let words = self.knowledge.statistics().words().iter().filter(|(other, _)| is_form(other));
        let mut forms: Vec<_> = words
            .map(|(other, entry)| WordForm { word: other.to_owned(), products: entry.products })
            .collect();
        forms.sort_by(|a, b| b.products.cmp(&a.products).then_with(|| a.word.cmp(&b.word)));
        forms.truncate(limits::SEARCH_WORD_FORMS);
        Some((word, forms))
    }
}
