//! A feed by URL: fetched, checked, published whole or not at all, in the right order with deltas and feeds.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use lethe::args;
use lethe::ids::AccountId;
use lethe::jobs::Lane;
use lethe::limits;
use lethe::store::{Statement, StoreFault};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    a_feed_is_processing_then_complete_and_shown
    issues_are_listed_with_what_to_do
    a_feed_with_too_many_bad_rows_touches_nothing
    exactly_nine_good_rows_of_ten_are_enough
    a_broken_feed_touches_nothing_and_says_why
    rows_that_grow_beyond_a_row_sink_no_feed
    an_empty_product_feed_touches_nothing
    stray_commas_and_a_byte_order_mark_are_read
    gzip_and_zstd_are_read
    a_feed_replaces_only_the_sections_it_holds
    an_unchanged_feed_costs_no_row_and_moves_the_cut
    a_feed_of_which_one_section_stayed_the_same_is_asked_for_by_its_version
    a_feed_with_the_same_bytes_is_not_stored_again
    the_later_submitted_feed_wins_whichever_is_ready_first
    an_earlier_feed_publishes_only_the_sections_no_later_one_has
    a_delta_accepted_before_a_feed_is_replaced_by_it_and_one_after_survives
    a_delta_accepted_before_a_feed_and_applied_after_it_shows_nothing
    a_delta_accepted_while_a_feed_downloads_survives_it
    a_dead_address_delays_nothing_that_comes_after_it
    a_feed_is_tried_for_a_day_and_then_fails_with_the_last_reason
    a_feed_that_heals_is_published
    a_server_that_says_try_at_once_is_asked_no_oftener_than_another
    a_server_that_asks_for_a_day_is_asked_again_within_the_longest_pause
    a_fault_that_cannot_heal_ends_the_feed_at_once
    a_truncated_download_is_tried_again
    a_body_of_unknown_length_that_is_cut_off_is_tried_again
    three_snapshots_of_a_section_are_kept
    a_feed_survives_a_restart_in_its_middle
    very_many_submissions_of_one_address_wait_for_few_fetches
    the_sample_feeds_arrive_as_the_protocol_says
}

fn products(titles: &[(i64, &str)]) -> Value {
    let rows: Vec<_> = titles.iter().map(|(id, title)| json!({"Id": id, "Title": title})).collect();
    json!({"Products": rows})
}

async fn snapshots(world: &World, section: &'static str) -> usize {
    let rows =
        world.node().store.read(move |tx| tx.run(&lethe::sql::snapshot_list, lethe::args![1, section]));
    rows.await.map_err(|fault: lethe::store::StoreFault| fault).expect("rows").len()
}

/// Runs one feed in the background; it ends when its server lets it.
fn run_one(world: &World) -> tokio::task::JoinHandle<()> {
    let node = world.node().clone();
    tokio::spawn(async move {
        let stop = tokio_util::sync::CancellationToken::new();
        assert!(lethe::work::run_due(&node, Lane::FETCH, &stop).await.expect("a feed"));
    })
}

async fn a_feed_is_processing_then_complete_and_shown(world: World) {
    let shop = world.shop("one").await;
    let gate = Arc::new(Semaphore::new(0));
    let body = products(&[(1, "A"), (2, "B")]).to_string();
    let url = world.feeds.serve("/f", [Answer::ok(body).gated_by(&gate)]);
    let token = world.feed(&shop, &url).await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Processing", null]));
    let running = run_one(&world);
    while world.feeds.requests_of("/f").is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Processing", null]));
    assert_eq!(world.count(&shop, "Products").await, 0, "never half a feed");
    gate.add_permits(1);
    running.await.expect("it ran");
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!((world.title(&shop, "1").await, world.count(&shop, "Products").await), (json!("A"), 2));
}

