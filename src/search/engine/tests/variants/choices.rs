//! The variant and the group of a hit, and the reasons told of variants, by example.

use serde_json::json;

use super::super::rules::with;
use super::examples::{checked_answer, request_with, rows_of, shown_hits};
use super::*;
use crate::search::pricing::HiddenReason;
use crate::search::query::options::Ranking;

/// A shirt in three colours; the dearest is the only one in stock.
fn shirt_rows() -> Rows {
    rows_of(json!([{"Variants": [
        {"Id": "a1", "Sku": "SH-1001", "Options": {"Colour": "Blue"}, "Prices": ["10.00 EUR"], "InStock": false},
        {"Id": "a2", "Sku": "SH-1002", "Gtin": "4006381333931", "Options": {"Colour": "Red"},
         "Prices": ["20.00 EUR"], "InStock": false},
        {"Id": "a3", "Sku": "0077", "Options": {"Colour": "Green"}, "Prices": ["30.00 EUR"], "InStock": true},
    ]}]))
}

/// The ids of the variants that the hits of a search in euros show.
fn shown_ids(shop: &Shop, query: &SearchQuery) -> Vec<String> {
    let caller = buyer(&PlainRequest { has_words: true, ..request_with(json!({})) });
    let answer = shop.index.snapshot().search(query, &caller).expect("an answer");
    answer.items.iter().map(|item| shown_variant(item).id.unwrap_or_default()).collect()
}

fn sort_named(shop: &Shop, name: &str) -> Sort {
    Sort::parse(name, shop.index.snapshot().knowledge().columns(), true).expect("an order")
}

/// The explanation of a variant of the product `a` for a caller who wants euros.
fn explain(shop: &Shop, name: &str, query: &SearchQuery) -> VariantExplanation {
    let caller = buyer(&PlainRequest { has_words: true, ..request_with(json!({})) });
    let snapshot = shop.index.snapshot();
    snapshot.explain_variant("a", name, query, &caller).expect("read").expect("a variant")
}

#[test]
fn filters_that_no_variant_passes_together_are_named_together() {
    let rows = rows_of(json!([{"Prices": ["10.00 EUR"], "Variants": [
        {"Id": "a1", "Options": {"Colour": "Red", "Size": "S"}},
        {"Id": "a2", "Options": {"Colour": "Blue", "Size": "M"}},
    ]}]));
    let shop = shop_of(&rows, &[]);
    let snapshot = shop.index.snapshot();
    let reasons_for = |filters: Value| {
        let request = request_with(filters);
        let query = search_query(&request, snapshot.knowledge().columns());
        match snapshot.verdict("a", &[], &query, &buyer(&request)).expect("read") {
            SearchExplanation::Missing(reasons) => reasons,
            SearchExplanation::Found(_) => Vec::new(),
        }
    };
    let attributes = json!({"Colour": ["Red"], "Size": ["M"]});
    assert_eq!(reasons_for(json!({"Attributes": attributes})), [NotFoundReason::FilteredTogether]);
    // A filter that excludes the product by itself is named alone.
    let alone = json!({"Attributes": attributes, "Price": {"From": 20}});
    assert_eq!(reasons_for(alone), [NotFoundReason::Filtered("Price".to_owned())]);
}

#[test]
fn a_pinned_variant_yields_to_a_typed_number_and_to_the_price_of_an_order_by_price() {
    let shop = shop_of(&shirt_rows(), &[]);
    let pins = json!([{"Id": "r", "Pin": ["a2"]}]);
    let by = |query: &str, sort: &str| SearchQuery { sort: sort_named(&shop, sort), ..with(query, &pins) };
    for (query, sort, expected) in [
        ("shirt", "relevance", "a2"),
        ("blue shirt", "relevance", "a2"),
        ("SH-1001", "relevance", "a1"),
        ("shirt", "price", "a1"),
        ("shirt", "-price", "a3"),
        ("SH-1002", "price", "a1"),
        ("shirt", "title", "a3"),
        ("SH-1002", "title", "a2"),
    ] {
        assert_eq!(shown_ids(&shop, &by(query, sort)), [expected], "{query} by {sort}");
    }
}

#[test]
fn prices_choose_no_variant_without_a_currency() {
    let rows = rows_of(json!([{"Variants": [
        {"Id": "a1", "Prices": ["10.00 EUR"]},
        {"Id": "a2", "Prices": ["9.00 GBP"]},
        {"Id": "a3", "Prices": ["8.00 EUR"]},
    ]}]));
    let shown = |currency: Option<&'static str>| {
        let caller = PlainCaller { currency, ..PlainCaller::default() };
        let facets = if currency.is_some() { vec!["Price"] } else { Vec::new() };
        let request = PlainRequest { caller, facets, ..request_with(json!({})) };
        shown_hits(&checked_answer(&rows, &request))[0].1.clone()
    };
    assert_eq!([None, Some("EUR"), Some("GBP")].map(shown), ["a1", "a3", "a2"]);
}

