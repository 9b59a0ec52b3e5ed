//! Products that hold all words, apart from those that are found besides.

use serde_json::json;

use super::rules::with;
use super::*;

/// Red shoes, three of them grey too, and one with its own colour as an attribute.
fn grey_shoes() -> Vec<ProductDocument> {
    let mut products = shoes();
    products.extend(["g1", "g2", "g3"].map(|id| product(id, "Red grey shoe")));
    products[22].in_stock = false;
    let values = vec![AttributeValue::Text("grey".to_owned())];
    products[24].attributes.push(Attribute { name: "Colour".to_owned(), values });
    products
}

fn filtered(shop: &Shop, filters: &serde_json::Value) -> SearchResult {
    let filters = Filters::parse(filters, shop.index.snapshot().knowledge().columns()).expect("filters");
    shop.search(&SearchQuery { filters, ..asking("red grey shoe") })
}

fn totals(answer: &SearchResult) -> (usize, usize, Option<usize>) {
    (answer.total, answer.total_relaxed, answer.relaxed_from)
}

#[test]
fn few_products_with_all_words_are_counted_apart_and_come_first() {
    let shop = Shop::new(&grey_shoes());
    let answer = shop.search(&asking("red grey shoe"));
    assert_eq!(totals(&answer), (3, 23, Some(3)));
    assert_eq!(answer.relaxed_without, ["grey"]);
    assert_eq!(answer.dropped, ["grey"]);
    let mut first = ids(&answer)[..3].to_vec();
    first.sort();
    assert_eq!(first, ["g1", "g2", "g3"]);
    // The place is that of all pages, and each page tells the same totals.
    for page in [2, 3] {
        let answer = shop.search(&SearchQuery { page, size: 2, ..asking("red grey shoe") });
        assert_eq!(totals(&answer), (3, 23, Some(3)), "page {page}");
    }
    let enough = shop.search(&SearchQuery { size: 10, ..asking("red shoe") });
    assert_eq!((totals(&enough), enough.relaxed_without.len()), ((23, 23, None), 0));
    let one_word = shop.search(&asking("grey"));
    assert_eq!((totals(&one_word), one_word.relaxed_without.len()), ((3, 3, None), 0));
}

#[test]
fn where_no_product_holds_all_words_the_nearest_are_answered() {
    let shop = Shop::new(&shoes());
    let answer = shop.search(&asking("bag shoe"));
    assert_eq!(totals(&answer), (0, 22, Some(0)));
    assert_eq!(answer.items.len(), 22);
    assert_eq!(answer.relaxed_without, ["bag", "shoe"]);
}

#[test]
fn totals_are_over_what_filters_leave() {
    let shop = Shop::new(&grey_shoes());
    let in_stock = filtered(&shop, &json!({"InStock": true}));
    assert_eq!(totals(&in_stock), (2, 22, Some(2)));
    let grey = filtered(&shop, &json!({"Attributes": {"Colour": ["grey"]}}));
    assert_eq!((totals(&grey), ids(&grey)), ((1, 1, None), vec!["g3".to_owned()]));
    assert!(grey.relaxed_without.is_empty(), "nothing more is found");
}

#[test]
fn another_order_is_over_all_that_is_found_and_has_no_divider() {
    let shop = Shop::new(&grey_shoes());
    let snapshot = shop.index.snapshot();
    let columns = snapshot.knowledge().columns();
    let sort = Sort::parse("title", columns, false).expect("an order");
    let facets = parse_facets(&["InStock".to_owned()], columns).expect("facets");
    let answer = shop.search(&SearchQuery { sort, facets, ..asking("red grey shoe") });
    assert_eq!((totals(&answer), answer.items.len()), ((3, 23, None), 23));
    assert_eq!(answer.facets[0].values.iter().map(|value| value.count).sum::<u64>(), 23);
}

/// The common word is worth so little that the scores of titles would weigh more.
#[test]
fn a_product_with_all_words_comes_before_better_ones_that_lack_a_word() {
    let mut products: Vec<_> = (100..400).map(|n| product(&format!("p{n}"), "chair steel")).collect();
    products.extend((10..22).map(|n| product(&format!("a{n}"), "oak lamp")));
    let description = format!("oak {} lamp {} chair", "filler ".repeat(40), "filler ".repeat(40));
    products.push(ProductDocument { description, ..product("whole", "Steel") });
    let answer = Shop::new(&products).search(&asking("oak lamp chair"));
    assert_eq!((ids(&answer)[0].as_str(), totals(&answer)), ("whole", (1, 13, Some(1))));
}

#[test]
fn a_product_in_front_by_a_rule_counts_as_one_with_all_words() {
    let shop = Shop::new(&grey_shoes());
    let list = json!([{"Id": "a", "Query": "red grey shoe", "Pin": ["b1"]}]);
    let answer = shop.search(&with("red grey shoe", &list));
    assert_eq!((ids(&answer)[0].as_str(), totals(&answer)), ("b1", (4, 24, Some(4))));
}
