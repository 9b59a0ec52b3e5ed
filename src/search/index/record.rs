//! From a product to a document of the index.

use std::ops::Range;

use tantivy::TantivyDocument;

use super::fingerprint::{FingerprintMaker, length_of};
use super::schema::IndexFields;
use super::term_frequency::push_number;
use crate::search::document::{Display, ProductDocument, Variant};
use crate::search::index_context::IndexContext;
use crate::search::pricing::{Currency, Period};
use crate::search::statistics::{
    DerivedWords, FIELDS, FieldLengths, Statistics, WordBag, each_text, pack_lengths, pattern_of,
};
use crate::search::text::{fold_identifier, index_signs};

/// Flag of a product that can be bought now.
pub const IN_STOCK: u8 = 1;
/// Flag of a product that all callers see at any time, if they want prices in its first currency or in none.
pub const OPEN: u8 = 2;

/// Bytes of the facts that are read for every match, kept together: see [`ProductFacts`].
const FACT_BYTES: usize = FIELDS + 1 + 3 + 4;

/// Facts that are read for every product that matches.
#[derive(Clone, Copy)]
pub struct ProductFacts<'f>(&'f [u8]);

impl<'f> ProductFacts<'f> {
    /// Facts in the bytes that the index keeps.
    #[must_use]
    #[inline]
    pub const fn new(bytes: &'f [u8]) -> Self {
        Self(bytes)
    }

    /// The lengths of the fields, a byte each.
    #[must_use]
    #[inline]
    pub fn lengths(self) -> &'f [u8] {
        self.0.get(..FIELDS).unwrap_or(&[])
    }

    /// `IN_STOCK` and `OPEN`.
    #[must_use]
    #[inline]
    pub fn flags(self) -> u8 {
        self.0.get(FIELDS).copied().unwrap_or(0)
    }

    /// The currency of the first price.
    #[must_use]
    #[inline]
    pub fn currency(self) -> Option<Currency> {
        self.0.get(FIELDS + 1..)?.first_chunk().copied()
    }

    /// The length of the fingerprint as a vector.
    #[must_use]
    #[inline]
    pub fn fingerprint_length(self) -> f32 {
        self.0.last_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes))
    }
}

fn facts(product: &ProductDocument, lengths: FieldLengths, fingerprint: &[u8]) -> Vec<u8> {
    let offer = &product.offer;
    let is_open = offer.shown == Period::ALWAYS
        && offer.inclusions.is_empty()
        && offer.exclusions.is_empty()
        && !(offer.own_prices_only
            || offer.hidden
            || offer.unlisted
            || offer.unrecommended
            || product.hidden)
        && !offer.prices.lists.is_empty();
    let flags = if product.in_stock { IN_STOCK } else { 0 } | if is_open { OPEN } else { 0 };
    let currency = offer.prices.lists.first().map_or([0; 3], |price| price.currency);
    let mut bytes = Vec::with_capacity(FACT_BYTES);
    bytes.extend_from_slice(&lengths);
    bytes.push(flags);
    bytes.extend_from_slice(&currency);
    bytes.extend_from_slice(&length_of(fingerprint).to_le_bytes());
    bytes
}

/// The id and the display data, as [`DisplayLayout`] reads them: the lengths of id and card, the id, the card, the
/// rest.
fn shown_bytes(product: &ProductDocument) -> Vec<u8> {
    let Display { card, rest } = &product.display;
    let mut bytes = Vec::with_capacity(SHOWN_HEAD_BYTES + product.id.len() + card.len() + rest.len());
    for part in [product.id.len(), card.len()] {
        bytes.extend_from_slice(&u32::try_from(part).unwrap_or(0).to_le_bytes());
    }
    for part in [product.id.as_bytes(), card, rest] {
        bytes.extend_from_slice(part);
    }
    bytes
}

const SHOWN_HEAD_BYTES: usize = 8;

/// Places of the parts in the bytes that [`shown_bytes`] wrote.
#[derive(Debug, Clone, Copy)]
pub struct DisplayLayout {
    id_end: usize,
    card_end: usize,
    end: usize,
}

impl DisplayLayout {
    /// Reads the lengths.
    #[must_use]
    #[inline]
    pub fn parse(bytes: &[u8]) -> Self {
        let length = |at: usize| {
            bytes
                .get(at..)
                .and_then(<[u8]>::first_chunk)
                .map_or(0, |length| u32::from_le_bytes(*length) as usize)
        };
        let end = bytes.len();
        let id_end = (SHOWN_HEAD_BYTES + length(0)).min(end);
        Self { id_end, card_end: (id_end + length(4)).min(end), end }
    }

