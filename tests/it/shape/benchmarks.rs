//! The benchmarks' scenarios, small: the test checks which requests arrive and in which order, not how fast.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lethe::jobs::Lane;
use serde_json::json;

use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    deltas_sent_while_feeds_import_are_all_applied_in_their_order
    an_upload_in_a_hundred_pieces_is_shown_whole
    a_rotation_under_load_fails_no_request
}

/// Products that deltas change in turn.
const ITEMS: usize = 10;
const DELTAS: usize = 150;

async fn deltas_sent_while_feeds_import_are_all_applied_in_their_order(world: World) {
    let shop = world.shop("one").await;
    let rows: Vec<_> = (0..500).map(|n| json!({"Id": format!("feed-{n}"), "Title": "of the feed"})).collect();
    let url = world.feeds.serve("/f", [Answer::ok(json!({"Products": rows}).to_string())]);
    let is_done = AtomicBool::new(false);
    let sending = async {
        let mut tokens = Vec::new();
        for n in 0..DELTAS {
            if n % 50 == 0 {
                world.feed(&shop, &url).await;
            }
            let product = json!({"Id": format!("delta-{}", n % ITEMS), "Title": format!("version {n}")});
            tokens.push(world.delta(&shop, json!({"Products": [product]})).await);
        }
        is_done.store(true, Ordering::SeqCst);
        tokens
    };
    let working = async {
        while !is_done.load(Ordering::SeqCst) {
            for lane in [Lane::DELTA, Lane::FETCH, Lane::FEED] {
                world.run_jobs(lane).await;
            }
            tokio::task::yield_now().await;
        }
    };
    let (tokens, ()) = tokio::join!(sending, working);
    world.run_all_jobs().await;
    for token in &tokens {
        assert_eq!(world.delta_status(&shop, token).await, json!([1, null]));
    }
    for item in 0..ITEMS {
        let last = DELTAS - ITEMS + item;
        assert_eq!(world.title(&shop, &format!("delta-{item}")).await, format!("version {last}"));
    }
    assert_eq!(world.count(&shop, "Products").await, 500 + ITEMS as i64);
}

async fn piece(world: &World, shop: &Shop, path: &str, piece: &str) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("accessKey", &shop.key).append_pair("secretKey", &shop.secret);
    form.append_pair("feedName", "product-5f3c0a1b2c3d4").append_pair("payLoad", piece);
    let request = world.request("POST", path).header("content-type", "application/x-www-form-urlencoded");
    let reply = world.send(request.body(form.finish())).await;
    assert_eq!((reply.status, reply.text.as_str()), (200, "OK"));
    reply.header("x-feed-token").to_owned()
}

async fn an_upload_in_a_hundred_pieces_is_shown_whole(world: World) {
    let shop = world.shop("one").await;
    piece(&world, &shop, "/feed-create", "{\"Version\": 2, \"Products\":[").await;
    for page in 0..100 {
        let rows: Vec<_> = (0..5).map(|n| json!({"Id": page * 5 + n, "Title": "A"}).to_string()).collect();
        let comma = if page == 0 { "" } else { "," };
        piece(&world, &shop, "/feed-append", &format!("{comma}{}", rows.join(","))).await;
    }
    let token = piece(&world, &shop, "/feed-close", "]}").await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!(world.count(&shop, "Products").await, 500);
}

async fn a_rotation_under_load_fails_no_request(world: World) {
    let shop = world.shop("one").await;
    let secret = Arc::new(std::sync::RwLock::new(shop.secret.clone()));
    let is_done = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let secret = secret.clone();
            let is_done = is_done.clone();
            let key = shop.key.clone();
            let url = world.url("/api/deltastatus");
            tokio::spawn(async move {
                let client = crate::support::world::plain_client();
                let mut asked = 0;
                while !is_done.load(Ordering::SeqCst) || asked < 20 {
                    let secret = secret.read().expect("the secret").clone();
                    let body = json!({"AppKey": key, "SecretKey": secret, "Tokens": []});
                    let asking = client.post(&url).header("content-type", "application/json");
                    let answer = asking.body(body.to_string()).send().await.expect("an answer");
                    assert_eq!(answer.status().as_u16(), 200, "no request fails while a secret is changed");
                    asked += 1;
                }
                asked
            })
        })
        .collect();
    for number in 1..=3 {
        let rotated = world.control("/control/key/rotate", json!({"Name": "one"})).await;
        let newest = rotated["SecretKey"].as_str().expect("a secret").to_owned();
        secret.write().expect("the secret").clone_from(&newest);
        // A request that read the old secret a moment ago has its answer.
        world
            .ask_json(&Shop { secret: newest, ..shop.clone() }, "/api/deltastatus", json!({"Tokens": []}))
            .await;
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        world.control("/control/key/revoke", json!({"Name": "one", "Number": number})).await;
    }
    is_done.store(true, Ordering::SeqCst);
    for client in clients {
        assert!(client.await.expect("no request failed") >= 20);
    }
    assert_eq!(world.ask(&shop, "/api/deltastatus", json!({"Tokens": []})).await.status, 403);
}
