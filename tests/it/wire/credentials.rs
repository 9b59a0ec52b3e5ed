//! Secrets while they are rotated, and how often wrong ones are answered.

use std::net::IpAddr;
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use lethe::accounts::Directory;
use lethe::api;
use lethe::keys::secret::SecretKey;
use lethe::limits;
use lethe::transport::peer::Peer;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_rotated_secret_works_beside_the_new_one_until_it_is_revoked
    a_secret_that_another_node_revokes_is_dead_within_a_second
    what_was_read_before_a_change_is_not_remembered_after_it
    an_account_has_two_live_secrets_at_most
    a_secret_that_is_to_end_ends_then_whatever_is_rotated_meanwhile
    many_failures_are_limited_by_address_and_right_credentials_still_pass
    a_network_of_one_ipv6_customer_counts_as_one_address
}

/// Makes another secret; gives the shop with it.
async fn rotate_secret(world: &World, shop: &Shop, hours: u32) -> Shop {
    let made = world.control("/control/key/rotate", json!({"Name": shop.name, "Hours": hours})).await;
    Shop { secret: made["SecretKey"].as_str().expect("a secret").to_owned(), ..shop.clone() }
}

/// Sends a request to the control socket that it has to refuse; returns the sentence.
async fn refuse_control(world: &World, path: &str, body: Value) -> String {
    let request = Request::post(path)
        .header("content-type", "application/json")
        .extension(Peer::Operator)
        .body(Body::from(body.to_string()))
        .expect("a request");
    let answer =
        lethe::admin::routes::control(world.node().clone()).oneshot(request).await.expect("an answer");
    assert!(answer.status().is_client_error(), "{path}: {}", answer.status());
    let body = axum::body::to_bytes(answer.into_body(), 1 << 16).await.expect("a body");
    String::from_utf8_lossy(&body).into_owned()
}

async fn a_rotated_secret_works_beside_the_new_one_until_it_is_revoked(world: World) {
    let old = world.shop("one").await;
    let made = world.control("/control/key/rotate", json!({"Name": "one", "Hours": 2})).await;
    let new = Shop { secret: made["SecretKey"].as_str().expect("a secret").to_owned(), ..old.clone() };
    for shop in [&old, &new] {
        world.delta(shop, json!({})).await;
    }
    world.clock.advance(std::time::Duration::from_secs(2 * 3600));
    world.ask(&old, "/api/delta", json!({})).await.expect_refusal(403);
    world.delta(&new, json!({})).await;
    world.control("/control/key/revoke", json!({"Name": "one", "Number": 2})).await;
    world.ask(&new, "/api/delta", json!({})).await.expect_refusal(403);
}

async fn a_secret_that_another_node_revokes_is_dead_within_a_second(world: World) {
    let shop = world.shop("one").await;
    let secret = SecretKey::parse(&shop.secret).expect("a secret");
    // Memory of another node.
    let elsewhere = Directory::default();
    let accepts = async || {
        let known =
            elsewhere.find(&world.node().store, &shop.key).await.expect("a store").expect("an account");
        known.accepts(&world.node().keys, &secret, world.node().clock.now())
    };
    assert!(accepts().await);
    world.control("/control/key/revoke", json!({"Name": "one", "Number": 1})).await;
    tokio::time::sleep(limits::KEYS_REMEMBERED_DURATION).await;
    assert!(!accepts().await);
    assert!(limits::KEYS_REMEMBERED_DURATION < Duration::from_secs(1));
}

/// A look-up is stopped after its read. Meanwhile the secret is revoked, and another request asks.
async fn what_was_read_before_a_change_is_not_remembered_after_it(world: World) {
    let store = &world.node().store;
    let other = world.shop("other").await;
    for round in 1..=3 {
        let name = format!("shop-{round}");
        let shop = world.shop(&name).await;
        let secret = SecretKey::parse(&shop.secret).expect("a secret");
        let directory = Directory::default();
        // From here on it is not asked for a moment whether accounts were changed.
        directory.find(store, &other.key).await.expect("a store");
        let mut looking = Box::pin(directory.find(store, &shop.key));
        if std::future::poll_fn(|cx| Poll::Ready(looking.as_mut().poll(cx).is_ready())).await {
            // It was read before anything could change: nothing is seen in this round.
            continue;
        }
        for _ in 0..2 {
            store.read(|_| Ok::<_, lethe::store::StoreFault>(())).await.expect("it has read");
        }
        world.control("/control/key/revoke", json!({"Name": name, "Number": 1})).await;
        directory.clear();
        // On a machine so slow that the moment is over, it holds up whoever asks: nothing is seen in this round.
        let _ = tokio::time::timeout(Duration::from_secs(5), directory.find(store, &other.key)).await;
        looking.await.expect("a store");
        let known = directory.find(store, &shop.key).await.expect("a store").expect("an account");
        assert!(!known.accepts(&world.node().keys, &secret, world.node().clock.now()), "{round}");
    }
}

