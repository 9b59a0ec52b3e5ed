//! Synonyms of a shop: set by its operator, found by its shoppers.

use std::time::Duration;

use lethe::accounts::Directory;
use lethe::limits;
use serde_json::{Value, json};

use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    the_word_itself_comes_before_its_synonym
    a_synonym_with_an_arrow_works_one_way
    words_that_a_synonym_found_are_marked
    synonyms_count_for_totals_facets_and_completions
    synonyms_stay_until_they_are_taken_away
    synonyms_that_another_node_sets_hold_within_a_second
    synonyms_are_read_in_the_language_of_the_shop
    words_that_are_not_the_same_find_their_own_spelling_alone
    synonyms_that_cannot_be_are_refused_with_the_line
}

fn product(id: &str, title: &str, brand: &str) -> Value {
    json!({"Id": id, "Sku": format!("SKU-{id}"), "Title": title, "Link": format!("https://shop.example/{id}"),
           "Image": "https://shop.example/i.jpg", "Brand": brand, "Prices": ["10 GBP"]})
}

async fn shop(world: &World) -> Shop {
    let shop = world.shop("one").await;
    let mut products = vec![
        product("a", "Notebook", "acme"),
        product("b", "Laptop", "acme"),
        product("c", "Portable computer", "zeta"),
        product("d", "Computer mouse", "zeta"),
    ];
    products.extend((0..20).map(|number| product(&format!("s{number}"), "Red shoe", "zeta")));
    world.complete_feed(&shop, "/feed", &json!({ "Products": products })).await;
    shop
}

async fn set_synonyms(world: &World, lines: &str) {
    let set = world.control("/control/account/search", json!({"Name": "one", "Synonyms": lines})).await;
    assert_eq!(set["Synonyms"], lines);
}

