//! Variants by example.

use serde_json::{Value, json};

use super::requests::{PlainCaller, PlainRequest};
use super::rows::Rows;
use super::*;
use crate::limits;

/// Rows with ids `a`, `b` and so on.
pub(super) fn rows_of(products: Value) -> Rows {
    let products = products.as_array().expect("a list of rows").clone();
    let with_id = |(letter, mut row): (char, Value)| {
        row["Id"] = json!(letter.to_string());
        row["Title"] = json!("Shirt");
        (letter.to_string(), row)
    };
    ('a'..).zip(products).map(with_id).collect()
}

/// The answer to a request, compared with the plain reading too.
pub(super) fn checked_answer(rows: &Rows, request: &PlainRequest) -> SearchResult {
    let shop = shop_of(rows, &[]);
    check_request(&shop, rows, request);
    search_whole(&shop, request)
}

pub(super) fn request_with(filters: Value) -> PlainRequest {
    PlainRequest { filters, ..PlainRequest::default() }
}

/// Ids of hits, the variants that they show, and their prices.
pub(super) fn shown_hits(answer: &SearchResult) -> Vec<(String, String, String)> {
    let text = |item: &ProductResult| {
        let price = item.offered.price.map(|price| price.decimal()).unwrap_or_default();
        (item.id.clone(), shown_variant(item).id.unwrap_or_default(), price)
    };
    answer.items.iter().map(text).collect()
}

fn facet_counts(answer: &SearchResult, name: &str) -> Vec<(String, u64)> {
    let facet = answer.facets.iter().find(|facet| facet.subject.name() == name).expect("the facet");
    facet.values.iter().map(|value| (value.value.clone(), value.count)).collect()
}

fn price_span(answer: &SearchResult) -> Option<(f64, f64)> {
    let facet = answer.facets.iter().find(|facet| facet.subject.name() == "Price").expect("the facet");
    facet.span.as_ref().map(|span| (span.min, span.max))
}

#[test]
fn red_in_s_and_blue_in_m_is_not_found_for_red_and_m() {
    let rows = rows_of(json!([{"Prices": ["10.00 EUR"], "Variants": [
        {"Id": "a1", "Options": {"Colour": "Red", "Size": "S"}},
        {"Id": "a2", "Options": {"Colour": "Blue", "Size": "M"}},
    ]}]));
    let choose =
        |colour: &str, size: &str| request_with(json!({"Attributes": {"Colour": [colour], "Size": [size]}}));
    let none = checked_answer(&rows, &choose("Red", "M"));
    assert_eq!((none.total, none.items.len()), (0, 0));
    // The way out: each facet shows what the other filter leaves.
    assert_eq!(facet_counts(&none, "Attributes.Colour"), [("Blue".to_owned(), 1)]);
    assert_eq!(facet_counts(&none, "Attributes.Size"), [("S".to_owned(), 1)]);
    assert_eq!(facet_counts(&none, "InStock"), []);
    let found = checked_answer(&rows, &choose("Blue", "M"));
    assert_eq!(shown_hits(&found), [("a".to_owned(), "a2".to_owned(), "10.00".to_owned())]);
}

#[test]
fn prices_of_10_and_30_are_found_for_25_to_35_and_not_for_15_to_25() {
    let rows = rows_of(json!([{"Prices": ["10.00 EUR"], "Variants": [
        {"Id": "a1", "Options": {"Size": "S"}},
        {"Id": "a2", "Options": {"Size": "M"}, "Prices": ["30.00 EUR"]},
    ]}]));
    let between = |from: f64, to: f64| request_with(json!({"Price": {"From": from, "To": to}}));
    let none = checked_answer(&rows, &between(15.0, 25.0));
    assert_eq!((none.total, price_span(&none)), (0, Some((10.0, 30.0))));
    let dear = checked_answer(&rows, &between(25.0, 35.0));
    assert_eq!(shown_hits(&dear), [("a".to_owned(), "a2".to_owned(), "30.00".to_owned())]);
    let both = checked_answer(&rows, &between(5.0, 35.0));
    assert_eq!(shown_hits(&both), [("a".to_owned(), "a1".to_owned(), "10.00".to_owned())]);
}

