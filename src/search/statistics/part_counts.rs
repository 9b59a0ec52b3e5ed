//! Counts of the products that hold a word only as a part of a compound. The compounds of a shop are known only when
//! all its products were counted, so the words of a sample of them are kept until then.

use std::collections::HashMap;

use super::bag_of_words::{WordBag, WordMap, WordSet, has_prefix, key_of};
use super::compound_parts::CompoundParts;
use super::compound_rules::CompoundRules;
use super::compound_splitter::{HEAD_MIN_PRODUCTS, PartsByWord, is_long_word};
use super::fields::SearchField;
use crate::search::spellcheck::WordStatistics;
use crate::search::text::{ShopLanguage, TextPart};

/// Most products of the sample, of about 15 MB: the counts of a smaller shop are exact.
const PRODUCTS_MAX: usize = 20_000;

/// Key of a word in the sample: the lower half of [`key_of`]. Words with equal keys count as one word, which is rare
/// within a shop.
type ShortKey = u32;

const fn short_key(key: u64) -> ShortKey {
    // The cast cuts.
    key as ShortKey
}

/// The words of one product that may be compounds.
pub(super) struct LongWords {
    /// False in a language that has no compounds.
    is_recording: bool,
    keys: Vec<ShortKey>,
}

impl LongWords {
    /// Records a word of a field, if it may be a compound.
    pub(super) fn record(&mut self, field: SearchField, part: &TextPart<'_>) {
        let TextPart::Word(token) = part else { return };
        if self.is_recording && field.has_compounds() && is_long_word(token.word) {
            self.keys.push(short_key(key_of(token.word)));
        }
    }
}

/// The words of a product of the sample.
struct SampledProduct {
    /// Hash of its id.
    hash: u64,
    /// Keys of its stems, rising.
    stems: Box<[ShortKey]>,
    /// Keys of the words that may be compounds, each once.
    long_words: Box<[ShortKey]>,
}

/// Counts heads and parts of the compounds of a shop.
pub(super) struct PartsCounter {
    /// True if the language has compounds.
    is_counting: bool,
    sample: Vec<SampledProduct>,
    /// Products with a larger hash are not in the sample, so that the order of products does not matter.
    hash_max: u64,
    /// By stem: products with it in title or category.
    named: WordMap<u32>,
}

/// Numbers of products that hold a word only in compounds, by the key of its stem.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PartCounts {
    /// Products that hold it as a head.
    pub(super) heads: WordMap<u32>,
    /// Further products, which hold it only as a modifier.
    pub(super) modifiers: WordMap<u32>,
}

impl PartsCounter {
    pub(super) fn new(language: ShopLanguage) -> Self {
        Self {
            is_counting: CompoundRules::for_language(language).is_some(),
            sample: Vec::new(),
            hash_max: u64::MAX,
            named: WordMap::default(),
        }
    }

    /// A list for the long words of the next product.
    pub(super) fn begin_product(&self) -> LongWords {
        LongWords { is_recording: self.is_counting, keys: Vec::new() }
    }

    /// Takes the words of a product. Only words that all callers see make heads.
    pub(super) fn add(&mut self, id: &str, bag: &WordBag, long_words: LongWords, is_public: bool) {
        if !self.is_counting {
            return;
        }
        let mut stems = Vec::with_capacity(bag.entries().len());
        for entry in bag.entries() {
            let stem = bag.stem(entry);
            if has_prefix(stem) {
                continue;
            }
            stems.push(short_key(entry.key));
            let is_named = [SearchField::Title, SearchField::Categories]
                .iter()
                .any(|field| entry.counts[*field as usize] > 0);
            if is_public && is_named && stem.chars().all(char::is_alphabetic) {
                *self.named.entry(entry.key).or_insert(0) += 1;
            }
        }
        let hash = key_of(id);
        if hash > self.hash_max {
            return;
        }
        stems.sort_unstable();
        let stems = stems.into_boxed_slice();
        // A long description repeats its words.
        let long_words = distinct(long_words.keys.into_iter()).into_boxed_slice();
        self.sample.push(SampledProduct { hash, stems, long_words });
        while self.sample.len() > PRODUCTS_MAX && self.hash_max > 0 {
            self.hash_max /= 2;
            let hash_max = self.hash_max;
            self.sample.retain(|product| product.hash <= hash_max);
        }
    }

    /// Keys of the stems that stand alone in the titles or categories of enough products to be heads.
    pub(super) fn heads(&self) -> WordSet {
        let heads = self.named.iter().filter(|(_, products)| **products >= HEAD_MIN_PRODUCTS);
        heads.map(|(key, _)| *key).collect()
    }

    /// Counts the products of a shop of so many, estimated where the sample is smaller.
    pub(super) fn count(&self, words: &WordStatistics, parts: &PartsByWord, products: u32) -> PartCounts {
        let keys = |parts: &CompoundParts| [key_of(&parts.head), key_of(&parts.modifier)];
        let mut known: HashMap<ShortKey, [u64; 2]> = HashMap::new();
        let compounds = parts.iter().filter_map(|(number, parts)| Some((words.text(*number)?, parts)));
        for (word, parts) in compounds {
            // Of two compounds with one key the first by its letters counts.
            known.entry(short_key(key_of(word))).or_insert_with(|| keys(parts));
        }
        let mut counts = PartCounts::default();
        for product in &self.sample {
            let parts: Vec<[u64; 2]> =
                product.long_words.iter().filter_map(|word| known.get(word).copied()).collect();
            let lacks = |key: &u64| product.stems.binary_search(&short_key(*key)).is_err();
            let heads = distinct(parts.iter().map(|[head, _]| *head).filter(lacks));
            let is_new = |key: &u64| lacks(key) && heads.binary_search(key).is_err();
            let modifiers = distinct(parts.iter().map(|[_, modifier]| *modifier).filter(is_new));
            heads.into_iter().for_each(|key| *counts.heads.entry(key).or_insert(0) += 1);
            modifiers.into_iter().for_each(|key| *counts.modifiers.entry(key).or_insert(0) += 1);
        }
        let counted = self.sample.len() as u64;
        let all = u64::from(products);
        for count in counts.heads.values_mut().chain(counts.modifiers.values_mut()) {
            // At least one, and no more than there are products.
            *count = u32::try_from(u64::from(*count) * all / counted.max(1)).unwrap_or(products).max(1);
        }
        counts
    }
}

/// The keys sorted, each once.
fn distinct<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<K> {
    let mut keys: Vec<K> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
