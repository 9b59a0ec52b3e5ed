//! Meaning of a shop's values: prices, dates, stock, numbers and texts, from a row to the shopper's view.

use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_sale_price_that_is_not_lower_is_none_in_filter_facet_sort_and_display
    a_date_that_cannot_be_read_is_told_and_read_carefully
    what_there_are_none_of_is_out_of_stock
    values_are_shown_as_they_were_sent_and_ordered_as_numbers
    an_attribute_that_a_feed_took_away_breaks_no_page
    texts_are_found_and_shown_without_their_encodings
    a_query_of_signs_finds_what_has_them
}

/// A product with these members besides.
fn product(id: &str, more: Value) -> Value {
    let mut product = json!({"Id": id, "Title": format!("Lamp {id}"), "Link": "https://shop.example/l",
                             "Image": "https://shop.example/i.jpg", "Description": "Light", "Prices": ["10 GBP"]});
    for (name, value) in more.as_object().expect("an object") {
        product[name] = value.clone();
    }
    product
}

async fn shop_with(world: &World, products: &[Value]) -> Shop {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/feed", &json!({"Products": products})).await;
    shop
}

async fn search(world: &World, shop: &Shop, mut asked: Value) -> Value {
    asked["AppKey"] = shop.key.clone().into();
    asked["Currency"] = "GBP".into();
    let reply = world.post("/api/search", &asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

fn ids(found: &Value) -> Vec<&str> {
    found["Items"].as_array().expect("items").iter().filter_map(|item| item["Id"].as_str()).collect()
}

async fn a_sale_price_that_is_not_lower_is_none_in_filter_facet_sort_and_display(world: World) {
    let products = [
        product("a", json!({"Prices": ["10 GBP", "50 GBP"], "SalePrices": ["40 GBP"]})),
        product("b", json!({"Prices": ["15 GBP"], "SalePrices": ["18 GBP"]})),
        product("c", json!({"Prices": ["100 GBP"], "SalePrices": ["20 GBP"]})),
    ];
    let shop = shop_with(&world, &products).await;
    let asked = json!({"Sort": "price", "Filters": {"Price": {"To": 20}}, "Facets": ["Price"]});
    let found = search(&world, &shop, asked).await;
    assert_eq!(ids(&found), ["a", "b", "c"]);
    let prices: Vec<_> = (0..3).map(|place| found["Items"][place]["Price"].clone()).collect();
    assert_eq!(prices, [json!(10.0), json!(15.0), json!(20.0)]);
    let listed = [0, 1, 2].map(|place| found["Items"][place]["ListPrice"].clone());
    assert_eq!(listed, [json!(null), json!(null), json!(100.0)]);
    assert_eq!(
        (&found["Facets"]["Price"]["Min"], &found["Facets"]["Price"]["Max"]),
        (&json!(10.0), &json!(20.0))
    );
}

async fn a_date_that_cannot_be_read_is_told_and_read_carefully(world: World) {
    let products = [
        product("a", json!({"SalePrices": ["5 GBP"], "SalePriceEndDate": "27.11.2099"})),
        product("b", json!({"StartDate": "24.12.2020"})),
        product("c", json!({"EndDate": "11/27/2099"})),
        product(
            "d",
            json!({"EndDate": "0000-00-00 00:00:00", "SalePrices": ["5 GBP"], "SalePriceEndDate": 4_099_680_000_i64}),
        ),
        product("e", json!({"StartDate": "Fri, 27 Nov 2020 00:00:00 +0000"})),
    ];
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/feed", [Answer::ok(json!({"Products": products}).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let told = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    let rows = told["Issues"].as_array().expect("issues").iter();
    let rows: Vec<_> = rows.filter(|issue| issue["Code"] == "date_malformed").collect();
    let fields: Vec<_> = rows.iter().map(|issue| (issue["Row"].as_u64(), issue["Field"].as_str())).collect();
    assert_eq!(
        fields,
        [(Some(1), Some("SalePriceEndDate")), (Some(2), Some("StartDate")), (Some(3), Some("EndDate"))]
    );
    let found = search(&world, &shop, json!({"Sort": "title"})).await;
    assert_eq!(ids(&found), ["a", "d", "e"]);
    assert_eq!([&found["Items"][0]["Price"], &found["Items"][1]["Price"]], [&json!(10.0), &json!(5.0)]);
}

async fn what_there_are_none_of_is_out_of_stock(world: World) {
    let products = [
        product("a", json!({"StockQty": 0})),
        product("b", json!({"StockQty": "-3"})),
        product("c", json!({"StockQty": 0, "InStock": true})),
        product("d", json!({"StockQty": 0.5})),
    ];
    let shop = shop_with(&world, &products).await;
    let found = search(&world, &shop, json!({"Sort": "title", "Filters": {"InStock": true}})).await;
    assert_eq!(ids(&found), ["c", "d"]);
}

async fn values_are_shown_as_they_were_sent_and_ordered_as_numbers(world: World) {
    let sizes = ["38", "7.10", "9", "7.1", "10", "1,5", "XL"];
    let products: Vec<_> = sizes.iter().map(|size| product(size, json!({"Size": [size]}))).collect();
    let shop = shop_with(&world, &products).await;
    let asked = json!({"Sort": "Attributes.Size", "Facets": ["Attributes.Size"]});
    let all = search(&world, &shop, asked).await;
    assert_eq!(ids(&all), ["1,5", "7.1", "7.10", "9", "10", "38", "XL"]);
    let values = all["Facets"]["Attributes.Size"].as_array().expect("values").iter();
    let mut values: Vec<_> = values.filter_map(|value| value["Value"].as_str()).collect();
    values.sort_unstable();
    let mut sent = sizes;
    sent.sort_unstable();
    assert_eq!(values, sent);
    let wanted = json!({"Filters": {"Attributes": {"Size": ["7.1"]}}});
    assert_eq!(ids(&search(&world, &shop, wanted).await), ["7.1"]);
    let range =
        json!({"Sort": "Attributes.Size", "Filters": {"Attributes": {"Size": {"From": 1, "To": 7.5}}}});
    assert_eq!(ids(&search(&world, &shop, range).await), ["1,5", "7.1", "7.10"]);
}

async fn an_attribute_that_a_feed_took_away_breaks_no_page(world: World) {
    let shop = shop_with(&world, &[product("a", json!({"Colour": "red"})), product("b", json!({}))]).await;
    let asked = json!({"Sort": "Attributes.Colour", "Facets": ["Attributes.Colour", "InStock"]});
    let before = search(&world, &shop, asked.clone()).await;
    assert_eq!(before["Facets"]["Attributes.Colour"][0]["Value"], "red");
    assert_eq!(before["NotHeld"], Value::Null);
    world
        .complete_feed(
            &shop,
            "/feed",
            &json!({"Products": [product("a", json!({})), product("b", json!({}))]}),
        )
        .await;
    // The column stays, empty, until the index is rebuilt.
    let after = search(&world, &shop, asked).await;
    assert_eq!((ids(&after), &after["Facets"]["Attributes.Colour"]), (vec!["a", "b"], &json!([])));
    let red = json!({"Filters": {"Attributes": {"Colour": ["red"]}}});
    assert_eq!(search(&world, &shop, red).await["Total"], 0);
    // A name that is asked for twice is told once.
    let never = json!({"Sort": "-Attributes.Gone", "Facets": ["Attributes.Never", "Attributes.Lost"],
        "Filters": {"Attributes": {"Lost": [1]}}});
    let none = search(&world, &shop, never).await;
    let told = json!(["Attributes.Gone", "Attributes.Lost", "Attributes.Never"]);
    assert_eq!((&none["Total"], &none["NotHeld"]), (&json!(0), &told));
    let cannot = json!({"AppKey": shop.key, "Facets": ["Attributes."]});
    assert!(world.post("/api/search", &cannot).await.expect_refusal(400).contains("names no attribute"));
}

async fn texts_are_found_and_shown_without_their_encodings(world: World) {
    let lamp = json!({"Title": "Ma&ntilde;ana &amp;amp; more", "Brand": "bc", "Colour": "gr&uuml;n",
                      "Description": "<p>Caf&eacute; light</p>[vc_row el=\"zebra\"]{{widget type=\"giraffe\"}}"});
    let shop = world.shop("one").await;
    let brands = json!([{"Id": "bc", "DisplayName": "Ben &amp; Co"}]);
    world.complete_feed(&shop, "/feed", &json!({"Products": [product("a", lamp)], "Brands": brands})).await;
    for query in ["mañana", "café", "grün", "ben"] {
        let asked = json!({"Query": query, "Highlight": true, "Facets": ["Attributes.Colour", "Brand"]});
        let found = search(&world, &shop, asked).await;
        let hit = &found["Items"][0];
        assert_eq!((&hit["Title"], &hit["Brand"]), (&json!("Mañana & more"), &json!("Ben & Co")), "{query}");
        assert_eq!(hit["Attributes"]["Colour"], "grün");
        assert_eq!(found["Facets"]["Attributes.Colour"][0]["Value"], "grün");
        assert_eq!(found["Facets"]["Brand"][0]["Name"], "Ben & Co");
        if query == "mañana" {
            assert_eq!(hit["Highlight"]["Title"], "<em>Mañana</em> &amp; more", "escaped once");
        }
        if query == "café" {
            assert_eq!(hit["Highlight"]["Description"], "<em>Café</em> light");
        }
    }
    for query in ["amp", "zebra", "giraffe", "ntilde"] {
        assert_eq!(search(&world, &shop, json!({"Query": query})).await["Total"], 0, "{query}");
    }
}

async fn a_query_of_signs_finds_what_has_them(world: World) {
    let products = [
        product("a", json!({"Title": "★ Gift 🎁"})),
        product("b", json!({"Title": "Lamp & shade", "Attributes": {"Stars": "★★★"}})),
        product("c", json!({})),
    ];
    let shop = shop_with(&world, &products).await;
    let asks = async |query: &str| {
        let found = search(&world, &shop, json!({"Query": query, "Facets": ["InStock"]})).await;
        let mut ids: Vec<_> = ids(&found).into_iter().map(str::to_owned).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(asks("★").await, ["a", "b"]);
    assert_eq!(asks("🎁 ★").await, ["a"]);
    assert_eq!(asks("&").await, ["b"]);
    assert_eq!(asks("🪑").await, [""; 0]);
    assert_eq!(asks("?!").await, [""; 0]);
    assert_eq!(asks("  \u{200b}").await, ["a", "b", "c"], "nothing typed shows everything");
}
