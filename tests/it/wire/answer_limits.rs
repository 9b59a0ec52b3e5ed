//! Limits on the cost of a request: answers have so much room, long bodies are read apart, and the memory of slow
//! readers is counted.

use std::net::SocketAddr;
use std::time::Duration;

use lethe::admission::{Permit, Tenant};
use lethe::ids::AccountId;
use lethe::limits;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use crate::support::admission::read_taken_share;
use crate::support::world::{Shop, World, on_both_engines};
use crate::support::zones::set_campaigns;

on_both_engines! {
    an_answer_has_so_much_room_and_says_what_it_left_out
    a_page_of_the_catalogue_ends_where_it_is_full
    a_row_that_is_larger_than_a_page_is_a_page_of_its_own
    zones_have_so_much_room_and_say_what_they_left_out
    what_slow_readers_hold_is_counted
    few_answers_that_are_made_wait_for_room
    long_bodies_are_read_apart_in_turns_of_their_account
    a_call_that_was_stored_is_answered_without_its_zones
}

/// A refused call would be sent again, and its events would count twice.
async fn a_call_that_was_stored_is_answered_without_its_zones(world: World) {
    let shop = wide_shop(&world, 3, 90_000).await;
    set_campaigns(
        &world,
        &shop,
        json!([{"Id": "all", "Zone": "Z", "ProductsShown": {"Recommender": "new_arrivals"}}]),
    )
    .await;
    let told = json!([{"name": "product_view", "data": {"id": "w0"}}]);
    let call = json!({"zones": ["Z"], "events": told, "visitorId": "v-1"});
    let whole = loop {
        let answer = world.ask_json(&shop, "/api/serverside", call.clone()).await;
        if answer["zones"]["Z"].is_object() {
            break answer;
        }
    };
    assert!(whole.to_string().len() > limits::ANSWER_FREE_BYTES);
    let _all = take_all_answers(&world).await;
    let small = world.ask_json(&shop, "/api/serverside", call).await;
    assert_eq!((&small["zones"], &small["visitorId"]), (&json!({}), &json!("v-1")));
    assert!(small["errors"].to_string().contains("the zones were left out"), "{small}");
}