#[test]
fn in_an_order_by_an_attribute_the_variant_that_decides_the_place_is_shown() {
    let rows = rows_of(json!([
        {"Variants": [
            {"Id": "a1", "Options": {"Size": "40"}, "Prices": ["10.00 EUR"]},
            {"Id": "a2", "Options": {"Size": "38"}, "Prices": ["20.00 EUR"], "InStock": false},
            {"Id": "a3", "Options": {"Size": "38"}, "Prices": ["15.00 EUR"], "InStock": false},
            {"Id": "a4", "Options": {"Size": "42"}, "Prices": ["30.00 EUR"]},
        ]},
        {"Attributes": {"Size": "39"}, "Prices": ["10.00 EUR"]},
    ]));
    let shown = |sort, filters| {
        let answer = checked_answer(&rows, &PlainRequest { sort, ..request_with(filters) });
        shown_hits(&answer).into_iter().map(|(_, variant, _)| variant).collect::<Vec<_>>()
    };
    assert_eq!(shown("Attributes.Size", json!({})), ["a3", ""]);
    assert_eq!(shown("-Attributes.Size", json!({})), ["a4", ""]);
    assert_eq!(shown("-Attributes.Size", json!({"Price": {"To": 16}})), ["a1", ""], "the dearest fails");
    assert_eq!(shown("relevance", json!({})), ["a1", ""]);
}

#[test]
fn a_hit_is_in_stock_if_a_variant_that_the_caller_sees_is() {
    let rows = rows_of(json!([{"Variants": [
        {"Id": "a1", "Options": {"Colour": "Red"}, "Prices": ["10.00 EUR"], "InStock": false},
        {"Id": "a2", "Options": {"Colour": "Red"}, "Prices": ["10.00 GBP"], "InStock": true},
    ]}]));
    for (currency, in_stock) in [("EUR", false), ("GBP", true)] {
        let caller = PlainCaller { currency: Some(currency), ..PlainCaller::default() };
        let request = PlainRequest { caller, ..request_with(json!({})) };
        let answer = checked_answer(&rows, &request);
        assert_eq!(answer.items[0].in_stock, in_stock, "{currency}");
        // So it is where nothing is searched for.
        let snapshot = shop_of(&rows, &[]);
        let item = snapshot.index.snapshot().item(0, 0, &buyer(&request)).expect("read");
        assert_eq!(item.in_stock, in_stock, "{currency}");
    }
}

#[test]
fn groups_stand_by_pins_then_by_the_typed_number_then_by_words() {
    let shop = shop_of(&shirt_rows(), &[]);
    let group_by = || Some("Colour".to_owned());
    let grouped = |query: &str| SearchQuery { group_by: group_by(), ..asking(query) };
    for (query, expected) in [
        ("shirt", ["a1", "a2", "a3"]),
        ("red shirt", ["a2", "a1", "a3"]),
        ("green shirt", ["a3", "a1", "a2"]),
        ("SH-1002", ["a2", "a1", "a3"]),
    ] {
        assert_eq!(shown_ids(&shop, &grouped(query)), expected, "{query}");
        let page = |page| shown_ids(&shop, &SearchQuery { page, size: 1, ..grouped(query) });
        assert_eq!((1..=4).flat_map(page).collect::<Vec<_>>(), expected, "pages of {query}");
    }
    let pins = json!([{"Id": "r", "Pin": ["a3", "a2"]}]);
    let pinned = SearchQuery { group_by: group_by(), ..with("blue shirt", &pins) };
    assert_eq!(shown_ids(&shop, &pinned), ["a3", "a2", "a1"], "each pin of a product counts");
}

#[test]
fn no_more_hits_of_groups_are_held_than_are_needed() {
    let shop = shop_of(&shirt_rows(), &[]);
    let ranking = Ranking { centroid: false, favour: false, ..Ranking::default() };
    let query = SearchQuery { group_by: Some("Colour".to_owned()), size: 2, ranking, ..asking("shirt") };
    let snapshot = shop.index.snapshot();
    let prepared = snapshot.prepare(&query, &BuyerContext::default()).expect("prepared");
    let search = snapshot.search_of(&query, &prepared);
    let mut answer = SearchResult::default();
    let page = snapshot.page(&query, &prepared, &search, &mut answer).expect("a page");
    assert_eq!((page.len(), answer.total), (2, 3));
}

