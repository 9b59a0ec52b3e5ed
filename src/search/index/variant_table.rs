//! The variants of a product as queries read them: which has which values, prices and stock, in place and without
//! texts.
//!
//! Little-endian: the number of variants (2 bytes), flags (1), the currency in which all have a price for everybody
//! (3), a bit for each that is in stock; the axes, which are the attributes in which variants have values of their own;
//! the terms of the offers; the words that only some of them have. A value stands as its place among the values that
//! the product has in the attribute's column, so that no text is stored twice and merges of segments change nothing.

use std::collections::{BTreeSet, HashMap};

use xxhash_rust::xxh3::xxh3_64;

use crate::limits;
use crate::search::document::{AttributeValue, ProductDocument, Variant};
use crate::search::pricing::Currency;
use crate::search::query::columns::AttributeColumns;
use crate::search::text::Analyser;

/// Words of a variant by which it is chosen among its product's.
const WORDS_MAX: usize = 16;
/// Flag: some variants have terms of their own.
const OWN_TERMS: u8 = 1;
/// Flag: everybody who wants prices in the currency of the table or in none sees all variants.
const ALL_OPEN: u8 = 2;
/// Bytes before the stock.
const HEAD_BYTES: usize = 6;

/// Form in which an axis holds the values of variants.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AxisForm {
    /// A byte each: 0 for none, else the place of the value and 1.
    Bytes = 0,
    /// The same in two bytes each.
    Words = 1,
    /// After the number of all its bytes: for each variant the number of its values, and their places, two bytes each.
    Lists = 2,
}

/// Key of a word by which a variant is chosen.
#[must_use]
pub fn variant_word_key(term: &str) -> u32 {
    // The lower half of a good hash is a good hash.
    xxh3_64(term.as_bytes()) as u32
}

/// Encodes the variants of a product; nothing for a product without any.
pub(super) fn encode_variant_table(
    product: &ProductDocument,
    columns: &AttributeColumns,
    analyser: &Analyser,
) -> Vec<u8> {
    let variants = &product.variants[..product.variants.len().min(limits::VARIANTS)];
    if variants.is_empty() {
        return Vec::new();
    }
    let terms: Vec<Vec<u8>> = variants.iter().map(|variant| variant.offer.encode()).collect();
    let has_own_terms = terms.iter().any(|terms| !terms.is_empty());
    let open = open_currency(product, variants);
    let mut out = Vec::with_capacity(64);
    write_u16(variants.len(), &mut out);
    out.push(if has_own_terms { OWN_TERMS } else { 0 } | if open.is_some() { ALL_OPEN } else { 0 });
    out.extend_from_slice(&open.unwrap_or_default());
    for eight in variants.chunks(8) {
        let bits = eight.iter().zip(0..).map(|(variant, bit)| u8::from(variant.in_stock) << bit);
        out.push(bits.fold(0, |all, bit| all | bit));
    }
    write_axes(product, variants, columns, &mut out);
    if has_own_terms {
        write_terms(&terms, &mut out);
    }
    write_words(variants, analyser, &mut out);
    out
}

/// The currency in which every variant has a price for all callers, where nothing else decides who sees the product.
pub(super) fn open_currency(product: &ProductDocument, variants: &[Variant]) -> Option<Currency> {
    let lists_of =
        |variant: &Variant| variant.offer.lists.as_ref().unwrap_or(&product.offer.prices.lists).clone();
    let currency = lists_of(variants.first()?).first()?.currency;
    let has_it = |variant: &Variant| lists_of(variant).iter().any(|price| price.currency == currency);
    (product.is_open() && variants.iter().all(has_it)).then_some(currency)
}

