//! A feed is cancelled: while it waits, while it runs, between two tries, while it takes pieces, and too late.

use std::sync::Arc;
use std::time::Duration;

use lethe::jobs::{self, End, Lane};
use lethe::work::WorkFault;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::support::feed_server::Answer;
use crate::support::residue::{assert_nothing, assert_payloads_gone, payload_keys};
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_feed_is_cancelled_while_it_waits_and_between_two_tries
    who_works_on_a_cancelled_feed_publishes_nothing
    a_running_feed_stops_when_it_is_cancelled
    a_cancelled_feed_leaves_nothing_behind
    a_feed_that_has_ended_is_left_as_it_ended
    what_waits_for_a_cancelled_fetch_ends_with_it
    only_a_feed_of_the_shop_can_be_cancelled
}

const CANARY: &str = "u-canary-4711-xyz";

fn feed() -> Value {
    json!({"Products": [{"Id": 1, "Title": "A"}], "Users": [{"UserId": CANARY}]})
}

async fn cancel(world: &World, shop: &Shop, token: &str) -> Value {
    world.ask_json(shop, "/api/feed/cancel", json!({"Token": token})).await
}

/// Cancels it and demands that it ended by that.
async fn cancel_feed(world: &World, shop: &Shop, token: &str) {
    let answer = cancel(world, shop, token).await;
    let told = (&answer["Cancelled"], &answer["Status"], &answer["Reason"], &answer["Token"]);
    assert_eq!(told, (&true.into(), &"Error".into(), &"cancelled".into(), &token.into()), "{answer}");
    assert!(answer["FinishedAt"].is_i64() && answer["Progress"].is_null(), "{answer}");
    assert_eq!(world.feed_status(shop, token).await, json!(["Error", "cancelled"]));
}

async fn a_feed_is_cancelled_while_it_waits_and_between_two_tries(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::status(503), Answer::ok(feed().to_string())]);
    let waiting = world.feed(&shop, &url).await;
    cancel_feed(&world, &shop, &waiting).await;
    let tried = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feeds.requests_of("/f").len(), 1, "the first was never fetched");
    cancel_feed(&world, &shop, &tried).await;
    world.clock.advance(Duration::from_secs(3600));
    assert_eq!(world.run_jobs(Lane::FETCH).await, 0, "nothing is left to be done");
    assert_eq!((world.feeds.requests_of("/f").len(), world.count(&shop, "Products").await), (1, 0));
    world.complete_feed(&shop, "/next", &feed()).await;
}

async fn who_works_on_a_cancelled_feed_publishes_nothing(world: World) {
    let shop = world.shop("one").await;
    let node = world.node();
    let url = world.feeds.serve("/f", [Answer::ok(feed().to_string())]);
    let token = world.feed(&shop, &url).await;
    let lease =
        jobs::claim(&node.store, Lane::FETCH, "a test", node.clock.now(), None).await.expect("the store");
    let lease = Arc::new(lease.expect("its job"));
    cancel_feed(&world, &shop, &token).await;
    let ended = lethe::work::feed::run(node, &lease).await;
    assert!(ended.is_err() || matches!(ended, Ok(End::GiveUp { .. })), "what it waited with is gone");
    let given_up = lethe::work::feed::give_up(node, &lease, "too late").await;
    assert!(matches!(given_up, Err(WorkFault::LeaseLost)));
    assert_eq!((world.count(&shop, "Products").await, world.subjects(&shop).await), (0, 0));
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Error", "cancelled"]));
}

/// A feed whose second half waits at a gate, and the job that reads it.
async fn start_import(
    world: &World,
    shop: &Shop,
    path: &str,
) -> (String, Arc<Semaphore>, tokio::task::JoinHandle<()>) {
    let gate = Arc::new(Semaphore::new(0));
    let url = world.feeds.serve(path, [Answer::ok(feed().to_string()).gated_by(&gate)]);
    let token = world.feed(shop, &url).await;
    let node = world.node().clone();
    let run = tokio::spawn(async move {
        assert!(lethe::work::run_due(&node, Lane::FETCH, &CancellationToken::new()).await.expect("a feed"));
    });
    while world.feeds.requests_of(path).is_empty() {
        tokio::task::yield_now().await;
    }
    (token, gate, run)
}

