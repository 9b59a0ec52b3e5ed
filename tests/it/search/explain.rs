//! Explains the rank of a product in an answer, or its absence.

use lethe::limits;
use serde_json::{Value, json};

use crate::support::random::Random;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    each_hit_says_why_it_is_where_it_is
    reasons_are_for_who_has_the_secret
    a_product_is_asked_for_by_its_number_too
    of_several_reasons_that_comes_first_which_is_to_be_mended_first
    the_true_reason_is_told_of_each_missing_product
}

/// Cases of each kind.
const CASES: u64 = 200;
const SEED: u64 = 20_261_126;

async fn each_hit_says_why_it_is_where_it_is(world: World) {
    let shop = world.shop("one").await;
    let products: Vec<_> = (10..30)
        .map(|n| json!({"Id": n.to_string(), "Title": "Red shoe", "Prices": ["10 GBP"], "InStock": n != 11}))
        .chain([json!({"Id": "blue", "Title": "Blue shoe for kids", "Description": "Not red", "Prices": ["10 GBP"]})])
        .collect();
    world.complete_feed(&shop, "/one", &json!({"Products": products})).await;
    set_rules(&world, &shop, json!([{"Id": "front", "Query": "shoe", "Pin": ["20"]}])).await;
    let asked = json!({"Query": "the red shoes", "Size": 30, "Explain": true});
    let found = world.ask_json(&shop, "/api/search", asked).await;
    assert_eq!(found["Rules"], json!(["front"]));
    let browsed = world.ask_json(&shop, "/api/search", json!({"Explain": true})).await;
    assert_eq!((&browsed["Rules"], &browsed["Items"][0]["Why"]), (&json!([]), &Value::Null));
    let by_price = json!({"Query": "red shoe", "Sort": "price", "Currency": "GBP", "Explain": true});
    let by_price = world.ask_json(&shop, "/api/search", by_price).await;
    assert_eq!(
        by_price["Items"][0]["Why"],
        json!([
            "Not sorted by relevance: the words do not decide the rank",
            "Matches ‘red’ in title",
            "Matches ‘shoe’ in title"
        ])
    );
    let german = json!({"Query": "red shoe", "Explain": true, "ExplainLanguage": "de", "Size": 1});
    let german = world.ask_json(&shop, "/api/search", german).await;
    assert_eq!(
        german["Items"][0]["Why"],
        json!(["Von der Regel „front“ angeheftet", "Enthält „red“ in: Titel", "Enthält „shoe“ in: Titel"])
    );
    let unknown = json!({"Explain": true, "ExplainLanguage": "tlh"});
    assert_eq!(world.ask(&shop, "/api/search", unknown).await.status, 400);
    let many = world.ask(&shop, "/api/search", json!({"Size": 51, "Explain": true})).await;
    assert!(many.status == 400 && many.text.contains("Size is up to 50 with Explain"), "{}", many.text);
    let why = |id: &str| {
        let items = found["Items"].as_array().expect("items");
        items.iter().find(|item| item["Id"] == id).unwrap_or_else(|| panic!("{id} is found"))["Why"].clone()
    };
    assert_eq!(why("20")[0], "Pinned by the rule ‘front’");
    assert_eq!(
        why("10"),
        json!(["Matches ‘red’ in title: 0.50", "Matches ‘shoe’, another form of ‘shoes’, in title: 0.50"])
    );
    assert_eq!(why("11")[2], "Cannot be bought now: -0.15");
    let blue = why("blue")[0].as_str().expect("a sentence").to_owned();
    assert!(blue.starts_with("Matches ‘red’ in description: 0."), "{blue}");
}

