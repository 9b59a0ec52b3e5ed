//! Upkeep of a search index: more changes than one page has, settings that change twice, statistics that grow old.

use std::path::PathBuf;
use std::time::Duration;

use lethe::limits;
use serde_json::{Value, json};

use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    changes_beyond_the_first_page_are_found_and_counted
    agreed_prices_beyond_the_first_page_reach_their_products
    an_agreed_price_that_a_delta_changed_stays_after_a_restart
    an_index_whose_products_changed_is_made_anew_with_new_statistics
    each_change_of_a_shops_language_is_followed
}

async fn find(world: &World, shop: &Shop, asked: Value) -> Value {
    world.ask_json(shop, "/api/search", asked).await
}

fn product(id: &str, title: &str) -> Value {
    json!({"Id": id, "Title": title, "Prices": ["50 GBP"]})
}

/// The folder of the index of the first account.
fn index_folder(world: &World) -> PathBuf {
    let mut folders = std::fs::read_dir(world.config.data_dir.join("search/1")).expect("a folder");
    folders.next().expect("an index").expect("an entry").path()
}

async fn changes_beyond_the_first_page_are_found_and_counted(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/one", &json!({"Products": [product("0", "Chair")]})).await;
    // The list is loaded and follows; there is no index yet.
    assert_eq!(world.count(&shop, "Products").await, 1);
    let more = limits::UNIT_ROWS + 1;
    let products: Vec<_> = (1..=more).map(|number| product(&number.to_string(), "Chair")).collect();
    world.apply_delta(&shop, json!({ "Products": products })).await;
    assert_eq!(world.count(&shop, "Products").await, more as i64 + 1);
    assert_eq!(find(&world, &shop, json!({"Query": "chair"})).await["Total"], more + 1);
    // The list follows; so much changes that the index is made anew.
    let gone: Vec<_> = (1..=more).map(|number| number.to_string()).collect();
    world.apply_delta(&shop, json!({ "DeleteProducts": gone })).await;
    assert_eq!(world.count(&shop, "Products").await, 1);
    assert_eq!(find(&world, &shop, json!({"Query": "chair"})).await["Total"], 1);
}

async fn agreed_prices_beyond_the_first_page_reach_their_products(world: World) {
    let shop = world.shop("one").await;
    let agreed = limits::UNIT_ROWS + 1;
    // So many that the prices are taken in one step: with more, the index would be made anew.
    let count = agreed * limits::SEARCH_STEP_PART as usize + 4;
    let products: Vec<_> = (0..count).map(|number| product(&number.to_string(), "Chair")).collect();
    world.complete_feed(&shop, "/one", &json!({ "Products": products })).await;
    let at_three =
        json!({"AccountId": "B-2", "Currency": "GBP", "Size": 0, "Filters": {"Price": {"From": 3, "To": 3}}});
    assert_eq!(find(&world, &shop, at_three.clone()).await["Total"], 0);
    let price = |number: usize| json!({"AccountId": "B-2", "Id": number.to_string(), "Prices": ["3 GBP"]});
    let prices: Vec<_> = (0..agreed).map(price).collect();
    world.complete_feed(&shop, "/two", &json!({ "AccountPrices": prices })).await;
    // At once: a moment later the index has new statistics, and with them all prices.
    assert_eq!(find(&world, &shop, at_three).await["Total"], agreed);
}

async fn an_agreed_price_that_a_delta_changed_stays_after_a_restart(mut world: World) {
    let shop = world.shop("one").await;
    let agreed = |price: &str| json!([{"AccountId": "B-2", "Id": "1", "Prices": [price]}]);
    let feed = json!({"Products": [product("1", "Chair")], "AccountPrices": agreed("12 GBP")});
    world.complete_feed(&shop, "/one", &feed).await;
    let price = async |world: &World| {
        let asked = json!({"Query": "chair", "Currency": "GBP", "AccountId": "B-2"});
        find(world, &shop, asked).await["Items"][0]["Price"].clone()
    };
    assert_eq!(price(&world).await, 12.0);
    world.apply_delta(&shop, json!({"AccountPrices": agreed("9 GBP")})).await;
    assert_eq!(price(&world).await, 9.0);
    world.restart().await;
    assert_eq!(price(&world).await, 9.0);
    // The product comes again, and takes the price from what the node read at its start.
    world.apply_delta(&shop, json!({"Products": [product("1", "Chair of oak")]})).await;
    assert_eq!(price(&world).await, 9.0);
}

async fn an_index_whose_products_changed_is_made_anew_with_new_statistics(mut world: World) {
    const HALF: u64 = limits::SEARCH_CHANGED_ROWS / 2;
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/one", &json!({"Products": [product("0", "Chair")]})).await;
    find(&world, &shop, json!({})).await;
    let first = index_folder(&world);
    let come = async |world: &World, numbers: std::ops::Range<u64>| {
        let products: Vec<_> = numbers.map(|number| product(&number.to_string(), "Chair")).collect();
        world.apply_delta(&shop, json!({ "Products": products })).await;
    };
    come(&world, 0..HALF).await;
    world.restart().await;
    find(&world, &shop, json!({})).await;
    // Counted also over a restart.
    come(&world, HALF..2 * HALF - 1).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(index_folder(&world), first);
    come(&world, 2 * HALF - 1..2 * HALF).await;
    let made = async {
        while index_folder(&world) == first || first.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), made).await.expect("it is made anew");
    let second = index_folder(&world);
    come(&world, 0..HALF).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(index_folder(&world), second, "it counts from the start again");
    assert_eq!(find(&world, &shop, json!({})).await["Total"], 2 * HALF);
}

/// Nobody says that the index has to be made anew.
async fn each_change_of_a_shops_language_is_followed(world: World) {
    let shop = world.shop("one").await;
    let feed = json!({"Products": [product("de", "Rote Stühle"), product("sv", "Röda stolarna")]});
    world.complete_feed(&shop, "/one", &feed).await;
    for (language, query) in [("de", "roter stuhl"), ("sv", "röd stol"), ("de", "roter stuhl")] {
        world.control("/control/account/search", json!({"Name": "one", "Language": language})).await;
        let found = async {
            while find(&world, &shop, json!({"Query": query})).await["Items"][0]["Id"] != language {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), found).await.expect(language);
    }
}