#[test]
fn a_facet_counts_products_and_not_variants() {
    let red = |size: &str, in_stock: bool| {
        let options = json!({"Colour": "Red", "Size": size});
        json!({"Sku": size, "Options": options, "InStock": in_stock})
    };
    let rows = rows_of(json!([
        {"Prices": ["10.00 EUR"], "Variants": [red("S", true), red("M", false), red("XL", true)]},
        {"Prices": ["12.00 EUR"], "Attributes": {"Colour": "Red"}},
    ]));
    let answer = checked_answer(&rows, &request_with(json!({})));
    assert_eq!((answer.total, answer.items.len()), (2, 2));
    assert_eq!(facet_counts(&answer, "Attributes.Colour"), [("Red".to_owned(), 2)]);
    // One of its variants is in stock, and one is not.
    let stock: BTreeMap<_, _> = facet_counts(&answer, "InStock").into_iter().collect();
    assert_eq!(stock, BTreeMap::from([("true".to_owned(), 2), ("false".to_owned(), 1)]));
    let grouped = PlainRequest { group_by: Some("Size"), ..request_with(json!({})) };
    let grouped = checked_answer(&rows, &grouped);
    assert_eq!(
        (grouped.total, facet_counts(&grouped, "Attributes.Colour")),
        (4, vec![("Red".to_owned(), 4)])
    );
}

#[test]
fn the_cheapest_that_satisfies_counts_and_not_the_cheapest_of_all() {
    let rows = rows_of(json!([
        {"Variants": [
            {"Id": "a1", "Options": {"Colour": "Blue"}, "Prices": ["10.00 EUR"]},
            {"Id": "a2", "Options": {"Colour": "Red"}, "Prices": ["30.00 EUR"]},
            {"Id": "a3", "Options": {"Colour": "Red"}, "Prices": ["35.00 EUR"], "SalePrices": ["28.00 EUR"]},
        ]},
        {"Prices": ["20.00 EUR"], "Attributes": {"Colour": "Red"}},
    ]));
    let sorted = |sort, filters| PlainRequest { sort, ..request_with(filters) };
    let red = || json!({"Attributes": {"Colour": ["Red"]}});
    let hit = |id: &str, variant: &str, price: &str| (id.to_owned(), variant.to_owned(), price.to_owned());
    let up = checked_answer(&rows, &sorted("price", red()));
    assert_eq!(shown_hits(&up), [hit("b", "", "20.00"), hit("a", "a3", "28.00")]);
    assert_eq!(price_span(&up), Some((20.0, 30.0)));
    let down = checked_answer(&rows, &sorted("-price", red()));
    assert_eq!(shown_hits(&down), [hit("a", "a2", "30.00"), hit("b", "", "20.00")]);
    let all = checked_answer(&rows, &sorted("price", json!({})));
    assert_eq!(shown_hits(&all), [hit("a", "a1", "10.00"), hit("b", "", "20.00")]);
}

