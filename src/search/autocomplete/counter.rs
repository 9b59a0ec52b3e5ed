//! Counts for completions: phrases, names, and words that stand in titles together.

use super::phrases::{NO_WORD, PhraseKey, Phrases};
use super::statistics::{CompletionStatistics, Name};
use super::vocabulary::{TitleWord, Vocabulary};
use crate::search::document::ProductDocument;
use crate::search::text::{Analyser, fold_text};
use std::collections::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Titles kept for combinations of words: a fair sample of more.
const TITLES_MAX: usize = 100_000;
/// A title begins with its product's name; words far from it are specifications.
const TITLE_WORDS_MAX: usize = 64;
/// Words of names and titles have fewer letters; longer ones are codes.
const WORD_BYTES_MAX: usize = 40;
/// A category is as good as a phrase of this many brands.
const CATEGORY_BRANDS: f64 = 5.0;

/// Counts products. The order in which they come does not matter, as long as there are fewer phrases than fit.
pub struct CompletionCounter {
    analyser: Arc<Analyser>,
    numbers: HashMap<String, u32>,
    words: Vec<TitleWord>,
    phrases: Phrases,
    brands: HashMap<String, (u32, Name)>,
    categories: HashMap<String, Name>,
    titles: Vec<(u64, Box<[u32]>)>,
    /// Titles with a larger hash are not in the sample.
    title_hash_max: u64,
}

/// A word where it stands in a title.
struct Placed {
    number: u32,
    /// True if a phrase may continue from the word before.
    follows: bool,
    is_plain: bool,
}

impl CompletionCounter {
    /// Counts nothing yet.
    #[must_use]
    pub fn new(analyser: Arc<Analyser>) -> Self {
        Self {
            analyser,
            numbers: HashMap::new(),
            words: Vec::new(),
            phrases: Phrases::default(),
            brands: HashMap::new(),
            categories: HashMap::new(),
            titles: Vec::new(),
            title_hash_max: u64::MAX,
        }
    }

    /// Counts a product. A product that some callers do not see is passed over: a completion would reveal it.
    pub fn add(&mut self, document: &ProductDocument) {
        let is_public = !document.hidden && document.offer.inclusions.is_empty();
        if !is_public {
            return;
        }
        let brand = self.count_brand(document);
        for (id, name) in document.categories.iter().zip(&document.category_names) {
            match self.categories.get_mut(id) {
                Some(category) => category.products += 1,
                None => drop(self.categories.insert(id.clone(), Name::new(name, id))),
            }
        }
        let placed = self.place_words(&document.title);
        self.count_phrases(&placed, brand);
        self.keep_title(&document.id, &placed);
    }

    fn count_brand(&mut self, document: &ProductDocument) -> u32 {
        if document.brand_id.is_empty() {
            return NO_WORD;
        }
        let next = u32::try_from(self.brands.len()).unwrap_or(NO_WORD);
        match self.brands.get_mut(&document.brand_id) {
            Some((number, brand)) => {
                brand.products += 1;
                *number
            }
            None => {
                let name = Name::new(&document.brand, &document.brand_id);
                self.brands.insert(document.brand_id.clone(), (next, name));
                next
            }
        }
    }

    /// The words of a title, numbered.
    fn place_words(&mut self, title: &str) -> Vec<Placed> {
        let analyser = Arc::clone(&self.analyser);
        let mut placed: Vec<Placed> = Vec::with_capacity(24);
        let mut end = 0;
        analyser.for_each_word(title, &mut |token| {
            let begin = token.start;
            let between = title.get(end..begin);
            let is_joined = |letter: char| letter.is_whitespace() || "-\u{2010}\u{2011}'’&".contains(letter);
            let follows = between.is_some_and(|between| between.chars().all(is_joined));
            end = token.end;
            // Overlapping pairs of letters of a script without spaces make no phrases.
            let is_pair = between.is_none();
            let is_word = !is_pair && token.word.len() <= WORD_BYTES_MAX;
            if is_word && placed.len() < TITLE_WORDS_MAX {
                let number = self.number(token.word, title.get(token.start..token.end).unwrap_or_default());
                let is_plain = !token.word.contains(|letter: char| letter.is_numeric());
                placed.push(Placed { number, follows, is_plain });
            }
        });
        placed
    }

