//! Variants over HTTP: a filter holds when one single variant satisfies all of them, and hits, counts, prices and orders
//! speak of the same one.

use serde_json::{Value, json};

use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    one_variant_has_to_satisfy_all_filters
    prices_are_those_of_single_variants
    a_product_appears_once_for_each_colour_and_pages_never_repeat
    rows_as_magento_shopify_and_google_shape_them_are_told_apart_by_options
    a_price_that_names_a_variant_is_of_it_alone
    prices_of_variants_that_a_caller_does_not_see_are_not_told
    a_variant_is_found_by_its_gtin_in_any_usual_writing
}

async fn search(world: &World, shop: &Shop, mut asked: Value) -> Value {
    asked["AppKey"] = shop.key.clone().into();
    let reply = world.post("/api/search", &asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

/// The ids of the hits with those of their variants, in order.
fn shown_pairs(found: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let items = found["Items"].as_array().expect("items");
    items.iter().map(|item| (text(&item["Id"]), text(&item["Variant"]["Id"]))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(id, variant)| ((*id).to_owned(), (*variant).to_owned())).collect()
}

fn variant(id: &str, colour: &str, size: &str, price: &str) -> Value {
    json!({"Id": id, "Options": {"Colour": colour, "Size": size}, "Prices": [price], "StockQty": 1})
}

/// The shirt of the two oldest complaints, and a cap without variants.
fn shirt_and_cap() -> Value {
    let shirt = json!({"Id": "shirt", "Title": "Shirt", "Prices": ["10.00 GBP"], "Variants": [
        variant("red-s", "Red", "S", "10.00 GBP"), variant("blue-m", "Blue", "M", "30.00 GBP")]});
    let cap = json!({"Id": "cap", "Title": "Cap", "Prices": ["28.00 GBP"],
                     "Attributes": {"Colour": "Red", "Size": "M"}});
    json!({"Products": [shirt, cap]})
}

async fn one_variant_has_to_satisfy_all_filters(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/feed", &shirt_and_cap()).await;
    for (colour, size, expected) in [
        ("Red", "M", &[("cap", "")][..]),
        ("Red", "S", &[("shirt", "red-s")]),
        ("Blue", "M", &[("shirt", "blue-m")]),
        ("Blue", "S", &[]),
    ] {
        let filters = json!({"Attributes": {"Colour": [colour], "Size": [size]}});
        let found = search(&world, &shop, json!({"Filters": filters, "Facets": ["Attributes.Colour"]})).await;
        assert_eq!(
            (shown_pairs(&found), &found["Total"]),
            (pairs(expected), &json!(expected.len())),
            "{colour} {size}"
        );
    }
    let filters = json!({"Attributes": {"Size": ["M"]}});
    let found = search(&world, &shop, json!({"Filters": filters, "Facets": ["Attributes.Colour"]})).await;
    let colours = json!([{"Value": "Blue", "Count": 1}, {"Value": "Red", "Count": 1}]);
    assert_eq!(found["Facets"]["Attributes.Colour"], colours, "the red shirt is no M");
    assert_eq!(found["Items"][1]["Options"], json!({"Colour": ["Red", "Blue"], "Size": ["S", "M"]}));
    let found = search(&world, &shop, json!({"Query": "red shirt", "Currency": "GBP"})).await;
    let hit = &found["Items"][0];
    assert_eq!((&hit["Variant"]["Id"], &hit["Price"]), (&json!("red-s"), &json!(10.0)));
    // How many there are is told to programs with the secret alone.
    let expected = json!({"Id": "red-s", "Options": {"Colour": "Red", "Size": "S"},
                          "Price": 10.0, "Currency": "GBP", "InStock": true});
    assert_eq!(hit["Variant"], expected);
    let asked = json!({"Query": "red shirt", "Currency": "GBP", "Fields": ["*"]});
    let found = search(&world, &shop, asked).await;
    assert!(!found.to_string().contains("StockQty"), "{found}");
    let product = world.ask_json(&shop, "/api/product", json!({"Id": "shirt"})).await;
    assert_eq!(product["Item"]["Variants"][0]["StockQty"], 1);
}

async fn prices_are_those_of_single_variants(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/feed", &shirt_and_cap()).await;
    let asked = |from: f64, to: f64, sort: &str| json!({"Currency": "GBP", "Filters": {"Price": {"From": from, "To": to}}, "Facets": ["Price"], "Sort": sort});
    for (from, to, sort, expected) in [
        (25.0, 35.0, "price", &[("cap", ""), ("shirt", "blue-m")][..]),
        (29.0, 35.0, "price", &[("shirt", "blue-m")]),
        (11.0, 27.0, "price", &[]),
        (5.0, 35.0, "price", &[("shirt", "red-s"), ("cap", "")]),
        (5.0, 35.0, "-price", &[("shirt", "blue-m"), ("cap", "")]),
        (5.0, 29.0, "-price", &[("cap", ""), ("shirt", "red-s")]),
    ] {
        let found = search(&world, &shop, asked(from, to, sort)).await;
        assert_eq!(shown_pairs(&found), pairs(expected), "{from} to {to} by {sort}");
        let span = &found["Facets"]["Price"];
        assert_eq!((&span["Min"], &span["Max"]), (&json!(10.0), &json!(30.0)));
    }
}

async fn a_product_appears_once_for_each_colour_and_pages_never_repeat(world: World) {
    let shop = world.shop("one").await;
    let more = variant("red-m", "Red", "M", "11.00 GBP");
    let mut feed = shirt_and_cap();
    feed["Products"][0]["Variants"].as_array_mut().expect("variants").push(more);
    world.complete_feed(&shop, "/feed", &feed).await;
    let asked = |page: usize, group_by: Option<&str>| {
        let mut asked = json!({"Currency": "GBP", "Sort": "price", "Size": 1, "Page": page, "Facets": ["Attributes.Size"]});
        if let Some(group_by) = group_by {
            asked["GroupBy"] = group_by.into();
        }
        asked
    };
    let mut pages = Vec::new();
    for page in 1..=3 {
        let found = search(&world, &shop, asked(page, Some("Colour"))).await;
        assert_eq!(found["Total"], 3);
        let sizes = json!([{"Value": "S", "Count": 1}, {"Value": "M", "Count": 3}]);
        assert_eq!(found["Facets"]["Attributes.Size"], sizes);
        pages.extend(shown_pairs(&found));
    }
    assert_eq!(pages, pairs(&[("shirt", "red-s"), ("cap", ""), ("shirt", "blue-m")]));
    assert_eq!(search(&world, &shop, asked(1, None)).await["Total"], 2);
    world.control("/control/account/search", json!({"Name": "one", "GroupBy": "Colour"})).await;
    assert_eq!(search(&world, &shop, asked(1, None)).await["Total"], 3);
    assert_eq!(search(&world, &shop, asked(1, Some(""))).await["Total"], 2);
    let found = search(&world, &shop, asked(1, Some("Fabric"))).await;
    assert_eq!((&found["Total"], &found["NotHeld"]), (&json!(2), &json!(["Attributes.Fabric"])));
}

/// Rows as three systems shape them: a configurable of Magento, a product of a Shopify export with its list of variants,
/// and items of a Google feed that share an `item_group_id`.
fn shaped_rows() -> Value {
    let options = |label: &str, of: [(&str, &[&str]); 2]| {
        let options = of.map(|(label, ids)| json!({"id": label, "label": label, "products": ids}));
        json!({"label": label, "code": label.to_lowercase(), "options": options})
    };
    let settings = json!({"attributes": {
        "93": options("Colour", [("Teal", &["m1", "m2"]), ("Ochre", &["m3"])]),
        "94": options("Size", [("S", &["m1", "m3"]), ("L", &["m2"])])}});
    let magento = json!({"Id": "magento", "Title": "Hoodie", "Prices": ["40.00 GBP"],
        "AssociatedIds": ["m1", "m2", "m3"], "AssociatedSkus": ["H-1", "H-2", "H-3"],
        "jsonconfig": settings.to_string()});
    let shopify = |id: u32, colour: &str, size: &str, stock: u32| {
        json!({"Id": id, "Sku": format!("SH-{id}"), "Gtin": "", "Title": format!("{colour} / {size}"),
               "Options": [{"Name": "Colour", "Value": colour}, {"Name": "Size", "Value": size}],
               "Prices": ["40.00 GBP"], "StockQty": stock, "Image": format!("https://shop.example/{id}.jpg")})
    };
    let google = |id: &str, colour: &str, size: &str, availability: bool| {
        json!({"Id": id, "Gtin": "4006381333931", "Link": format!("https://shop.example/p?v={id}"),
               "Attributes": {"item_group_id": "google"}, "Options": {"Colour": colour, "Size": size},
               "InStock": availability})
    };
    json!({"Products": [
        magento,
        {"Id": "shopify", "Title": "Hoodie", "Prices": ["40.00 GBP"],
         "Variants": [shopify(1, "Teal", "S", 0), shopify(2, "Ochre", "L", 5)]},
        {"Id": "google", "Title": "Hoodie", "Prices": ["40.00 GBP"],
         "Variants": [google("g1", "Teal", "L", false), google("g2", "Ochre", "S", true)]},
    ]})
}

async fn rows_as_magento_shopify_and_google_shape_them_are_told_apart_by_options(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/feed", &shaped_rows()).await;
    for (filters, expected) in [
        (json!({"Attributes": {"Colour": "Teal", "Size": "L"}}), &[("google", "g1"), ("magento", "m2")][..]),
        (json!({"Attributes": {"Colour": "Teal", "Size": "S"}}), &[("magento", "m1"), ("shopify", "1")]),
        (json!({"Attributes": {"Colour": "Ochre", "Size": "L"}}), &[("shopify", "2")]),
        (json!({"Attributes": {"Colour": "Teal"}, "InStock": true}), &[("magento", "m1")]),
        (json!({"Attributes": {"Colour": "Teal"}, "InStock": false}), &[("google", "g1"), ("shopify", "1")]),
    ] {
        let found = search(&world, &shop, json!({"Query": "hoodie", "Filters": filters.clone()})).await;
        let mut found = shown_pairs(&found);
        found.sort();
        assert_eq!(found, pairs(expected), "{filters}");
    }
    let found = search(&world, &shop, json!({"Query": "SH-2"})).await;
    assert_eq!(found["Items"][0]["Variant"]["Image"], "https://shop.example/2.jpg");
    let found = search(&world, &shop, json!({"Query": "hoodie ochre", "Filters": {"InStock": true}})).await;
    let google = found["Items"].as_array().and_then(|items| items.iter().find(|item| item["Id"] == "google"));
    assert_eq!(google.map(|item| &item["Variant"]["Link"]), Some(&json!("https://shop.example/p?v=g2")));
}

async fn a_price_that_names_a_variant_is_of_it_alone(world: World) {
    let shop = world.shop("one").await;
    let mut feed = shirt_and_cap();
    feed["AccountPrices"] = json!([{"AccountId": "acme", "Id": "blue-m", "Prices": ["8.00 GBP"]}]);
    world.complete_feed(&shop, "/feed", &feed).await;
    let asked = |account: &str| {
        json!({"AppKey": shop.key, "Secret": shop.secret, "AccountId": account, "Currency": "GBP", "Sort": "price",
               "Filters": {"Price": {"To": 9}}})
    };
    let found = world.post("/api/search", &asked("acme")).await.json();
    assert_eq!(
        (shown_pairs(&found), &found["Items"][0]["Price"]),
        (pairs(&[("shirt", "blue-m")]), &json!(8.0))
    );
    assert_eq!(found["Items"][0]["ListPrice"], 30.0);
    assert_eq!(world.post("/api/search", &asked("other")).await.json()["Total"], 0);
}

async fn prices_of_variants_that_a_caller_does_not_see_are_not_told(world: World) {
    let shop = world.shop("one").await;
    let mut euros = variant("euro", "Green", "L", "1.00 EUR");
    euros["Title"] = "Green".into();
    let mut feed = shirt_and_cap();
    feed["Products"][0]["Variants"].as_array_mut().expect("variants").push(euros);
    world.complete_feed(&shop, "/feed", &feed).await;
    let asked = json!({"Query": "green shirt", "Currency": "GBP", "Facets": ["Attributes.Colour", "Price"]});
    let found = search(&world, &shop, asked).await;
    assert_eq!(found["Items"][0]["Variant"]["Id"], "red-s", "the green one has no price in pounds");
    let colours: Vec<_> = found["Facets"]["Attributes.Colour"].as_array().into_iter().flatten().collect();
    assert!(colours.iter().all(|value| value["Value"] != "Green"), "{colours:?}");
    assert_eq!(found["Facets"]["Price"]["Min"], 10.0);
    let found = search(&world, &shop, json!({"Query": "green", "Currency": "EUR"})).await;
    assert_eq!(
        (&found["Items"][0]["Variant"]["Id"], &found["Items"][0]["Price"]),
        (&json!("euro"), &json!(1.0))
    );
}

async fn a_variant_is_found_by_its_gtin_in_any_usual_writing(world: World) {
    let shop = world.shop("one").await;
    let mut feed = shirt_and_cap();
    feed["Products"][0]["Variants"][0]["Gtin"] = "012345678905".into();
    feed["Products"][0]["Variants"][1]["Gtin"] = "978-0-306-40615-7".into();
    feed["Products"][1]["Attributes"]["EAN"] = "4006381333931".into();
    world.complete_feed(&shop, "/feed", &feed).await;
    for (query, expected) in [
        ("012345678905", ("shirt", "red-s")),
        ("0 12345 67890 5", ("shirt", "red-s")),
        ("0012345678905", ("shirt", "red-s")),
        ("9780306406157", ("shirt", "blue-m")),
        ("0-306-40615-2", ("shirt", "blue-m")),
        ("4006381-333931", ("cap", "")),
        ("04006381333931", ("cap", "")),
    ] {
        let found = search(&world, &shop, json!({"Query": query})).await;
        assert_eq!(shown_pairs(&found).first(), pairs(&[expected]).first(), "{query}");
    }
    // These ten digits are right as an ISBN and as a UPC that lost two zeros.
    for (sent, queries) in [
        ("3600000012", &["3600000012", "9783600000014", "3-60000-001-2", "003600000012"][..]),
        ("9783600000014", &["3600000012", "3-60000-001-2"]),
        ("003600000012", &["3600000012"]),
    ] {
        feed["Products"][0]["Variants"][0]["Gtin"] = sent.into();
        world.complete_feed(&shop, "/feed", &feed).await;
        for query in queries {
            let found = search(&world, &shop, json!({"Query": query})).await;
            let expected = pairs(&[("shirt", "red-s")]);
            assert_eq!(shown_pairs(&found).first(), expected.first(), "{sent} {query}");
        }
    }
}