async fn search(world: &World, shop: &Shop, mut asked: Value) -> Value {
    asked["AppKey"] = shop.key.clone().into();
    let reply = world.post("/api/search", &asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

async fn ids(world: &World, shop: &Shop, query: &str) -> Vec<String> {
    let found = search(world, shop, json!({ "Query": query })).await;
    let items = found["Items"].as_array().expect("items");
    items.iter().map(|item| item["Id"].as_str().expect("an id").to_owned()).collect()
}

async fn the_word_itself_comes_before_its_synonym(world: World) {
    let shop = shop(&world).await;
    // Among equal products the first id comes first: `a` is the notebook, `b` the laptop.
    set_synonyms(&world, "laptop, notebook").await;
    assert_eq!(ids(&world, &shop, "laptop").await, ["b", "a"]);
    assert_eq!(ids(&world, &shop, "notebook").await, ["a", "b"]);
}

async fn a_synonym_with_an_arrow_works_one_way(world: World) {
    let shop = shop(&world).await;
    assert_eq!(ids(&world, &shop, "notebooks").await, ["a"]);
    set_synonyms(&world, "# computers\nnotebook => laptop, portable computer").await;
    assert_eq!(ids(&world, &shop, "notebooks").await, ["a", "b", "c"]);
    assert_eq!(ids(&world, &shop, "laptop").await, ["b"]);
    set_synonyms(&world, "portable computer => laptop").await;
    assert_eq!(ids(&world, &shop, "portable computer").await[..2], ["c", "b"]);
}

async fn words_that_a_synonym_found_are_marked(world: World) {
    let shop = shop(&world).await;
    set_synonyms(&world, "netbook => laptop").await;
    let found = search(&world, &shop, json!({"Query": "netbook", "Highlight": true})).await;
    assert_eq!(found["Items"][0]["Highlight"]["Title"], "<em>Laptop</em>", "{found}");
    // No product has the word, and yet it is no typing error.
    assert_eq!(
        found["Query"],
        json!({"Asked": "netbook", "Searched": "netbook", "Corrected": [], "Dropped": []})
    );
}

async fn synonyms_count_for_totals_facets_and_completions(world: World) {
    let shop = shop(&world).await;
    set_synonyms(&world, "boot => shoe\ngym => red").await;
    let asked = json!({"Query": "gym boot", "Facets": ["Brand"], "Sort": "title", "Size": 1});
    let found = search(&world, &shop, asked).await;
    assert_eq!((&found["Total"], &found["Facets"]["Brand"][0]["Count"]), (&json!(20), &json!(20)), "{found}");
    let completed =
        world.post("/api/autocomplete", &json!({"AppKey": shop.key, "Query": "boot"})).await.json();
    assert_eq!(completed["Products"][0]["Text"], "Red shoe", "{completed}");
}

async fn synonyms_stay_until_they_are_taken_away(mut world: World) {
    let shop = shop(&world).await;
    set_synonyms(&world, "netbook => laptop").await;
    world.control("/control/account/search", json!({"Name": "one", "Attributes": ["Colour"]})).await;
    world.restart().await;
    assert_eq!(ids(&world, &shop, "netbook").await, ["b"]);
    let shown = world.control("/control/account/search", json!({"Name": "one"})).await;
    assert_eq!(shown["Synonyms"], "netbook => laptop");
    set_synonyms(&world, "").await;
    assert!(!ids(&world, &shop, "netbook").await.contains(&"b".to_owned()));
}

async fn synonyms_that_another_node_sets_hold_within_a_second(world: World) {
    let shop = shop(&world).await;
    // Memory of another node.
    let elsewhere = Directory::default();
    let knows = async || {
        let known =
            elsewhere.find(&world.node().store, &shop.key).await.expect("a store").expect("an account");
        known.search.synonyms.synonyms().is_some_and(|synonyms| synonyms.knows("netbook"))
    };
    assert!(!knows().await);
    set_synonyms(&world, "netbook => laptop").await;
    tokio::time::sleep(limits::KEYS_REMEMBERED_DURATION).await;
    assert!(knows().await);
    assert!(limits::KEYS_REMEMBERED_DURATION < Duration::from_secs(1));
}

async fn words_that_are_not_the_same_find_their_own_spelling_alone(world: World) {
    let shop = world.shop("one").await;
    let products = [product("a", "Glass table", "acme"), product("b", "Reading glasses", "acme")];
    world.complete_feed(&shop, "/feed", &json!({ "Products": products })).await;
    set_synonyms(&world, "Glass != glasses\nspectacles => glasses").await;
    assert_eq!(ids(&world, &shop, "glass").await, ["a"]);
    assert_eq!(ids(&world, &shop, "glasses").await, ["b"]);
    assert_eq!(ids(&world, &shop, "spectacles").await, ["b"], "a synonym too");
    assert_eq!(ids(&world, &shop, "tables").await, ["a"], "other words have all their forms");
}

async fn synonyms_are_read_in_the_language_of_the_shop(world: World) {
    let shop = world.shop("one").await;
    let products =
        [product("a", "Stühle", "acme"), product("b", "Sessel", "acme"), product("c", "Tisch", "acme")];
    world.complete_feed(&shop, "/feed", &json!({ "Products": products })).await;
    let set = json!({"Name": "one", "Language": "de", "Synonyms": "Stuhl, Sessel"});
    world.control("/control/account/search", set).await;
    assert_eq!(ids(&world, &shop, "Stühle").await, ["a", "b"]);
    assert_eq!(ids(&world, &shop, "sessel").await, ["b", "a"]);
}

async fn synonyms_that_cannot_be_are_refused_with_the_line(world: World) {
    let shop = shop(&world).await;
    set_synonyms(&world, "netbook => laptop").await;
    let too_long = format!("# {}", "a".repeat(limits::SEARCH_SYNONYMS_BYTES));
    for (lines, says) in [
        (json!("a, b\n\ntv"), "Synonyms: line 3 names one thing"),
        (json!("a => b => c"), "Synonyms: line 1 has => twice"),
        (json!("a, b\r\n# c\r\nd,,e"), "Synonyms: line 3 has no word"),
        (json!("glass != reading glasses"), "Synonyms: line 1 has != and is not two different words"),
        (json!("ada, ada@shop.example"), "Synonyms: line 1 holds an email address"),
        (json!("a, b\u{0}"), "NUL"),
        (json!(too_long), "Synonyms has up to 65536 bytes"),
        (json!(["a, b"]), "Synonyms has to be a string"),
    ] {
        let body = json!({"Name": "one", "Synonyms": lines});
        let answer = world.control_answer("/control/account/search", body).await;
        assert_eq!(answer.0, 400, "{says}");
        assert!(answer.1.contains(says), "{says}: {}", answer.1);
    }
    assert_eq!(ids(&world, &shop, "netbook").await, ["b"]);
}
