//! Encoding of the variants of a product for the index: see [`super::variant_table`] for the form.

use std::collections::{BTreeSet, HashMap};

use super::variant_table::{ALL_OPEN, AxisForm, OWN_TERMS, variant_word_key};
use crate::search::document::{AttributeValue, ProductDocument, Variant};
use crate::search::pricing::Currency;
use crate::search::query::columns::AttributeColumns;
use crate::search::text::Analyser;

/// Words of a variant by which it is chosen among its product's.
const WORDS_MAX: usize = 16;

/// Encodes the variants of a product; nothing for a product without any.
pub(super) fn encode_variant_table(
    product: &ProductDocument,
    columns: &AttributeColumns,
    analyser: &Analyser,
) -> Vec<u8> {
    let variants = product.variants.as_slice();
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