fn write_axes(
    product: &ProductDocument,
    variants: &[Variant],
    columns: &AttributeColumns,
    out: &mut Vec<u8>,
) {
    let own = variants.iter().flat_map(Variant::own_attributes);
    let names: BTreeSet<&str> = own.map(|attribute| attribute.name.as_str()).collect();
    let axes: Vec<(&str, u8)> =
        names.into_iter().filter_map(|name| Some((name, columns.number(name)?))).collect();
    out.push(u8::try_from(axes.len()).unwrap_or(u8::MAX));
    for (name, number) in axes {
        let texts_of = |variant: &Variant| -> Vec<String> {
            let texts = columns.texts(name, variant.values_of(name, &product.attributes));
            texts.into_iter().map(str::to_owned).collect()
        };
        let held: Vec<Vec<String>> = variants.iter().map(texts_of).collect();
        let all: BTreeSet<&str> = held.iter().flatten().map(String::as_str).collect();
        let places: HashMap<&str, usize> = all.into_iter().zip(0..).collect();
        let held: Vec<Vec<usize>> = held
            .iter()
            .map(|texts| texts.iter().filter_map(|text| places.get(text.as_str()).copied()).collect())
            .collect();
        out.push(number);
        write_axis(&held, places.len(), out);
    }
}

fn write_axis(held: &[Vec<usize>], values: usize, out: &mut Vec<u8>) {
    let is_single = held.iter().all(|places| places.len() < 2);
    let code = |places: &Vec<usize>| places.first().map_or(0, |place| place + 1);
    if is_single && values < usize::from(u8::MAX) {
        out.push(AxisForm::Bytes as u8);
        out.extend(held.iter().map(|places| u8::try_from(code(places)).unwrap_or(0)));
    } else if is_single {
        out.push(AxisForm::Words as u8);
        held.iter().for_each(|places| write_u16(code(places), out));
    } else {
        out.push(AxisForm::Lists as u8);
        let mut lists = Vec::new();
        for places in held {
            write_u16(places.len(), &mut lists);
            places.iter().for_each(|place| write_u16(*place, &mut lists));
        }
        write_u32(lists.len(), out);
        out.extend_from_slice(&lists);
    }
}

/// The number of different terms; the number of each variant's terms; where each ends; the terms.
fn write_terms(terms: &[Vec<u8>], out: &mut Vec<u8>) {
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    let mut different: Vec<&[u8]> = Vec::new();
    let mut of_variants = Vec::with_capacity(terms.len());
    for terms in terms {
        let number = *numbers.entry(terms).or_insert_with(|| {
            different.push(terms);
            different.len() - 1
        });
        of_variants.push(number);
    }
    write_u16(different.len(), out);
    of_variants.into_iter().for_each(|number| write_u16(number, out));
    let mut end = 0;
    for terms in &different {
        end += terms.len();
        write_u32(end, out);
    }
    different.iter().for_each(|terms| out.extend_from_slice(terms));
}

/// For each variant the number of its words that not all variants have, and their keys.
fn write_words(variants: &[Variant], analyser: &Analyser, out: &mut Vec<u8>) {
    let mut of_texts: HashMap<String, Vec<u32>> = HashMap::new();
    let mut words_of = |text: &str| {
        if let Some(words) = of_texts.get(text) {
            return words.clone();
        }
        let mut words = Vec::new();
        analyser.for_each_part(text, &mut |part| words.push(variant_word_key(part.term())));
        of_texts.insert(text.to_owned(), words.clone());
        words
    };
    let mut all: Vec<BTreeSet<u32>> = Vec::with_capacity(variants.len());
    for variant in variants {
        let options = variant.options.iter().flat_map(|option| &option.values).map(AttributeValue::text);
        all.push(options.chain([variant.title.as_str()]).flat_map(&mut words_of).collect());
    }
    let mut counts: HashMap<u32, usize> = HashMap::new();
    all.iter().flatten().for_each(|word| *counts.entry(*word).or_default() += 1);
    for words in all {
        let own =
            words.into_iter().filter(|word| counts.get(word).is_some_and(|count| *count < variants.len()));
        let own: Vec<u32> = own.take(WORDS_MAX).collect();
        out.push(u8::try_from(own.len()).unwrap_or_default());
        own.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    }
}

fn write_u16(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes());
}

fn write_u32(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

/// The variants of a product in the bytes of the index. Torn bytes have no variants.
#[derive(Clone, Copy)]
pub struct VariantTable<'t> {
    count: usize,
    flags: u8,
    currency: Currency,
    stock: &'t [u8],
    axes: u8,
    /// The axes and all that follows.
    rest: &'t [u8],
}