async fn issues_are_listed_with_what_to_do(world: World) {
    let shop = world.shop("one").await;
    let mut rows: Vec<_> = (0..20).map(|n| json!({"Id": n, "Title": "canary", "Link": "l", "Image": "i", "Description": "d", "Prices": ["1 GBP"]})).collect();
    rows.insert(3, json!({"Title": "canary without id"}));
    rows[0] = json!({"Id": 0});
    let url = world.feeds.serve("/f", [Answer::ok(json!({"Products": rows}).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    let listed = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    let codes: Vec<_> = listed["Issues"]
        .as_array()
        .expect("issues")
        .iter()
        .map(|issue| format!("{} {}", issue["Row"], issue["Code"].as_str().expect("a code")))
        .collect();
    insta::assert_snapshot!(codes.join("\n"), @r"
    1 title_missing
    1 description_missing
    1 link_missing
    1 image_missing
    1 price_missing
    4 id_missing
    ");
    assert!(listed["Issues"].as_array().expect("issues").iter().all(|issue| issue["Advice"].is_string()));
    assert!(!listed.to_string().contains("canary"));
}

async fn a_feed_with_too_many_bad_rows_touches_nothing(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/good", &products(&[(1, "A")])).await;
    let rows: Vec<_> =
        (0..100).map(|n| if n < 11 { json!({"Title": "canary"}) } else { json!({"Id": n}) }).collect();
    let status = world.publish_feed(&shop, "/bad", &json!({"Products": rows})).await;
    insta::assert_snapshot!(status[1].as_str().expect("an error"), @"only 89 of 100 rows of Products can be used, and 90 % have to (mostly: id_missing)");
    assert_eq!((status[0].clone(), world.count(&shop, "Products").await), (json!("Error"), 1));
}

async fn exactly_nine_good_rows_of_ten_are_enough(world: World) {
    let shop = world.shop("one").await;
    let rows: Vec<_> = (0..10).map(|n| if n == 4 { json!(7) } else { json!({"Id": n}) }).collect();
    world.complete_feed(&shop, "/f", &json!({"Products": rows})).await;
    assert_eq!(world.count(&shop, "Products").await, 9);
}

async fn a_broken_feed_touches_nothing_and_says_why(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/good", &products(&[(1, "A")])).await;
    for (n, body) in [
        "<html><body>canary</body></html>",
        "canary",
        "",
        "[]",
        "{}",
        r#"{"Version": 2}"#,
        r#"{"Products":[{"Id":2}"#,
        r#"{"Products":[{"Id":2},{"Id":"#,
        r#"{"Products":[{"Id":2}]} canary"#,
        r#"{"Products":[{"Id":2}],"DeleteProducts":["1"]}"#,
        r#"{"Products":"canary"}"#,
    ]
    .into_iter()
    .enumerate()
    {
        let url = world.feeds.serve(&format!("/{n}"), [Answer::ok(body)]);
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        let status = world.feed_status(&shop, &token).await;
        assert_eq!(status[0], "Error", "{body}");
        assert!(!status.to_string().contains("canary"), "{status}");
        assert_eq!(
            (world.title(&shop, "1").await, world.count(&shop, "Products").await),
            (json!("A"), 1),
            "{body}"
        );
    }
}

async fn rows_that_grow_beyond_a_row_sink_no_feed(world: World) {
    let shop = world.shop("one").await;
    let long = "s".repeat(lethe::limits::ITEM_ID_BYTES);
    // Each account is stored as a tag of 32 digits.
    let many: Vec<_> = (0..300_000).map(|n| n.to_string()).collect();
    let mut rows: Vec<_> = (0..20).map(|n| json!({"Id": n, "Title": "A"})).collect();
    rows.push(json!({"Id": "grows", "AccountInclusions": many}));
    let prices = json!([{"AccountId": "acme", "Sku": long, "Prices": ["1 GBP"]}]);
    world.complete_feed(&shop, "/f", &json!({"Products": rows, "AccountPrices": prices})).await;
    assert_eq!((world.count(&shop, "Products").await, world.count(&shop, "AccountPrices").await), (20, 1));
}

async fn an_empty_product_feed_touches_nothing(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/good", &products(&[(1, "A")])).await;
    for body in
        [r#"{"Products":[]}"#, r#"{"Products":[null,{},[]]}"#, r#"{"Products":[7,8]}"#, r#"{"Products":""}"#]
    {
        let url = world.feeds.serve("/empty", [Answer::ok(body)]);
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await[0], "Error", "{body}");
        assert_eq!(world.count(&shop, "Products").await, 1, "{body}");
    }
    world.complete_feed(&shop, "/brands", &json!({"Brands": [{"Id": 1}]})).await;
    world.complete_feed(&shop, "/no-brands", &json!({"Brands": []})).await;
    assert_eq!(world.count(&shop, "Brands").await, 1, "an empty list of anything else changes nothing");
}

async fn stray_commas_and_a_byte_order_mark_are_read(world: World) {
    let shop = world.shop("one").await;
    let body = "\u{feff}{\"Version\": 2, \"Products\":[,{\"Id\":1},,{\"Id\":2,\"InStock\":\"true\"},]}";
    let url = world.feeds.serve("/f", [Answer::ok(body)]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!(world.count(&shop, "Products").await, 2);
}

async fn gzip_and_zstd_are_read(world: World) {
    let shop = world.shop("one").await;
    let gzip = |body: &str| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(body.as_bytes()).expect("written");
        out.finish().expect("finished")
    };
    let a = products(&[(1, "A")]);
    let b = products(&[(1, "B")]);
    let c = products(&[(1, "C")]);
    let zstd = zstd::stream::encode_all(c.to_string().as_bytes(), 1).expect("compressed");
    for (path, answer, title) in [
        ("/encoded", Answer::ok(gzip(&a.to_string())).header("Content-Encoding", "gzip"), "A"),
        ("/file.json.gz", Answer::ok(gzip(&b.to_string())), "B"),
        ("/file.json.zst", Answer::ok(zstd), "C"),
    ] {
        let url = world.feeds.serve(path, [answer]);
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]), "{path}");
        assert_eq!(world.title(&shop, "1").await, title);
    }
}

async fn a_feed_replaces_only_the_sections_it_holds(world: World) {
    let shop = world.shop("one").await;
    let all = json!({"Products": [{"Id": 1}, {"Id": 2}], "Brand": [{"Id": 1}], "Categories": [{"Id": 1}],
                     "AccountPrices": [{"AccountId": "a", "Id": 1, "Prices": ["1 GBP"]}], "Users": [{"UserId": 1}]});
    world.complete_feed(&shop, "/all", &all).await;
    world.complete_feed(&shop, "/products", &products(&[(3, "C")])).await;
    world.complete_feed(&shop, "/users", &json!({"Users": [{"UserId": 2}]})).await;
    let counts = world.ask_json(&shop, "/api/catalogue", json!({"Limit": 0})).await["Counts"].clone();
    assert_eq!(counts, json!({"Products": 1, "Categories": 1, "Brands": 1, "AccountPrices": 1}));
    assert_eq!(world.subjects(&shop).await, 2, "users are added, never removed");
}

async fn an_unchanged_feed_costs_no_row_and_moves_the_cut(world: World) {
    let shop = world.shop("one").await;
    let body = products(&[(1, "Feed"), (2, "B")]).to_string();
    let url = world.feeds.serve("/f", [Answer::ok(body).header("ETag", "\"v1\""), Answer::status(304)]);
    let first = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    world
        .apply_delta(&shop, json!({"Products": [{"Id": 1, "Title": "Delta"}, {"Id": 9, "Title": "New"}]}))
        .await;
    assert_eq!((world.title(&shop, "1").await, world.count(&shop, "Products").await), (json!("Delta"), 3));
    let second = world.feed(&shop, &url).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": 2, "Title": "Later"}]})).await;
    for token in [first, second] {
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    }
    assert!(world.feeds.requests_of("/f")[1].to_ascii_lowercase().contains("if-none-match: \"v1\""));
    assert_eq!(snapshots(&world, "Products").await, 1);
    assert_eq!(world.title(&shop, "1").await, "Feed", "the product returns to the feed's row");
    assert_eq!(world.title(&shop, "9").await, Value::Null);
    assert_eq!(world.title(&shop, "2").await, "Later", "a delta accepted after the feed survives it");
}

async fn a_feed_of_which_one_section_stayed_the_same_is_asked_for_by_its_version(world: World) {
    let shop = world.shop("one").await;
    let feed =
        |title: &str| json!({"Products": [{"Id": 1, "Title": title}], "Brands": [{"Id": "b"}]}).to_string();
    let first = Answer::ok(feed("A")).header("ETag", "\"v1\"");
    let second = Answer::ok(feed("B")).header("ETag", "\"v2\"");
    let url = world.feeds.serve("/f", [first, second, Answer::status(304), Answer::status(304)]);
    for n in 0..4 {
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]), "{n}");
    }
    let asked = world.feeds.requests_of("/f");
    assert_eq!(asked.len(), 4);
    for (asked, version) in asked.iter().skip(1).zip(["v1", "v2", "v2"]) {
        assert!(asked.to_ascii_lowercase().contains(&format!("if-none-match: \"{version}\"")), "{asked}");
    }
    assert_eq!((snapshots(&world, "Products").await, snapshots(&world, "Brands").await), (2, 1));
}

