//! Encoding of the variants of a product for the index: see [`super::variant_table`] for the form.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::variant_table::{AxisForm, OWN_TERMS, VISIBLE_TO_ALL, variant_word_key};
use crate::search::document::{Attribute, ProductDocument, Variant};
use crate::search::pricing::{Currency, Price};
use crate::search::query::columns::AttributeColumns;
use crate::search::text::Analyser;

/// Words of a variant by which it is chosen among its product's.
const WORDS_MAX: usize = 16;

/// Encodes the variants of a product; nothing for a product without any. `open` is its [`open_currency`].
pub(super) fn encode_variant_table(
    product: &ProductDocument,
    open: Option<Currency>,
    columns: &AttributeColumns,
    analyser: &Analyser,
) -> Vec<u8> {
    let variants = product.variants.as_slice();
    if variants.is_empty() {
        return Vec::new();
    }
    let terms: Vec<Vec<u8>> = variants.iter().map(|variant| variant.offer.encode()).collect();
    let has_own_terms = terms.iter().any(|terms| !terms.is_empty());
    let mut out = Vec::with_capacity(64);
    write_u16(variants.len(), &mut out);
    out.push(if has_own_terms { OWN_TERMS } else { 0 } | if open.is_some() { VISIBLE_TO_ALL } else { 0 });
    out.extend_from_slice(&open.unwrap_or_default());
    for eight in variants.chunks(8) {
        let bits = eight.iter().zip(0..).map(|(variant, bit)| u8::from(variant.in_stock) << bit);
        out.push(bits.fold(0, |all, bit| all | bit));
    }
    write_axes(product, variants, columns, &mut out);
    if has_own_terms {
        write_terms(&terms, &mut out);
    }
    write_words(product, analyser, &mut out);
    out
}

/// The currency in which the product, and each of its variants, has a price for all callers, where nothing else decides
/// who sees it.
pub(super) fn open_currency(product: &ProductDocument) -> Option<Currency> {
    let own = &product.offer.prices.lists;
    let lists: Vec<_> = match product.variants.as_slice() {
        [] => vec![own],
        variants => variants.iter().map(|variant| variant.offer.lists.as_ref().unwrap_or(own)).collect(),
    };
    let currency = lists.first()?.first()?.currency;
    let has_it = |prices: &&Vec<Price>| prices.iter().any(|price| price.currency == currency);
    (product.is_open() && lists.iter().all(has_it)).then_some(currency)
}

fn write_axes(
    product: &ProductDocument,
    variants: &[Variant],
    columns: &AttributeColumns,
    out: &mut Vec<u8>,
) {
    let names = names_of(variants.iter().flat_map(Variant::own_attributes));
    let axes: Vec<(&str, u8)> =
        names.into_iter().filter_map(|name| Some((name, columns.number(name)?))).collect();
    out.push(u8::try_from(axes.len()).unwrap_or(u8::MAX));
    for (name, number) in axes {
        let texts_of = |variant: &Variant| -> Vec<String> {
            let values = variant.values_of(name, &product.attributes);
            columns.texts(name, &values).into_iter().map(str::to_owned).collect()
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
        write_lists(held, values, out);
    }
}

/// Writes where the list of each variant ends, and the lists, in numbers that have room for all.
fn write_lists(held: &[Vec<usize>], values: usize, out: &mut Vec<u8>) {
    let total: usize = held.iter().map(Vec::len).sum();
    let is_wide = total.max(values) > usize::from(u16::MAX);
    out.push(if is_wide { AxisForm::WideLists } else { AxisForm::Lists } as u8);
    let write = if is_wide { write_u32 } else { write_u16 };
    let mut end = 0;
    for places in held {
        end += places.len();
        write(end, out);
    }
    held.iter().flatten().for_each(|place| write(*place, out));
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

/// For each variant the number of its words that not all variants have, and their keys: those of its options, then of
/// the attributes of which variants have their own, then of its title. What a variant leaves out is its product's.
fn write_words(product: &ProductDocument, analyser: &Analyser, out: &mut Vec<u8>) {
    let variants = &product.variants;
    let mut words = WordKeys { analyser, of_texts: HashMap::new() };
    let options: BTreeSet<&str> = names_of(variants.iter().flat_map(|variant| &variant.options));
    let attributes = names_of(variants.iter().flat_map(|variant| &variant.attributes));
    let names: Vec<&str> = options.iter().chain(attributes.difference(&options)).copied().collect();
    let keys_of = |variant: &Variant| {
        let mut keys = Vec::new();
        for name in &names {
            let values = variant.values_of(name, &product.attributes);
            values.iter().for_each(|value| words.add_keys(value.text(), &mut keys));
        }
        let title = if variant.title.is_empty() { &product.title } else { &variant.title };
        words.add_keys(title, &mut keys);
        let mut seen = HashSet::new();
        keys.retain(|key| seen.insert(*key));
        keys
    };
    let all: Vec<Vec<u32>> = variants.iter().map(keys_of).collect();
    let mut counts: HashMap<u32, usize> = HashMap::new();
    all.iter().flatten().for_each(|key| *counts.entry(*key).or_default() += 1);
    for keys in all {
        let own = keys.into_iter().filter(|key| counts.get(key).is_some_and(|count| *count < variants.len()));
        let own: Vec<u32> = own.take(WORDS_MAX).collect();
        out.push(u8::try_from(own.len()).unwrap_or_default());
        own.iter().for_each(|key| out.extend_from_slice(&key.to_le_bytes()));
    }
}

fn names_of<'v>(attributes: impl Iterator<Item = &'v Attribute>) -> BTreeSet<&'v str> {
    attributes.map(|attribute| attribute.name.as_str()).collect()
}

/// Keys of the words of texts, which many variants have in common.
struct WordKeys<'a> {
    analyser: &'a Analyser,
    of_texts: HashMap<String, Vec<u32>>,
}

impl WordKeys<'_> {
    fn add_keys(&mut self, text: &str, keys: &mut Vec<u32>) {
        if let Some(known) = self.of_texts.get(text) {
            keys.extend_from_slice(known);
            return;
        }
        let mut words = Vec::new();
        self.analyser.for_each_part(text, &mut |part| words.push(variant_word_key(part.term())));
        keys.extend_from_slice(&words);
        self.of_texts.insert(text.to_owned(), words);
    }
}

fn write_u16(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes());
}

fn write_u32(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}
