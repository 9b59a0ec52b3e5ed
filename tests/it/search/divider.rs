//! Products that hold all words of a query, counted apart from those that are found besides.

use serde_json::{Value, json};

use crate::support::console::Browser;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    an_answer_counts_products_with_all_words_apart
    pages_lead_to_all_that_is_found
    where_nothing_has_all_words_the_nearest_are_answered
    a_plugin_counts_what_is_shown
    the_console_divides_the_hits
}

/// Twenty red shoes, three red grey ones, and a blue lamp.
async fn shop(world: &World) -> Shop {
    let shop = world.shop("one").await;
    let product =
        |id: String, title: &str| json!({"Id": id, "Title": title, "Brand": "acme", "Prices": ["10 GBP"]});
    let mut products: Vec<_> = (0..20).map(|n| product(format!("r{n}"), "Red shoe")).collect();
    products.extend((0..3).map(|n| product(format!("g{n}"), "Red grey shoe")));
    products.push(product("lamp".to_owned(), "Blue lamp"));
    world.complete_feed(&shop, "/feed", &json!({ "Products": products })).await;
    shop
}

async fn search(world: &World, shop: &Shop, mut asked: Value) -> Value {
    asked["AppKey"] = shop.key.clone().into();
    let reply = world.post("/api/search", &asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

fn totals(found: &Value) -> Value {
    let said = &found["Query"];
    json!([found["Total"], found["TotalRelaxed"], said["RelaxedFrom"], said["RelaxedWithout"]])
}

fn ids(found: &Value) -> Vec<String> {
    let items = found["Items"].as_array().expect("items");
    items.iter().map(|item| item["Id"].as_str().expect("an id").to_owned()).collect()
}

async fn an_answer_counts_products_with_all_words_apart(world: World) {
    let shop = shop(&world).await;
    let found = search(&world, &shop, json!({"Query": "red grey shoe", "Facets": ["Brand"]})).await;
    assert_eq!(totals(&found), json!([3, 23, 4, ["grey"]]));
    assert_eq!(ids(&found)[..3], ["g0", "g1", "g2"]);
    assert_eq!(found["Facets"]["Brand"][0]["Count"], 23, "facets are over all that is found");
    let address = format!("/api/search?AppKey={}&Query=red+grey+shoe&Facets=Brand", shop.key);
    let by_address = world.get(&address).await.json();
    assert_eq!((totals(&by_address), ids(&by_address)), (totals(&found), ids(&found)));
    let sorted = json!({"Query": "red grey shoe", "Sort": "title"});
    assert_eq!(totals(&search(&world, &shop, sorted).await), json!([3, 23, null, ["grey"]]));
    // Where ten or more hold all words, there is one number.
    let enough = search(&world, &shop, json!({"Query": "red shoe", "Size": 10})).await;
    assert_eq!(totals(&enough), json!([23, 23, null, null]));
}

async fn pages_lead_to_all_that_is_found(world: World) {
    let shop = shop(&world).await;
    let mut all = Vec::new();
    for page in 1..=3 {
        let asked = json!({"Query": "red grey shoe", "Page": page, "Size": 10});
        let found = search(&world, &shop, asked).await;
        assert_eq!(totals(&found), json!([3, 23, 4, ["grey"]]), "page {page}");
        all.extend(ids(&found));
    }
    assert_eq!(all.len(), 23);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 23, "each once");
}

async fn where_nothing_has_all_words_the_nearest_are_answered(world: World) {
    let shop = shop(&world).await;
    let found = search(&world, &shop, json!({"Query": "grey lamp"})).await;
    assert_eq!(totals(&found), json!([0, 4, 1, ["grey", "lamp"]]));
    assert_eq!(ids(&found), ["lamp", "g0", "g1", "g2"], "the rarest word first");
    let nothing = search(&world, &shop, json!({"Query": "qqxzvqqxzv"})).await;
    assert_eq!((totals(&nothing), ids(&nothing).len()), (json!([0, 0, null, null]), 0));
}

async fn a_plugin_counts_what_is_shown(world: World) {
    let shop = shop(&world).await;
    // Waits for the index.
    search(&world, &shop, json!({"Query": "lamp"})).await;
    let call = json!({"currency": "GBP", "search": {"query": "grey lamp", "requiredAttributes": ["Id"]}});
    let found = world.ask_json(&shop, "/api/serverside", call).await["search"].clone();
    let products = found["products"].as_array().expect("products");
    assert_eq!((products.len(), &found["zeroResults"]), (4, &json!(false)));
}

async fn the_console_divides_the_hits(world: World) {
    let shop = shop(&world).await;
    let viewer = Browser::sign_in_as(&world, "Viewer", "viewer", &[&shop]).await;
    let page = viewer.page("/shops/one/search?q=red+grey+shoe").await;
    assert!(page.contains("3 products found · 20 more without “grey”"), "{page}");
    let line = "<li class=\"fewer\" value=\"3\">These hold fewer of the words</li>";
    let (full, partial) = page.split_once(line).expect("a line between the hits");
    let hits = |part: &str| part.matches("<div class=\"hit\">").count();
    assert_eq!([hits(full), hits(partial)], [3, 7]);
    let last = viewer.page("/shops/one/search?q=red+grey+shoe&page=3").await;
    assert!(!last.contains("<li class=\"fewer\"") && !last.contains("page=4"), "{last}");
    let none = viewer.page("/shops/one/search?q=grey+lamp").await;
    assert!(none.contains("Nothing has all words; 4 have most"), "{none}");
    assert!(!none.contains("<li class=\"fewer\""), "the heading says it: {none}");
    viewer.send_form("/language", &[("language", "de"), ("to", "/")]).await;
    let german = viewer.page("/shops/one/search?q=red+grey+shoe").await;
    assert!(german.contains("3 Produkte gefunden · 20 weitere ohne „grey“"), "{german}");
}
