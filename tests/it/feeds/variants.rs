//! Variants as objects of a product: stored in their normal form, found by id and SKU, and told where they are bad.

use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::residue;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    variants_are_stored_in_the_order_and_with_the_defaults_of_the_shop
    a_product_is_found_by_the_ids_and_skus_of_its_variants
    bad_variants_are_told_with_their_places_and_nothing_else_is_lost
    the_accounts_in_variants_are_never_stored
    a_barcode_that_is_an_address_is_never_stored
    a_variant_that_is_a_product_and_products_that_list_each_other_are_told_and_kept
}

/// A product with these variants and a price of its own.
fn product(id: &str, variants: Value) -> Value {
    json!({"Id": id, "Title": "T", "Description": "D", "Link": "https://shop.example/t",
           "Image": "https://shop.example/t.jpg", "Prices": ["12 GBP"], "Variants": variants})
}

async fn variants_are_stored_in_the_order_and_with_the_defaults_of_the_shop(world: World) {
    let shop = world.shop("one").await;
    let sent = json!([
        {"id": 2, "Sku": "TEE-R-S", "ean": "4 006381 333931", "options": {"Colour": "Red", "Size": "S"},
         "Prices": ["12.5"], "SalePrices": [], "stockqty": "3", "Material": "wool"},
        {"Sku": "TEE-B-M", "Options": [{"name": "Colour", "value": "Blue"}, {"name": "Size", "value": "M"}], "InStock": 0},
    ]);
    let kept = json!([
        {"Id": "2", "Sku": "TEE-R-S", "Gtin": "4 006381 333931", "Options": {"Colour": "Red", "Size": "S"},
         "Prices": ["12.50 GBP"], "SalePrices": [], "StockQty": 3, "Attributes": {"Material": "wool"}},
        {"Id": "TEE-B-M", "Sku": "TEE-B-M", "Options": {"Colour": "Blue", "Size": "M"}, "InStock": false},
    ]);
    let mut tee = product("tee", sent);
    tee["Swatches"] = json!({"Colour": {"Red": "#cc0000"}});
    world.complete_feed(&shop, "/feed", &json!({"Products": [tee]})).await;
    let shown = world.item(&shop, "Products", "tee").await;
    assert_eq!((&shown["Variants"], &shown["Swatches"]), (&kept, &tee["Swatches"]));
    // A delta with the same product replaces it whole.
    tee["Variants"] = json!([kept[1]]);
    world.apply_delta(&shop, json!({"Products": [tee]})).await;
    assert_eq!(world.item(&shop, "Products", "tee").await["Variants"], json!([kept[1]]));
}

async fn a_product_is_found_by_the_ids_and_skus_of_its_variants(world: World) {
    let shop = world.shop("one").await;
    let find = async |key: &str| world.item(&shop, "Products", key).await["Id"].clone();
    let list = json!([{"Id": "11", "Sku": "A"}, {"Sku": "B"}]);
    world
        .complete_feed(&shop, "/feed", &json!({"Products": [product("tee", list), product("B", json!([]))]}))
        .await;
    world.apply_delta(&shop, json!({"Products": [product("cap", json!([{"Id": "21", "Sku": "C"}]))]})).await;
    for (key, id) in [("11", "tee"), ("A", "tee"), ("B", "B"), ("21", "cap"), ("C", "cap")] {
        assert_eq!(find(key).await, id, "{key}");
    }
    assert_eq!(world.count(&shop, "Products").await, 3, "variants are no items");
    world.apply_delta(&shop, json!({"Products": [product("tee", json!([{"Id": "12"}]))]})).await;
    assert_eq!(
        [find("11").await, find("A").await, find("12").await],
        [Value::Null, Value::Null, "tee".into()]
    );
}

/// `[Code, Row, Field, Meant]` of each issue of a submission.
async fn list_issues(world: &World, shop: &Shop, token: &str) -> Vec<Value> {
    let found = world.ask_json(shop, "/api/issues", json!({"Token": token})).await;
    let issues = found["Issues"].as_array().expect("a list").iter();
    issues.map(|issue| json!([issue["Code"], issue["Row"], issue["Field"], issue["Meant"]])).collect()
}

