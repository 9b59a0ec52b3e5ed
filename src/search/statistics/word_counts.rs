//! Counts of words in a catalogue.

use std::sync::Arc;

use super::bag_of_words::{NoJoinedWords, WordBag, WordMap, WordSet};
use super::blob;
use super::compound_splitter::{CompoundSplitter, PartsByWord};
use super::fields::{FIELDS, SearchField};
use super::frequencies::{Statistics, joinable_words, round};
use super::part_counts::PartsCounter;
use super::patterns::{PatternMap, Patterns, pattern_of};
use crate::search::autocomplete::{CompletionCounter, CompletionStatistics};
use crate::search::document::{AttributeCounter, AttributeStatistics, ProductDocument};
use crate::search::spellcheck::{WordCounter, WordField, WordStatistics};
use crate::search::text::Analyser;

impl Statistics {
    /// Number of products counted.
    #[must_use]
    pub const fn products(&self) -> u32 {
        self.products
    }

    /// Number of products that have the stem with this key, be it as a part of a compound; 0 if none has it.
    #[must_use]
    pub fn frequency(&self, key: u64) -> u32 {
        self.frequencies.get(&key).copied().unwrap_or(0)
    }

    /// Number of products that have the stem with this key by itself or as the head of a compound.
    #[must_use]
    pub fn frequency_as_head(&self, key: u64) -> u32 {
        self.frequency(key).saturating_sub(self.modifier_counts.get(&key).copied().unwrap_or(0))
    }

    /// Keys of the stems that may be heads of compounds.
    #[must_use]
    pub const fn heads(&self) -> &Arc<WordSet> {
        &self.heads
    }

    /// The compounds among the shop's words.
    #[must_use]
    pub const fn compounds(&self) -> &Arc<PartsByWord> {
        &self.compounds
    }

    /// BM25's inverse document frequency of the stem with this key; a stem that no product had counts as if one had it.
    #[must_use]
    pub fn idf(&self, key: u64) -> f32 {
        let frequency = f64::from(self.frequency(key).clamp(1, self.products.max(1)));
        let without = (f64::from(self.products) - frequency).max(0.0);
        round(((without + 0.5) / (frequency + 0.5)).ln_1p())
    }

    /// The mean number of words of each field.
    #[must_use]
    pub const fn average_lengths(&self) -> &[f32; FIELDS] {
        &self.average_lengths
    }

    /// Patterns of words in fields.
    #[must_use]
    pub const fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// The words and stems of the shop that may be the join of two words.
    #[must_use]
    pub const fn joinable_words(&self) -> &WordSet {
        &self.joinable
    }

    /// A number that is the same for equal statistics.
    #[must_use]
    pub const fn name(&self) -> u64 {
        self.name
    }

    /// Words for correction.
    #[must_use]
    pub const fn words(&self) -> &Arc<WordStatistics> {
        &self.words
    }

    /// Phrases for completion.
    #[must_use]
    pub const fn completion(&self) -> &Arc<CompletionStatistics> {
        &self.completion
    }

    /// Attributes that get columns.
    #[must_use]
    pub const fn attributes(&self) -> &Arc<AttributeStatistics> {
        &self.attributes
    }
}

/// Counts products into [`Statistics`].
pub struct StatisticsCounter {
    analyser: Arc<Analyser>,
    bag: WordBag,
    products: u32,
    frequencies: WordMap<u32>,
    lengths: [u64; FIELDS],
    patterns: PatternMap<u64>,
    parts: PartsCounter,
    words: WordCounter,
    completion: CompletionCounter,
    attributes: AttributeCounter,
}

impl StatisticsCounter {
    /// Counts nothing yet. The attributes that the account names have a column even if few products hold them.
    #[must_use]
    pub fn new(analyser: Arc<Analyser>, named: impl IntoIterator<Item = String>) -> Self {
        Self {
            bag: WordBag::default(),
            products: 0,
            frequencies: WordMap::default(),
            lengths: [0; FIELDS],
            patterns: PatternMap::default(),
            parts: PartsCounter::new(analyser.language()),
            words: WordCounter::new(Arc::clone(&analyser)),
            completion: CompletionCounter::new(Arc::clone(&analyser)),
            attributes: AttributeCounter::new(named),
            analyser,
        }
    }

    /// Counts a product, unless it is excluded from search.
    pub fn add(&mut self, document: &ProductDocument) {
        if document.hidden {
            return;
        }
        self.products += 1;
        // Words that only some accounts see correct no query.
        let is_public = document.offer.inclusions.is_empty();
        let words = &mut self.words;
        let mut long_words = self.parts.begin_product();
        self.bag.fill(&self.analyser, document, &NoJoinedWords, &mut |field, part| {
            if let Some(part) = part {
                long_words.record(field, part);
            }
            match part {
                Some(part) if is_public => words.count_part(part),
                None if is_public => words.field(word_field(field)),
                _ => {}
            }
        });
        if is_public {
            self.words.end();
        }
        for entry in self.bag.entries() {
            *self.frequencies.entry(entry.key).or_insert(0) += 1;
            *self.patterns.entry(pattern_of(&entry.counts)).or_insert(0) += 1;
        }
        self.parts.add(&document.id, &self.bag, long_words, is_public);
        for (sum, length) in self.lengths.iter_mut().zip(self.bag.lengths()) {
            *sum += u64::from(*length);
        }
        self.completion.add(document);
        self.attributes.add_product(document);
    }

    /// The statistics of all products that were added.
    #[must_use]
    pub fn finish(self) -> Statistics {
        let products = self.products;
        let words = Arc::new(self.words.finish());
        let heads = Arc::new(self.parts.heads());
        let splitter = CompoundSplitter::new(self.analyser, Arc::clone(&words), Arc::clone(&heads));
        let compounds = splitter.split_words();
        let parts = self.parts.count(&words, &compounds, products);
        let mut frequencies = self.frequencies;
        for (key, count) in parts.heads.iter().chain(&parts.modifiers) {
            let frequency = frequencies.entry(*key).or_insert(0);
            *frequency = frequency.saturating_add(*count).min(products);
        }
        let mut statistics = Statistics {
            products,
            frequencies,
            average_lengths: self.lengths.map(|sum| average(sum, products)),
            patterns: Patterns::from_counts(&self.patterns),
            joinable: joinable_words(&words),
            heads,
            compounds: Arc::new(compounds),
            modifier_counts: parts.modifiers,
            words,
            completion: Arc::new(self.completion.finish()),
            attributes: Arc::new(self.attributes.finish()),
            name: 0,
        };
        statistics.name = blob::name_of(&statistics.encode());
        statistics
    }
}

pub(super) const fn word_field(field: SearchField) -> WordField {
    match field {
        SearchField::Title => WordField::Title,
        SearchField::Brand => WordField::Brand,
        SearchField::Categories => WordField::Category,
        SearchField::Sku | SearchField::Attributes | SearchField::Description => WordField::Other,
    }
}

pub(super) fn average(sum: u64, products: u32) -> f32 {
    if products == 0 { 0.0 } else { round(sum as f64 / f64::from(products)) }
}