async fn a_running_feed_stops_when_it_is_cancelled(world: World) {
    let shop = world.shop("one").await;
    let (token, gate, run) = start_import(&world, &shop, "/never").await;
    cancel_feed(&world, &shop, &token).await;
    // Its server never sends the second half: it is the cancelling that ends the run.
    tokio::time::timeout(Duration::from_secs(20), run).await.expect("it stops").expect("no panic");
    drop(gate);
    world.run_all_jobs().await;
    assert_eq!((world.count(&shop, "Products").await, world.subjects(&shop).await), (0, 0));
    // One that goes on reading meanwhile publishes nothing either.
    let (token, gate, run) = start_import(&world, &shop, "/slow").await;
    cancel_feed(&world, &shop, &token).await;
    gate.add_permits(1);
    run.await.expect("it ended");
    assert_eq!((world.count(&shop, "Products").await, world.subjects(&shop).await), (0, 0));
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Error", "cancelled"]));
}

async fn a_cancelled_feed_leaves_nothing_behind(world: World) {
    let shop = world.shop("one").await;
    let text = feed().to_string();
    let (front, back) = text.split_at(30);
    let url = world.feeds.serve("/f", [Answer::status(503)]);
    let by_url = world.feed(&shop, &url).await;
    let whole = crate::support::uploads::send_feed(&world, &shop, "user-1", &[front, back]).await;
    let reply =
        crate::support::uploads::post_piece(&world, &shop, "/feed-create", "user-2", Some(front.as_bytes()))
            .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let open = world.ask_json(&shop, "/api/submissions", json!({})).await[0]["Token"].clone();
    let keys = payload_keys(&world).await;
    assert_eq!(keys.len(), 3);
    for token in [by_url.as_str(), whole.as_str(), open.as_str().expect("a token")] {
        cancel_feed(&world, &shop, token).await;
    }
    world.node().sweep_blobs(Duration::ZERO).await.expect("a look at the files");
    assert_payloads_gone(&world, &keys).await;
    assert_nothing(&world, &[CANARY]).await;
    let reply =
        crate::support::uploads::post_piece(&world, &shop, "/feed-append", "user-2", Some(back.as_bytes()))
            .await;
    assert_eq!(reply.status, 409, "its name is free: {}", reply.text);
    world.run_all_jobs().await;
    assert_eq!(world.subjects(&shop).await, 0);
}

async fn a_feed_that_has_ended_is_left_as_it_ended(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::ok(feed().to_string()), Answer::status(410)]);
    for status in [json!(["Complete", null]), json!(["Error", "the feed's server answered with status 410"])]
    {
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        let answer = cancel(&world, &shop, &token).await;
        assert_eq!((&answer["Cancelled"], &answer["Status"]), (&false.into(), &status[0]), "{answer}");
        assert_eq!(answer["Reason"], status[1]);
        assert_eq!(world.feed_status(&shop, &token).await, status);
    }
    assert_eq!(world.count(&shop, "Products").await, 1);
    // Nor is a second request one that ended it.
    let gone = world.feeds.serve("/later", [Answer::status(503)]);
    let token = world.feed(&shop, &gone).await;
    cancel_feed(&world, &shop, &token).await;
    let again = cancel(&world, &shop, &token).await;
    assert_eq!((&again["Cancelled"], &again["Reason"]), (&false.into(), &"cancelled".into()));
}

async fn what_waits_for_a_cancelled_fetch_ends_with_it(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::ok(feed().to_string())]);
    let [first, second, third] =
        [world.feed(&shop, &url).await, world.feed(&shop, &url).await, world.feed(&shop, &url).await];
    cancel_feed(&world, &shop, &first).await;
    assert_eq!(world.feed_status(&shop, &second).await[0], "Processing", "it is cancelled alone");
    cancel_feed(&world, &shop, &third).await;
    assert_eq!(world.feed_status(&shop, &second).await, json!(["Error", "cancelled"]));
    world.run_all_jobs().await;
    assert!(world.feeds.requests_of("/f").is_empty());
}

async fn only_a_feed_of_the_shop_can_be_cancelled(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("two").await;
    let url = world.feeds.serve("/f", [Answer::ok(feed().to_string())]);
    let token = world.feed(&shop, &url).await;
    let delta = world.delta(&shop, json!({"Products": [{"Id": 2}]})).await;
    let unknown = async |shop: &Shop, token: &str| {
        let reply = world.ask(shop, "/api/feed/cancel", json!({"Token": token})).await;
        assert_eq!(reply.expect_refusal(404), "The token is not known");
    };
    unknown(&other, &token).await;
    unknown(&shop, &delta).await;
    unknown(&shop, "no-guid").await;
    unknown(&shop, "6f9619ff-8b86-4011-b42d-00c04fc964ff").await;
    world.ask(&shop, "/api/feed/cancel", json!({})).await.expect_refusal(400);
    let stranger = Shop { secret: other.secret.clone(), ..shop.clone() };
    world.ask(&stranger, "/api/feed/cancel", json!({"Token": token})).await.expect_refusal(403);
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!(world.delta_status(&shop, &delta).await, json!([1, null]));
}