async fn bad_variants_are_told_with_their_places_and_nothing_else_is_lost(world: World) {
    let shop = world.shop("one").await;
    let options: serde_json::Map<_, _> = (0..200).map(|n| (format!("Option {n}"), json!("x"))).collect();
    let many: Vec<_> = (0..=lethe::limits::VARIANTS).map(|n| json!({"Id": format!("m{n}")})).collect();
    let rows = json!([
        product("options", json!([{"Id": "v", "Options": options}])),
        product("long", json!([{"Id": "v", "Options": {"Size": "x".repeat(10_000), "Colour": "Red"}}])),
        product("twice", json!([{"Id": "v", "StockQty": 1}, {"Id": "v", "StockQty": 2}, {"Id": "w"}])),
        product("mixed", json!([{"Id": "v", "Prices": ["1 GBP"]}, {"Id": "w", "Prices": ["1 EUR"]}])),
        product("object", json!({"Id": "v", "Options": {"Size": "S"}})),
        product("wrong", json!([{"Id": "v", "Prices": ["1,50 GBP"]}, 7, {"Title": "x"}, {"Id": "w"}])),
        product("digit", json!([{"Id": "v", "Gtin": "4006381333930"}])),
        product("many", json!(many)),
        product("name", json!([{"Id": "v", "qty": 1}])),
        product("sku", json!([{"Id": "v", "Sku": "S"}, {"Id": "w", "Sku": "S"}, {"Id": "x", "Sku": "S"}])),
        product("positions", json!({"0": {"Id": "o"}, "2": {"Id": "p"}})),
    ]);
    let url = world.feeds.serve("/feed", [Answer::ok(json!({"Products": rows}).to_string())]);
    let feed = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &feed).await, json!(["Complete", null]));
    let expected = [
        json!(["variant_options_too_many", 1, "Variants[0].Options", null]),
        json!(["variant_value_too_long", 2, "Variants[0].Options.Size", null]),
        json!(["variant_repeated", 3, "Variants[1].Id", null]),
        json!(["variant_currencies_differ", 4, "Variants", null]),
        json!(["variant_malformed", 5, "Variants", null]),
        json!(["variant_malformed", 6, "Variants[0].Prices", null]),
        json!(["variant_malformed", 6, "Variants[1]", null]),
        json!(["variant_malformed", 6, "Variants[2].Id", null]),
        json!(["gtin_malformed", 7, "Variants[0].Gtin", "1"]),
        json!(["variants_too_many", 8, "Variants", null]),
        json!(["field_misnamed", 9, "Variants[0].qty", "StockQty"]),
        json!(["variant_repeated", 10, "Variants[1].Sku", null]),
        json!(["variants_not_list", 11, "Variants", null]),
    ];
    assert_eq!(list_issues(&world, &shop, &feed).await, expected);
    assert_eq!(world.count(&shop, "Products").await, 11);
    let ids = async |product: &str| {
        let shown = world.item(&shop, "Products", product).await;
        let variants = shown["Variants"].as_array().cloned().unwrap_or_default();
        variants.iter().map(|variant| variant["Id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((ids("twice").await, ids("wrong").await), (vec!["v".into(), "w".into()], vec!["w".into()]));
    assert_eq!(
        (ids("object").await, ids("many").await.len()),
        (Vec::<String>::new(), lethe::limits::VARIANTS)
    );
    assert_eq!(ids("positions").await, ["o", "p"]);
    let sku = world.item(&shop, "Products", "S").await;
    assert_eq!(sku["Variants"], json!([{"Id": "v", "Sku": "S"}, {"Id": "w"}, {"Id": "x"}]));
    assert_eq!(
        world.item(&shop, "Products", "twice").await["Variants"][0]["StockQty"],
        1,
        "the first counts"
    );
    let long = world.item(&shop, "Products", "long").await;
    assert_eq!(long["Variants"][0]["Options"], json!({"Colour": "Red"}));
    assert_eq!(world.item(&shop, "Products", "digit").await["Variants"][0]["Gtin"], "4006381333930");
    // The same rows in a delta are told in the same way, and none is lost there either.
    let last = json!([rows[2], rows[5]]);
    let delta = world.delta(&shop, json!({"Products": last})).await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &delta).await, json!([1, null]));
    let codes: Vec<_> =
        list_issues(&world, &shop, &delta).await.iter().map(|issue| issue[0].clone()).collect();
    assert_eq!(codes, ["variant_repeated", "variant_malformed", "variant_malformed", "variant_malformed"]);
}