    /// The product's id.
    #[must_use]
    #[inline]
    pub fn id(self) -> Range<usize> {
        SHOWN_HEAD_BYTES.min(self.id_end)..self.id_end
    }

    /// Range of the content that every answer shows.
    #[must_use]
    pub const fn card(self) -> Range<usize> {
        self.id_end..self.card_end
    }

    /// Range of the further content that may be shown.
    #[must_use]
    pub const fn details(self) -> Range<usize> {
        self.card_end..self.end
    }
}

/// Makes documents of the index; holds the buffers that each document needs.
#[derive(Default)]
pub struct RecordMaker {
    bag: WordBag,
    fingerprints: FingerprintMaker,
    words: String,
}

impl RecordMaker {
    /// The document of a product. A product excluded from search has no words, only the data that `similar` needs.
    pub fn make(
        &mut self,
        product: &ProductDocument,
        fields: &IndexFields,
        knowledge: &IndexContext,
    ) -> TantivyDocument {
        let statistics = knowledge.statistics();
        let mut record = TantivyDocument::new();
        let derived = DerivedWords { joined: statistics.joinable_words(), compounds: knowledge.compounds() };
        self.bag.fill(knowledge.analyser(), product, &derived, &mut |_, _| {});
        record.add_text(fields.id, &product.id);
        let fingerprint = self.fingerprints.make(&self.bag, statistics);
        record.add_custom(fields.facts, &facts(product, pack_lengths(self.bag.lengths()), fingerprint));
        record.add_custom(fields.fingerprint, fingerprint);
        record.add_custom(fields.offer, &product.offer.encode());
        record.add_custom(fields.shown, &shown_bytes(product));
        fields.columns.fill(product, knowledge.columns(), &mut record);
        if !product.variants.is_empty() {
            record.add_custom(fields.variants, &encode_variants(&product.variants));
        }
        if !product.hidden {
            self.write_words(statistics);
            record.add_text(fields.words, &self.words);
            for name in exact_names(product) {
                record.add_text(fields.exact, name);
            }
            for sign in self.signs_of(product) {
                record.add_text(fields.exact, sign);
            }
        }
        record
    }

    /// The signs of a product's texts, each once.
    fn signs_of(&mut self, product: &ProductDocument) -> Vec<String> {
        self.words.clear();
        each_text(product, &mut |_, text| self.words.push_str(text));
        index_signs(&self.words)
    }

    fn write_words(&mut self, statistics: &Statistics) {
        self.words.clear();
        for entry in self.bag.entries() {
            let number = statistics.patterns().number(&pattern_of(&entry.counts));
            push_number(&mut self.words, self.bag.stem(entry), number);
        }
    }
}

/// The number without its leading zeros, if it is a number with such.
#[must_use]
pub fn without_leading_zeros(name: &str) -> Option<&str> {
    let trimmed = name.trim_start_matches('0');
    let is_number = !trimmed.is_empty() && trimmed.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && trimmed.len() < name.len()).then_some(trimmed)
}

/// Ids and article numbers of a product and its variants, without punctuation; numbers with leading zeros without these
/// too.
fn exact_names(product: &ProductDocument) -> Vec<String> {
    let variants = product.variants.iter().flat_map(|variant| [&variant.id, &variant.sku]);
    let names = [&product.id, &product.sku].into_iter().chain(variants);
    let mut names: Vec<String> =
        names.map(|name| fold_identifier(name)).filter(|name| !name.is_empty()).collect();
    let trimmed = names.iter().filter_map(|name| without_leading_zeros(name).map(str::to_owned));
    let trimmed: Vec<_> = trimmed.collect();
    names.extend(trimmed);
    names
}

/// Variants as bytes: id, article number, title and values of each, each after its length.
fn encode_variants(variants: &[Variant]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for text in
        variants.iter().flat_map(|variant| [&variant.id, &variant.sku, &variant.title, &variant.values])
    {
        bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(0).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

/// Reads the output of [`encode_variants`]; stops where it is torn.
#[must_use]
pub fn decode_variants(mut bytes: &[u8]) -> Vec<Variant> {
    let mut texts = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some(text) = rest.get(..length) else { break };
        texts.push(String::from_utf8_lossy(text).into_owned());
        bytes = &rest[length..];
    }
    let variants = texts.chunks_exact_mut(4).map(|texts| {
        let [id, sku, title, values] = [0, 1, 2, 3].map(|place| std::mem::take(&mut texts[place]));
        Variant { id, sku, title, values }
    });
    variants.collect()
}
