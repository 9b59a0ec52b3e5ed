//! From a product to a document of the index.

use std::ops::Range;

use tantivy::TantivyDocument;

use super::encode_variants::{encode_variant_table, open_currency};
use super::fingerprint::{FingerprintMaker, length_of};
use super::schema::IndexFields;
use super::term_frequency::push_number;
use crate::ids::gtin::parse_gtin;
use crate::search::document::{AttributeValue, Display, ProductDocument, Variant, is_barcode};
use crate::search::index_context::IndexContext;
use crate::search::pricing::Currency;
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

fn facts(
    product: &ProductDocument,
    open: Option<Currency>,
    lengths: FieldLengths,
    fingerprint: &[u8],
) -> Vec<u8> {
    let flags = if product.in_stock { IN_STOCK } else { 0 } | if open.is_some() { OPEN } else { 0 };
    let first = product.offer.prices.lists.first().map(|price| price.currency);
    let currency = open.or(first).unwrap_or_default();
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
        let open = open_currency(product);
        let lengths = pack_lengths(self.bag.lengths());
        record.add_custom(fields.facts, &facts(product, open, lengths, fingerprint));
        record.add_custom(fields.fingerprint, fingerprint);
        record.add_custom(fields.offer, &product.offer.encode());
        record.add_custom(fields.shown, &shown_bytes(product));
        fields.columns.fill(product, knowledge.columns(), &mut record);
        if !product.variants.is_empty() {
            record.add_custom(fields.variants, &encode_variant_displays(&product.variants));
            if let Some(field) = fields.variant_table {
                let table = encode_variant_table(product, open, knowledge.columns(), knowledge.analyser());
                record.add_custom(field, &table);
            }
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

/// Ids and article numbers of a product and its variants, and numbers in trade, without punctuation; numbers with
/// leading zeros without these too.
fn exact_names(product: &ProductDocument) -> Vec<String> {
    let variants = product.variants.iter().flat_map(|variant| [&variant.id, &variant.sku]);
    let names = [&product.id, &product.sku].into_iter().chain(variants).chain(&product.further_numbers);
    let names = names.map(String::as_str);
    let own = product.variants.iter().flat_map(Variant::own_attributes);
    let barcodes = product.attributes.iter().chain(own).filter(|attribute| is_barcode(&attribute.name));
    let barcodes = barcodes.flat_map(|attribute| &attribute.values).map(AttributeValue::text);
    let barcodes: Vec<&str> =
        product.variants.iter().map(|variant| variant.gtin.as_str()).chain(barcodes).collect();
    // A number with a wrong check digit is found as it stands, and so is any other.
    let canonical: Vec<String> = barcodes.iter().filter_map(|text| parse_gtin(text).ok()).flatten().collect();
    let mut names: Vec<String> =
        names.chain(barcodes).map(fold_identifier).filter(|name| !name.is_empty()).collect();
    let trimmed = names.iter().filter_map(|name| without_leading_zeros(name).map(str::to_owned));
    let trimmed: Vec<_> = trimmed.collect();
    names.extend(trimmed);
    names.extend(canonical);
    names.sort_unstable();
    names.dedup();
    names
}

/// The shown members of variants as bytes: their number, where each ends, then one object of JSON after the other.
fn encode_variant_displays(variants: &[Variant]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&u32::try_from(variants.len()).unwrap_or(0).to_le_bytes());
    let mut end = 0;
    for variant in variants {
        end += variant.display.len();
        bytes.extend_from_slice(&u32::try_from(end).unwrap_or(u32::MAX).to_le_bytes());
    }
    variants.iter().for_each(|variant| bytes.extend_from_slice(&variant.display));
    bytes
}

/// The shown members of the variants of a product, in the bytes that `encode_variant_displays` wrote.
#[derive(Debug, Clone, Copy)]
pub struct VariantDisplayTable<'b> {
    count: usize,
    bytes: &'b [u8],
}

impl<'b> VariantDisplayTable<'b> {
    /// Reads the number of variants; torn bytes have none.
    #[must_use]
    pub fn read(bytes: &'b [u8]) -> Self {
        let count = bytes.first_chunk().map_or(0, |count| u32::from_le_bytes(*count) as usize);
        Self { count, bytes }
    }

    /// The range of a variant's object of JSON in the bytes.
    #[must_use]
    pub fn range(&self, variant: usize) -> Range<usize> {
        let end = |number: usize| {
            let bytes = self.bytes.get(number * 4..).and_then(<[u8]>::first_chunk);
            bytes.map_or(0, |end| u32::from_le_bytes(*end) as usize)
        };
        let begin = (self.count + 1) * 4;
        let start = if variant == 0 { 0 } else { end(variant) };
        begin + start..begin + end(variant + 1)
    }

    /// A variant's object of JSON; empty if there is no such variant.
    #[must_use]
    pub fn json(&self, variant: usize) -> &'b [u8] {
        if variant < self.count { self.bytes.get(self.range(variant)).unwrap_or_default() } else { &[] }
    }

    /// The index of the variant with this id.
    #[must_use]
    pub fn of_id(&self, id: &str) -> Option<usize> {
        self.numbers().position(|variant| variant.id == id)
    }

    /// Ids and numbers of each variant.
    pub fn numbers(&self) -> impl Iterator<Item = VariantIdentifiers> {
        (0..self.count).map(|variant| VariantIdentifiers::read(self.json(variant)))
    }
}

/// The id and the numbers of a variant, as they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VariantIdentifiers {
    /// Its id.
    pub id: String,
    /// Its article number, or empty.
    pub sku: String,
    /// Its number in trade, or empty.
    pub gtin: String,
}

impl VariantIdentifiers {
    /// Reads them from a variant's object of JSON. They are its first members: nothing after them is read, which may be
    /// thousands of times as long.
    #[must_use]
    pub fn read(json: &[u8]) -> Self {
        let mut numbers = Self::default();
        let mut rest = json;
        while let Some(member) = rest.split_first().map(|(_, member)| member) {
            let named = [
                (&b"\"Id\":"[..], &mut numbers.id),
                (b"\"Sku\":", &mut numbers.sku),
                (b"\"Gtin\":", &mut numbers.gtin),
            ];
            let found = named.into_iter().find_map(|(name, into)| Some((member.strip_prefix(name)?, into)));
            let Some((value, into)) = found else { break };
            let mut texts = serde_json::Deserializer::from_slice(value).into_iter::<String>();
            let Some(Ok(text)) = texts.next() else { break };
            *into = text;
            rest = value.get(texts.byte_offset()..).unwrap_or_default();
        }
        numbers
    }
}