#[test]
fn a_variant_without_a_price_for_the_caller_shows_none() {
    let rows = rows_of(json!([{"NoDefaultPriceForAccounts": true, "Prices": ["5.00 EUR"], "Variants": [
        {"Id": "a1", "Options": {"Colour": "Red"}, "InStock": true},
        {"Id": "a2", "Options": {"Colour": "Blue"}, "InStock": false,
         "AccountPrices": {"tag-a": {"Prices": ["20.00 EUR"]}}},
        {"Id": "a3", "Options": {"Colour": "Green"}, "InStock": true, "Prices": ["1.00 GBP"]},
    ]}]));
    let caller = PlainCaller { account: Some("tag-a"), ..PlainCaller::default() };
    let of_account = |filters| PlainRequest { caller: caller.clone(), ..request_with(filters) };
    let answer = checked_answer(&rows, &of_account(json!({})));
    assert_eq!(shown_hits(&answer), [("a".to_owned(), "a2".to_owned(), "20.00".to_owned())]);
    assert_eq!(price_span(&answer), Some((20.0, 20.0)));
    assert_eq!(facet_counts(&answer, "Attributes.Colour"), [("Blue".to_owned(), 1)]);
    assert_eq!(facet_counts(&answer, "InStock"), [("false".to_owned(), 1)]);
    for filters in [json!({"Attributes": {"Colour": ["Red", "Green"]}}), json!({"Price": {"To": 19}})] {
        assert_eq!(checked_answer(&rows, &of_account(filters)).total, 0);
    }
    // All others see what everybody pays, and not the price of the account.
    let public = checked_answer(&rows, &request_with(json!({})));
    assert_eq!(shown_hits(&public), [("a".to_owned(), "a1".to_owned(), "5.00".to_owned())]);
    assert_eq!(price_span(&public), Some((5.0, 5.0)));
    let pounds = PlainCaller { currency: Some("GBP"), ..PlainCaller::default() };
    let pounds = checked_answer(&rows, &PlainRequest { caller: pounds, ..request_with(json!({})) });
    assert_eq!(shown_hits(&pounds), [("a".to_owned(), "a3".to_owned(), "1.00".to_owned())]);
}

#[test]
fn a_product_appears_once_for_each_value_by_which_hits_are_grouped() {
    let rows = rows_of(json!([
        {"Prices": ["10.00 EUR"], "Variants": [
            {"Id": "a1", "Options": {"Colour": "Red", "Size": "S"}},
            {"Id": "a2", "Options": {"Colour": "Blue", "Size": "S"}, "Prices": ["30.00 EUR"]},
            {"Id": "a3", "Options": {"Colour": "Red", "Size": "M"}},
            {"Id": "a4", "Options": {"Size": "M"}},
        ]},
        {"Prices": ["20.00 EUR"], "Variants": [
            {"Id": "b1", "Options": {"Colour": "Red", "Size": "S"}},
            {"Id": "b2", "Options": {"Colour": "Red", "Size": "M"}},
        ]},
    ]));
    let grouped = |sort, filters| PlainRequest { group_by: Some("Colour"), sort, ..request_with(filters) };
    let variants = |answer: &SearchResult| {
        let variants = shown_hits(answer).into_iter().map(|(_, variant, _)| variant);
        variants.collect::<Vec<_>>()
    };
    let all = checked_answer(&rows, &grouped("relevance", json!({})));
    assert_eq!((variants(&all), all.total), (["a1", "a2", "a4", "b1"].map(str::to_owned).to_vec(), 4));
    assert_eq!(facet_counts(&all, "Attributes.Size"), [("S".to_owned(), 3), ("M".to_owned(), 3)]);
    let sorted = checked_answer(&rows, &grouped("price", json!({})));
    assert_eq!(variants(&sorted), ["a1", "a4", "b1", "a2"]);
    let medium = checked_answer(&rows, &grouped("relevance", json!({"Attributes": {"Size": ["M"]}})));
    assert_eq!(variants(&medium), ["a3", "a4", "b2"]);
}

#[test]
fn a_typed_number_and_then_words_of_one_variant_choose_it() {
    let rows = rows_of(json!([{"Variants": [
        {"Id": "a1", "Sku": "SH-1001", "Options": {"Colour": "Red"}, "Prices": ["30.00 EUR"], "InStock": false},
        {"Id": "a2", "Sku": "SH-1002", "Options": {"Colour": "Blue"}, "Prices": ["10.00 EUR"]},
        {"Id": "a3", "Sku": "SH-1003", "Options": {"Colour": "Blue"}, "Prices": ["9.00 EUR"], "InStock": false},
    ]}]));
    let shop = shop_of(&rows, &[]);
    let request = PlainRequest { has_words: true, ..request_with(json!({})) };
    for (query, id) in
        [("shirt", "a2"), ("red shirt", "a1"), ("blue shirt", "a2"), ("SH-1001", "a1"), ("sh 1003", "a3")]
    {
        let query = asking(query);
        let found = shop.index.snapshot().search(&query, &buyer(&request)).expect("an answer");
        assert_eq!(shown_variant(&found.items[0]).id.as_deref(), Some(id), "{}", query.query);
    }
}

