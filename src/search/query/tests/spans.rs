//! Spans of prices and numbers: their ranges to the last digit, and the facets that are answered by themselves.

use serde_json::json;

use super::Shop;
use super::shop::{caller, chairs, none, product, with};
use crate::search::document::{AttributeCounter, ShopTables};
use crate::search::query::columns::AttributeColumns;
use crate::search::query::facets::{
    Facet, FacetValue, NumericSpan, Range, all_that_may_help, keep_helpful, parse_facets,
};
use crate::search::query::filters::Filters;
use crate::search::query::product_property::ProductProperty;

type Ranges = Vec<(f64, f64, u64)>;

fn ranges(span: Option<&NumericSpan>) -> Ranges {
    let ranges = span.into_iter().flat_map(|span| &span.ranges);
    ranges.map(|range| (range.from, range.to, range.count)).collect()
}

/// The ranges of a shop with these prices.
fn ranges_of_prices(prices: &[&str]) -> Ranges {
    let lamp = |(price, id): (&&str, usize)| product(&format!("p{id}"), "Lamp", &format!("{price} GBP"));
    let shop = Shop::new(&[prices.iter().zip(10..).map(lamp).collect()], false);
    let found = shop.find(none(), &["Price"], "price", &caller("GBP"));
    ranges(found.facets[0].span.as_ref())
}

#[test]
fn prices_are_parted_at_round_numbers() {
    let edges = ["10", "15", "20", "25", "30", "40"];
    let each: Ranges = vec![
        (10.0, 14.0, 1),
        (15.0, 19.0, 1),
        (20.0, 24.0, 1),
        (25.0, 29.0, 1),
        (30.0, 39.0, 1),
        (40.0, 49.0, 1),
    ];
    assert_eq!(ranges_of_prices(&edges), each);
    let cents = [
        "0.99", "4.50", "4.99", "5.00", "7.00", "12.50", "19.99", "20.00", "45.00", "99.00", "100.00",
        "250.00",
    ];
    let parted: Ranges = vec![
        (0.8, 4.99, 3),
        (5.0, 7.99, 2),
        (8.0, 19.99, 2),
        (20.0, 49.99, 2),
        (50.0, 149.99, 2),
        (150.0, 299.99, 1),
    ];
    assert_eq!(ranges_of_prices(&cents), parted);
    let units: Vec<String> = (1..=13).map(|number| number.to_string()).collect();
    let units: Vec<&str> = units.iter().map(String::as_str).collect();
    // A sixth of twelve is two, of thirteen three.
    let twelve: Ranges = vec![(1.0, 2.0, 2), (2.5, 4.0, 2), (5.0, 7.0, 3), (8.0, 9.0, 2), (10.0, 14.0, 3)];
    assert_eq!(ranges_of_prices(&units[..12]), twelve);
    assert_eq!(ranges_of_prices(&units), [(1.0, 3.0, 3), (4.0, 7.0, 4), (8.0, 14.0, 6)]);
    assert_eq!(ranges_of_prices(&["7", "7", "7"]), [(6.0, 7.0, 3)]);
    assert_eq!(ranges_of_prices(&["0"]), [(0.0, 0.0, 1)]);
    let fine = ["1.2345", "1.2346", "9.9999"];
    assert_eq!(ranges_of_prices(&fine), [(1.0, 1.4999, 2), (1.5, 9.9999, 1)]);
    assert_eq!(ranges_of_prices(&["9000000000"]), [(8e9, 9e9, 1)], "beyond the last edge");
    assert_eq!(ranges_of_prices(&[]), []);
}

/// The facet of an attribute of products, each with some of its values.
fn facet_of(products: &[&[&str]]) -> Facet {
    let lamp =
        |(values, id): (&&[&str], usize)| with(product(&format!("p{id}"), "Lamp", "1 GBP"), "A", values);
    let (first, second) = products.split_at(products.len() / 2);
    let part = |part: &[&[&str]], begin: usize| part.iter().zip(begin..).map(lamp).collect::<Vec<_>>();
    let shop = Shop::new(&[part(first, 10), part(second, 50)], false);
    shop.find(none(), &["Attributes.A"], "title", &caller("GBP")).facets.remove(0)
}

#[test]
fn numbers_below_zero_are_parted_evenly_and_each_product_is_counted_once() {
    let numbers: Vec<String> = (-20..10).map(|number: i32| number.to_string()).collect();
    let single: Vec<[&str; 1]> = numbers.iter().map(|number| [number.as_str()]).collect();
    let mut products: Vec<&[&str]> = single.iter().map(|one| &one[..]).collect();
    products.push(&["-19.5", "-19.25", "9"]);
    let facet = facet_of(&products);
    let parted = [(-20.0, -15.01, 6), (-15.0, -5.01, 10), (-5.0, 4.99, 10), (5.0, 9.99, 6)];
    assert_eq!(ranges(facet.span.as_ref()), parted);
    assert_eq!((facet.distinct, facet.values.len()), (32, 0));
}

#[test]
fn up_to_twenty_different_numbers_are_values() {
    let counted = |count: usize| {
        let numbers: Vec<String> = (0..count).map(|number| format!("{number} cm")).collect();
        let single: Vec<[&str; 1]> = numbers.iter().map(|number| [number.as_str()]).collect();
        let products: Vec<&[&str]> = single.iter().map(|one| &one[..]).collect();
        let facet = facet_of(&products);
        let span = facet.span.expect("numbers");
        assert_eq!((span.min, span.max, span.unit.as_deref()), (0.0, count as f64 - 1.0, Some("cm")));
        (facet.values.len(), facet.distinct, span.ranges.is_empty())
    };
    assert_eq!(counted(20), (20, 20, true));
    assert_eq!(counted(21), (0, 21, false));
}

