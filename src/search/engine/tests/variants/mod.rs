//! Variants: the program's answers are those of a plain reading of docs/search.md, over random shops and requests.
//!
//! `LETHE_TEST_VARIANTS` sets the number of shops; each is searched six times before changes, after them, and merged.

mod choices;
mod examples;
mod model;
mod offers;
mod requests;
mod rows;

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use self::model::{ExpectedHit, NumberColumn, PlainSearch, ShownVariant, in_parts, read_options};
use self::requests::{PlainCaller, PlainRequest, some_request};
use self::rows::{RandomShop, Rows, some_shop};
use super::*;
use crate::search::document::AttributeKind;
use crate::search::pricing::{Price, QueryPurpose};
use crate::search::query::columns::AttributeColumns;
use crate::search::query::facets::Range;

/// Random shops of a run, unless `LETHE_TEST_VARIANTS` says how many.
const SHOPS: u32 = 40;
/// Requests in each state of a shop.
const REQUESTS: usize = 6;
/// Products of a segment.
const SEGMENT_PRODUCTS: usize = 4;
/// Hits of a page where pages are compared with the whole.
const PAGE_HITS: usize = 3;

fn count_shops() -> u32 {
    let wanted = std::env::var("LETHE_TEST_VARIANTS").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or(SHOPS)
}

fn document_of(row: &Value) -> ProductDocument {
    super::row(&row.to_string())
}

/// The caller as the engine takes them.
fn buyer(request: &PlainRequest) -> BuyerContext {
    let PlainCaller { account, group, currency, now } = &request.caller;
    let now = crate::dates::moment(&format!("{now}Z")).expect("a moment");
    BuyerContext {
        account_tag: account.map(str::to_owned),
        group: group.map(str::to_owned),
        currency: currency.map(|code| code.as_bytes().try_into().expect("three letters")),
        now: now.as_second(),
        purpose: if request.has_words { QueryPurpose::Search } else { QueryPurpose::Listing },
    }
}

/// The request as the engine takes it, with all hits on one page.
fn search_query(request: &PlainRequest, columns: &AttributeColumns) -> SearchQuery {
    let facets: Vec<String> = request.facets.iter().map(|name| (*name).to_owned()).collect();
    let has_currency = request.caller.currency.is_some();
    SearchQuery {
        filters: Filters::parse(&request.filters, columns).expect("filters"),
        facets: parse_facets(&facets, columns).expect("facets"),
        sort: Sort::parse(request.sort, columns, has_currency).expect("an order"),
        group_by: request.group_by.map(str::to_owned),
        size: 250,
        ..asking(if request.has_words { "shirt" } else { "" })
    }
}

/// The answer with all hits on one page.
fn search_whole(shop: &Shop, request: &PlainRequest) -> SearchResult {
    let snapshot = shop.index.snapshot();
    let query = search_query(request, snapshot.knowledge().columns());
    snapshot.search(&query, &buyer(request)).expect("an answer")
}

fn number_columns(columns: &AttributeColumns) -> BTreeMap<String, NumberColumn> {
    let column = |name: &str| NumberColumn {
        is_number: columns.kind(name) == Some(AttributeKind::Number),
        unit: columns.unit(name).unwrap_or_default().to_owned(),
    };
    columns.names().map(|name| (name.to_owned(), column(name))).collect()
}

fn plain_price(price: Price) -> (i64, String) {
    (price.amount, price.code().to_owned())
}

/// The variant that a hit of the program shows.
fn shown_variant(item: &ProductResult) -> ShownVariant {
    let display = item.variant.as_ref().map(|variant| &variant.display[..]);
    let display: Value = display.map_or(Value::Null, |json| serde_json::from_slice(json).expect("JSON"));
    if let Some(variant) = &item.variant {
        assert_eq!(variant.offered, item.offered, "the price of a hit is that of its variant");
    }
    let price = item.offered.price;
    let is_reduced = |list: &Price| price.is_some_and(|price| price.amount < list.amount);
    ShownVariant {
        id: display["Id"].as_str().map(str::to_owned),
        options: read_options(&display["Options"]),
        in_stock: item.variant.as_ref().map_or(item.in_stock, |variant| variant.in_stock),
        price: price.map(plain_price),
        list: item.offered.list.filter(is_reduced).map(plain_price),
    }
}

