//! Words of products that are typing errors of common ones: who types the common word does not find these products.

use super::Corrector;
use super::candidates::Candidates;
use super::distance::Pattern;

/// A word is common that so many products have.
const COMMON_PRODUCTS: u32 = 20;
/// A shorter word is as often another word as a typing error.
const LETTERS: usize = 5;

impl Corrector {
    /// The words that one product only has, that are not in the dictionary, and that one edit makes a common word: each
    /// with that word. What differs in its first letter or its ending is another word or another form of it.
    #[must_use]
    pub fn mistyped(&self) -> Vec<(String, String)> {
        let common = Candidates::of(&self.statistics, |entry| entry.products >= COMMON_PRODUCTS);
        let lone = self.statistics.iter().filter(|(_, entry)| entry.products == 1).map(|(word, _)| word);
        let mut mistyped = Vec::new();
        for word in lone {
            if word.chars().count() < LETTERS || self.analyser.is_function_word(word) {
                continue;
            }
            // red: search::correct::tests::words_of_one_product_that_are_typing_errors_are_found
            if mutant!("words-of-the-dictionary-are-mistyped", self.dictionary.has(word), false) {
                continue;
            }
            let Some(pattern) = Pattern::new(word) else { continue };
            let meant = common.one_edit_away(&self.statistics, &pattern);
            let is_other_form = |meant: &str| {
                meant.starts_with(word)
                    || word.starts_with(meant)
                    || self.analyser.stem(meant) == self.analyser.stem(word)
            };
            let meant = meant.filter(|meant| !is_other_form(meant));
            mistyped.extend(meant.map(|meant| (word.to_owned(), meant.to_owned())));
        }
        mistyped
    }
}
