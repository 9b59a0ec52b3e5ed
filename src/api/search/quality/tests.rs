//! Gaps of products in sentences.

use serde_json::json;

use super::*;
use crate::api::testing::read;

const ALL: [DefectKind; 8] = [
    DefectKind::NoImage,
    DefectKind::NoBrand,
    DefectKind::NoCategory,
    DefectKind::NoPrice(*b"EUR"),
    DefectKind::SharedTitle,
    DefectKind::LongTitle,
    DefectKind::LoneAttribute,
    DefectKind::MistypedWord,
];

#[test]
fn each_gap_is_told_of_one_product_and_of_several() {
    let told = [
        (
            "1 product has no image: a page shows a placeholder.",
            "2 products have no image: a page shows a placeholder.",
        ),
        (
            "1 product has no brand: no filter by brand finds them.",
            "2 products have no brand: no filter by brand finds them.",
        ),
        (
            "1 product is in no category: no category shows them.",
            "2 products are in no category: no category shows them.",
        ),
        (
            "1 product has no price in EUR for who has no account: a search in EUR leaves them out.",
            "2 products have no price in EUR for who has no account: a search in EUR leaves them out.",
        ),
        (
            "1 product has the title of another: a shopper cannot tell them apart.",
            "2 products have the title of another: a shopper cannot tell them apart.",
        ),
        (
            "1 product has a title of more than 150 letters: pages cut them.",
            "2 products have titles of more than 150 letters: pages cut them.",
        ),
        (
            "1 product has an attribute that no other has: it helps to choose between nothing, and may be a misspelled \
             name.",
            "2 products have an attribute that no other has: it helps to choose between nothing, and may be a \
             misspelled name.",
        ),
        (
            "1 product has a word that is a typing error of a common one: who types the right word does not find them.",
            "2 products have a word that is a typing error of a common one: who types the right word does not find \
             them.",
        ),
    ];
    for (kind, (one, two)) in ALL.into_iter().zip(told) {
        assert_eq!((says_of(kind, 1).as_str(), says_of(kind, 2).as_str()), (one, two));
        assert!(says_of(kind, 0).starts_with("0 products "), "{kind:?}");
    }
}

#[test]
fn each_gap_has_its_name_and_that_of_prices_its_currency() {
    let names = ALL.map(|kind| (name_of(kind), currency_of(kind)));
    let expected = [
        ("no_image", None),
        ("no_brand", None),
        ("no_category", None),
        ("no_price", Some("EUR".to_owned())),
        ("shared_title", None),
        ("long_title", None),
        ("lone_attribute", None),
        ("mistyped_word", None),
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_remedy_is_told_by_what_a_search_would_gain() {
    let sample = Sample { query: "mug".to_owned(), hits: 30, first_page: 24 };
    let change = |comes| SampleImpact { first_page: 3, hits: 7, comes };
    let told = ALL.map(|kind| says_of_change(kind, change(0), &sample));
    let expected = [
        "3 of the first 24 hits would show a picture.",
        "7 of 30 hits would be found under a brand.",
        "7 of 30 hits would be found in a category.",
        "0 products would be found besides when prices are in EUR.",
        "3 of the first 24 hits could be told from others by their title.",
        "3 of the first 24 hits would show their whole title.",
        "7 of 30 hits would be counted with others, if they shared its name.",
        "7 of 30 hits have such a word, and are found by others.",
    ];
    assert_eq!(told, expected);
    let typed = says_of_change(DefectKind::MistypedWord, change(1), &sample);
    assert_eq!(typed, "1 product would be found besides.");
}

#[test]
fn a_report_tells_each_gap_with_its_share_its_rows_and_the_searches_that_change() {
    let row = DefectiveProduct {
        id: "1".to_owned(),
        title: "T".to_owned(),
        others: vec!["2".to_owned()],
        letters: Some(151),
        attribute: Some("Colr".to_owned()),
        word: Some(("shooe".to_owned(), "shoe".to_owned())),
    };
    let bare = DefectiveProduct { id: "3".to_owned(), ..DefectiveProduct::default() };
    let change = SampleImpact { first_page: 1, hits: 2, comes: 0 };
    let sample = |query: &str, hits| Sample { query: query.to_owned(), hits, first_page: 24 };
    let report = HealthReport {
        products: 3,
        faults: vec![
            DefectGroup {
                kind: DefectKind::NoBrand,
                products: 2,
                rows: vec![row, bare],
                changes: vec![(1, change), (2, change)],
            },
            DefectGroup { kind: DefectKind::NoPrice(*b"EUR"), products: 0, rows: vec![], changes: vec![] },
        ],
        samples: vec![sample("mug", 5), sample("cup", 6)],
    };
    let told = serde_json::to_value(Quality::from_report(report)).expect("JSON");
    let rows = json!([
        {"Id": "1", "Title": "T", "Others": ["2"], "Letters": 151, "Attribute": "Colr", "Word": "shooe", "Meant": "shoe"},
        {"Id": "3", "Title": ""}
    ]);
    let changes = json!([{"Query": "cup", "FirstPage": 1, "Hits": 2, "Comes": 0,
        "Says": "2 of 6 hits would be found under a brand."}]);
    let expected = json!({
        "Products": 3,
        "Faults": [
            {"Fault": "no_brand", "Products": 2, "Percent": 66.67, "Says": says_of(DefectKind::NoBrand, 2), "Rows": rows,
                "Searches": changes},
            {"Fault": "no_price", "Currency": "EUR", "Products": 0, "Percent": 0.0,
                "Says": says_of(DefectKind::NoPrice(*b"EUR"), 0), "Rows": [], "Searches": []}
        ],
        "Searches": [{"Query": "mug", "Hits": 5}, {"Query": "cup", "Hits": 6}]
    });
    assert_eq!(told, expected);
    let none = DefectGroup { kind: DefectKind::NoBrand, products: 0, rows: vec![], changes: vec![] };
    let empty = HealthReport { products: 0, faults: vec![none], samples: vec![] };
    let told = serde_json::to_value(Quality::from_report(empty)).expect("JSON");
    assert_eq!(told["Faults"][0]["Percent"], json!(0.0));
}

#[test]
fn ten_products_of_each_gap_are_named_unless_another_number_is_asked_for() {
    let asked = read::<QualityRequest>(&json!({})).expect("a request");
    assert_eq!((asked.queries.len(), asked.rows), (0, 10));
    let asked = read::<QualityRequest>(&json!({"Queries": "mug", "Rows": 0})).expect("a request");
    assert_eq!((asked.queries, asked.rows), (vec!["mug".to_owned()], 0));
}
