//! The analyser: from a text to its words and their stems.

use std::sync::{Mutex, PoisonError};

use super::fold::Folding;
use super::language::ShopLanguage;
use super::stem::{StemCache, SuffixStripper};

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextToken<'w> {
    /// The word, folded: lower case, without marks.
    pub word: &'w str,
    /// Its stem; words with digits in them are not stemmed.
    pub stem: &'w str,
    /// The byte of the text at which it begins.
    pub start: usize,
    /// The byte of the text after its last.
    pub end: usize,
    /// Number of words before it.
    pub position: u32,
}

/// Working memory of a call: buffers and a cache of stems.
struct Scratch {
    folding: Folding,
    stems: StemCache,
}

/// Finds words and stems of one language. May be used by many threads; one for each language is enough.
pub struct Analyser {
    language: ShopLanguage,
    endings: SuffixStripper,
    /// Sorted.
    function_words: Vec<&'static str>,
    /// Returned after each call: one for each concurrent call.
    scratches: Mutex<Vec<Scratch>>,
}

impl Analyser {
    /// For texts in this language.
    #[must_use]
    pub fn new(language: ShopLanguage) -> Self {
        let mut function_words: Vec<_> = language.row().function_words.split_whitespace().collect();
        function_words.sort_unstable();
        Self { language, endings: SuffixStripper::new(language), function_words, scratches: Mutex::default() }
    }

    /// The language that it is for.
    #[must_use]
    pub fn language(&self) -> ShopLanguage {
        self.language
    }

    /// Calls `take` with each word of the text, in order. In scripts without spaces these are overlapping pairs of
    /// letters.
    pub fn for_each_word(&self, text: &str, take: &mut dyn FnMut(TextToken<'_>)) {
        let scratch = self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch =
            scratch.unwrap_or_else(|| Scratch { folding: Folding::default(), stems: StemCache::new() });
        let stems = &mut scratch.stems;
        let mut position = 0;
        scratch.folding.for_each_word(text, &mut |word| {
            let stem = stems.stem(&self.endings, word.text);
            take(TextToken { word: word.text, stem, start: word.start, end: word.end, position });
            position += 1;
        });
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }

    /// The folded words of the text.
    #[must_use]
    pub fn words(&self, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        self.for_each_word(text, &mut |token| words.push(token.word.to_owned()));
        words
    }

    /// The stems of the text's words.
    #[must_use]
    pub fn stems(&self, text: &str) -> Vec<String> {
        let mut stems = Vec::new();
        self.for_each_word(text, &mut |token| stems.push(token.stem.to_owned()));
        stems
    }

    /// The stem of a folded word.
    #[must_use]
    pub fn stem(&self, word: &str) -> String {
        self.endings.stem(word).into_owned()
    }

    /// Returns true if a folded word is an article, a preposition or the like.
    #[must_use]
    pub fn is_function_word(&self, word: &str) -> bool {
        self.function_words.binary_search(&word).is_ok()
    }

    /// One form for a folded word and its plural, as a key: not always a word.
    #[must_use]
    pub fn plural(&self, word: &str) -> String {
        super::plural::singular(self.language, word).unwrap_or_else(|| self.stem(word))
    }

    /// The measures in the text, each as number and unit in one spelling: `15"`, `15 inch` and `15-inch` all become
    /// `15in`, `2 x 4 m` becomes `2x4m`.
    #[must_use]
    pub fn units(&self, text: &str) -> Vec<String> {
        super::units::units(self.language, text)
    }
}