async fn a_feed_with_the_same_bytes_is_not_stored_again(world: World) {
    let shop = world.shop("one").await;
    let body = products(&[(1, "Feed")]);
    world.complete_feed(&shop, "/f", &body).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": 1, "Title": "Delta"}]})).await;
    world.complete_feed(&shop, "/f", &body).await;
    assert_eq!((snapshots(&world, "Products").await, world.title(&shop, "1").await), (1, json!("Feed")));
}

async fn the_later_submitted_feed_wins_whichever_is_ready_first(world: World) {
    let shop = world.shop("one").await;
    let gate = Arc::new(Semaphore::new(0));
    let slow = world.feeds.serve("/slow", [Answer::ok(products(&[(1, "Slow")]).to_string()).gated_by(&gate)]);
    let early = world.feed(&shop, &slow).await;
    let running = run_one(&world);
    while world.feeds.requests_of("/slow").is_empty() {
        tokio::task::yield_now().await;
    }
    world.complete_feed(&shop, "/quick", &products(&[(1, "Quick")])).await;
    gate.add_permits(1);
    running.await.expect("it ran");
    assert_eq!(
        world.feed_status(&shop, &early).await,
        json!(["Error", "replaced by a feed submitted later"])
    );
    assert_eq!(world.title(&shop, "1").await, "Quick");
}

