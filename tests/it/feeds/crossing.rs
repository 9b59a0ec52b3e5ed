//! Feeds that cross others on their way: answers that come late, feeds that are unchanged, people beside a catalogue.

use std::sync::Arc;
use std::time::Duration;

use lethe::jobs::Lane;
use lethe::limits;
use lethe::store::{Statement, StoreFault};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::support::feed_server::Answer;
use crate::support::world::{World, on_both_engines, statement};

on_both_engines! {
    an_unchanged_answer_counts_only_while_its_feed_is_shown
    an_unchanged_feed_has_the_issues_of_the_one_that_was_read
    a_feed_with_people_is_fetched_whole_each_time
    a_feed_that_came_too_late_stores_its_people_all_the_same
    a_cut_feed_that_waits_for_its_next_fetch_holds_no_erasure_up
    a_held_feed_that_others_took_the_place_of_is_not_published
    a_feed_removes_all_the_changes_that_it_hides
}

const CHANGES: Statement = statement("changes_left", "SELECT count(*) AS counted FROM change");

fn products(title: &str) -> String {
    json!({"Products": [{"Id": 1, "Title": title}]}).to_string()
}

/// Runs one fetch in the background, and returns once its request for the path is the given one.
async fn begin_fetch(world: &World, path: &str, requests: usize) -> JoinHandle<()> {
    let node = world.node().clone();
    let running = tokio::spawn(async move {
        let stop = tokio_util::sync::CancellationToken::new();
        assert!(lethe::work::run_due(&node, Lane::FETCH, &stop).await.expect("a feed"));
    });
    while world.feeds.requests_of(path).len() < requests {
        tokio::task::yield_now().await;
    }
    running
}

fn is_conditional(request: &str) -> bool {
    request.to_ascii_lowercase().contains("if-none-match")
}

async fn an_unchanged_answer_counts_only_while_its_feed_is_shown(world: World) {
    let shop = world.shop("one").await;
    let [slow_gate, gate, last_gate] = [(); 3].map(|()| Arc::new(Semaphore::new(0)));
    let whole = Answer::ok(products("Whole")).header("ETag", "\"v1\"");
    let [unchanged, again] = [&gate, &last_gate].map(|gate| Answer::status(304).held_by(gate));
    let url = world.feeds.serve("/f", [whole.clone(), unchanged, whole, again]);
    world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    // An earlier feed is shown while the server says that nothing changed.
    let slow = world.feeds.serve("/slow", [Answer::ok(products("Slow")).gated_by(&slow_gate)]);
    let early = world.feed(&shop, &slow).await;
    let running_early = begin_fetch(&world, "/slow", 1).await;
    let late = world.feed(&shop, &url).await;
    let running_late = begin_fetch(&world, "/f", 2).await;
    slow_gate.add_permits(1);
    running_early.await.expect("it ran");
    assert_eq!(world.feed_status(&shop, &early).await, json!(["Complete", null]));
    assert_eq!(world.title(&shop, "1").await, "Slow");
    gate.add_permits(1);
    running_late.await.expect("it ran");
    assert_eq!(world.feed_status(&shop, &late).await, json!(["Processing", null]));
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &late).await, json!(["Complete", null]));
    assert_eq!(world.title(&shop, "1").await, "Whole");
    let asked: Vec<_> = world.feeds.requests_of("/f").iter().map(|asked| is_conditional(asked)).collect();
    assert_eq!(asked, [false, true, false]);
    // A later feed is shown meanwhile.
    let replaced = world.feed(&shop, &url).await;
    let running = begin_fetch(&world, "/f", 4).await;
    world.complete_feed(&shop, "/quick", &json!({"Products": [{"Id": 1, "Title": "Quick"}]})).await;
    last_gate.add_permits(1);
    running.await.expect("it ran");
    let too_late = json!(["Error", "replaced by a feed submitted later"]);
    assert_eq!(world.feed_status(&shop, &replaced).await, too_late);
    assert_eq!(world.title(&shop, "1").await, "Quick");
}

async fn an_unchanged_feed_has_the_issues_of_the_one_that_was_read(world: World) {
    let shop = world.shop("one").await;
    let mut rows: Vec<_> = (0..20).map(|id| json!({"Id": id, "Title": "A"})).collect();
    rows[3] = json!({"Title": "no id"});
    let body = json!({"Products": rows}).to_string();
    let first = Answer::ok(body).header("ETag", "\"v1\"");
    let url = world.feeds.serve("/f", [first, Answer::status(304)]);
    let mut told = Vec::new();
    for _ in 0..3 {
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
        told.push(world.ask_json(&shop, "/api/issues", json!({"Token": token, "Code": "id_missing"})).await);
    }
    for told in told {
        assert_eq!(
            (&told["Counts"][0]["Count"], &told["Issues"][0]["Row"]),
            (&json!(1), &json!(4)),
            "{told}"
        );
    }
}