async fn an_account_has_two_live_secrets_at_most(world: World) {
    let first = world.shop("one").await;
    let second = rotate_secret(&world, &first, 2).await;
    let again = json!({"Name": "one", "Hours": 2});
    for _ in 0..2 {
        let sentence = refuse_control(&world, "/control/key/rotate", again.clone()).await;
        assert!(sentence.contains("two live secrets"), "{sentence}");
    }
    let listed = world.control("/control/key/list", json!({"Name": "one"})).await;
    assert_eq!(listed["Secrets"].as_array().map(Vec::len), Some(2), "{listed}");
    for shop in [&first, &second] {
        world.delta(shop, json!({})).await;
    }
    // The place of one that has ended is free.
    world.clock.advance(Duration::from_secs(2 * 3600));
    let third = rotate_secret(&world, &second, 2).await;
    world.ask(&first, "/api/delta", json!({})).await.expect_refusal(403);
    for shop in [&second, &third] {
        world.delta(shop, json!({})).await;
    }
}

async fn a_secret_that_is_to_end_ends_then_whatever_is_rotated_meanwhile(world: World) {
    let first = world.shop("one").await;
    let second = rotate_secret(&world, &first, 2).await;
    // The new one was sent to the wrong place, say; in its stead another is made, with more time to change over.
    world.control("/control/key/revoke", json!({"Name": "one", "Number": 2})).await;
    let third = rotate_secret(&world, &first, 48).await;
    world.ask(&second, "/api/delta", json!({})).await.expect_refusal(403);
    world.clock.advance(Duration::from_secs(2 * 3600 - 1));
    for shop in [&first, &third] {
        world.delta(shop, json!({})).await;
    }
    world.clock.advance(Duration::from_secs(1));
    world.ask(&first, "/api/delta", json!({})).await.expect_refusal(403);
    world.delta(&third, json!({})).await;
}

async fn many_failures_are_limited_by_address_and_right_credentials_still_pass(world: World) {
    let shop = world.shop("one").await;
    let wrong = json!({"AppKey": shop.key, "SecretKey": "wrong", "Tokens": []});
    let began = std::time::Instant::now();
    let mut answered = 0;
    let limited = loop {
        let reply = world.post("/api/deltastatus", &wrong).await;
        if reply.status == 429 {
            break reply;
        }
        reply.expect_refusal(403);
        answered += 1;
        assert!(answered < 200, "never limited");
    };
    // One more is allowed for each second that passes.
    assert!((60..=61 + began.elapsed().as_secs()).contains(&answered), "{answered}");
    limited.expect_refusal(429);
    assert!(limited.header("retry-after").parse::<u32>().is_ok());
    world.delta(&shop, json!({})).await;
}

/// The status that wrong credentials from an address are answered with.
async fn status_of_wrong_credentials(world: &World, address: &str) -> u16 {
    let address: IpAddr = address.parse().expect("an address");
    let body = json!({"AppKey": "nobody-has-this-key", "SecretKey": "wrong", "Tokens": []});
    let request = Request::post("/api/deltastatus")
        .header("content-type", "application/json")
        .header("host", "shop.test")
        .extension(Peer::Address(address))
        .body(Body::from(body.to_string()))
        .expect("a request");
    let answer = api::routes::public(world.node().clone()).oneshot(request).await.expect("an answer");
    answer.status().as_u16()
}

async fn a_network_of_one_ipv6_customer_counts_as_one_address(world: World) {
    // One more is allowed for each second that passes.
    let began = std::time::Instant::now();
    let mut answered = 0;
    while status_of_wrong_credentials(&world, &format!("2a00:1450:4001:7::{answered:x}")).await == 403 {
        answered += 1;
        assert!(answered < 3 * u64::from(limits::FAILED_CREDENTIALS_PER_MINUTE), "never limited");
    }
    let fewest = u64::from(limits::FAILED_CREDENTIALS_PER_MINUTE);
    assert!((fewest..=fewest + 1 + began.elapsed().as_secs()).contains(&answered), "{answered}");
    for (address, status) in [
        ("2a00:1450:4001:7:ffff:ffff:ffff:ffff", 429),
        ("2a00:1450:4001:8::", 403),
        ("2a00:1450:4001:6:ffff:ffff:ffff:ffff", 403),
    ] {
        assert_eq!(status_of_wrong_credentials(&world, address).await, status, "{address}");
    }
}