async fn an_earlier_feed_publishes_only_the_sections_no_later_one_has(world: World) {
    let shop = world.shop("one").await;
    let gate = Arc::new(Semaphore::new(0));
    let both =
        json!({"Products": [{"Id": 1, "Title": "Slow"}], "Brands": [{"Id": "b", "DisplayName": "Slow"}]});
    let slow = world.feeds.serve("/slow", [Answer::ok(both.to_string()).gated_by(&gate)]);
    let early = world.feed(&shop, &slow).await;
    let running = run_one(&world);
    while world.feeds.requests_of("/slow").is_empty() {
        tokio::task::yield_now().await;
    }
    world.complete_feed(&shop, "/quick", &products(&[(1, "Quick")])).await;
    gate.add_permits(1);
    running.await.expect("it ran");
    assert_eq!(world.feed_status(&shop, &early).await, json!(["Complete", null]));
    assert_eq!(world.title(&shop, "1").await, "Quick");
    assert_eq!(world.item(&shop, "Brands", "b").await["DisplayName"], "Slow");
}

async fn a_delta_accepted_before_a_feed_is_replaced_by_it_and_one_after_survives(world: World) {
    let shop = world.shop("one").await;
    world
        .apply_delta(&shop, json!({"Products": [{"Id": 1, "Title": "Before"}, {"Id": 8, "Title": "Before"}]}))
        .await;
    let url =
        world.feeds.serve("/f", [Answer::ok(products(&[(1, "Feed"), (2, "Feed"), (3, "Feed")]).to_string())]);
    let feed = world.feed(&shop, &url).await;
    world.delta(&shop, json!({"Products": [{"Id": 2, "Title": "After"}], "DeleteProducts": [3]})).await;
    world.run_jobs(Lane::DELTA).await;
    assert_eq!(world.title(&shop, "2").await, "After", "a delta shows at once");
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &feed).await, json!(["Complete", null]));
    let titles = [
        world.title(&shop, "1").await,
        world.title(&shop, "2").await,
        world.title(&shop, "3").await,
        world.title(&shop, "8").await,
    ];
    assert_eq!(json!(titles), json!(["Feed", "After", null, null]));
    assert_eq!(world.count(&shop, "Products").await, 2);
}

