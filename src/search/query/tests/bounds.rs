//! Bounds of filters, facets and orders, each on both of its sides.

use serde_json::{Map, Value, json};

use super::Shop;
use super::shop::{caller, chairs, none, product, with};
use crate::limits;
use crate::search::document::AttributeStatistics;
use crate::search::query::columns::AttributeColumns;
use crate::search::query::facets::parse_facets;
use crate::search::query::filters::Filters;
use crate::search::query::product_property::ProductProperty;

/// The columns of colours and of widths.
fn columns() -> AttributeColumns {
    let stored = AttributeStatistics::decode(b"9\tt\t\tColour\n9\tn\tcm\tSeat width\n");
    AttributeColumns::new(&stored.expect("columns"))
}

fn parse(filters: &Value) -> Result<Filters, String> {
    Filters::parse(filters, &columns()).map_err(|fault| fault.to_string())
}

fn attributes(count: usize) -> Value {
    let members: Map<_, _> = (0..count).map(|number| (format!("a{number}"), json!(["x"]))).collect();
    json!({"Attributes": members})
}

#[test]
fn so_many_filters_values_and_facets_are_taken() {
    assert_eq!(parse(&attributes(31)).map(|filters| filters.subjects().count()), Ok(31));
    let many = parse(&attributes(32)).err();
    assert_eq!(many.as_deref(), Some("Filters: more than 31 filters in a query"));
    assert!(parse(&json!({"Brand": vec!["a"; limits::SEARCH_FILTER_VALUES]})).is_ok());
    assert!(parse(&json!({"Brand": "a".repeat(limits::ITEM_ID_BYTES)})).is_ok());
    let name = |bytes: usize| json!({"Attributes": {("n".repeat(bytes)): ["x"]}});
    assert!(parse(&name(512)).is_ok() && parse(&name(513)).is_err());
    assert!(parse(&json!({"Attributes": {"a\tb": ["x"]}})).is_err());
    let names = |count: usize| -> Vec<String> { (0..count).map(|n| format!("Attributes.a{n}")).collect() };
    let columns = columns();
    assert_eq!(parse_facets(&names(30), &columns).map(|facets| facets.len()), Ok(30));
    assert!(parse_facets(&names(31), &columns).is_err());
}

#[test]
fn a_range_of_prices_is_read_to_the_last_part() {
    for (range, expected) in [
        (json!({"From": 10}), (100_000, i64::MAX)),
        (json!({"To": "19.99"}), (i64::MIN, 199_900)),
        (json!({"From": 1.5, "To": 1.5}), (15_000, 15_000)),
        (json!({"From": " 2 ", "To": null}), (20_000, i64::MAX)),
        (json!({"From": "1e2", "To": 12_345.678_96}), (1_000_000, 123_456_790)),
    ] {
        let filters = parse(&json!({"Price": range})).expect("filters");
        assert_eq!(filters.prices(), Some(expected), "{range}");
        assert!(filters.has_price());
    }
    for (range, sentence) in [
        (json!({"From": 2, "To": 1.9999}), "Filters.Price: From has to be at most To"),
        (json!({"From": null, "To": null}), "Filters.Price: needs From, To or both"),
        (json!({"From": "NaN"}), "Filters.Price.From: has to be a number"),
        (json!({"To": true}), "Filters.Price.To: has to be a number"),
        (json!({"To": 1e300}), "Filters.Price.To: has to be a number"),
        (json!({"From": 1, "until": 2}), "Filters.Price.until: is not known; allowed are From and To"),
    ] {
        assert_eq!(parse(&json!({"Price": range})).err().as_deref(), Some(sentence), "{range}");
    }
    let width = |range: Value| parse(&json!({"Attributes": {"Seat width": range}})).err();
    for text in ["inf", "NaN", "wide"] {
        let sentence = "Filters.Attributes.Seat width.To: has to be a number";
        assert_eq!(width(json!({"To": text})).as_deref(), Some(sentence), "{text}");
    }
    assert_eq!(width(json!({"From": 40, "To": "40"})), None);
}

#[test]
fn filters_tell_what_they_are_about() {
    let filters = parse(
        &json!({"Category": ["a", 7], "InStock": true, "Attributes": {"colour": ["red"], "Gone": "x"}}),
    );
    let filters = filters.expect("filters");
    let columns = columns();
    assert_eq!(filters.categories(), ["a", "7"]);
    assert!(filters.has_unheld(&columns) && !filters.has_price() && !filters.is_empty());
    assert_eq!(filters.prices(), None);
    let names: Vec<_> = filters.each_filter().map(|(name, one)| (name, one.subjects().count())).collect();
    let each = ["Attributes.Colour", "Attributes.Gone", "Category", "InStock"];
    let mut sorted: Vec<_> = names.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    sorted.sort_unstable();
    assert_eq!(sorted, each.map(|name| (name, 1)));
    let held = parse(&json!({"Attributes": {"Colour": ["red"]}})).expect("filters");
    assert!(!held.has_unheld(&columns) && held.categories().is_empty());
    // A category that is filtered by already stays.
    assert_eq!(filters.within(ProductProperty::Category, "b".to_owned()), filters);
    let within = held.within(ProductProperty::Brand, "b".to_owned());
    assert_eq!(within, parse(&json!({"Attributes": {"Colour": ["red"]}, "Brand": "b"})).expect("filters"));
}

#[test]
fn a_filter_names_a_number_with_its_unit_too() {
    for merge in [false, true] {
        let shop = chairs(merge);
        let width = |wanted: Value| shop.ids(json!({"Attributes": {"Seat width": wanted}}), "title");
        assert_eq!(width(json!(["45 cm"])), ["c3"]);
        assert_eq!(width(json!([50.5, " 45cm "])), ["c3", "c0"]);
        assert_eq!(width(json!({"From": 40, "To": 40})), ["c1", "c2"]);
        assert_eq!(width(json!({"From": 40.5, "To": 44.5})), Vec::<String>::new());
    }
}

#[test]
fn many_values_of_a_filter_are_found_as_few_are() {
    let ids: Vec<_> = (0..7).map(|number| format!("p{number}")).collect();
    let lamp = |id: &String| with(product(id, "Lamp", "1 GBP"), "Colour", &[id.as_str(), "of all"]);
    let shop = Shop::new(&[ids.iter().map(lamp).collect()], false);
    for count in 1..=7 {
        let found = shop.ids(json!({"Attributes": {"Colour": ids[7 - count..]}}), "price");
        assert_eq!(found, ids[7 - count..]);
    }
}

#[test]
fn the_first_of_an_order_are_the_beginning_of_the_whole_order() {
    for merge in [false, true] {
        let shop = chairs(merge);
        for sort in [
            "price",
            "-price",
            "newest",
            "title",
            "-title",
            "relevance",
            "Attributes.Colour",
            "-Attributes.Colour",
            "Attributes.Seat width",
            "-Attributes.Seat width",
        ] {
            let all = shop.ids(none(), sort);
            assert_eq!(all.len(), 5);
            for most in 0..=6 {
                let first = shop.find_first(none(), &[], sort, &caller("GBP"), most).ids;
                assert_eq!(first, all[..most.min(5)], "{most} by {sort}");
            }
        }
    }
}