#[test]
fn of_equally_many_products_the_lower_number_comes_first() {
    let products: [&[&str]; 6] = [&["10", "9"], &["9"], &["9.0"], &["2"], &["100"], &["10"]];
    let values = facet_of(&products).values;
    let values: Vec<_> = values.iter().map(|value| (value.value.as_str(), value.count)).collect();
    assert_eq!(values, [("9", 2), ("10", 2), ("2", 1), ("9.0", 1), ("100", 1)]);
}

#[test]
fn properties_that_may_help_are_counted_in_their_order() {
    let mut counter = AttributeCounter::new([]);
    for number in 0..30 {
        let held = (number..30).map(|name| format!("a{name:02}"));
        let attributes = held.map(|name| with(product("", "", ""), &name, &["x"]).attributes.remove(0));
        counter.add(&attributes.collect::<Vec<_>>());
    }
    let columns = AttributeColumns::new(&counter.finish());
    let names = |filters: serde_json::Value, has_currency: bool| -> Vec<String> {
        let filters = Filters::parse(&filters, &columns).expect("filters");
        all_that_may_help(&columns, &filters, has_currency).iter().map(ProductProperty::name).collect()
    };
    // The last is held by all products, those before it by fewer and fewer.
    let attributes = (6..30).rev().map(|number| format!("Attributes.a{number:02}"));
    let plain = ["Brand", "Category", "InStock", "OnOffer", "NewArrival"].map(str::to_owned);
    let expected: Vec<String> = plain.into_iter().chain(attributes).collect();
    assert_eq!(names(none(), false), expected);
    let mut priced = expected.clone();
    priced.insert(5, "Price".to_owned());
    assert_eq!(names(none(), true), priced);
    let filters =
        json!({"Attributes": {"a05": "x", "a06": "x", "gone": "x"}, "Brand": "a", "Price": {"To": 5}});
    let added = ["Attributes.a05", "Attributes.gone", "Price"].map(str::to_owned);
    assert_eq!(names(filters, false), [expected, added.to_vec()].concat());
}

fn values(counts: &[u64]) -> Vec<FacetValue> {
    let value = |(place, count): (usize, &u64)| FacetValue {
        value: place.to_string(),
        count: *count,
        ..FacetValue::default()
    };
    counts.iter().enumerate().map(value).collect()
}

#[test]
fn facets_that_are_filtered_by_are_kept_and_ranges_part_hits_too() {
    let columns = chairs(true).columns;
    let plain = |name: &str, counts: &[u64]| Facet {
        subject: parse_facets(&[name.to_owned()], &columns).expect("a facet").remove(0),
        distinct: counts.len(),
        values: values(counts),
        span: None,
    };
    let spread = |counts: &[u64]| {
        let ranges = counts.iter().map(|count| Range { from: 0.0, to: 0.0, count: *count }).collect();
        let span = Some(NumericSpan { min: 0.0, max: 0.0, unit: None, ranges });
        Facet { span, ..plain("Price", &[]) }
    };
    let filters = Filters::parse(&json!({"Brand": "a", "Attributes": {"Colour": "red"}}), &columns);
    let filters = filters.expect("filters");
    let kept = |facets: Vec<Facet>| -> Vec<String> {
        keep_helpful(facets, &filters).iter().map(|facet| facet.subject.name()).collect()
    };
    assert_eq!(kept(vec![plain("Brand", &[9]), plain("Category", &[9])]), ["Brand"]);
    assert_eq!(kept(vec![spread(&[1, 2]), plain("InStock", &[1, 1])]), ["Price"]);
    assert!(kept(vec![spread(&[2]), plain("OnOffer", &[])]).is_empty());
    // Nine others, of which the one with the fewest values goes; the one that is filtered by is none of them.
    let mut facets = vec![plain("Attributes.Colour", &[1])];
    facets.extend((1..=9).map(|number| plain(&format!("Attributes.a{number}"), &[number, 2])));
    let expected: Vec<_> = (2..=9).map(|number| format!("Attributes.a{number}")).collect();
    assert_eq!(kept(facets), [vec!["Attributes.Colour".to_owned()], expected].concat());
}

#[test]
fn a_name_is_shown_to_its_200th_byte_and_so_many_values_are() {
    let long = "ä".repeat(101);
    let mut tables = ShopTables::default();
    let row = json!({"DisplayName": long}).to_string();
    tables.categories.put_row("long", row.as_bytes()).expect("a category");
    let mut values = values(&[1; 201]);
    values[200] = FacetValue { value: "long".to_owned(), count: 2, ..FacetValue::default() };
    values[0].value = "0&amp;b".to_owned();
    let mut facet = Facet { subject: ProductProperty::Category, values, distinct: 201, span: None };
    facet.arrange(&tables, &[]);
    assert_eq!((facet.values.len(), facet.distinct), (200, 201));
    let shown = "ä".repeat(100);
    assert_eq!((facet.values[0].name.as_ref(), &facet.values[0].path), (Some(&shown), &vec![shown.clone()]));
    let decoded = facet.values.iter().find(|value| value.value == "0&amp;b").expect("an id");
    assert_eq!((decoded.name.as_deref(), &decoded.path), (Some("0&b"), &vec!["0&b".to_owned()]));
}
