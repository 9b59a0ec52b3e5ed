//! Requests for recommendations at the edges of what they may hold.

use serde_json::json;

use super::*;
use crate::api::testing::{assert_none_twice, assert_refused, member_names, read};

#[test]
fn twelve_products_are_recommended_to_whoever_asks_for_nothing_else() {
    for asked in
        [json!({}), json!({"Recommender": "", "Size": null, "Min": "", "Product": "", "Diversity": null})]
    {
        let read = read::<RecommendRequest>(&asked).expect("a request");
        assert_eq!((read.recommender, read.size, read.min), (Recommender::Default, 12, 0));
        assert_eq!((read.items.len(), read.exclude.len(), read.fields.len()), (0, 0, 0));
        assert_eq!((read.product, read.basket, read.session, read.currency), (None, None, None, None));
        assert_eq!((read.exclude_bought, read.knows_page), (false, false));
        assert_eq!((read.diversity, read.filters), (Diversity::default(), Value::Null));
        assert_eq!(read.shopper, ShopperIdentity::Unknown);
    }
}

#[test]
fn a_request_is_read_as_it_was_sent() {
    let asked = json!({"Recommender": "similar", "Items": "a", "Product": 7, "Basket": [], "Exclude": ["b", "c"],
        "ExcludeBought": true, "Size": 100, "Min": 100, "Diversity": {"Brand": 1, "Category": 100},
        "Filters": {"InStock": true}, "Currency": "eur", "Fields": ["*"]});
    let read = read::<RecommendRequest>(&asked).expect("a request");
    assert_eq!((read.recommender, read.size, read.min), (Recommender::Similar, 100, 100));
    assert_eq!((read.items, read.exclude), (vec!["a".to_owned()], vec!["b".to_owned(), "c".to_owned()]));
    assert_eq!((read.product.as_deref(), read.basket), (Some("7"), Some(Vec::new())));
    assert_eq!(read.diversity, Diversity { brand: Some(1), category: Some(100) });
    assert_eq!((read.filters, read.currency), (json!({"InStock": true}), Some(*b"EUR")));
    assert_eq!((read.fields, read.exclude_bought), (vec!["*".to_owned()], true));
}

#[test]
fn a_request_at_its_limits_is_taken_and_one_beyond_them_is_refused_with_the_limit() {
    let ids = |count: usize| vec!["a"; count];
    let brand = "Diversity.Brand has to be 1 to 100";
    let category = "Diversity.Category has to be 1 to 100";
    for (asked, sentence) in [
        (json!({"Items": ids(1000), "Exclude": ids(1000), "Basket": ids(1000)}), ""),
        (json!({"Items": ids(1001)}), "Items has up to 1000 ids"),
        (json!({"Exclude": ids(1001)}), "Exclude has up to 1000 ids"),
        (json!({"Basket": ids(1001)}), "Basket has up to 1000 ids"),
        (json!({"Size": 0}), "Size has to be 1 to 100"),
        (json!({"Size": 101}), "Size has to be 1 to 100"),
        (json!({"Min": 101}), "Min has to be 0 to 100"),
        (json!({"Diversity": 2}), "Diversity has to be an object, such as {\"Brand\": 2}"),
        (json!({"Diversity": {"Colour": 2}}), "Diversity has Brand and Category"),
        (json!({"Diversity": {"Brand": null, "Category": null}}), ""),
        (json!({"Diversity": {"Brand": 0}}), brand),
        (json!({"Diversity": {"Brand": 101}}), brand),
        (json!({"Diversity": {"Brand": 2, "Category": "2"}}), category),
        (json!({"Diversity": {"Category": -1}}), category),
        (json!({"Diversity": {"Category": 1.5}}), category),
    ] {
        assert_refused::<RecommendRequest>(&asked, sentence);
    }
    let unknown = read::<RecommendRequest>(&json!({"Recommender": "best"})).err().unwrap_or_default();
    assert!(unknown.starts_with("Recommender is one of ") && unknown.contains(", similar, "), "{unknown}");
}

#[test]
fn no_member_of_a_request_may_have_two_values() {
    assert_none_twice::<RecommendRequest>(&json!({}), &member_names::<RecommendRequest>());
}