#[test]
fn variants_are_paid_from_the_steps_of_a_search_and_an_answer_cut_off_says_so() {
    let variants: Vec<Value> =
        (0..50).map(|n| json!({"Id": format!("v{n}"), "Options": {"Size": n.to_string()}})).collect();
    let products: Vec<Value> =
        (0..20).map(|_| json!({"Prices": ["10.00 EUR"], "Variants": variants})).collect();
    let shop = shop_of(&rows_of(products.into()), &[]);
    let filters = json!({"Attributes": {"Size": ["7"]}});
    let request = PlainRequest { facets: Vec::new(), ..request_with(filters) };
    let snapshot = shop.index.snapshot();
    let search = |request: &PlainRequest, steps: u64| {
        let query = search_query(request, snapshot.knowledge().columns());
        let query = SearchQuery { steps, ..query };
        let answer = snapshot.search(&query, &buyer(request)).expect("an answer");
        (answer.total, answer.cut.products)
    };
    assert_eq!(search(&request, limits::SEARCH_STEPS), (20, false));
    // The listing itself takes no steps; 50 variants and one filter take 13, and their product 2 for being kept.
    let cut = [12, 13, 148].map(|steps| search(&request, steps));
    assert_eq!(cut, [(0, true), (1, true), (10, true)]);
    let grouped = PlainRequest { group_by: Some("Size"), ..request };
    assert_eq!(search(&grouped, 103), (5, true), "groups take further steps");
}

#[test]
fn variants_beyond_those_that_an_answer_knows_are_found_by_their_numbers_and_change_no_value() {
    let ids: Vec<String> = (0..=limits::VARIANTS).map(|number| format!("v{number}")).collect();
    let option = |label: &str, products: &[String]| json!({"label": label, "products": products});
    let colours = [
        option("Black", &ids[..1]),
        option("Red", &ids[1..limits::VARIANTS]),
        option("Aqua", &ids[limits::VARIANTS..]),
    ];
    let settings = json!({"attributes": {"93": {"label": "Colour", "options": colours}}}).to_string();
    let row = json!({"Prices": ["10.00 EUR"], "AssociatedIds": ids, "jsonconfig": settings});
    let shop = shop_of(&rows_of(json!([row])), &[]);
    let find = |colour: &str| search_whole(&shop, &request_with(json!({"Attributes": {"Colour": [colour]}})));
    let shown_id = |colour: &str| shown_hits(&find(colour)).pop().map(|(_, variant, _)| variant);
    assert_eq!(shown_id("Black").as_deref(), Some("v0"));
    assert_eq!(shown_id("Red").as_deref(), Some("v1"));
    assert_eq!(shown_id("Aqua"), None);
    assert_eq!(
        facet_counts(&find("Black"), "Attributes.Colour"),
        [("Black".to_owned(), 1), ("Red".to_owned(), 1)]
    );
    let by_number = asking(ids.last().expect("an id"));
    let found =
        shop.index.snapshot().search(&by_number, &buyer(&request_with(json!({})))).expect("an answer");
    assert_eq!(found.items.len(), 1);
}

#[test]
fn a_barcode_in_an_attribute_shows_its_variant_in_any_writing() {
    let rows = rows_of(json!([{"Variants": [
        {"Id": "a1", "Options": {"Size": "S"}, "Prices": ["10.00 EUR"]},
        {"Id": "a2", "Options": {"Size": "M"}, "Prices": ["30.00 EUR"], "Attributes": {"UPC": "036000291452"}},
    ]}]));
    let shop = shop_of(&rows, &[]);
    for query in ["036000291452", "0 36000 29145 2", "0036000291452"] {
        let found = shop.index.snapshot().search(&asking(query), &buyer(&request_with(json!({}))));
        let found = found.expect("an answer");
        assert_eq!(found.items.len(), 1, "{query}");
        assert_eq!(shown_variant(&found.items[0]).id.as_deref(), Some("a2"), "{query}");
    }
}
