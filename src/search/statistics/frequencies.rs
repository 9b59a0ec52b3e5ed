//! Frequencies of the words of a catalogue.

use std::sync::Arc;

use super::bag_of_words::{JOINED_MIN_BYTES, WordMap, WordSet, key_of};
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
    pub(super) words: Arc<WordStatistics>,
    pub(super) completion: Arc<CompletionStatistics>,
    pub(super) attributes: Arc<AttributeStatistics>,
    pub(super) name: u64,
}

pub(super) fn round(number: f64) -> f32 {
    number as f32
}

/// The words that may be two written as one.
pub(super) fn joinable_words(words: &WordStatistics) -> WordSet {
    let words = words.iter().map(|(word, _)| word);
    let long = words
        .filter(|word| word.len() >= JOINED_MIN_BYTES && !word.bytes().any(|byte| byte.is_ascii_digit()));
    long.map(key_of).collect()
}