async fn a_delta_accepted_before_a_feed_and_applied_after_it_shows_nothing(world: World) {
    let shop = world.shop("one").await;
    let body = products(&[(1, "Feed")]).to_string();
    let url = world.feeds.serve("/f", [Answer::ok(body).header("ETag", "\"v1\""), Answer::status(304)]);
    for n in ["published", "unchanged"] {
        let delta = world.delta(&shop, json!({"Products": [{"Id": 1, "Title": "Late"}, {"Id": 2}]})).await;
        let feed = world.feed(&shop, &url).await;
        world.run_jobs(Lane::FETCH).await;
        assert_eq!(world.feed_status(&shop, &feed).await, json!(["Complete", null]), "{n}");
        world.run_jobs(Lane::DELTA).await;
        assert_eq!(world.delta_status(&shop, &delta).await, json!([1, null]), "{n}");
        assert_eq!((world.title(&shop, "1").await, world.count(&shop, "Products").await), (json!("Feed"), 1));
    }
}

async fn a_delta_accepted_while_a_feed_downloads_survives_it(world: World) {
    let shop = world.shop("one").await;
    let gate = Arc::new(Semaphore::new(0));
    let url = world
        .feeds
        .serve("/f", [Answer::ok(products(&[(1, "Feed"), (2, "Feed")]).to_string()).gated_by(&gate)]);
    world.feed(&shop, &url).await;
    let running = run_one(&world);
    while world.feeds.requests_of("/f").is_empty() {
        tokio::task::yield_now().await;
    }
    let token = world.delta(&shop, json!({"Products": [{"Id": 1, "Title": "Delta"}]})).await;
    world.run_jobs(Lane::DELTA).await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    gate.add_permits(1);
    running.await.expect("it ran");
    assert_eq!(
        (world.title(&shop, "1").await, world.title(&shop, "2").await),
        (json!("Delta"), json!("Feed"))
    );
}

/// An address on this machine without a listener.
fn dead() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    format!("http://{}/feed.json", listener.local_addr().expect("its address"))
}

async fn a_dead_address_delays_nothing_that_comes_after_it(world: World) {
    let shop = world.shop("one").await;
    let dead = world.feed(&shop, &dead()).await;
    world.complete_feed(&shop, "/alive", &products(&[(1, "A")])).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": 2}]})).await;
    assert_eq!(world.feed_status(&shop, &dead).await, json!(["Processing", null]));
}

async fn a_feed_is_tried_for_a_day_and_then_fails_with_the_last_reason(world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::status(500), Answer::status(404), Answer::status(503)]);
    let token = world.feed(&shop, &url).await;
    let accepted = world.clock.now();
    let mut rounds = 0;
    while world.feed_status(&shop, &token).await[0] == "Processing" {
        world.run_all_jobs().await;
        world.clock.advance(Duration::from_secs(60));
        rounds += 1;
        assert!(rounds < 2000, "it never ends");
    }
    let hours = (world.clock.now() - accepted) / 3_600_000;
    assert!((23..=25).contains(&hours), "{hours}");
    let asked = world.feeds.requests_of("/f").len();
    assert!((30..200).contains(&asked), "{asked} tries");
    let status = world.feed_status(&shop, &token).await;
    insta::assert_snapshot!(status[1].as_str().expect("an error"), @"the feed could not be fetched for 24 hours; the last time: the feed's server answered with status 503");
}