fn check_hits(answer: &SearchResult, expected: &[ExpectedHit], request: &PlainRequest, is_ranked: bool) {
    let mut items: Vec<_> = answer.items.iter().collect();
    if is_ranked {
        // Words decide which product is first; the hits of each stand side by side.
        let mut places: Vec<_> = ids(answer);
        places.dedup();
        let runs = places.len();
        places.sort();
        places.dedup();
        assert_eq!(runs, places.len(), "hits of a product are apart: {:?} for {request:?}", ids(answer));
        items.sort_by(|a, b| a.id.cmp(&b.id));
    }
    let found: Vec<_> = items.iter().map(|item| (&item.id, shown_variant(item))).collect();
    let is_same = found.len() == expected.len()
        && found.iter().zip(expected).all(|((id, shown), hit)| **id == hit.id && hit.shown == *shown);
    assert!(is_same, "{request:?}\nfinds\n{found:#?}\nand not\n{expected:#?}");
    assert_eq!([answer.total, answer.total_relaxed], [expected.len(); 2], "totals of {request:?}");
    for (item, hit) in items.iter().zip(expected) {
        assert_eq!(item.in_stock, hit.in_stock, "stock of {} for {request:?}", item.id);
    }
}

fn check_facets(shop: &Shop, answer: &SearchResult, plain: &PlainSearch<'_>) {
    let request = plain.request;
    assert_eq!(answer.facets.len(), request.facets.len());
    for (facet, name) in answer.facets.iter().zip(&request.facets) {
        let expected = plain.facet(name);
        let counts: BTreeMap<_, _> =
            facet.values.iter().map(|value| (value.value.clone(), value.count)).collect();
        assert_eq!(counts, expected.counts, "{name} of {request:?}");
        assert_eq!(facet.values.len(), counts.len(), "{name} has a value twice");
        assert_eq!(facet.distinct, counts.len(), "{name} of {request:?}");
        // Options in the order of their kind, others by count, then by name; numbers by their size, and true before
        // false.
        let snapshot = shop.index.snapshot();
        let columns = snapshot.knowledge().columns();
        let is_option = name.strip_prefix("Attributes.").is_some_and(|name| columns.is_option(name));
        let is_by_name = facet.span.is_none() && !matches!(*name, "InStock" | "OnOffer");
        let is_ordered = facet.values.is_sorted_by(|a, b| {
            a.count > b.count || a.count == b.count && (!is_by_name || a.value < b.value)
        });
        assert!(is_option || is_ordered, "{name} of {request:?}: {:?}", facet.values);
        let ends = expected.numbers.first().copied().zip(expected.numbers.last().copied());
        let span = facet.span.as_ref().map(|span| (in_parts(span.min), in_parts(span.max)));
        assert_eq!(span, ends, "{name} of {request:?}");
        for range in facet.span.iter().flat_map(|span| &span.ranges) {
            let mut narrowed = request.with_filter(name, json!({"From": range.from, "To": range.to}));
            narrowed.facets.clear();
            let found = PlainSearch { request: &narrowed, ..*plain }.hits().len();
            assert_eq!(range.count, found as u64, "{range:?} of {name} of {request:?}");
            assert_eq!(
                search_whole(shop, &narrowed).total,
                found,
                "{range:?} of {name} as a filter of {request:?}"
            );
        }
        if *name == "Price" {
            let ranges = facet.span.as_ref().map_or(&[][..], |span| &span.ranges);
            let holders = |amount: &i64| {
                let holds = |range: &&Range| (in_parts(range.from)..=in_parts(range.to)).contains(amount);
                ranges.iter().filter(holds).count()
            };
            let is_in_one = expected.numbers.iter().all(|amount| holders(amount) == 1);
            assert!(is_in_one, "{ranges:?} of {:?} of {request:?}", expected.numbers);
        }
    }
}