/// Takes the memory that the first account has for answers, once those before are read.
async fn take_all_answers(world: &World) -> Permit {
    loop {
        let all = limits::ANSWERS_OF_ACCOUNT_BYTES;
        if let Some(all) = world.node().resources.answers.try_take(Tenant::Account(AccountId(1)), all) {
            return all;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A shop of wide products, of so many bytes each, that can be searched.
async fn wide_shop(world: &World, products: usize, bytes: usize) -> Shop {
    let shop = world.shop("wide").await;
    let wide = |number: usize| {
        json!({"Id": format!("w{number}"), "Sku": format!("no-{number}"), "Title": format!("Wide {number}"),
            "Prices": ["5.00 GBP"], "Description": "wide ".repeat(bytes / 5)})
    };
    let feed = json!({"Products": (0..products).map(wide).collect::<Vec<_>>()});
    world.complete_feed(&shop, "/wide", &feed).await;
    // On a busy machine the index takes longer than a search waits.
    while world.post("/api/search", &json!({"AppKey": shop.key})).await.status == 503 {}
    shop
}

async fn search_products(world: &World, shop: &Shop, mut asked: Value) -> Value {
    asked["AppKey"] = shop.key.clone().into();
    let reply = world.post("/api/search", &asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert!(reply.text.len() <= limits::ANSWER_BYTES + (64 << 10), "{} bytes", reply.text.len());
    reply.json()
}

async fn an_answer_has_so_much_room_and_says_what_it_left_out(world: World) {
    let shop = wide_shop(&world, 6, 900_000).await;
    let all = search_products(&world, &shop, json!({"Fields": ["*"]})).await;
    let described = |found: &Value| {
        let items = found["Items"].as_array().expect("items").clone();
        let whole = items.iter().filter(|item| item.get("Description").is_some()).count();
        (items.len(), whole, items.iter().all(|item| item["Id"].is_string()))
    };
    assert_eq!((described(&all), &all["Cut"]), ((6, 4, true), &json!(["fields"])));
    let few = search_products(&world, &shop, json!({"Fields": ["*"], "Size": 2})).await;
    assert_eq!((described(&few), few.get("Cut")), ((2, 2, true), None));
    // Cards are small, whatever else there is of a product.
    let cards = search_products(&world, &shop, json!({})).await;
    assert_eq!((cards["Items"][5]["Title"].is_string(), cards.get("Cut")), (true, None));
}

async fn a_page_of_the_catalogue_ends_where_it_is_full(world: World) {
    let shop = wide_shop(&world, 6, 900_000).await;
    let page =
        async |from: &str| world.ask_json(&shop, "/api/catalogue", json!({"Limit": 200, "From": from})).await;
    let ids = |page: &Value| -> Vec<String> {
        let items = page["Items"].as_array().expect("items");
        items.iter().map(|item| item["Id"].as_str().expect("an id").to_owned()).collect()
    };
    let first = page("").await;
    assert_eq!(
        (ids(&first), &first["Next"]),
        (["w0", "w1", "w2", "w3"].map(str::to_owned).to_vec(), &json!("w3"))
    );
    let second = page("w3").await;
    assert_eq!((ids(&second), &second["Next"]), (["w4", "w5"].map(str::to_owned).to_vec(), &Value::Null));
}

async fn a_row_that_is_larger_than_a_page_is_a_page_of_its_own(world: World) {
    let shop = world.shop("wide").await;
    // The largest row that is read grows by three bytes: its price is written out.
    let mut large = json!({"Id": "a", "Title": "Large", "Prices": ["5 GBP"], "Description": ""});
    let rest = limits::FEED_ROW_BYTES - large.to_string().len();
    large["Description"] = format!("{}{}", "wide ".repeat(rest / 5), "x".repeat(rest % 5)).into();
    let feed = json!({"Products": [large, {"Id": "b", "Title": "Small"}]});
    world.complete_feed(&shop, "/wide", &feed).await;
    for (from, id, next) in [("", "a", json!("a")), ("a", "b", Value::Null)] {
        let page = world.ask_json(&shop, "/api/catalogue", json!({"From": from})).await;
        let ids: Vec<_> = page["Items"].as_array().expect("items").iter().map(|item| &item["Id"]).collect();
        assert_eq!((ids, &page["Next"]), (vec![&json!(id)], &next));
    }
}

async fn zones_have_so_much_room_and_say_what_they_left_out(world: World) {
    let shop = world.shop("one").await;
    // 1,200 categories with long ids below one: each is named with it in each of its zones.
    let below =
        |number: usize| json!({"Id": format!("{number:04}{}", "c".repeat(440)), "ParentIds": ["top"]});
    let mut categories: Vec<_> = (0..1_000).map(below).collect();
    categories.push(json!({"Id": "top", "DisplayName": "Top"}));
    let product =
        json!({"Id": "p", "Sku": "p", "Title": "Thing", "Prices": ["5.00 GBP"], "Categories": ["top"]});
    world.complete_feed(&shop, "/kinds", &json!({"Products": [product], "Categories": categories})).await;
    let campaign = |number: usize| json!({"Id": format!("k{number}"), "Zone": format!("Z-{number}"), "CategoriesShown": {}});
    set_campaigns(&world, &shop, (0..10).map(campaign).collect()).await;
    let zones: Vec<_> = (0..10).map(|number| format!("Z-{number}")).collect();
    let answer = loop {
        let answer = world.ask_json(&shop, "/api/serverside", json!({ "zones": zones })).await;
        // The index of a new shop is being made.
        if !answer["errors"][0].as_str().is_some_and(|error| error.starts_with("the zones were left out")) {
            break answer;
        }
    };
    assert!(answer.to_string().len() <= limits::ANSWER_BYTES + (64 << 10));
    let filled = answer["zones"].as_object().expect("zones").len();
    assert!((1..10).contains(&filled), "{filled}");
    assert_eq!(answer["errors"], json!(["items of zones were left out: an answer has no room for them"]));
}

async fn what_slow_readers_hold_is_counted(world: World) {
    let shop = wide_shop(&world, 5, 900_000).await;
    let asked = json!({"AppKey": shop.key, "Fields": ["*"]}).to_string();
    let request = format!(
        "POST /api/search HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{asked}",
        asked.len()
    );
    let address: SocketAddr = world.url("").replace("http://", "").parse().expect("an address");
    let begin = async || {
        let socket = TcpSocket::new_v4().expect("a socket");
        // A reader that takes little leaves the rest with the server, and not in buffers of the system.
        socket.set_recv_buffer_size(4096).expect("a small buffer");
        let mut stream = socket.connect(address).await.expect("a connection");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.expect("the head of an answer");
        (stream, String::from_utf8_lossy(&head).into_owned())
    };
    let (reader, head) = begin().await;
    assert_eq!(head, "HTTP/1.1 200");
    let held = read_taken_share(&world, "answers").await;
    assert!(held > limits::ANSWER_BYTES / 2, "{held}: what the system has not taken yet");
    // The part that an account holds is not there for its next answer.
    let answers = world.node().resources.answers.clone();
    let rest = answers.try_take(Tenant::Account(AccountId(1)), limits::ANSWERS_OF_ACCOUNT_BYTES - held);
    let (_, head) = begin().await;
    assert_eq!(head, "HTTP/1.1 503", "the account holds what it may");
    // A small answer is sent as ever.
    search_products(&world, &shop, json!({})).await;
    drop((reader, rest));
    while read_taken_share(&world, "answers").await > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(begin().await.1, "HTTP/1.1 200");
}

/// Answers that wait are in memory too.
async fn few_answers_that_are_made_wait_for_room(world: World) {
    let shop = wide_shop(&world, 3, 90_000).await;
    let answers = world.node().resources.answers.clone();
    let _all = take_all_answers(&world).await;
    let asked = json!({"AppKey": shop.key, "Fields": ["*"]});
    let asking =
        (0..2 * limits::ANSWERS_WAITING).map(|_| async { world.post("/api/search", &asked).await.status });
    let mut asking = Box::pin(futures_util::future::join_all(asking));
    let mut most = 0;
    let statuses = loop {
        match tokio::time::timeout(Duration::from_millis(5), &mut asking).await {
            Ok(statuses) => break statuses,
            Err(_) => most = most.max(answers.gauge().waiting),
        }
    };
    assert!(statuses.iter().all(|status| *status == 503), "{statuses:?}");
    assert_eq!(most, limits::ANSWERS_WAITING);
}

async fn long_bodies_are_read_apart_in_turns_of_their_account(world: World) {
    let one = world.shop("one").await;
    let other = world.shop("other").await;
    let turns = world.node().resources.long_bodies.clone();
    let mut held = Vec::new();
    while let Some(turn) = turns.try_take(Tenant::Account(AccountId(1)), 1) {
        held.push(turn);
    }
    assert_eq!(held.len(), limits::LONG_BODIES_OF_ACCOUNT);
    let zones = vec![1; limits::SERVERSIDE_BODY_BYTES / 2 - 1_000];
    let page = |shop: &Shop, zones: &[i32]| json!({"appId": shop.key, "zones": zones});
    let long = page(&one, &zones);
    let waiting = world.post("/api/serverside", &long);
    let others = async {
        while turns.gauge().waiting == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // A short one of the same shop waits for nothing, nor does a long one of another.
        assert_eq!(world.post("/api/serverside", &page(&one, &zones[..10])).await.status, 200);
        assert_eq!(world.post("/api/serverside", &page(&other, &zones[..20_000])).await.status, 200);
        drop(held);
    };
    let (answer, ()) = tokio::join!(waiting, others);
    assert_eq!((answer.status, turns.gauge().taken), (200, 0));
}