async fn reasons_are_for_who_has_the_secret(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/one", &json!({"Products": [{"Id": "1", "Title": "Red shoe"}]})).await;
    for (path, asked) in [
        ("/api/search", json!({"AppKey": shop.key, "Query": "shoe", "Explain": true})),
        ("/api/search/why", json!({"AppKey": shop.key, "Query": "shoe", "Id": "1"})),
    ] {
        let refused = world.post(path, &asked).await;
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
    }
    let plain = world.ask_json(&shop, "/api/search", json!({"Query": "shoe"})).await;
    assert_eq!((&plain["Items"][0]["Why"], &plain["Rules"]), (&Value::Null, &Value::Null));
}

async fn of_several_reasons_that_comes_first_which_is_to_be_mended_first(world: World) {
    let shop = world.shop("one").await;
    let product = |id: &str, title: &str, price: &str, is_hidden: bool| {
        json!({"Id": id, "Title": title, "Prices": [price], "InStock": false, "Brand": "oak",
            "ExcludeFromSearch": is_hidden})
    };
    let products = json!([
        product("hidden", "Bag", "900 GBP", true),
        product("ruled", "Bag", "900 USD", false),
        product("wordless", "Bag", "900 USD", false),
        product("dear", "Red shoe", "900 GBP", false),
        product("sold", "Red shoe", "9 GBP", false),
    ]);
    world.complete_feed(&shop, "/one", &json!({"Products": products})).await;
    set_rules(&world, &shop, json!([{"Id": "away", "Hide": {"Ids": ["ruled", "hidden"]}}])).await;
    let filters = json!({"Brand": ["elm"], "InStock": true, "Price": {"To": 10}});
    for (id, reason, reasons) in [
        ("hidden", "hidden_by_flag", 2),
        ("ruled", "rule", 3),
        ("wordless", "no_word", 2),
        ("dear", "price", 3),
        ("sold", "stock", 2),
    ] {
        let asked = json!({"Id": id, "Query": "shoe", "Currency": "GBP", "Filters": filters});
        let told = why(&world, &shop, asked).await;
        let count = told["Reasons"].as_array().map(Vec::len);
        assert_eq!((&told["Reason"], count), (&json!(reason), Some(reasons)), "{told}");
    }
}

async fn a_product_is_asked_for_by_its_number_too(world: World) {
    let shop = world.shop("one").await;
    let product = json!({"Id": "1", "Sku": "SH-01", "Title": "Red shoe", "AssociatedSkus": ["SH-01-41"], "AssociatedIds": ["v"], "Prices": ["10 GBP"]});
    world.complete_feed(&shop, "/one", &json!({"Products": [product]})).await;
    for id in ["1", "SH-01", "sh 01 41"] {
        let told = why(&world, &shop, json!({"Id": id, "Query": "shoe"})).await;
        assert_eq!((&told["Id"], &told["Place"], &told["Reason"]), (&json!("1"), &json!(1), &json!("found")));
    }
    for wrong in
        [json!({"Query": "shoe"}), json!({"Id": ""}), json!({"Id": "a".repeat(2_000)}), json!({"Id": 5})]
    {
        let refused = world.ask(&shop, "/api/search/why", wrong).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
    }
}

async fn set_rules(world: &World, shop: &Shop, rules: Value) {
    world.clock.advance(limits::SEARCH_RULES_DURATION);
    world.ask_json(shop, "/api/rules/set", json!({ "Rules": rules })).await;
}

async fn why(world: &World, shop: &Shop, asked: Value) -> Value {
    world.ask_json(shop, "/api/search/why", asked).await
}

/// A kind of case: the expected reason, the product, and the request.
struct Kind {
    reason: &'static str,
    product: fn(&mut Value, &mut Random),
    asked: fn(&mut Value, &mut Random),
}

