//! Repeated requests: the caller's own tokens, and feeds of one URL that wait for one fetch.

use std::time::Duration;

use lethe::jobs::{self, Lane, RetryState};
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_delta_sent_again_under_its_token_is_one_submission
    a_feed_sent_again_under_its_token_is_one_submission
    a_token_stands_for_one_thing_in_its_account_and_says_nothing_to_another
    feeds_of_one_url_that_wait_end_with_one_fetch
    a_feed_that_is_being_fetched_is_joined_by_nobody
    a_submission_that_follows_ends_with_its_own_window
}

/// Given back to run again at once.
fn at_once() -> RetryState {
    RetryState { at: 0, attempts: 0, phase: "waiting", setback: None }
}

const OWN: &str = "0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55";
const OTHER: &str = "9A1B0E44-52A5-4C7E-8F7D-0E3F6D1C2B3A";

fn with(mut body: Value, token: &str) -> Value {
    body["Token"] = token.into();
    body
}

fn products(title: &str) -> Value {
    json!({"Products": [{"Id": 1, "Title": title, "Link": "/1", "Image": "/1.jpg", "Prices": ["1 GBP"]}]})
}

async fn submissions(world: &World, shop: &Shop) -> usize {
    world.ask_json(shop, "/api/submissions", json!({})).await.as_array().expect("a list").len()
}

async fn feed_under(world: &World, shop: &Shop, url: &str, token: &str) -> (u16, String) {
    let reply = world.ask(shop, "/api/productfeed", json!({"url": url, "Token": token})).await;
    (reply.status, reply.header("x-feed-token").to_owned())
}

async fn a_delta_sent_again_under_its_token_is_one_submission(world: World) {
    let shop = world.shop("one").await;
    let first = with(products("A"), OWN);
    let people = with(json!({"Users": [{"UserId": "u"}]}), OTHER);
    assert_eq!(world.delta(&shop, first.clone()).await, OWN);
    assert_eq!(world.delta(&shop, people.clone()).await, OTHER.to_ascii_lowercase());
    world.apply_delta(&shop, products("B")).await;
    assert_eq!(world.delta(&shop, first.clone()).await, OWN, "also after it was applied");
    assert_eq!(world.delta(&shop, people).await, OTHER.to_ascii_lowercase());
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, OWN).await, json!([1, null]));
    assert_eq!(submissions(&world, &shop).await, 3);
    assert_eq!(world.title(&shop, "1").await, "B", "it is not applied again");
    let sentence = world.ask(&shop, "/api/delta", with(products("C"), OWN)).await.expect_refusal(409);
    assert_eq!(sentence, "Token stands for something else that was sent; give each submission its own");
    for unset in ["", "00000000-0000-0000-0000-000000000000"] {
        assert_ne!(world.delta(&shop, with(products("B"), unset)).await, unset, "a field with nothing in it");
    }
    let sentence =
        world.ask(&shop, "/api/delta", with(products("C"), "not-a-guid")).await.expect_refusal(400);
    assert!(sentence.starts_with("Token has to be a GUID"), "{sentence}");
}

async fn a_feed_sent_again_under_its_token_is_one_submission(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::ok(products("A").to_string())]);
    for _ in 0..2 {
        assert_eq!(feed_under(&world, &shop, &url, OWN).await, (200, OWN.to_owned()));
    }
    world.run_all_jobs().await;
    assert_eq!(feed_under(&world, &shop, &url, OWN).await, (200, OWN.to_owned()));
    assert_eq!(world.run_jobs(Lane::FETCH).await, 0);
    assert_eq!(world.feed_status(&shop, OWN).await, json!(["Complete", null]));
    assert_eq!((submissions(&world, &shop).await, world.feeds.requests_of("/f").len()), (1, 1));
    let other = world.feeds.serve("/other", [Answer::ok(products("B").to_string())]);
    assert_eq!(feed_under(&world, &shop, &other, OWN).await.0, 409);
}