impl<'t> VariantTable<'t> {
    /// Reads the table of a product; `None` if it has no variants.
    #[must_use]
    pub fn read(bytes: &'t [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>()?;
        let [low, high, flags, currency @ ..] = *head;
        let count = usize::from(u16::from_le_bytes([low, high]));
        let (stock, rest) = rest.split_at_checked(count.div_ceil(8))?;
        let (axes, rest) = rest.split_first()?;
        Some(Self { count, flags, currency, stock, axes: *axes, rest })
    }

    /// Number of variants.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// True if some variants have terms of their own.
    #[must_use]
    pub const fn has_own_terms(&self) -> bool {
        self.flags & OWN_TERMS != 0
    }

    /// Returns true if every caller who wants prices in this currency, or in none, sees all variants at any time.
    #[must_use]
    pub fn is_open_in(&self, currency: Option<Currency>) -> bool {
        self.flags & ALL_OPEN != 0 && currency.is_none_or(|currency| currency == self.currency)
    }

    /// Returns true if a variant can be bought now.
    #[must_use]
    #[inline]
    pub fn is_in_stock(&self, variant: usize) -> bool {
        self.stock.get(variant / 8).is_some_and(|bits| bits >> (variant % 8) & 1 == 1)
    }

    /// The axis of an attribute, by the number of its column; `None` where no variant has a value of its own.
    #[must_use]
    pub fn axis(&self, column: u8) -> Option<VariantAxis<'t>> {
        let mut rest = self.rest;
        for _ in 0..self.axes {
            let (number, axis, after) = self.split_axis(rest)?;
            if number == column {
                return Some(axis);
            }
            rest = after;
        }
        None
    }

    fn split_axis(&self, rest: &'t [u8]) -> Option<(u8, VariantAxis<'t>, &'t [u8])> {
        let ([number, form], rest) = rest.split_first_chunk::<2>()?;
        match *form {
            0 => {
                let (places, rest) = rest.split_at_checked(self.count)?;
                Some((*number, VariantAxis::Bytes(places), rest))
            }
            1 => {
                let (places, rest) = rest.split_at_checked(self.count * 2)?;
                Some((*number, VariantAxis::Words(places), rest))
            }
            _ => {
                let (bytes, rest) = rest.split_first_chunk::<4>()?;
                let (lists, rest) = rest.split_at_checked(u32::from_le_bytes(*bytes) as usize)?;
                Some((*number, VariantAxis::Lists(lists), rest))
            }
        }
    }

    /// The bytes after the axes.
    fn after_axes(&self) -> Option<&'t [u8]> {
        let mut rest = self.rest;
        for _ in 0..self.axes {
            (_, _, rest) = self.split_axis(rest)?;
        }
        Some(rest)
    }

    /// The terms of the variants' offers.
    #[must_use]
    pub fn terms(&self) -> VariantOffers<'t> {
        let read = || self.split_terms(self.after_axes()?).map(|(offers, _)| offers);
        read().unwrap_or_default()
    }

    fn split_terms(&self, rest: &'t [u8]) -> Option<(VariantOffers<'t>, &'t [u8])> {
        if !self.has_own_terms() {
            return Some((VariantOffers::default(), rest));
        }
        let (different, rest) = rest.split_first_chunk::<2>()?;
        let different = usize::from(u16::from_le_bytes(*different));
        let (numbers, rest) = rest.split_at_checked(self.count * 2)?;
        let (ends, rest) = rest.split_at_checked(different * 4)?;
        let length = ends.last_chunk::<4>().map_or(0, |end| u32::from_le_bytes(*end) as usize);
        let (terms, rest) = rest.split_at_checked(length)?;
        Some((VariantOffers { numbers, ends, terms }, rest))
    }

    /// Calls `visit` with each variant and the keys of the words that not all variants have.
    pub fn each_words(&self, mut visit: impl FnMut(usize, &mut dyn Iterator<Item = u32>)) {
        let after_terms = || self.split_terms(self.after_axes()?).map(|(_, rest)| rest);
        let Some(mut rest) = after_terms() else { return };
        for variant in 0..self.count {
            let Some((count, after)) = rest.split_first() else { return };
            let Some((keys, after)) = after.split_at_checked(usize::from(*count) * 4) else { return };
            let (keys, _) = keys.as_chunks::<4>();
            visit(variant, &mut keys.iter().map(|key| u32::from_le_bytes(*key)));
            rest = after;
        }
    }
}