const KINDS: &[Kind] = &[
    Kind { reason: "not_in_catalogue", product: |product, _| *product = Value::Null, asked: as_it_is },
    Kind {
        reason: "hidden_by_flag",
        product: |product, _| product["ExcludeFromSearch"] = true.into(),
        asked: as_it_is,
    },
    Kind {
        reason: "out_of_period",
        product: |product, random| {
            let day = 10 + random.below(18);
            let (field, year) = if random.is_one_in(2) { ("StartDate", 2999) } else { ("EndDate", 2001) };
            product[field] = format!("{year}-01-{day}T00:00:00Z").into();
        },
        asked: as_it_is,
    },
    Kind {
        reason: "other_accounts",
        product: |product, random| {
            let field = if random.is_one_in(2) { "AccountInclusions" } else { "AccountExclusions" };
            let account = if field == "AccountInclusions" { "acme" } else { "buyer" };
            product[field] = json!([account]);
        },
        asked: |asked, _| asked["AccountId"] = "buyer".into(),
    },
    Kind { reason: "rule", product: |product, _| product["Brand"] = "gone".into(), asked: as_it_is },
    Kind {
        reason: "price",
        product: |product, random| product["Prices"] = json!([format!("{} USD", 1 + random.below(90))]),
        asked: as_it_is,
    },
    Kind {
        reason: "price",
        product: |product, random| product["Prices"] = json!([format!("{} GBP", 500 + random.below(90))]),
        asked: |asked, random| asked["Filters"]["Price"] = json!({"To": 100 + random.below(300)}),
    },
    Kind {
        reason: "stock",
        product: |product, _| product["InStock"] = false.into(),
        asked: |asked, _| asked["Filters"]["InStock"] = true.into(),
    },
    Kind {
        reason: "filter",
        product: |product, _| product["Brand"] = "elm".into(),
        asked: |asked, random| {
            let brand = ["oak", "none"][random.below(2) as usize];
            asked["Filters"]["Brand"] = json!([brand]);
        },
    },
    Kind {
        reason: "no_word",
        product: |product, random| product["Title"] = format!("Zebra {}", random.below(9)).into(),
        asked: as_it_is,
    },
    Kind {
        reason: "fewer_words",
        product: |product, random| {
            product["Title"] = ["Red", "Shoe", "Leather"][random.below(3) as usize].into()
        },
        asked: |asked, _| asked["Sort"] = "price".into(),
    },
    // Among many products with the same words those with high numbers come last.
    Kind { reason: "below_the_page", product: |_, _| {}, asked: as_it_is },
];

fn as_it_is(_: &mut Value, _: &mut Random) {}

async fn the_true_reason_is_told_of_each_missing_product(world: World) {
    let shop = world.shop("one").await;
    let mut random = Random(SEED);
    let plain = |id: String, random: &mut Random| {
        let title = ["Red leather shoe", "Shoe of leather, red"][random.below(2) as usize];
        json!({"Id": id, "Title": title, "Brand": "oak", "InStock": true,
            "Prices": [format!("{} GBP", 10 + random.below(50))]})
    };
    let mut products: Vec<_> = (0..30).map(|n| plain(format!("first-{n}"), &mut random)).collect();
    let id = |kind: usize, case: u64| format!("m{kind:02}-{case}");
    for (number, kind) in KINDS.iter().enumerate() {
        for case in 0..CASES {
            let mut product = plain(id(number, case), &mut random);
            (kind.product)(&mut product, &mut random);
            products.extend((!product.is_null()).then_some(product));
        }
    }
    world.complete_feed(&shop, "/one", &json!({"Products": products})).await;
    set_rules(&world, &shop, json!([{"Id": "sold", "Query": "shoe", "Hide": {"Brand": ["gone"]}}])).await;
    for (number, kind) in KINDS.iter().enumerate() {
        for case in 0..CASES {
            let query =
                ["red leather shoe", "leather shoes, red", "Red Shoe leather"][random.below(3) as usize];
            let mut asked =
                json!({"Id": id(number, case), "Query": query, "Currency": "GBP", "Size": 10, "Filters": {}});
            (kind.asked)(&mut asked, &mut random);
            let told = why(&world, &shop, asked.clone()).await;
            assert_eq!(told["Reason"], kind.reason, "{asked}: {told}");
            assert_eq!(told["IsFound"], kind.reason == "below_the_page", "{asked}: {told}");
        }
    }
}