#[test]
fn a_variant_is_explained_as_the_search_chooses_it() {
    let shop = shop_of(&shirt_rows(), &[]);
    for (query, expected) in [
        ("shirt", "a3"),
        ("SH-1001", "a1"),
        ("a1", "a1"),
        ("04006381333931", "a2"),
        ("400638-1333931", "a2"),
        ("77", "a3"),
        ("SH-1002", "a2"),
    ] {
        assert_eq!(shown_ids(&shop, &asking(query)), [expected], "{query}");
        for name in ["a1", "SH-1001", "SH-1002", "0077", "4006381333931", "400638 1333931"] {
            let shown = explain(&shop, name, &asking(query)).shown;
            assert_eq!(shown.as_deref(), Some(expected), "{name} for {query}");
        }
    }
    for (name, id) in [("000077", "a3"), ("04006381333931", "a2")] {
        assert_eq!(shop.index.snapshot().id_of(name).expect("read").as_deref(), Some("a"), "{name}");
        assert_eq!(explain(&shop, name, &asking("shirt")).id, id, "{name}");
    }
    let grouped = SearchQuery { group_by: Some("Colour".to_owned()), ..asking("shirt") };
    for id in ["a1", "a2", "a3"] {
        let explained = explain(&shop, id, &grouped);
        assert_eq!((explained.id.as_str(), explained.shown.as_deref()), (id, Some(id)), "of its own group");
    }
}

#[test]
fn a_variant_of_a_hidden_product_has_the_reason_of_its_product() {
    let variants = json!([{"Id": "a1", "Prices": ["10.00 EUR"]}, {"Id": "a2", "Prices": ["10.00 GBP"]}]);
    for (name, value, expected) in [
        ("StartDate", json!("2027-01-01"), [HiddenReason::OutOfPeriod; 2]),
        ("AccountInclusions", json!(["tag-b"]), [HiddenReason::OfOtherAccounts; 2]),
    ] {
        let shop = shop_of(&rows_of(json!([{"Variants": variants, (name): value}])), &[]);
        let missing = ["a1", "a2"].map(|id| explain(&shop, id, &asking("shirt")).missing);
        assert_eq!(missing, expected.map(|why| vec![NotFoundReason::Unseen(why)]), "{name}");
    }
    let shop = shop_of(&rows_of(json!([{"Variants": variants}])), &[]);
    let missing = ["a1", "a2"].map(|id| explain(&shop, id, &asking("shirt")).missing);
    assert_eq!(missing, [vec![], vec![NotFoundReason::Unseen(HiddenReason::WithoutPrice)]]);
}

#[test]
fn a_shared_number_is_explained_in_one_product() {
    let shared = |id: &str| json!({"Variants": [{"Id": id, "Sku": "X-1", "Prices": ["10.00 EUR"]}]});
    let shop = shop_of(&rows_of(json!([shared("b9"), shared("a9")])), &[]);
    let snapshot = shop.index.snapshot();
    let id = snapshot.id_of("x 1").expect("read").expect("a product");
    let caller = BuyerContext::default();
    let explained = snapshot.explain_variant(&id, "x 1", &asking("shirt"), &caller).expect("read");
    assert_eq!((id.as_str(), explained.map(|why| why.id).as_deref()), ("a", Some("b9")));
    let other_writings = ["00X-1", "x1", "X 1"].map(|name| snapshot.id_of(name).expect("read").is_some());
    assert_eq!(other_writings, [false, true, true], "zeros lead a number alone");
    assert_eq!(snapshot.explain_variant("a", "a", &asking("shirt"), &caller).expect("read"), None);
    assert_eq!(snapshot.explain_variant("b", "b9", &asking("shirt"), &caller).expect("read"), None);
}

#[test]
fn choosing_a_variant_is_paid_from_the_steps_of_the_search() {
    let steps_needed = |count: usize| {
        let variant = |n: usize| json!({"Id": format!("v{n}"), "Options": {"Size": n.to_string()}});
        let variants: Vec<Value> = (0..count).map(variant).collect();
        let shop = shop_of(&rows_of(json!([{"Prices": ["10.00 EUR"], "Variants": variants}])), &[]);
        let is_whole =
            |steps: &u64| !shop.search(&SearchQuery { steps: *steps, ..asking("shirt") }).cut.products;
        (0..1_000).find(is_whole).expect("enough steps")
    };
    // A step to evaluate each variant, and one to count its words.
    assert_eq!(steps_needed(60) - steps_needed(10), 2 * 50);
}

#[test]
fn a_variant_is_explained_at_the_place_of_its_own_group() {
    let variant = |id: &str, colour: &str, price: &str| json!({"Id": id, "Options": {"Colour": colour}, "Prices": [price]});
    let rows = rows_of(json!([
        {"Prices": ["20.00 EUR"], "Variants": [variant("a1", "Red", "10 EUR"), variant("a2", "Blue", "30 EUR")]},
        {"Prices": ["20.00 EUR"]},
    ]));
    let shop = shop_of(&rows, &[]);
    let request = PlainRequest { group_by: Some("Colour"), sort: "price", ..request_with(json!({})) };
    let snapshot = shop.index.snapshot();
    let query = search_query(&request, snapshot.knowledge().columns());
    let place_of = |name: &str| {
        let why = snapshot.explain_variant("a", name, &query, &buyer(&request)).expect("read");
        let groups = why.expect("a variant").groups;
        match snapshot.verdict("a", &groups, &query, &buyer(&request)).expect("read") {
            SearchExplanation::Found(found) => found.place,
            SearchExplanation::Missing(_) => 0,
        }
    };
    assert_eq!([place_of("a1"), place_of("a2")], [1, 3]);
}