/// The values of all variants on one axis, as places among the values that the product has in the column.
#[derive(Clone, Copy)]
pub enum VariantAxis<'t> {
    /// A byte for each variant.
    Bytes(&'t [u8]),
    /// Two bytes for each.
    Words(&'t [u8]),
    /// Several values for some.
    Lists(&'t [u8]),
}

impl VariantAxis<'_> {
    /// Calls `visit` with each variant and the place of each of its values.
    #[inline]
    pub fn each_place(&self, mut visit: impl FnMut(usize, usize)) {
        match self {
            Self::Bytes(places) => {
                for (variant, place) in places.iter().enumerate().filter(|(_, place)| **place > 0) {
                    visit(variant, usize::from(*place) - 1);
                }
            }
            Self::Words(places) => {
                for (variant, place) in places.as_chunks::<2>().0.iter().enumerate() {
                    let place = usize::from(u16::from_le_bytes(*place));
                    if place > 0 {
                        visit(variant, place - 1);
                    }
                }
            }
            Self::Lists(lists) => {
                let mut numbers =
                    lists.as_chunks::<2>().0.iter().map(|two| usize::from(u16::from_le_bytes(*two)));
                let mut variant = 0;
                while let Some(count) = numbers.next() {
                    numbers.by_ref().take(count).for_each(|place| visit(variant, place));
                    variant += 1;
                }
            }
        }
    }
}

impl VariantAxis<'_> {
    /// Calls `visit` with the place of each value of these variants, which ascend.
    pub fn each_place_of(&self, variants: impl Iterator<Item = usize>, mut visit: impl FnMut(usize)) {
        let place_of = |variant: usize| match self {
            Self::Bytes(places) => places.get(variant).map(|place| usize::from(*place)),
            Self::Words(places) => {
                let place = places.get(variant * 2..).and_then(<[u8]>::first_chunk);
                place.map(|place| usize::from(u16::from_le_bytes(*place)))
            }
            Self::Lists(_) => None,
        };
        if matches!(self, Self::Lists(_)) {
            let mut variants = variants.peekable();
            self.each_place(|variant, place| {
                while variants.next_if(|wanted| *wanted < variant).is_some() {}
                if variants.peek() == Some(&variant) {
                    visit(place);
                }
            });
            return;
        }
        variants.filter_map(place_of).filter(|place| *place > 0).for_each(|place| visit(place - 1));
    }
}

/// The terms of the variants' offers.
#[derive(Clone, Copy, Default)]
pub struct VariantOffers<'t> {
    numbers: &'t [u8],
    ends: &'t [u8],
    terms: &'t [u8],
}

impl<'t> VariantOffers<'t> {
    /// The number of a variant's terms among the different ones of its product; 0 where all are the product's.
    #[must_use]
    #[inline]
    pub fn number(&self, variant: usize) -> usize {
        let number = self.numbers.get(variant * 2..).and_then(<[u8]>::first_chunk);
        number.map_or(0, |number| usize::from(u16::from_le_bytes(*number)))
    }

    /// Number of different terms.
    #[must_use]
    pub const fn different(&self) -> usize {
        self.ends.len() / 4
    }

    /// The terms of this number, for [`crate::search::pricing::CallerTerms::variant_offer`].
    #[must_use]
    pub fn terms(&self, number: usize) -> &'t [u8] {
        let end = |number: usize| {
            let bytes = self.ends.get(number * 4..).and_then(<[u8]>::first_chunk);
            bytes.map_or(0, |end| u32::from_le_bytes(*end) as usize)
        };
        let start = if number == 0 { 0 } else { end(number - 1) };
        self.terms.get(start..end(number)).unwrap_or_default()
    }
}