async fn a_feed_that_heals_is_published(world: World) {
    let shop = world.shop("one").await;
    let slow_down = Answer::status(429).header("Retry-After", "600");
    let url = world.feeds.serve("/f", [slow_down, Answer::ok(products(&[(1, "A")]).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    world.clock.advance(Duration::from_secs(590));
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await[0], "Processing", "the server asked for ten minutes");
    world.clock.advance(Duration::from_secs(60));
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
}

async fn a_server_that_says_try_at_once_is_asked_no_oftener_than_another(world: World) {
    let shop = world.shop("one").await;
    let mut tries = Vec::new();
    for (path, answer) in
        [("/silent", Answer::status(503)), ("/at-once", Answer::status(503).header("Retry-After", "0"))]
    {
        let url = world.feeds.serve(path, [answer]);
        world.feed(&shop, &url).await;
        // Pauses double from some seconds on: about ten tries in an hour.
        let stop = tokio_util::sync::CancellationToken::new();
        for _ in 0..360 {
            lethe::work::run_due(world.node(), Lane::FETCH, &stop).await.expect("a job is claimed");
            world.clock.advance(Duration::from_secs(10));
        }
        tries.push(world.feeds.requests_of(path).len());
    }
    assert!(tries.iter().all(|tries| (5..=16).contains(tries)), "{tries:?}");
}

async fn a_server_that_asks_for_a_day_is_asked_again_within_the_longest_pause(world: World) {
    let shop = world.shop("one").await;
    let tomorrow = Answer::status(503).header("Retry-After", "86400");
    let url = world.feeds.serve("/f", [tomorrow, Answer::ok(products(&[(1, "A")]).to_string())]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Processing", null]));
    world.clock.advance(Duration::from_secs(29 * 60));
    world.run_all_jobs().await;
    assert_eq!(world.feeds.requests_of("/f").len(), 1, "it asked for more than the longest pause");
    world.clock.advance(Duration::from_secs(60));
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
}

async fn a_fault_that_cannot_heal_ends_the_feed_at_once(world: World) {
    let shop = world.shop("one").await;
    for (path, answer) in [
        ("/gone", Answer::status(410)),
        ("/auth", Answer::status(401)),
        ("/away", Answer::status(302).header("Location", "http://10.0.0.1/canary")),
        ("/loop", Answer::status(302).header("Location", "/loop")),
        ("/html", Answer::ok("<html>canary</html>")),
    ] {
        let url = world.feeds.serve(path, [answer]);
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        let status = world.feed_status(&shop, &token).await;
        assert_eq!(status[0], "Error", "{path}");
        assert!(
            !status.to_string().contains("canary") && !status.to_string().contains("127.0.0.1"),
            "{status}"
        );
    }
}

async fn a_truncated_download_is_tried_again(world: World) {
    let shop = world.shop("one").await;
    let whole = products(&[(1, "A"), (2, "B")]).to_string();
    let cut = Answer::ok(&whole.as_bytes()[..whole.len() - 9]).announce_bytes(whole.len());
    let url = world.feeds.serve("/f", [cut, Answer::ok(whole)]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await[0], "Processing");
    assert_eq!(world.count(&shop, "Products").await, 0);
    world.clock.advance(Duration::from_secs(60));
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
}

/// Only the reader notices that such a body is not whole: the server closes the connection, or says that this was the
/// last chunk.
async fn a_body_of_unknown_length_that_is_cut_off_is_tried_again(world: World) {
    let shop = world.shop("one").await;
    let whole = products(&[(1, "A"), (2, "B")]).to_string();
    let cut = &whole.as_bytes()[..whole.len() - 9];
    let chunks = |body: &[u8]| {
        let chunks = [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\n\r\n"].concat();
        Answer::ok(chunks).without_length().header("Transfer-Encoding", "chunked")
    };
    for (path, first, second) in [
        ("/closed", Answer::ok(cut).without_length(), Answer::ok(whole.clone()).without_length()),
        ("/chunked", chunks(cut), chunks(whole.as_bytes())),
        ("/empty", Answer::ok("").without_length(), Answer::ok(whole.clone())),
    ] {
        let url = world.feeds.serve(path, [first, second]);
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await[0], "Processing", "{path}");
        world.clock.advance(Duration::from_secs(60));
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]), "{path}");
    }
    // A body that its sender called whole is refused at once, and so are faults before its end.
    for (path, answer) in
        [("/whole", Answer::ok(cut)), ("/wrong", Answer::ok("{\"Products\":]").without_length())]
    {
        let url = world.feeds.serve(path, [answer]);
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await[0], "Error", "{path}");
    }
}

