//! Progress that everyone can see: the states of a submission as events, until it has ended.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use lethe::admission::Tenant;
use lethe::ids::AccountId;
use lethe::jobs::{self, Lane};
use lethe::limits;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::support::admission::{read_taken_share, take_all_turns};
use crate::support::event_stream::{EventStream, request_stream};
use crate::support::feed_server::Answer;
use crate::support::uploads;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    a_feed_is_followed_from_its_first_byte_to_its_end
    rows_that_were_read_are_told_with_their_rate
    after_a_restart_a_feed_begins_anew_and_is_followed_on
    what_has_ended_is_told_once
    a_delta_and_an_upload_are_followed_too
    only_who_has_the_keys_of_a_submission_follows_it
    a_revoked_secret_ends_its_streams
    an_account_has_so_many_streams_and_one_more_when_one_is_closed
    the_operator_follows_over_the_control_socket
}

/// A feed of 300 products whose second half waits at a gate.
fn serve_gated_feed(world: &World, path: &str) -> (String, Arc<Semaphore>) {
    let products: Vec<_> =
        (0..300).map(|n| json!({"Id": n.to_string(), "Title": "x".repeat(1000)})).collect();
    let gate = Arc::new(Semaphore::new(0));
    let body = json!({"Products": products}).to_string();
    (world.feeds.serve(path, [Answer::ok(body).gated_by(&gate)]), gate)
}

fn start_fetch(world: &World, stop: &CancellationToken) -> tokio::task::JoinHandle<bool> {
    let node = world.node().clone();
    let stop = stop.clone();
    tokio::spawn(async move { lethe::work::run_due(&node, Lane::FETCH, &stop).await.expect("it runs") })
}

async fn a_feed_is_followed_from_its_first_byte_to_its_end(world: World) {
    let shop = world.shop("one").await;
    let (url, gate) = serve_gated_feed(&world, "/f");
    let token = world.feed(&shop, &url).await;
    let mut events = EventStream::open_stream(&world, &shop, &token).await;
    let waiting = events.await_progress(|_| true).await;
    assert_eq!(waiting["Progress"]["Phase"], "waiting");
    let import = start_fetch(&world, &CancellationToken::new());
    let half = events.await_progress(|progress| progress["SecondsLeft"].is_u64()).await;
    let progress = &half["Progress"];
    assert_eq!((&half["Status"], &progress["Phase"]), (&"Processing".into(), &"downloading".into()));
    assert!(progress["Bytes"].as_i64() < progress["BytesTotal"].as_i64(), "{half}");
    assert!(progress["SecondsLeft"].as_i64() > Some(0), "{half}");
    // The list says the same.
    let listed = world.ask_json(&shop, "/api/submissions", json!({"Token": token})).await;
    assert_eq!(listed[0]["Progress"]["BytesTotal"], progress["BytesTotal"]);
    let turns = take_all_turns(&world).await;
    gate.add_permits(1);
    let waiting = events.await_progress(|progress| progress["Phase"] == jobs::TURN).await;
    assert_eq!(waiting["Progress"]["Bytes"], progress["BytesTotal"], "all of it is here");
    drop(turns);
    import.await.expect("it ran");
    loop {
        let (name, state) = events.next().await.expect("an event");
        if name == "end" {
            assert_eq!((&state["Status"], &state["Token"]), (&"Complete".into(), &token.as_str().into()));
            assert!(state["Progress"].is_null(), "{state}");
            break;
        }
    }
    assert!(events.next().await.is_none(), "nothing comes after the end");
}

