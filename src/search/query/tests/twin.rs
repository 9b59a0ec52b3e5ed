//! A second, plain reading of the same rules over the documents themselves: it must find the same.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;

use super::Shop;
use super::shop::{caller, product, with, within};
use crate::search::document::ProductDocument;
use crate::search::pricing::{Price, resolve};

const COLOURS: [&str; 4] = ["red", "green", "blue", "white"];
const BRANDS: [&str; 3] = ["", "a", "b"];

/// Choices by which a product differs from others.
type Choices = (usize, u8, usize, bool, i64);

fn document(number: usize, (brand, colours, width, in_stock, cents): Choices) -> ProductDocument {
    let price = format!("{}.{:02} {}", cents / 100, cents % 100, if cents % 7 == 0 { "EUR" } else { "GBP" });
    let mut document = product(&format!("p{number:02}"), &format!("Lamp {}", width % 3), &price);
    document.in_stock = in_stock;
    document.offer.hidden = cents % 11 == 0;
    let categories = [["one", "top"], ["two", "top"]][width % 2];
    let colours: Vec<&str> = (0..4).filter(|bit| colours & (1 << bit) != 0).map(|bit| COLOURS[bit]).collect();
    let document = within(document, BRANDS[brand], &categories);
    let document = if colours.is_empty() { document } else { with(document, "Colour", &colours) };
    with(document, "Width", &[&format!("{width} cm")])
}

/// A filter on each subject, or none.
#[derive(Debug, Clone)]
struct Asked {
    brand: Option<usize>,
    colours: Vec<usize>,
    in_stock: Option<bool>,
    prices: Option<(i64, i64)>,
    widest: Option<usize>,
}

impl Asked {
    fn json(&self) -> serde_json::Value {
        let mut filters = json!({"Attributes": {}});
        if let Some(brand) = self.brand {
            filters["Brand"] = json!([BRANDS[brand]]);
        }
        if let Some(in_stock) = self.in_stock {
            filters["InStock"] = json!(in_stock);
        }
        if let Some((from, to)) = self.prices {
            filters["Price"] = json!({"From": from as f64 / 100.0, "To": to as f64 / 100.0});
        }
        if !self.colours.is_empty() {
            let colours: Vec<&str> = self.colours.iter().map(|colour| COLOURS[*colour]).collect();
            filters["Attributes"]["Colour"] = json!(colours);
        }
        if let Some(widest) = self.widest {
            filters["Attributes"]["Width"] = json!({"To": widest});
        }
        filters
    }

    /// Returns true if the product passes all filters except the one on this subject.
    fn passes(&self, document: &ProductDocument, but: &str) -> bool {
        let Some(price) = price_of(document) else { return false };
        let texts = texts_of(document, "Attributes.Colour");
        let widths = texts_of(document, "Attributes.Width");
        let is_as_wide = |widest: usize| {
            widths.iter().any(|width| width.parse().is_ok_and(|width: usize| width <= widest))
        };
        (but == "Brand" || self.brand.is_none_or(|brand| document.brand_id == BRANDS[brand]))
            && (but == "InStock" || self.in_stock.is_none_or(|in_stock| document.in_stock == in_stock))
            && (but == "Price"
                || self.prices.is_none_or(|(from, to)| (from * 100..=to * 100).contains(&price.amount)))
            && (but == "Attributes.Colour"
                || self.colours.is_empty()
                || self.colours.iter().any(|colour| texts.contains(COLOURS[*colour])))
            && (but == "Attributes.Width" || self.widest.is_none_or(is_as_wide))
    }
}

fn price_of(document: &ProductDocument) -> Option<Price> {
    resolve(&document.offer.encode(), &caller("GBP")).price
}