fn blobs(world: &World) -> usize {
    let mut files = 0;
    crate::support::residue::visit_files(&world.config.data_dir.join("blobs"), &mut |_, _| files += 1);
    files
}

async fn three_snapshots_of_a_section_are_kept(world: World) {
    let shop = world.shop("one").await;
    for n in 0..6 {
        world.complete_feed(&shop, "/f", &products(&[(1, &format!("T{n}"))])).await;
    }
    assert_eq!((snapshots(&world, "Products").await, blobs(&world)), (3, 3));
    assert_eq!(world.title(&shop, "1").await, "T5");
    world.publish_feed(&shop, "/bad", &json!({"Products": [7]})).await;
    assert_eq!(blobs(&world), 3, "a refused feed leaves no file");
}

async fn a_feed_survives_a_restart_in_its_middle(mut world: World) {
    let shop = world.shop("one").await;
    let body = products(&[(1, "A")]).to_string();
    let url = world.feeds.serve("/f", [Answer::status(503), Answer::ok(body)]);
    let token = world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    world.restart().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Processing", null]));
    world.clock.advance(Duration::from_secs(60));
    world.run_all_jobs().await;
    world.restart().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!(world.title(&shop, "1").await, "A");
}

/// Checks the product made from a row of the samples, field by field where the protocol defines it.
fn check_product(sent: &Value, shown: &Value) {
    let id = sent.get("Id").or(sent.get("Sku")).expect("an id");
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    assert_eq!(shown["Id"], text(id), "ids are text");
    for list in ["Categories", "SearchTags", "AssociatedSkus", "AllImages"] {
        match &sent[list] {
            Value::Null => assert!(shown[list].is_null() || shown[list] == json!([]), "{list}"),
            Value::String(empty) if empty.trim().is_empty() => {
                assert!(shown[list].is_null() || shown[list] == json!([]), "{list}: {}", shown[list]);
            }
            Value::Array(items) if items.is_empty() => {}
            Value::Array(items) => {
                let own = if list == "AssociatedSkus" { sent["Sku"].as_str() } else { None };
                let wanted = items.iter().map(|item| text(item).trim().to_owned());
                let wanted: Vec<_> = wanted.filter(|item| Some(item.as_str()) != own).collect();
                assert_eq!(shown[list], json!(wanted), "{list} of {id}");
            }
            Value::Object(items) => {
                assert_eq!(shown[list].as_array().map(Vec::len), Some(items.len()), "{list}")
            }
            other => assert_eq!(shown[list], json!([text(other).trim()]), "{list}"),
        }
    }
    if let Value::Array(prices) = &sent["Prices"] {
        assert_eq!(shown["Prices"].as_array().map(Vec::len), Some(prices.len()), "prices of {id}");
    }
    for flag in ["InStock", "OnOffer", "NoDefaultPriceForAccounts", "NewArrival"] {
        let lower = flag[..1].to_lowercase() + &flag[1..];
        match sent.get(flag).or(sent.get(&lower)) {
            Some(sent) => {
                let wanted = matches!(text(sent).as_str(), "true" | "1");
                assert_eq!(shown[flag].as_bool().unwrap_or(false), wanted, "{flag} of {id}");
            }
            None => assert!(shown[flag].is_null() || shown[flag] == false, "{flag}"),
        }
    }
    if let Some(title) = sent["Title"].as_str() {
        assert_eq!(shown["Title"], title);
    }
    for accounts in ["AccountInclusions", "AccountExclusions"] {
        if let Value::Array(sent) = &sent[accounts] {
            let shown = shown[accounts].as_array().expect("tags");
            assert_eq!(shown.len(), sent.len());
            assert!(shown.iter().all(|tag| !sent.contains(tag)), "an account stands only as its tag");
        }
    }
}