/// Ids of hits and of the variants that they show.
fn keys_of(items: &[ProductResult]) -> Vec<(String, Option<String>)> {
    items.iter().map(|item| (item.id.clone(), shown_variant(item).id)).collect()
}

fn check_request(shop: &Shop, rows: &Rows, request: &PlainRequest) {
    let snapshot = shop.index.snapshot();
    let columns = snapshot.knowledge().columns();
    let numbers = number_columns(columns);
    let plain = PlainSearch { rows, columns: &numbers, request };
    let query = search_query(request, columns);
    let whole = search_whole(shop, request);
    let is_ranked = request.has_words && query.sort == Sort::Relevance;
    check_hits(&whole, &plain.hits(), request, is_ranked);
    check_facets(shop, &whole, &plain);
    let page = |page| {
        let query = SearchQuery { page, size: PAGE_HITS, facets: Vec::new(), ..query.clone() };
        keys_of(&snapshot.search(&query, &buyer(request)).expect("a page").items)
    };
    let pages: Vec<_> = (1..).map(page).take_while(|page| !page.is_empty()).flatten().collect();
    assert_eq!(pages, keys_of(&whole.items), "pages of {request:?}");
}

/// A shop in several segments whose statistics know all these rows.
fn shop_of(rows: &Rows, later: &[&Value]) -> Shop {
    let documents: Vec<_> = rows.values().chain(later.iter().copied()).map(document_of).collect();
    let mut shop = Shop::empty(knowledge(&documents));
    // The order of the segments is not that of the ids.
    documents[..rows.len()].rchunks(SEGMENT_PRODUCTS).for_each(|documents| shop.put_products(documents));
    shop
}

fn check_all_states(random: RandomShop, requests: &[PlainRequest]) {
    let RandomShop { mut rows, changes } = random;
    let later: Vec<&Value> = changes.iter().filter_map(|(_, row)| row.as_ref()).collect();
    let mut shop = shop_of(&rows, &later);
    let check_requests = |shop: &Shop, rows: &Rows| {
        requests.iter().for_each(|request| check_request(shop, rows, request));
    };
    check_requests(&shop, &rows);
    for (number, (id, row)) in changes.iter().enumerate() {
        match row {
            Some(row) => {
                shop.index.write(DocumentChange::Put(&document_of(row))).expect("written");
                rows.insert(id.clone(), row.clone());
            }
            None => {
                shop.index.write(DocumentChange::Remove(id)).expect("removed");
                rows.remove(id);
            }
        }
        if number % 2 == 0 {
            shop.index.commit("").expect("committed");
        }
    }
    shop.index.commit("").expect("committed");
    check_requests(&shop, &rows);
    shop.index.merge_all().expect("merged");
    check_requests(&shop, &rows);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None, cases: count_shops(), ..ProptestConfig::default()
    })]

    #[test]
    fn answers_are_those_of_a_plain_reading_of_the_rows(
        shop in some_shop(), requests in vec(some_request(), REQUESTS),
    ) {
        check_all_states(shop, &requests);
    }
}

/// Requests that find nothing compare nothing.
#[test]
fn random_requests_find_something_in_random_shops() {
    let mut runner = TestRunner::deterministic();
    let columns = BTreeMap::new();
    let mut found = [0; 3];
    for _ in 0..300 {
        let shop = some_shop().new_tree(&mut runner).expect("a shop").current();
        let request = some_request().new_tree(&mut runner).expect("a request").current();
        let hits = PlainSearch { rows: &shop.rows, columns: &columns, request: &request }.hits();
        let mut products: Vec<_> = hits.iter().map(|hit| &hit.id).collect();
        products.dedup();
        let is_filtered = request.filters.as_object().is_some_and(|filters| !filters.is_empty());
        let facts = [!hits.is_empty(), is_filtered && !hits.is_empty(), products.len() < hits.len()];
        facts.iter().zip(&mut found).for_each(|(holds, count)| *count += usize::from(*holds));
    }
    let [hits, filtered, grouped] = found;
    assert!(hits > 150 && filtered > 90 && grouped > 60, "{found:?} of 300");
}