async fn a_feed_with_people_is_fetched_whole_each_time(world: World) {
    let shop = world.shop("one").await;
    let body = json!({"Products": [{"Id": 1}], "Users": [{"UserId": "u1"}]}).to_string();
    let url = world.feeds.serve("/f", [Answer::ok(body).header("ETag", "\"v1\"")]);
    for _ in 0..2 {
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    }
    let asked: Vec<_> = world.feeds.requests_of("/f").iter().map(|asked| is_conditional(asked)).collect();
    assert_eq!(asked, [false, false]);
}

async fn a_feed_that_came_too_late_stores_its_people_all_the_same(world: World) {
    let shop = world.shop("one").await;
    let gate = Arc::new(Semaphore::new(0));
    let body =
        json!({"Users": [{"UserId": "u1"}, {"UserId": "u2"}], "Products": [{"Id": 1, "Title": "Slow"}]});
    let slow = world.feeds.serve("/slow", [Answer::ok(body.to_string()).gated_by(&gate)]);
    let early = world.feed(&shop, &slow).await;
    let running = begin_fetch(&world, "/slow", 1).await;
    world.complete_feed(&shop, "/quick", &json!({"Products": [{"Id": 1, "Title": "Quick"}]})).await;
    gate.add_permits(1);
    running.await.expect("it ran");
    assert_eq!(world.feed_status(&shop, &early).await, json!(["Complete", null]));
    assert_eq!((world.title(&shop, "1").await, world.subjects(&shop).await), (json!("Quick"), 2));
}

async fn a_cut_feed_that_waits_for_its_next_fetch_holds_no_erasure_up(world: World) {
    let shop = world.shop("one").await;
    let whole = json!({"Users": [{"UserId": "u1"}, {"UserId": "u2"}]}).to_string();
    let cut = Answer::ok(&whole.as_bytes()[..whole.len() - 9]).without_length();
    let url = world.feeds.serve("/f", [cut, Answer::ok(whole)]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await[0], "Processing");
    world.forget(&shop, "u1").await;
    world.run_all_jobs().await;
    assert_eq!(world.ask_json(&shop, "/api/erasures", json!({})).await[0]["State"], "verified");
    world.clock.advance(Duration::from_secs(60));
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
}

async fn a_held_feed_that_others_took_the_place_of_is_not_published(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/shown", &json!({"Products": [{"Id": 1, "Title": "Shown"}]})).await;
    let dry_run = async |n: usize| {
        let url = world.feeds.serve("/dry", [Answer::ok(products(&format!("Dry {n}")))]);
        let reply = world.ask(&shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await;
        world.run_jobs(Lane::FETCH).await;
        reply.header("x-feed-token").to_owned()
    };
    let held = dry_run(0).await;
    let published = world.ask(&shop, "/api/feed/publish", json!({"Token": held})).await;
    let published = published.header("x-feed-token").to_owned();
    for n in 1..=limits::HELD_FEEDS {
        let other = dry_run(n).await;
        assert_eq!(world.feed_status(&shop, &other).await, json!(["Complete", null]));
    }
    world.run_all_jobs().await;
    let gone: Value = json!(["Error", "what was to be published is not kept any longer"]);
    assert_eq!(world.feed_status(&shop, &published).await, gone);
    assert_eq!(world.title(&shop, "1").await, "Shown");
}

async fn a_feed_removes_all_the_changes_that_it_hides(world: World) {
    let shop = world.shop("one").await;
    let some: Vec<_> = (0..limits::UNIT_ROWS + 1).map(|id| json!({"Id": id, "Title": "Delta"})).collect();
    world.apply_delta(&shop, json!({"Products": some, "AccountPrices": []})).await;
    let count = async || {
        let counting =
            world.node().store.read(|tx| tx.row(&CHANGES, &[])?.map_or(Ok(-1), |row| row.int("counted")));
        counting.await.map_err(|fault: StoreFault| fault).expect("a count")
    };
    assert!(count().await > limits::UNIT_ROWS as i64);
    world.complete_feed(&shop, "/f", &json!({"Products": [{"Id": 1, "Title": "Feed"}]})).await;
    assert_eq!((count().await, world.count(&shop, "Products").await), (0, 1));
}