async fn the_sample_feeds_arrive_as_the_protocol_says(world: World) {
    let Some(folder) = crate::support::world::shared_folder("samples") else { return };
    let shop: Shop = world.shop("one").await;
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a sample");
    for (name, section) in [
        ("custom_products.json", "Products"),
        ("categories.json", "Categories"),
        ("brands.json", "Brands"),
        ("users.json", "Users"),
    ] {
        let url = world.feeds.serve(&format!("/{name}"), [Answer::ok(read(name))]);
        let token = world.feed(&shop, &url).await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Processing", null]));
        world.run_all_jobs().await;
        assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]), "{name}");
        world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
        let sent: Value = serde_json::from_str(&read(name)).expect("JSON");
        let rows: Vec<_> = sent[section]
            .as_array()
            .expect("rows")
            .iter()
            .filter(|row| row.as_object().is_some_and(|row| !row.is_empty()))
            .collect();
        match section {
            "Users" => assert!(world.subjects(&shop).await > 0),
            _ => assert_eq!(world.count(&shop, section).await, rows.len() as i64, "{name}"),
        }
        for row in rows.iter().filter(|_| section == "Products") {
            let id = row.get("Id").or(row.get("Sku")).expect("an id");
            let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
            check_product(row, &world.item(&shop, section, &id).await);
        }
    }
}

/// As many as end with one fetch, in one transaction, and then those of a second one.
async fn very_many_submissions_of_one_address_wait_for_few_fetches(world: World) {
    const MORE: Statement = statement(
        "one more that follows",
        "INSERT INTO submission (account_id, seq, token, state, accepted_at, ready_seq, digest, input, host, manner, \
         leader_seq) \
         SELECT account_id, $1, $2, state, accepted_at, ready_seq, digest, input, host, manner, leader_seq \
         FROM submission WHERE leader_seq IS NOT NULL AND seq < 1000",
    );
    const COMPLETE: Statement = statement(
        "complete",
        "SELECT count(*) AS counted FROM submission WHERE state = 1 AND leader_seq IS NOT NULL",
    );
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/feed", [Answer::ok(products(&[(1, "Shoe")]).to_string())]);
    let mut tokens = vec![world.feed(&shop, &url).await, world.feed(&shop, &url).await];
    let following = world.node().store.write(AccountId(1), |tx| {
        for seq in 1_000..1_000 + limits::FEED_FOLLOWERS - 1 {
            tx.exec(&MORE, args![seq, u128::from(seq.unsigned_abs()).to_be_bytes().as_slice()])?;
        }
        Ok::<_, StoreFault>(())
    });
    following.await.expect("they follow");
    tokens.extend([world.feed(&shop, &url).await, world.feed(&shop, &url).await]);
    world.run_all_jobs().await;
    assert_eq!(world.feeds.requests_of("/feed").len(), 2);
    for token in &tokens {
        assert_eq!(world.feed_status(&shop, token).await, json!(["Complete", null]));
    }
    let followers =
        world.node().store.read(|tx| tx.row(&COMPLETE, args![])?.map_or(Ok(0), |row| row.int("counted")));
    let followers = followers.await.map_err(|fault: StoreFault| fault).expect("a count");
    assert_eq!(followers, limits::FEED_FOLLOWERS + 1);
}
