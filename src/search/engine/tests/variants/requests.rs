//! Random requests and callers.

use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

use super::rows::{ACCOUNTS, BRANDS, CATEGORIES, COLOURS, GROUPS, MATERIALS, MOMENTS};

/// Everything that is counted.
const FACETS: [&str; 9] = [
    "Brand",
    "Category",
    "InStock",
    "OnOffer",
    "Attributes.Colour",
    "Attributes.Size",
    "Attributes.Width",
    "Attributes.Material",
    "Price",
];

/// A search as it is sent, and its caller.
#[derive(Debug, Clone)]
pub(super) struct PlainRequest {
    /// `Filters` of the request.
    pub filters: Value,
    pub facets: Vec<&'static str>,
    pub sort: &'static str,
    pub group_by: Option<&'static str>,
    /// True if it has a word, which all products hold.
    pub has_words: bool,
    pub caller: PlainCaller,
}

/// A caller at a moment.
#[derive(Debug, Clone)]
pub(super) struct PlainCaller {
    /// The tag of their account.
    pub account: Option<&'static str>,
    pub group: Option<&'static str>,
    pub currency: Option<&'static str>,
    /// The moment in UTC, as `2026-03-02T12:00:00`.
    pub now: &'static str,
}

impl Default for PlainCaller {
    fn default() -> Self {
        Self { account: None, group: None, currency: Some("EUR"), now: MOMENTS[0] }
    }
}

impl Default for PlainRequest {
    fn default() -> Self {
        Self {
            filters: json!({}),
            facets: FACETS.to_vec(),
            sort: "relevance",
            group_by: None,
            has_words: false,
            caller: PlainCaller::default(),
        }
    }
}

impl PlainRequest {
    /// The same with another filter on this property.
    pub(super) fn with_filter(&self, subject: &str, wanted: Value) -> Self {
        let mut request = self.clone();
        match subject.strip_prefix("Attributes.") {
            Some(name) => request.filters["Attributes"][name] = wanted,
            None => request.filters[subject] = wanted,
        }
        request
    }

    /// Each filter with the name of its property.
    pub(super) fn each_filter(&self) -> Vec<(String, &Value)> {
        let mut all = Vec::new();
        for (name, wanted) in self.filters.as_object().into_iter().flatten() {
            match wanted {
                Value::Object(attributes) if name == "Attributes" => {
                    let named = attributes.iter();
                    all.extend(named.map(|(name, wanted)| (format!("Attributes.{name}"), wanted)));
                }
                wanted => all.push((name.clone(), wanted)),
            }
        }
        all
    }
}

fn some_list(pool: &'static [&'static str]) -> BoxedStrategy<Value> {
    subsequence(pool, 1..=2).prop_map(|values| json!(values)).boxed()
}

/// A range between two of these ends, or from or to one of them.
fn some_range(ends: &'static [f64]) -> BoxedStrategy<Value> {
    (subsequence(ends, 2), 0..4)
        .prop_map(|(ends, open)| match open {
            0 => json!({"From": ends[0]}),
            1 => json!({"To": ends[1]}),
            _ => json!({"From": ends[0], "To": ends[1]}),
        })
        .boxed()
}

/// A filter on each property that has some.
fn some_wanted() -> BoxedStrategy<Vec<(&'static str, Value)>> {
    let sizes = prop_oneof![
        3 => some_list(&["S", "M", "XL", "38", "38.5", "40"]),
        1 => Just(json!([38, 38.5])),
        1 => some_range(&[30.0, 38.0, 38.5, 40.0]),
    ];
    let widths = prop_oneof![
        2 => some_list(&["45 cm", "60 cm", "45", "50", "1 m", "wide"]),
        1 => Just(json!([45, 60])),
        2 => some_range(&[1.0, 45.0, 50.0, 55.0, 60.0]),
    ];
    let attributes = (some_list(COLOURS), sizes, widths, some_list(MATERIALS));
    let prices = some_range(&[0.0, 9.99, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0]);
    let product = (some_list(BRANDS), some_list(CATEGORIES), any::<bool>());
    (attributes, prices, any::<bool>(), product)
        .prop_map(|(attributes, price, in_stock, product)| {
            vec![
                ("Attributes.Colour", attributes.0),
                ("Attributes.Size", attributes.1),
                ("Attributes.Width", attributes.2),
                ("Attributes.Material", attributes.3),
                ("Price", price),
                ("InStock", json!(in_stock)),
                ("Brand", product.0),
                ("Category", product.1),
                ("OnOffer", json!(product.2)),
            ]
        })
        .boxed()
}

fn some_caller() -> BoxedStrategy<PlainCaller> {
    let currency = prop_oneof![6 => Just(Some("EUR")), 2 => Just(Some("GBP")), 2 => Just(None)];
    let named = (weighted(0.4, select(ACCOUNTS)), weighted(0.3, select(GROUPS)));
    (named, currency, select(MOMENTS))
        .prop_map(|((account, group), currency, now)| PlainCaller { account, group, currency, now })
        .boxed()
}

/// A search with up to four filters, all facets, any order and any grouping.
pub(super) fn some_request() -> impl Strategy<Value = PlainRequest> {
    let sorts = vec![
        "relevance",
        "price",
        "-price",
        "title",
        "-title",
        "newest",
        "Attributes.Size",
        "-Attributes.Size",
        "Attributes.Width",
        "-Attributes.Width",
    ];
    let filters = (some_wanted(), subsequence((0..9).collect::<Vec<usize>>(), 0..=4));
    let group_by = select(vec![None, Some("Colour"), Some("Size")]);
    let rest = (select(sorts), group_by, prop::bool::weighted(0.3), some_caller());
    (filters, rest).prop_map(|((wanted, places), (sort, group_by, has_words, caller))| {
        let plain = PlainRequest { sort, group_by, has_words, caller, ..PlainRequest::default() };
        let chosen = places.into_iter().map(|place| wanted[place].clone());
        // Without a currency no request compares prices.
        let has_currency = plain.caller.currency.is_some();
        let chosen = chosen.filter(|(name, _)| has_currency || !is_price(name));
        let mut request = chosen.fold(plain, |request, (name, wanted)| request.with_filter(name, wanted));
        if !has_currency {
            request.facets.retain(|name| !is_price(name));
            request.sort = if is_price(sort) { "relevance" } else { sort };
        }
        request
    })
}

fn is_price(name: &str) -> bool {
    matches!(name, "Price" | "price" | "-price")
}
