//! Reverse proxies in front: whose address counts.

use std::time::Duration;

use lethe::admission::Tenant;
use lethe::limits;
use serde_json::json;

use crate::support::admission::{get_health_from, open_dripping_client, read_taken_share};
use crate::support::log_traces;
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    clients_behind_a_trusted_proxy_count_alone
    without_the_setting_no_forwarded_address_is_read
    clients_behind_a_proxy_have_a_share_of_the_memory_each
    a_trusted_proxy_has_more_connections_than_one_client
    a_proxy_that_is_not_named_is_told_once
}

/// A world whose clients come over proxies on this machine.
async fn behind_proxies(mut world: World, header: &'static str) -> World {
    world.config.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    world.config.forwarded_header = header.parse().expect("a header");
    world.restart().await;
    world
}

/// The status that wrong credentials are answered with, sent on by a proxy that names the client so.
async fn status_of_failure(world: &World, forwarded: &[(&str, &str)]) -> u16 {
    let body = json!({"AppKey": "nobody-has-this-key", "SecretKey": "wrong", "Tokens": []}).to_string();
    let request = world.request("POST", "/api/deltastatus").header("content-type", "application/json");
    let request = forwarded.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    world.send(request.body(body)).await.status
}

/// Fails until it is limited.
async fn fail_often(world: &World, forwarded: &[(&str, &str)]) {
    let mut tries = 0;
    while status_of_failure(world, forwarded).await == 403 {
        tries += 1;
        assert!(tries < 20 * limits::FAILED_CREDENTIALS_PER_MINUTE, "never limited");
    }
}

/// Returns true if the client is limited; one more failure is allowed for each second that passes.
async fn is_limited(world: &World, forwarded: &[(&str, &str)]) -> bool {
    for _ in 0..limits::FAILED_CREDENTIALS_PER_MINUTE / 4 {
        if status_of_failure(world, forwarded).await == 429 {
            return true;
        }
    }
    false
}

async fn clients_behind_a_trusted_proxy_count_alone(world: World) {
    let world = behind_proxies(world, "X-Forwarded-For").await;
    let name = "X-Forwarded-For";
    fail_often(&world, &[(name, "203.0.113.7")]).await;
    for (others, expected) in [
        ("198.51.100.1, 203.0.113.7", true),
        ("203.0.113.7:4711", true),
        ("203.0.113.7, 127.0.0.9", true),
        ("203.0.113.7, 203.0.113.8", false),
        ("203.0.113.7, unknown", false),
    ] {
        assert_eq!(is_limited(&world, &[(name, others)]).await, expected, "{others}");
    }
    assert!(
        is_limited(&world, &[(name, "203.0.113.7"), (name, "127.0.0.9")]).await,
        "two lines are one list"
    );
    for other in ["Forwarded", "X-Real-IP"] {
        assert!(!is_limited(&world, &[(other, "203.0.113.7")]).await, "{other} is not read");
    }
    fail_often(&world, &[(name, "2a00:1450:4001:7::1")]).await;
    assert!(is_limited(&world, &[(name, "2a00:1450:4001:7:ffff::1")]).await, "one network of one customer");
    assert!(!is_limited(&world, &[(name, "2a00:1450:4001:8::1")]).await);
    // Another header, when it is set.
    let world = behind_proxies(world, "X-Real-IP").await;
    fail_often(&world, &[("x-real-ip", "203.0.113.7"), (name, "203.0.113.8")]).await;
    assert!(is_limited(&world, &[("X-Real-IP", "203.0.113.7")]).await);
    assert!(!is_limited(&world, &[(name, "203.0.113.7")]).await);
}

async fn without_the_setting_no_forwarded_address_is_read(world: World) {
    fail_often(&world, &[("X-Forwarded-For", "203.0.113.7")]).await;
    assert!(is_limited(&world, &[("X-Forwarded-For", "203.0.113.8")]).await, "all come from one address");
}

async fn clients_behind_a_proxy_have_a_share_of_the_memory_each(world: World) {
    let world = behind_proxies(world, "X-Forwarded-For").await;
    let shop = world.shop("one").await;
    let most = limits::REQUEST_MEMORY_OF_CLIENT_BYTES / 2;
    let first = open_dripping_client(&world, "203.0.113.7", most * 3 / 4).await;
    while read_taken_share(&world, "request_memory").await < most * 3 / 2 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    // A request with the keys at its end takes from the address's part until then.
    let rows = "x".repeat(most / 2);
    let body = format!("payLoad={rows}&feedName=product-1&accessKey={}&secretKey={}", shop.key, shop.secret);
    let request = world.request("POST", "/feed-create").header("X-Forwarded-For", "203.0.113.8");
    let request = request.header("content-type", "application/x-www-form-urlencoded").body(body);
    assert_eq!(world.send(request).await.status, 200);
    drop(first);
}

async fn a_trusted_proxy_has_more_connections_than_one_client(world: World) {
    let world = behind_proxies(world, "X-Forwarded-For").await;
    let connections = world.node().resources.connections.clone();
    let client = Tenant::Client("127.0.0.1".parse().expect("an address"));
    let _of_client = connections.try_take(client, limits::CONNECTIONS_OF_CLIENT).expect("one client's");
    let _of_proxies = connections.try_take(Tenant::Proxies, limits::CONNECTIONS_OF_CLIENT).expect("as many");
    let answer = get_health_from(&world, "127.0.0.1").await;
    assert!(answer.ends_with("OK"), "{answer}");
}

/// Result of the doctor's check of proxies, and the number of lines about proxies in the log.
async fn told_of_proxies(world: &World) -> (bool, usize) {
    let findings = world.control("/control/doctor", json!({})).await;
    let mut findings = findings.as_array().expect("findings").iter();
    let found = findings.find(|found| found["Check"] == "reverse proxy").expect("a finding");
    let is_told = found["Standing"] == "Weak";
    let sentence = found["Sentence"].as_str().expect("a sentence");
    assert_eq!(sentence.contains("10 new visitors a minute, and 60 searches"), is_told, "{sentence}");
    assert!(!sentence.contains("203.0.113.7") && !sentence.contains("127.0.0.1"), "{sentence}");
    (is_told, log_traces::read_log().matches("a request that was forwarded came from").count())
}

async fn a_proxy_that_is_not_named_is_told_once(world: World) {
    world.send(world.request("GET", "/health")).await;
    assert_eq!(told_of_proxies(&world).await, (false, 0));
    for (name, value) in [("X-Forwarded-For", "203.0.113.7"), ("Forwarded", "for=203.0.113.7")] {
        for _ in 0..3 {
            world.send(world.request("GET", "/health").header(name, value)).await;
        }
        assert_eq!(told_of_proxies(&world).await, (true, 1), "{name}");
    }
    // It ends by itself, and is told again when it comes again.
    world.clock.advance(Duration::from_secs(24 * 3600 + 1));
    assert_eq!(told_of_proxies(&world).await, (false, 1));
    world.send(world.request("GET", "/health").header("x-forwarded-for", "203.0.113.7")).await;
    assert_eq!(told_of_proxies(&world).await, (true, 2));
    // A named proxy does not count.
    let world = behind_proxies(world, "X-Forwarded-For").await;
    world.send(world.request("GET", "/health").header("x-forwarded-for", "203.0.113.7")).await;
    assert_eq!(told_of_proxies(&world).await, (false, 2));
}