async fn rows_that_were_read_are_told_with_their_rate(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::ok(r#"{"Products":[{"Id":"1"}]}"#)]);
    let token = world.feed(&shop, &url).await;
    let store = &world.node().store;
    let lease = jobs::claim(store, Lane::FETCH, "a test", world.clock.now(), None).await.expect("the store");
    let lease = lease.expect("its job");
    lease.progress.enter("reading");
    lease.progress.begin_reading();
    lease.progress.rows.store(150, Ordering::Relaxed);
    let mut events = EventStream::open_stream(&world, &shop, &token).await;
    let told = tokio::select! {
        told = events.await_progress(|progress| progress["RowsPerSecond"].is_u64()) => told,
        () = lease.run_heartbeat(store) => panic!("the lease is lost"),
    };
    let progress = &told["Progress"];
    assert_eq!((&progress["Phase"], &progress["Rows"]), (&"reading".into(), &150.into()), "{told}");
}

async fn after_a_restart_a_feed_begins_anew_and_is_followed_on(mut world: World) {
    let shop = world.shop("one").await;
    let (url, gate) = serve_gated_feed(&world, "/f");
    let token = world.feed(&shop, &url).await;
    let stop = CancellationToken::new();
    let import = start_fetch(&world, &stop);
    let mut events = EventStream::open_stream(&world, &shop, &token).await;
    events.await_progress(|progress| progress["SecondsLeft"].is_u64()).await;
    stop.cancel();
    gate.add_permits(1);
    import.await.expect("it was interrupted");
    let stopping = tokio::time::timeout(Duration::from_secs(5), world.restart());
    stopping.await.expect("an open stream holds no stop up");
    while let Some((name, state)) = events.next().await {
        assert_eq!(name, "progress", "it has not ended: {state}");
    }
    let mut events = EventStream::open_stream(&world, &shop, &token).await;
    let waiting = events.await_progress(|_| true).await;
    assert_eq!(waiting["Progress"]["Phase"], "interrupted", "{waiting}");
    assert!(waiting["Progress"]["SecondsLeft"].is_null(), "nobody reads now: {waiting}");
    world.run_all_jobs().await;
    let (mut name, mut state) = events.next().await.expect("an event");
    while name == "progress" {
        assert!(state["Progress"]["Rows"] == 0 || state["Progress"]["Phase"] != "starting", "{state}");
        (name, state) = events.next().await.expect("an event");
    }
    assert_eq!((name.as_str(), &state["Status"]), ("end", &"Complete".into()));
}

async fn what_has_ended_is_told_once(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::ok("[]")]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let mut events = EventStream::open_stream(&world, &shop, &token.to_uppercase()).await;
    let (name, state) = events.next().await.expect("an event");
    assert_eq!((name.as_str(), &state["Status"]), ("end", &"Error".into()));
    assert!(state["Reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{state}");
    assert!(events.next().await.is_none());
}

async fn a_delta_and_an_upload_are_followed_too(world: World) {
    let shop = world.shop("one").await;
    let token = world.delta(&shop, json!({"Products": [{"Id": "1"}]})).await;
    let mut events = EventStream::open_stream(&world, &shop, &token).await;
    let (_, state) = events.next().await.expect("an event");
    assert_eq!((&state["Status"], &state["Progress"]["Phase"]), (&0.into(), &"waiting".into()));
    world.run_all_jobs().await;
    let ended = loop {
        let (name, state) = events.next().await.expect("an event");
        if name == "end" {
            break state;
        }
    };
    assert_eq!((&ended["Status"], &ended["Kind"]), (&1.into(), &"delta".into()));
    let piece = br#"{"Products":[{"Id":"1"},"#;
    assert_eq!(
        uploads::post_piece(&world, &shop, "/feed-create", "product-1", Some(piece)).await.status,
        200
    );
    let listed = world.ask_json(&shop, "/api/submissions", json!({})).await;
    let progress = &listed[0]["Progress"];
    assert_eq!(progress["Phase"], "receiving pieces");
    assert!(progress["Bytes"].as_i64() > Some(0), "{progress}");
}

async fn only_who_has_the_keys_of_a_submission_follows_it(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    let token = world.delta(&shop, json!({})).await;
    let path = "/api/submission/events";
    let foreign = world.ask(&other, path, json!({"Token": token})).await.expect_refusal(404);
    for unknown in ["6f9619ff-8b86-4011-b42d-00c04fc964ff", "x", ""] {
        assert_eq!(world.ask(&shop, path, json!({"Token": unknown})).await.expect_refusal(404), foreign);
    }
    let stranger = Shop { secret: other.secret.clone(), ..shop.clone() };
    world.ask(&stranger, path, json!({"Token": token})).await.expect_refusal(403);
    world.ask(&shop, path, json!({})).await.expect_refusal(400);
    world.ask(&shop, path, json!({"Token": 7})).await.expect_refusal(400);
}

async fn a_revoked_secret_ends_its_streams(world: World) {
    let shop = world.shop("one").await;
    let token = world.delta(&shop, json!({})).await;
    let mut events = EventStream::open_stream(&world, &shop, &token).await;
    events.await_progress(|_| true).await;
    world.control("/control/key/revoke", json!({"Name": "one", "Number": 1})).await;
    let told = tokio::time::timeout(Duration::from_secs(10), events.next()).await.expect("within seconds");
    let (name, refusal) = told.expect("an event");
    assert_eq!((name.as_str(), refusal.as_object().map(|fields| fields.len())), ("error", Some(1)));
    assert!(refusal["Error"].as_str().is_some_and(|sentence| sentence.contains("key")), "{refusal}");
    assert!(events.next().await.is_none());
}

async fn an_account_has_so_many_streams_and_one_more_when_one_is_closed(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    let token = world.delta(&shop, json!({})).await;
    let others = world.delta(&other, json!({})).await;
    let mut open = Vec::new();
    for _ in 0..limits::EVENT_STREAMS_OF_ACCOUNT {
        open.push(EventStream::open_stream(&world, &shop, &token).await);
    }
    let refused = request_stream(&world, &shop, &token).await;
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["retry-after"], "10");
    let others_stream = EventStream::open_stream(&world, &other, &others).await;
    assert_eq!(read_taken_share(&world, "event_streams").await, open.len() + 1);
    drop(others_stream);
    drop(open.pop());
    // The server notices a closed connection when it comes to write, or at once.
    let mut tries = 0;
    while request_stream(&world, &shop, &token).await.status() != 200 {
        tries += 1;
        assert!(tries < 100_000, "a closed stream keeps its place");
        tokio::task::yield_now().await;
    }
    // The stream of the last try is closed too, sooner or later.
    while read_taken_share(&world, "event_streams").await > open.len() {
        tries += 1;
        assert!(tries < 200_000, "a closed stream keeps its place");
        tokio::task::yield_now().await;
    }
    // When all accounts together have as many as there are, the next one is told to come again.
    let streams = world.node().resources.event_streams.clone();
    let one_each = (1000..).map_while(|account| streams.try_take(Tenant::Account(AccountId(account)), 1));
    let rest: Vec<_> = one_each.collect();
    assert!(rest.len() == limits::EVENT_STREAMS - open.len(), "{}", rest.len());
    let refused = request_stream(&world, &other, &others).await;
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
}

async fn the_operator_follows_over_the_control_socket(world: World) {
    let shop = world.shop("one").await;
    let token = world.delta(&shop, json!({})).await;
    world.run_all_jobs().await;
    let request = Request::post("/api/submission/events")
        .header("content-type", "application/json")
        .extension(lethe::transport::peer::Peer::Operator)
        .body(Body::from(json!({"Account": "one", "Token": token}).to_string()))
        .expect("a request");
    let answer =
        lethe::admin::routes::control(world.node().clone()).oneshot(request).await.expect("an answer");
    let body = answer.into_body().collect().await.expect("it ends").to_bytes();
    let text = String::from_utf8_lossy(&body);
    assert!(text.starts_with("event: end\ndata: {") && text.contains(&token), "{text}");
}
