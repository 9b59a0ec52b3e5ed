//! The words of one product: each stem once, with how often it stands in each field.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

use super::fields::{FIELDS, SearchField};
use crate::search::document::{Attribute, AttributeValue, Measure, ProductDocument};
use crate::search::text::{Analyser, TextToken};

/// Prefix of a number with its unit, which is searched apart from words.
pub const UNIT: char = '\u{1}';
/// Prefix of two adjacent words that are written as one elsewhere in the shop.
pub const PAIR: char = '\u{2}';

/// A hasher for keys that are hashes already.
#[derive(Debug, Default, Clone, Copy)]
pub struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// A map from hashes of words.
pub type WordMap<V> = HashMap<u64, V, BuildHasherDefault<IdentityHasher>>;
/// A set of hashes of words.
pub type WordSet = std::collections::HashSet<u64, BuildHasherDefault<IdentityHasher>>;

/// The key of a word in the statistics.
#[must_use]
pub fn key_of(word: &str) -> u64 {
    xxh3_64(word.as_bytes())
}

/// One stem of a product.
#[derive(Debug, Clone, Copy)]
pub struct BagEntry {
    /// Key of the stem.
    pub key: u64,
    /// Number of times it stands in each field.
    pub counts: [u16; FIELDS],
    start: u32,
    end: u32,
}

/// The words of one product; filled again for the next one, so that nothing is allocated for each.
#[derive(Default)]
pub struct WordBag {
    places: WordMap<u32>,
    entries: Vec<BagEntry>,
    letters: String,
    lengths: [u32; FIELDS],
    previous: Previous,
}

#[derive(Default)]
struct Previous {
    word: String,
    position: u32,
    joins: bool,
}

/// Lookup of joined words, called for each pair of adjacent words.
pub trait JoinedWords {
    /// Returns true if the two words, written as one, are a word of the shop.
    fn is_known(&self, joined: &str) -> bool;
}

/// [`JoinedWords`] that knows no joined word.
pub struct NoJoinedWords;

impl JoinedWords for NoJoinedWords {
    fn is_known(&self, _joined: &str) -> bool {
        false
    }
}

impl JoinedWords for WordSet {
    fn is_known(&self, joined: &str) -> bool {
        self.contains(&key_of(joined))
    }
}

impl WordBag {
    /// Replaces the words by those of a product. `watch` receives the begin of each text, and its tokens.
    pub fn fill(
        &mut self,
        analyser: &Analyser,
        document: &ProductDocument,
        joins: &impl JoinedWords,
        watch: &mut dyn FnMut(SearchField, Option<&TextToken<'_>>),
    ) {
        self.places.clear();
        self.entries.clear();
        self.letters.clear();
        self.lengths = [0; FIELDS];
        each_text(document, &mut |field, text| self.add(analyser, field, text, joins, watch));
    }

    /// Every stem of the product, in the order in which they were met.
    #[must_use]
    pub fn entries(&self) -> &[BagEntry] {
        &self.entries
    }

    /// The stem of an entry.
    #[must_use]
    pub fn stem(&self, entry: &BagEntry) -> &str {
        &self.letters[entry.start as usize..entry.end as usize]
    }

    /// Number of words in each field.
    #[must_use]
    pub const fn lengths(&self) -> &[u32; FIELDS] {
        &self.lengths
    }

    fn add(
        &mut self,
        analyser: &Analyser,
        field: SearchField,
        text: &str,
        joins: &impl JoinedWords,
        watch: &mut dyn FnMut(SearchField, Option<&TextToken<'_>>),
    ) {
        watch(field, None);
        let mut previous = std::mem::take(&mut self.previous);
        previous.joins = false;
        analyser.for_each_word(text, &mut |token| {
            watch(field, Some(&token));
            self.count(field, token.stem);
            self.lengths[field as usize] += 1;
            self.pair(&mut previous, analyser, field, token.word, token.position, joins);
        });
        self.previous = previous;
        if text.bytes().any(|byte| byte.is_ascii_digit()) {
            for unit in analyser.units(text) {
                self.count(field, &format!("{UNIT}{unit}"));
            }
        }
    }

    fn pair(
        &mut self,
        previous: &mut Previous,
        analyser: &Analyser,
        field: SearchField,
        word: &str,
        position: u32,
        joins: &impl JoinedWords,
    ) {
        let joinable = word.len() >= 2 && !word.bytes().any(|byte| byte.is_ascii_digit());
        if joinable && previous.joins && previous.position + 1 == position {
            let first = previous.word.len();
            previous.word.push_str(word);
            if previous.word.len() >= JOINED_MIN_BYTES && joins.is_known(&previous.word) {
                let stem = format!("{PAIR}{}", analyser.stem(&previous.word));
                self.count(field, &stem);
            }
            previous.word.drain(..first);
        } else {
            previous.word.clear();
            previous.word.push_str(word);
        }
        previous.position = position;
        previous.joins = joinable;
    }

    fn count(&mut self, field: SearchField, stem: &str) {
        let key = key_of(stem);
        let next = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            let start = u32::try_from(self.letters.len()).unwrap_or(u32::MAX);
            self.letters.push_str(stem);
            let end = u32::try_from(self.letters.len()).unwrap_or(u32::MAX);
            self.entries.push(BagEntry { key, counts: [0; FIELDS], start, end });
        }
        let counted = &mut self.entries[place as usize].counts[field as usize];
        *counted = counted.saturating_add(1);
    }
}

/// Shortest word that two adjacent words are joined into (docs/ranking.md, "Texts and words").
pub const JOINED_MIN_BYTES: usize = 5;

/// Every searched text of a product with its field.
pub fn each_text(document: &ProductDocument, take: &mut dyn FnMut(SearchField, &str)) {
    take(SearchField::Title, &document.title);
    take(SearchField::Brand, &document.brand);
    for name in &document.category_names {
        take(SearchField::Categories, name);
    }
    for tag in &document.tags {
        take(SearchField::Categories, tag);
    }
    take(SearchField::Sku, &document.sku);
    for variant in &document.variants {
        take(SearchField::Sku, &variant.sku);
        if variant.title != document.title {
            take(SearchField::Attributes, &variant.title);
        }
    }
    // A value of many variants counts once: the product has it once.
    let values: BTreeSet<&str> =
        document.variants.iter().flat_map(|variant| variant.values.lines()).collect();
    values.into_iter().for_each(|value| take(SearchField::Attributes, value));
    for attribute in &document.attributes {
        each_value(attribute, &mut |text| take(SearchField::Attributes, text));
    }
    take(SearchField::Description, &document.description);
}

fn each_value(attribute: &Attribute, take: &mut dyn FnMut(&str)) {
    for value in &attribute.values {
        match value {
            AttributeValue::Number(measure @ Measure { unit: Some(unit), .. }) => {
                take(&format!("{} {unit}", measure.digits()));
            }
            other => take(other.text()),
        }
    }
}