    fn number(&mut self, word: &str, as_written: &str) -> u32 {
        let number = match self.numbers.get(word) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.words.len()).unwrap_or(NO_WORD);
                let is_function_word = self.analyser.is_function_word(word);
                self.numbers.insert(word.to_owned(), number);
                self.words.push(TitleWord { products: 0, written: Vec::new(), is_function_word });
                number
            }
        };
        if !as_written.is_ascii()
            && let Some(known) = self.words.get_mut(number as usize)
        {
            let lower = self.analyser.language().lower_case(as_written);
            match known.written.iter_mut().find(|(text, _)| *text == lower) {
                Some((_, count)) => *count += 1,
                None => known.written.push((lower, 1)),
            }
        }
        number
    }

    fn count_phrases(&mut self, placed: &[Placed], brand: u32) {
        let mut phrases: Vec<PhraseKey> = Vec::with_capacity(placed.len() * 3);
        let is_edge = |word: &Placed| !self.words[word.number as usize].is_function_word;
        for (first, word) in placed.iter().enumerate() {
            if !word.is_plain || !is_edge(word) {
                continue;
            }
            let mut phrase = [word.number, NO_WORD, NO_WORD];
            phrases.push(phrase);
            for (place, next) in placed[first + 1..].iter().take(2).enumerate() {
                if !next.follows || !next.is_plain {
                    break;
                }
                phrase[place + 1] = next.number;
                if is_edge(next) {
                    phrases.push(phrase);
                }
            }
        }
        phrases.sort_unstable();
        phrases.dedup();
        phrases.into_iter().for_each(|phrase| self.phrases.count(phrase, brand));
    }

    fn keep_title(&mut self, id: &str, placed: &[Placed]) {
        let mut numbers: Vec<u32> = placed.iter().map(|word| word.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.iter().for_each(|number| self.words[*number as usize].products += 1);
        let hash = xxh3_64(id.as_bytes());
        if hash > self.title_hash_max {
            return;
        }
        self.titles.push((hash, numbers.into_boxed_slice()));
        if self.titles.len() > TITLES_MAX {
            self.title_hash_max /= 2;
            let most = self.title_hash_max;
            self.titles.retain(|(hash, _)| *hash <= most);
        }
    }

    /// The statistics for completions.
    #[must_use]
    pub fn finish(self) -> CompletionStatistics {
        let Self { analyser, numbers, words, phrases, brands, categories, mut titles, .. } = self;
        let vocabulary = Vocabulary::new(&analyser, numbers, words);
        let mut all = vocabulary.folded_phrases(phrases);
        let mut brands: Vec<Name> = brands.into_values().map(|(_, name)| name).collect();
        let mut categories: Vec<Name> = categories.into_values().collect();
        sort_names(&mut brands);
        sort_names(&mut categories);
        for name in &brands {
            all.add_name(name, fold_text(&name.text), (1.0 + f64::from(name.products)).log2());
        }
        for name in &categories {
            let key = vocabulary.commonest_form(&analyser, &fold_text(&name.text), &all);
            all.add_name(name, key, (1.0 + CATEGORY_BRANDS).log2());
        }
        titles.sort();
        let titles = vocabulary.titles(titles.into_iter().map(|(_, words)| words));
        CompletionStatistics::new(&all.by_text, titles, brands, categories)
    }
}

fn sort_names(names: &mut [Name]) {
    names.sort_by(|one, other| {
        other
            .products
            .cmp(&one.products)
            .then_with(|| one.text.cmp(&other.text))
            .then_with(|| one.id.cmp(&other.id))
    });
}
