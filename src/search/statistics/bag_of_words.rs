//! The words of one product: each stem once, with how often it stands in each field.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

use super::compound_parts::{CompoundParts, HEAD, MODIFIER};
use super::fields::{FIELDS, SearchField};
use super::joins::may_join;
use crate::search::document::{
    Attribute, AttributeValue, Measure, ProductDocument, Variant, with_characters,
};
use crate::search::text::{Analyser, TextPart, TextToken, fold_text};

/// Prefix of a number with its unit, which is searched apart from words.
pub const UNIT: char = '\u{1}';
/// Prefix of two adjacent words that are written as one elsewhere in the shop.
pub const PAIR: char = '\u{2}';

/// Returns true if a term of the index begins with a prefix ([`UNIT`] to [`MODIFIER`]): it is no stem of a word.
#[must_use]
pub fn has_prefix(term: &str) -> bool {
    term.starts_with(|first: char| first <= MODIFIER)
}

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
    before: WordsBefore,
}

/// The words of a text so far, appended: the join of two neighbours is a slice of them.
#[derive(Default)]
struct WordsBefore {
    letters: String,
    /// The byte of `letters` at which the last word begins.
    last_start: usize,
    /// The byte of the text after the last word.
    end: usize,
    /// The term of a join.
    term: String,
}

/// Lookup of further terms of a product's words: joins of adjacent words, and parts of compounds.
pub trait JoinedWords {
    /// False if no word is looked up, as while words are counted: a tenth of the counting.
    const LOOKS_UP: bool = true;

    /// Returns true if the two words, written as one, are a word of the shop.
    fn is_known(&self, joined: &str) -> bool;

    /// Calls `visit` with the parts of a word, if it is a compound.
    fn visit_parts(&self, _word: &str, _visit: &mut dyn FnMut(&CompoundParts)) {}
}

/// [`JoinedWords`] that knows no joined word and no compound.
pub struct NoJoinedWords;

impl JoinedWords for NoJoinedWords {
    const LOOKS_UP: bool = false;

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
    /// Replaces the words by those of a product. `watch` receives the begin of each text, and its words and tokens.
    pub fn fill(
        &mut self,
        analyser: &Analyser,
        document: &ProductDocument,
        joins: &impl JoinedWords,
        watch: &mut dyn FnMut(SearchField, Option<&TextPart<'_>>),
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

    /// Counts the words of a text of a field, and their further terms.
    fn add<J: JoinedWords>(
        &mut self,
        analyser: &Analyser,
        field: SearchField,
        text: &str,
        joins: &J,
        watch: &mut dyn FnMut(SearchField, Option<&TextPart<'_>>),
    ) {
        watch(field, None);
        let mut before = std::mem::take(&mut self.before);
        before.letters.clear();
        analyser.for_each_part(text, &mut |part| {
            watch(field, Some(&part));
            self.count(field, part.term());
            let TextPart::Word(token) = part else { return };
            self.lengths[field as usize] += 1;
            if !J::LOOKS_UP {
                return;
            }
            if field.has_compounds() {
                joins.visit_parts(token.word, &mut |parts| self.count_parts(field, parts));
            }
            let between = text.get(before.end..token.start).unwrap_or_default();
            self.count_join(&mut before, analyser, field, &token, between, joins);
        });
        self.before = before;
        if text.bytes().any(|byte| byte.is_ascii_digit()) {
            for unit in analyser.units(text) {
                self.count(field, &format!("{UNIT}{unit}"));
            }
        }
    }

    /// Counts the parts of a compound.
    fn count_parts(&mut self, field: SearchField, parts: &CompoundParts) {
        self.count(field, &format!("{HEAD}{}", parts.head));
        self.count(field, &format!("{MODIFIER}{}", parts.modifier));
    }

    /// Counts a word of the text joined with the one before it, if the shop writes the two as one.
    fn count_join(
        &mut self,
        before: &mut WordsBefore,
        analyser: &Analyser,
        field: SearchField,
        token: &TextToken<'_>,
        between: &str,
        joins: &impl JoinedWords,
    ) {
        let start = before.letters.len();
        before.letters.push_str(token.word);
        if start > 0 && may_join(&before.letters[before.last_start..start], token.word, between) {
            let joined = &before.letters[before.last_start..];
            if joins.is_known(joined) {
                before.term.clear();
                before.term.push(PAIR);
                analyser.push_cached_stem(joined, &mut before.term);
                self.count(field, &before.term);
            }
        }
        before.last_start = start;
        before.end = token.end;
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
    take(SearchField::Sku, &with_characters(&document.sku));
    for variant in &document.variants {
        take(SearchField::Sku, &with_characters(&variant.sku));
        if variant.title != document.title {
            take(SearchField::Attributes, &variant.title);
        }
    }
    // A value of many variants counts once: the product has it once.
    let own = document.variants.iter().flat_map(Variant::own_attributes);
    let values = own.flat_map(|Attribute { name, values }| values.iter().map(move |value| (name, value)));
    let values: BTreeMap<_, _> = values.map(|(name, value)| ((value.text(), name.as_str()), value)).collect();
    for ((_, name), value) in values {
        each_value(name, std::slice::from_ref(value), &mut |text| take(SearchField::Attributes, text));
    }
    for attribute in &document.attributes {
        each_value(&attribute.name, &attribute.values, &mut |text| take(SearchField::Attributes, text));
    }
    take(SearchField::Description, &document.description);
}

fn each_value(name: &str, values: &[AttributeValue], take: &mut dyn FnMut(&str)) {
    // Most attributes hold no number, and their names are not read.
    let is_size = LazyCell::new(|| is_size(name));
    for value in values {
        let AttributeValue::Number(measure) = value else {
            take(value.text());
            continue;
        };
        match measure {
            // A number alone asks for no length and no weight: they are found with their units.
            Measure { unit: Some(unit), .. } if *is_size => {
                take(&format!("{}{unit}", measure.digits()));
            }
            Measure { unit: None, .. } if *is_size => {}
            Measure { unit: Some(unit), .. } => take(&format!("{} {unit}", measure.digits())),
            Measure { text, .. } => take(text),
        }
    }
}

/// Folded words that name an attribute as a length or a weight, in the languages of most shops.
const SIZES: [&str; 16] = [
    "length",
    "weight",
    "lange",
    "laenge",
    "gewicht",
    "lengte",
    "longueur",
    "poids",
    "largo",
    "longitud",
    "peso",
    "lunghezza",
    "comprimento",
    "dlugosc",
    "waga",
    "vikt",
];

/// Returns true if an attribute is a length or a weight by its name.
fn is_size(name: &str) -> bool {
    fold_text(name).split(' ').any(|word| SIZES.contains(&word))
}
