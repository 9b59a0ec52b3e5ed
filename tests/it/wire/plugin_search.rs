//! The search that a plugin asks for in a call about a shopper.

use lethe::admission::Tenant;
use lethe::ids::AccountId;
use lethe::limits;
use serde_json::{Value, json};

use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_plugin_searches_and_gets_ids_in_the_order_of_the_search
    a_search_that_cannot_be_leaves_the_call_as_it_is
}

async fn shop(world: &World) -> Shop {
    let shop = world.shop("one").await;
    let shoe = |n: usize| {
        json!({"Id": format!("p{n}"), "Sku": format!("S {n}"), "Title": format!("Red shoe {}", 9 - n),
            "Categories": [if n < 3 { "c" } else { "d" }], "Prices": [format!("{}.00 GBP", 5 + n % 3)]})
    };
    let feed = json!({"Products": (1..=5).map(shoe).collect::<Vec<_>>(),
        "Categories": [{"Id": "c", "DisplayName": "Boots"}, {"Id": "d", "DisplayName": "Others"}]});
    world.complete_feed(&shop, "/one", &feed).await;
    shop
}

async fn search_page(world: &World, shop: &Shop, search: Value) -> Value {
    loop {
        let call = json!({"currency": "GBP", "search": search});
        let answer = world.ask_json(shop, "/api/serverside", call).await;
        // The index of a new shop is being made.
        if answer.get("errors").is_none() {
            return answer["search"].clone();
        }
    }
}

fn ids(found: &Value) -> Vec<&str> {
    let products = found["products"].as_array().into_iter().flatten();
    products.map(|product| product["Id"].as_str().expect("an id")).collect()
}

async fn a_plugin_searches_and_gets_ids_in_the_order_of_the_search(world: World) {
    let shop = shop(&world).await;
    let needed = json!(["Id", "Sku"]);
    let search = json!({"query": "red shoe", "requiredAttributes": needed, "pageSize": "2000"});
    let found = search_page(&world, &shop, search.clone()).await;
    let own = world.post("/api/search", &json!({"AppKey": shop.key, "Query": "red shoe"})).await.json();
    let expected: Vec<_> = own["Items"].as_array().expect("items").iter().map(|item| &item["Id"]).collect();
    assert_eq!(ids(&found), expected);
    assert_eq!(
        found["products"][0],
        json!({"Id": ids(&found)[0], "Sku": format!("S {}", &ids(&found)[0][1..])})
    );
    assert_eq!((&found["zeroResults"], &found["redirectUrl"]), (&json!(false), &json!("")));
    assert_eq!(found["clickEventName"], "search_click");
    assert_eq!(found["refId"], own["RefId"]);
    assert!(found["refId"].as_str().is_some_and(|id| id.len() == 18));
    let sorted = async |sort: u8| {
        let mut search = search.clone();
        search["sort"] = sort.into();
        search_page(&world, &shop, search).await
    };
    assert_eq!(ids(&sorted(3).await), ["p5", "p4", "p3", "p2", "p1"], "by name");
    assert_eq!(ids(&sorted(4).await), ["p1", "p2", "p3", "p4", "p5"]);
    assert_eq!(ids(&sorted(1).await), ["p3", "p1", "p4", "p2", "p5"], "by price");
    let category = json!({"query": "c", "isCategory": true, "requiredAttributes": needed, "pageSize": "1"});
    assert_eq!(ids(&search_page(&world, &shop, category).await).len(), 1);
    let all = search_page(&world, &shop, json!({"query": "c", "isCategory": "true"})).await;
    assert_eq!(ids(&all).len(), 2);
    assert_eq!(
        (&all["products"][0]["DisplayPrice"].is_string(), &all["products"][0]["Title"].is_string()),
        (&true, &true)
    );
    let none = search_page(&world, &shop, json!({"query": "umbrella"})).await;
    assert_eq!((&none["products"], &none["zeroResults"]), (&json!([]), &json!(true)));
}

async fn a_search_that_cannot_be_leaves_the_call_as_it_is(world: World) {
    let shop = shop(&world).await;
    search_page(&world, &shop, json!({"query": "shoe"})).await;
    let long = "x".repeat(limits::SEARCH_QUERY_BYTES + 1);
    for search in
        [json!([]), json!({}), json!("shoe"), json!({"query": ""}), json!({"query": long}), Value::Null]
    {
        let answer = world.ask_json(&shop, "/api/serverside", json!({"search": search})).await;
        assert_eq!((answer.get("search"), answer.get("errors")), (None, None), "{answer}");
    }
    let searches = world.node().resources.searches.clone();
    let all = searches.acquire(
        Tenant::Account(AccountId(1)),
        limits::SEARCHES_OF_ACCOUNT,
        limits::SEARCH_WAIT_DURATION,
    );
    let held = all.await.expect("they are free");
    let answer = world.ask_json(&shop, "/api/serverside", json!({"search": {"query": "shoe"}})).await;
    let why = "the search was left out: the shop's products are not ready, or busy";
    assert_eq!((answer.get("search"), &answer["errors"]), (None, &json!([why])));
    drop(held);
    // A page's search counts as a search.
    let page = json!({"appId": shop.key, "search": {"query": "shoe"}, "zones": (0..49).map(|n| n.to_string()).collect::<Vec<_>>()});
    let mut calls = 0;
    while world.post("/api/serverside", &page).await.status == 200 && calls < 100 {
        calls += 1;
    }
    assert!(calls < 40, "{calls} calls, each of 51");
}
