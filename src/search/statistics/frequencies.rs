//! Frequencies of the words of a catalogue.

use std::sync::Arc;

use super::bag_of_words::{WordMap, WordSet, key_of};
use super::compound_splitter::PartsByWord;
use super::fields::FIELDS;
use super::patterns::Patterns;
use crate::search::autocomplete::CompletionStatistics;
use crate::search::document::AttributeStatistics;
use crate::search::spellcheck::WordStatistics;

/// The statistics of a shop's products.
pub struct Statistics {
    pub(super) products: u32,
    pub(super) frequencies: WordMap<u32>,
    pub(super) average_lengths: [f32; FIELDS],
    pub(super) patterns: Patterns,
    pub(super) joinable: WordSet,
    /// Keys of the stems that may be heads of compounds.
    pub(super) heads: Arc<WordSet>,
    pub(super) compounds: Arc<PartsByWord>,
    /// By the key of a stem: products, counted in `frequencies` too, that hold it only as the modifier of a compound.
    pub(super) modifier_counts: WordMap<u32>,
    pub(super) words: Arc<WordStatistics>,
    pub(super) completion: Arc<CompletionStatistics>,
    pub(super) attributes: Arc<AttributeStatistics>,
    pub(super) name: u64,
}

pub(super) fn round(number: f64) -> f32 {
    number as f32
}

/// The words that may be two written as one: also those whose stem alone is known, such as the join of `t-shirt`.
pub(super) fn joinable_words(words: &WordStatistics) -> WordSet {
    words.iter().map(|(word, _)| word).chain(words.stems()).map(key_of).collect()
}
