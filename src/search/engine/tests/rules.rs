//! Effects of rules on answers.

use serde_json::json;

use super::*;
use crate::search::pricing::BuyerContext;
use crate::search::query::sort::Sort;
use crate::search::rules::{Rules, parse_rules};
use crate::search::synonyms::Synonyms;

fn rules(list: &serde_json::Value) -> Option<Arc<Rules>> {
    let analyser = Analyser::new(ShopLanguage::parse("en").expect("a language"));
    let list = list.as_array().expect("a list");
    let (rules, _) = parse_rules(list, &analyser, &[]).expect("rules");
    Some(Arc::new(Rules::new(rules, &analyser)))
}

pub fn with(query: &str, list: &serde_json::Value) -> SearchQuery {
    SearchQuery { rules: rules(list), ..asking(query) }
}

fn first(shop: &Shop, request: &SearchQuery, count: usize) -> Vec<String> {
    ids(&shop.search(request)).into_iter().take(count).collect()
}

#[test]
fn pinned_products_stand_in_front_in_their_order() {
    let shop = Shop::new(&shoes());
    let before = shop.search(&asking("red shoe"));
    assert!(!ids(&before).contains(&"b1".to_owned()) || before.relaxed_from.is_some());
    let list = json!([
        {"Id": "b", "Query": "red shoes", "Pin": ["s12", "b1", "nothing"]},
        {"Id": "a", "Query": "shoe", "Pin": ["s20", "s12"]},
        {"Id": "c", "Query": "bag", "Pin": ["s13"]},
    ]);
    let pinned = shop.search(&with("red shoe", &list));
    assert_eq!(ids(&pinned)[..3], ["s20", "s12", "b1"], "a before b, each once");
    assert_eq!(pinned.total, before.total + 1, "the bag is a hit too");
    assert_eq!(first(&shop, &with("shoe", &list), 2), ["s20", "s12"]);
    // On the second page nothing comes again.
    let second = shop.search(&SearchQuery { page: 2, size: 3, ..with("red shoe", &list) });
    assert!(ids(&second).iter().all(|id| !["s20", "s12", "b1"].contains(&id.as_str())));
    // Another order is another order.
    let by_title = SearchQuery {
        sort: Sort::parse("title", shop.index.snapshot().knowledge().columns(), false).expect("an order"),
        ..with("red shoe", &list)
    };
    assert_eq!(first(&shop, &by_title, 1), ["b1"], "Red bag");
}

#[test]
fn what_is_hidden_is_found_by_no_word() {
    let shop = Shop::new(&shoes());
    let list = json!([{"Id": "a", "Hide": {"Ids": ["s10"]}, "Pin": ["s10"]}]);
    let before = shop.search(&asking("red shoe"));
    let after = shop.search(&with("red shoe", &list));
    assert_eq!(after.total, before.total - 1);
    assert!(!ids(&after).contains(&"s10".to_owned()));
    let facets = parse_facets(&["InStock".to_owned()], shop.index.snapshot().knowledge().columns());
    let counted = shop.search(&SearchQuery { facets: facets.expect("facets"), ..with("red shoe", &list) });
    assert_eq!(counted.total, before.total - 1);
    assert!(shop.search(&with("s10", &list)).items.iter().all(|item| item.id != "s10"), "nor by its number");
    assert!(shop.search(&with("", &list)).items.iter().all(|item| item.id != "s10"));
}