async fn the_accounts_in_variants_are_never_stored(world: World) {
    let shop = world.shop("one").await;
    let prices = json!({"acme-canary-78": {"Prices": ["9 GBP"]}});
    let variants = json!([
        {"Id": "v", "AccountPrices": prices},
        {"Id": "w", "Prices": "x", "AccountPrices": prices},
        {"Id": "x", "AccountInclusions": ["acme-canary-78"]},
        {"Id": "v", "AccountPrices": prices},
    ]);
    let object = product("b", json!({"v": {"AccountPrices": prices}}));
    let mut nested = product("c", Value::Null);
    nested.as_object_mut().expect("a row").remove("Variants");
    nested["Attributes"] = json!({"variants": [{"Id": "y", "AccountPrices": prices}]});
    let rows = json!([product("a", variants), object, nested]);
    world.complete_feed(&shop, "/feed", &json!({"Products": rows})).await;
    residue::assert_nothing(&world, &["acme-canary-78"]).await;
    world.apply_delta(&shop, json!({"Products": rows})).await;
    residue::assert_nothing(&world, &["acme-canary-78"]).await;
    let shown = world.item(&shop, "Products", "a").await;
    let prices = shown["Variants"][0]["AccountPrices"].as_object().expect("prices by account");
    assert_eq!(prices.values().collect::<Vec<_>>(), [&json!({"Prices": ["9.00 GBP"]})]);
    assert_eq!(shown["Variants"].as_array().map(Vec::len), Some(1));
    assert_eq!(world.item(&shop, "Products", "c").await["Variants"][0]["Id"], "y");
}

async fn a_barcode_that_is_an_address_is_never_stored(world: World) {
    let shop = world.shop("one").await;
    let address = "ada-canary-79@shop.test";
    let tee = product("tee", json!([{"Id": "v", "Gtin": address, "StockQty": 1}]));
    world.complete_feed(&shop, "/feed", &json!({"Products": [tee]})).await;
    residue::assert_nothing(&world, &[address]).await;
    let set = json!([{"ProductId": "tee", "Id": "v", "Gtin": address, "StockQty": 2}]);
    let delta = world.delta(&shop, json!({"Products": [tee], "SetVariants": set})).await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &delta).await, json!([1, null]));
    residue::assert_nothing(&world, &[address]).await;
    let mut issues = list_issues(&world, &shop, &delta).await;
    issues.sort_by_key(ToString::to_string);
    let fields = ["Gtin", "Variants[0].Gtin"];
    assert_eq!(issues, fields.map(|field| json!(["email_in_text", 1, field, null])));
    let shown = world.item(&shop, "Products", "tee").await;
    assert_eq!(shown["Variants"], json!([{"Id": "v", "StockQty": 2}]));
}

async fn a_variant_that_is_a_product_and_products_that_list_each_other_are_told_and_kept(world: World) {
    let shop = world.shop("one").await;
    let lists = |id: &str, ids: Value| {
        let mut lists = product(id, Value::Null);
        lists["AssociatedIds"] = ids;
        lists
    };
    let rows = json!([
        product("cap", json!([])),
        product("tee", json!([{"Id": "tee-s"}, {"Id": "cap", "StockQty": 1}])),
        lists("a", json!(["b", "cap"])),
        lists("b", json!(["a"])),
    ]);
    let url = world.feeds.serve("/feed", [Answer::ok(json!({"Products": rows}).to_string())]);
    let feed = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &feed).await, json!(["Complete", null]));
    let found = world.ask_json(&shop, "/api/issues", json!({"Token": feed})).await;
    let counts = found["Counts"].as_array().expect("counts").iter();
    let counts: Vec<_> =
        counts.map(|count| json!([count["Code"], count["Count"], count["FirstRows"]])).collect();
    assert_eq!(counts, [json!(["variant_is_product", 3, [2, 3, 4]])]);
    assert_eq!(world.count(&shop, "Products").await, 4);
    assert_eq!(world.item(&shop, "Products", "cap").await["Id"], "cap");
    assert_eq!(
        world.item(&shop, "Products", "tee").await["Variants"][1],
        json!({"Id": "cap", "StockQty": 1})
    );
}