async fn a_token_stands_for_one_thing_in_its_account_and_says_nothing_to_another(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("two").await;
    world.delta(&shop, with(products("A"), OWN)).await;
    let url = world.feeds.serve("/f", [Answer::ok(products("B").to_string())]);
    assert_eq!(feed_under(&world, &shop, &url, OWN).await.0, 409, "a delta has it");
    assert_eq!(world.delta_status(&other, OWN).await[0], 2, "unknown to the other shop");
    assert_eq!(feed_under(&world, &other, &url, OWN).await.0, 200, "which may use it itself");
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, OWN).await, json!([1, null]));
    assert_eq!(world.feed_status(&other, OWN).await, json!(["Complete", null]));
    assert_eq!((world.title(&shop, "1").await, world.title(&other, "1").await), (json!("A"), json!("B")));
}

async fn feeds_of_one_url_that_wait_end_with_one_fetch(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::status(503)]);
    let first = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    world.apply_delta(&shop, json!({"Products": [{"Id": 7, "Title": "Between"}]})).await;
    let second = world.feed(&shop, &url).await;
    let third = world.feed(&shop, &url).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": 8, "Title": "After"}]})).await;
    for token in [&first, &second, &third] {
        assert_eq!(world.feed_status(&shop, token).await, json!(["Processing", null]));
        let shown = world.ask_json(&shop, "/api/submissions", json!({"Token": token})).await;
        assert_eq!(shown[0]["Progress"]["Phase"], "waiting to fetch again");
    }
    world.feeds.serve("/f", [Answer::ok(json!({"Products": [{"Id": 1}, {"Title": "no id"}]}).to_string())]);
    world.clock.advance(Duration::from_secs(60));
    world.run_all_jobs().await;
    let asked = world.feeds.requests_of("/f").len();
    assert_eq!(world.feed_status(&shop, &third).await[0], "Error", "half of the rows are bad");
    world.feeds.serve("/f", [Answer::ok(products("A").to_string())]);
    let fourth = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feeds.requests_of("/f").len(), asked + 1);
    for token in [&first, &second, &third] {
        assert_eq!(world.feed_status(&shop, token).await, world.feed_status(&shop, &third).await);
        let issues = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
        assert!(issues["Counts"].to_string().contains("id_missing"), "{issues}");
    }
    assert_eq!(world.feed_status(&shop, &fourth).await, json!(["Complete", null]));
    assert_eq!(world.title(&shop, "7").await, Value::Null, "the latest cut counts");
    assert_eq!(world.title(&shop, "8").await, Value::Null);
}

async fn a_feed_that_is_being_fetched_is_joined_by_nobody(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::ok(products("A").to_string())]);
    let first = world.feed(&shop, &url).await;
    let node = world.node();
    let lease =
        jobs::claim(&node.store, Lane::FETCH, "somebody", node.clock.now(), None).await.expect("the store");
    let lease = lease.expect("its job");
    let second = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &first).await, json!(["Processing", null]));
    assert_eq!(world.feed_status(&shop, &second).await, json!(["Complete", null]));
    jobs::release(&node.store, &lease, at_once()).await.expect("given back");
    world.run_all_jobs().await;
    assert_eq!(
        world.feed_status(&shop, &first).await,
        json!(["Error", "replaced by a feed submitted later"])
    );
}

async fn a_submission_that_follows_ends_with_its_own_window(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::status(503)]);
    let first = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    world.clock.advance(Duration::from_secs(20 * 3600));
    let second = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    world.clock.advance(Duration::from_secs(5 * 3600));
    world.run_all_jobs().await;
    let ended = world.feed_status(&shop, &first).await;
    assert_eq!(ended[0], "Error");
    assert!(ended[1].as_str().is_some_and(|why| why.contains("for 24 hours")), "{ended}");
    assert_eq!(world.feed_status(&shop, &second).await, json!(["Processing", null]));
    world.feeds.serve("/f", [Answer::ok(products("A").to_string())]);
    world.clock.advance(Duration::from_secs(3600));
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &second).await, json!(["Complete", null]));
    assert_eq!(world.feed_status(&shop, &first).await, ended, "recorded once, never taken back");
}