#[test]
fn a_hidden_product_is_found_by_no_rule() {
    let mut products = shoes();
    products.push(row(r#"{"Id": "secret", "Title": "Red shoe", "ExcludeFromSearch": true}"#));
    let shop = Shop::new(&products);
    let list = json!([{"Id": "a", "Pin": ["secret"]}]);
    assert_eq!(shop.search(&with("red shoe", &list)), shop.search(&asking("red shoe")));
}

#[test]
fn only_what_a_filter_wants_is_found() {
    let mut products = shoes();
    products[3].in_stock = false;
    let shop = Shop::new(&products);
    let list = json!([{"Id": "a", "Query": "shoe", "Filter": {"InStock": false}}]);
    assert_eq!(ids(&shop.search(&with("red shoe", &list))), [products[3].id.clone()]);
    // An attribute without a column filters nothing.
    let list = json!([{"Id": "a", "Filter": {"Attributes": {"Nowhere": ["x"]}}}]);
    assert_eq!(shop.search(&with("red shoe", &list)), shop.search(&asking("red shoe")));
}

#[test]
fn products_are_lifted_and_lowered() {
    let shop = Shop::new(&shoes());
    let list = json!([
        {"Id": "up", "Boost": {"Ids": ["s29"], "By": 30}},
        {"Id": "down", "Bury": {"Ids": ["s10"], "By": 30}},
    ]);
    for query in ["red shoe", ""] {
        let before = ids(&shop.search(&SearchQuery { size: 100, ..asking(query) }));
        let after = ids(&shop.search(&SearchQuery { size: 100, ..with(query, &list) }));
        assert_eq!(after.len(), before.len());
        assert_eq!(after[0], "s29", "{query}");
        let place = |ids: &[String]| ids.iter().position(|id| id == "s10").expect("it is there");
        assert!(place(&after) > place(&before), "{query}");
    }
}

#[test]
fn of_several_rules_that_weigh_a_product_the_first_decides() {
    let shop = Shop::new(&shoes());
    let list = |up: i64| {
        json!([
            {"Id": "up", "Priority": up, "Boost": {"Ids": ["s29"]}},
            {"Id": "down", "Bury": {"Ids": ["s29"]}},
        ])
    };
    assert_eq!(first(&shop, &with("red shoe", &list(1)), 1), ["s29"]);
    let last = SearchQuery { size: 20, ..with("red shoe", &list(-1)) };
    assert_eq!(ids(&shop.search(&last)).iter().position(|id| id == "s29"), Some(19));
}

#[test]
fn stop_words_are_held_by_no_product() {
    let shop = Shop::new(&shoes());
    let plain = shop.search(&asking("cheap red shoe"));
    assert_eq!(plain.dropped, ["cheap"]);
    let list = json!([{"Id": "a", "StopWords": ["cheap"]}]);
    let after = shop.search(&with("cheap red shoe", &list));
    assert!(after.dropped.is_empty());
    assert_eq!(after.total, shop.search(&asking("red shoe")).total);
}

#[test]
fn a_rule_brings_synonyms_banners_and_another_page() {
    let shop = Shop::new(&shoes());
    let list = json!([
        {"Id": "1", "Query": "footwear", "Synonyms": ["footwear => shoe"], "Banner": "Sizes run small"},
        {"Id": "2", "Query": "footwear", "Banner": "Free returns", "Redirect": "/shoes"},
        {"Id": "3", "Redirect": "/elsewhere"},
    ]);
    let answer = shop.search(&with("footwear", &list));
    assert!(answer.total >= 20);
    assert_eq!(answer.banners, ["Sizes run small", "Free returns"]);
    assert_eq!(answer.redirect.as_deref(), Some("/shoes"));
    let other = shop.search(&with("bag", &list));
    assert_eq!((other.banners.len(), other.redirect.as_deref()), (0, Some("/elsewhere")));
}

#[test]
fn a_word_with_synonyms_of_a_rule_is_not_corrected() {
    let shop = Shop::new(&shoes());
    let query = "shos";
    let plain = shop.search(&SearchQuery { correct: true, ..asking(query) });
    assert_eq!(plain.did_you_mean.as_deref(), Some("shoe"));
    let list = json!([{"Id": "a", "Query": query, "Synonyms": ["shos => bag"]}]);
    let with_synonyms =
        Synonyms::parse("boots => shoe", &Analyser::new(ShopLanguage::English)).expect("synonyms");
    let synonyms = Some(Arc::new(with_synonyms));
    let ruled = shop.search(&SearchQuery { correct: true, synonyms, ..with(query, &list) });
    assert_eq!((ruled.searched.as_str(), ids(&ruled)), (query, vec!["b1".to_owned()]));
    assert_eq!(ruled.did_you_mean, None);
}

/// The products with many tables added, so that a single product is a small share.
pub fn among_tables(mut products: Vec<ProductDocument>) -> Vec<ProductDocument> {
    products.extend((100..300).map(|number| product(&format!("t{number}"), "Oak table")));
    products
}

#[test]
fn of_many_rules_that_weigh_a_product_the_first_decides() {
    let shop = Shop::new(&among_tables(shoes()));
    let up = |id: String| json!({"Id": id, "Boost": {"Ids": ["s29"]}});
    let filler = |number| json!({"Id": format!("f{number}"), "Bury": {"Ids": [format!("s{number}")]}});
    let mut list: Vec<_> = (10..29).map(filler).collect();
    list.push(up("g".to_owned()));
    list.push(json!({"Id": "h", "Bury": {"InStock": true}}));
    assert_eq!(first(&shop, &with("red shoe", &json!(list)), 1), ["s29"]);
    list[19] = up("i".to_owned());
    assert_eq!(first(&shop, &with("red shoe", &json!(list)), 1), ["s10"]);
}

#[test]
fn products_are_named_by_their_brand_in_every_segment() {
    let mut products = shoes();
    products.iter_mut().step_by(3).for_each(|product| product.brand_id = "7".to_owned());
    let mut shop = Shop::empty(knowledge(&products));
    products.chunks(5).for_each(|some| shop.put_products(some));
    let of_brand: Vec<_> = products[..20].iter().step_by(3).map(|product| product.id.clone()).collect();
    let count = of_brand.len();
    let lifts = json!([{"Id": "a", "Boost": {"Brand": ["7"]}}]);
    let hides = json!([{"Id": "a", "Hide": {"Brand": ["7"]}}]);
    for _ in 0..2 {
        assert_eq!(first(&shop, &with("red shoe", &lifts), count), of_brand);
        assert_eq!(shop.search(&with("red shoe", &hides)).total, 20 - count);
    }
    // The replacement of a product is evaluated again.
    products[0].brand_id = "8".to_owned();
    shop.put_products(&products[..1]);
    assert_eq!(first(&shop, &with("red shoe", &lifts), count - 1), of_brand[1..]);
}

#[test]
fn products_are_named_by_what_the_caller_pays() {
    let mut products = shoes();
    for (number, product) in products.iter_mut().enumerate() {
        let price = 10 + number;
        let row = format!(
            r#"{{"Id": "{}", "Title": "Red shoe", "Prices": ["{price} EUR"], "InStock": true}}"#,
            product.id
        );
        *product = self::row(&row);
    }
    let shop = Shop::new(&products);
    let list = json!([{"Id": "a", "Filter": {"Price": {"From": 12, "To": 14}, "InStock": true}}]);
    let request = with("red shoe", &list);
    let euro = BuyerContext { currency: Some(*b"EUR"), ..BuyerContext::default() };
    let answer = shop.index.snapshot().search(&request, &euro).expect("an answer");
    assert_eq!(ids(&answer), ["s12", "s13", "s14"]);
    assert_eq!(shop.search(&request).total, products.len(), "without a currency it says nothing");
}

#[test]
fn a_page_is_the_same_however_many_hits_are_asked_for() {
    let products: Vec<_> = (1_000..2_000)
        .map(|number| {
            let title = if number % 2 == 0 { "Red shoe" } else { "Red shoe with a longer name" };
            let mut product = product(&format!("s{number}"), title);
            product.brand_id = (number % 5).to_string();
            product
        })
        .collect();
    let shop = Shop::new(&products);
    let list = json!([
        {"Id": "a", "Boost": {"Brand": ["1"], "By": 100}},
        {"Id": "b", "Bury": {"Brand": ["2"], "By": 10}},
    ]);
    for query in ["red shoe", "shoe name", ""] {
        let of_pages = |size: usize| -> Vec<String> {
            let page = |page| ids(&shop.search(&SearchQuery { page, size, ..with(query, &list) }));
            (1..=1_000 / size).flat_map(page).collect()
        };
        let all = of_pages(1_000);
        // Those of the brand that hold all words.
        assert!(all[..100].iter().all(|id| id.ends_with(['1', '6'])), "{query}");
        // Beyond the products that the centroid lifts, and within them.
        assert_eq!(of_pages(250)[..250], all[..250], "{query}");
        assert_eq!(of_pages(20)[..200], all[..200], "{query}");
    }
}

#[test]
fn what_is_similar_follows_the_rules_that_are_for_any_query() {
    let mut products = shoes();
    products.extend((10..50).map(|number| product(&format!("t{number}"), "Oak table")));
    products.extend((10..16).map(|number| product(&format!("l{number}"), "Desk lamp, dimmable")));
    products.iter_mut().step_by(2).for_each(|product| product.brand_id = "7".to_owned());
    let shop = Shop::new(&products);
    let similar = |list: &serde_json::Value| -> Vec<String> {
        let snapshot = shop.index.snapshot();
        let items = snapshot.similar("l11", 30, rules(list).as_deref(), &BuyerContext::default());
        items.expect("an answer").into_iter().map(|item| item.id).collect()
    };
    let before = similar(&json!([{"Id": "a", "Query": "shoe", "Hide": {"Brand": ["7"]}}]));
    assert_eq!(before.len(), 5);
    assert_eq!(before, similar(&json!([])), "a rule for a query is for no product");
    let is_lifted =
        |id: &String| products.iter().any(|product| product.id == *id && !product.brand_id.is_empty());
    let (lifted, others): (Vec<_>, Vec<_>) = before.iter().cloned().partition(is_lifted);
    assert_eq!(similar(&json!([{"Id": "a", "Hide": {"Brand": ["7"]}}])), others);
    assert_eq!(similar(&json!([{"Id": "a", "Filter": {"Brand": ["7"]}}])), lifted);
    let shown = similar(&json!([{"Id": "a", "Boost": {"Brand": ["7"], "By": 100}}]));
    assert!(shown[..lifted.len()].iter().all(is_lifted), "{shown:?}");
}