fn texts_of(document: &ProductDocument, facet: &str) -> BTreeSet<String> {
    let named =
        |name: &'static str| document.attributes.iter().filter(move |attribute| attribute.name == name);
    match facet {
        "Brand" => [document.brand_id.clone()].into_iter().filter(|id| !id.is_empty()).collect(),
        "Category" => document.categories.iter().cloned().collect(),
        "InStock" => [document.in_stock.to_string()].into(),
        "Attributes.Colour" => {
            named("Colour").flat_map(|found| &found.values).map(|value| value.text().to_owned()).collect()
        }
        _ => {
            let values = named("Width").flat_map(|found| &found.values);
            values.map(|value| value.text().trim_end_matches(" cm").to_owned()).collect()
        }
    }
}

fn choices() -> impl Strategy<Value = Choices> {
    (0..3_usize, 0..16_u8, 0..20_usize, any::<bool>(), 1..5000_i64)
}

fn asked() -> impl Strategy<Value = Asked> {
    let colours = proptest::collection::vec(0..4_usize, 0..3);
    let prices = proptest::option::of((0..5000_i64, 0..5000_i64).prop_map(|(a, b)| (a.min(b), a.max(b))));
    let brand = proptest::option::of(1..3_usize);
    let in_stock = proptest::option::of(any::<bool>());
    let widest = proptest::option::of(0..20_usize);
    (brand, colours, in_stock, prices, widest).prop_map(|(brand, colours, in_stock, prices, widest)| Asked {
        brand,
        colours,
        in_stock,
        prices,
        widest,
    })
}

fn check(documents: &[ProductDocument], asked: &Asked, shop: &Shop) {
    let names = ["Brand", "Category", "InStock", "Attributes.Colour", "Attributes.Width", "Price"];
    let found = shop.find(asked.json(), &names, "price", &caller("GBP"));
    let mut expected: Vec<_> = documents.iter().filter(|document| asked.passes(document, "")).collect();
    expected.sort_by_key(|document| (price_of(document).map(|price| price.amount), document.id.clone()));
    let expected: Vec<_> = expected.into_iter().map(|document| document.id.clone()).collect();
    assert_eq!(found.ids, expected);
    for (name, facet) in names.iter().zip(&found.facets) {
        let counted: Vec<_> = documents.iter().filter(|document| asked.passes(document, name)).collect();
        if *name == "Price" {
            let prices: Vec<_> =
                counted.iter().filter_map(|document| price_of(document)).map(|price| price.amount).collect();
            let span = facet
                .span
                .as_ref()
                .map(|span| ((span.min * 1e4).round() as i64, (span.max * 1e4).round() as i64));
            assert_eq!(span, prices.iter().min().copied().zip(prices.iter().max().copied()));
            let in_ranges: u64 =
                facet.span.iter().flat_map(|span| &span.ranges).map(|range| range.count).sum();
            assert_eq!(in_ranges, prices.len() as u64);
            continue;
        }
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        counted
            .iter()
            .flat_map(|document| texts_of(document, name))
            .for_each(|text| *counts.entry(text).or_default() += 1);
        let found: BTreeMap<_, _> =
            facet.values.iter().map(|value| (value.value.clone(), value.count)).collect();
        assert_eq!(found, counts, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_plain_reading_of_the_rules_finds_the_same(
        choices in proptest::collection::vec(choices(), 1..40),
        asked in proptest::collection::vec(asked(), 1..5),
        cuts in (0..40_usize, 0..40_usize),
    ) {
        let documents: Vec<_> = choices.into_iter().enumerate().map(|(number, of)| document(number, of)).collect();
        let first = cuts.0.min(cuts.1).min(documents.len());
        let second = cuts.0.max(cuts.1).min(documents.len());
        let parts = [&documents[..first], &documents[first..second], &documents[second..]].map(<[_]>::to_vec);
        let apart = Shop::new(&parts, false);
        let merged = Shop::new(&parts, true);
        for asked in asked {
            if apart.columns.kind("Colour").is_some() {
                check(&documents, &asked, &apart);
                check(&documents, &asked, &merged);
            }
        }
    }
}
