//! The analyser: from a text to its words and their stems.

use std::sync::{Mutex, PoisonError};

use super::beside::{BesideKind, BesideReader, BesideToken};
use super::fold::Folding;
use super::language::ShopLanguage;
use super::stem::{StemCache, WordStemmer};

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

/// A word of a text, or a token beside its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPart<'w> {
    /// A word.
    Word(TextToken<'w>),
    /// A token beside them: it counts in the same field, has no position of its own, and adds nothing to a length.
    Beside(BesideToken<'w>),
}

impl<'w> TextPart<'w> {
    /// Its term in the index.
    #[must_use]
    pub fn term(&self) -> &'w str {
        match self {
            Self::Word(token) => token.stem,
            Self::Beside(token) => token.term,
        }
    }
}

/// Working memory of a call: buffers and a cache of stems.
struct Scratch {
    folding: Folding,
    beside: BesideReader,
    stems: StemCache,
}

impl Scratch {
    fn new() -> Self {
        Self { folding: Folding::default(), beside: BesideReader::default(), stems: StemCache::new() }
    }
}

/// Finds words and stems of one language. May be used by many threads; one for each language is enough, and one for
/// each shop that keeps words apart.
pub struct Analyser {
    language: ShopLanguage,
    stemmer: WordStemmer,
    /// Sorted.
    function_words: Vec<&'static str>,
    /// Returned after each call: one for each concurrent call.
    scratches: Mutex<Vec<Scratch>>,
}

impl Analyser {
    /// For texts in this language.
    #[must_use]
    pub fn new(language: ShopLanguage) -> Self {
        Self::with_words_apart(language, &[])
    }

    /// For texts in this language of a shop that keeps these folded words apart: each is its own stem.
    #[must_use]
    pub fn with_words_apart(language: ShopLanguage, apart: &[String]) -> Self {
        let mut function_words: Vec<_> = language.row().function_words.split_whitespace().collect();
        function_words.sort_unstable();
        Self {
            language,
            stemmer: WordStemmer::new(language, apart),
            function_words,
            scratches: Mutex::default(),
        }
    }

    /// The language that it is for.
    #[must_use]
    pub fn language(&self) -> ShopLanguage {
        self.language
    }

    /// Calls `take` with each word of the text, in order. In scripts without spaces these are overlapping pairs of
    /// letters.
    pub fn for_each_word(&self, text: &str, take: &mut dyn FnMut(TextToken<'_>)) {
        self.for_each_part(text, &mut |part| {
            if let TextPart::Word(token) = part {
                take(token);
            }
        });
    }

    /// Calls `take` with each word of the text, as [`Analyser::for_each_word`], and with each token beside the words. A
    /// token comes after the last word that it covers, at the latest before the second word after it.
    pub fn for_each_part(&self, text: &str, take: &mut dyn FnMut(TextPart<'_>)) {
        let mut scratch = self.take_scratch();
        let Scratch { folding, beside, stems } = &mut scratch;
        let mut position = 0;
        beside.begin();
        folding.for_each_word(text, &mut |word| {
            let stem = stems.stem(&self.stemmer, word.text);
            let token = TextToken { word: word.text, stem, start: word.start, end: word.end, position };
            take(TextPart::Word(token));
            beside.take_word(text, &word, &mut |found| self.take_beside(found, stems, take));
            position += 1;
        });
        beside.end(&mut |found| self.take_beside(found, stems, take));
        self.give_back(scratch);
    }

    /// Calls `take` with a token, the words of a join stemmed.
    fn take_beside(&self, found: BesideToken<'_>, stems: &mut StemCache, take: &mut dyn FnMut(TextPart<'_>)) {
        let term = match found.kind {
            BesideKind::Join => stems.stem(&self.stemmer, found.term),
            BesideKind::Decimal | BesideKind::Sign => found.term,
        };
        take(TextPart::Beside(BesideToken { term, ..found }));
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
        self.stemmer.stem(word).into_owned()
    }

    /// Appends the stem of a folded word, from the cache if it is there.
    pub fn push_cached_stem(&self, word: &str, text: &mut String) {
        let mut scratch = self.take_scratch();
        text.push_str(scratch.stems.stem(&self.stemmer, word));
        self.give_back(scratch);
    }

    fn take_scratch(&self) -> Scratch {
        let scratch = self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop();
        scratch.unwrap_or_else(Scratch::new)
    }

    fn give_back(&self, scratch: Scratch) {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }

    /// Returns true if the shop keeps a folded word apart from its other forms.
    #[must_use]
    pub fn is_apart(&self, word: &str) -> bool {
        self.stemmer.is_apart(word)
    }

    /// Returns true if a folded word is an article, a preposition or the like.
    #[must_use]
    pub fn is_function_word(&self, word: &str) -> bool {
        self.function_words.binary_search(&word).is_ok()
    }

    /// One form for a folded word and its plural, as a key: not always a word.
    #[must_use]
    pub fn plural(&self, word: &str) -> String {
        self.stemmer.regular_singular(word).unwrap_or_else(|| self.stem(word))
    }

    /// The measures in the text, each as number and unit in one spelling: `15"`, `15 inch` and `15-inch` all become
    /// `15in`, `2 x 4 m` becomes `2x4m`.
    #[must_use]
    pub fn units(&self, text: &str) -> Vec<String> {
        super::units::units(self.language, text)
    }
}
