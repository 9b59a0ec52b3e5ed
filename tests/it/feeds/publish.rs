//! Before and after a feed is published: its changes, the guard that stops it, and the way back.

use lethe::store::Statement;
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    a_feed_that_would_remove_most_products_is_held_until_it_is_published_anyway
    the_removal_guard_is_a_setting_of_the_account
    a_dry_run_changes_nothing_and_can_be_published
    a_dry_run_of_an_unchanged_address_is_fetched_and_can_be_published
    what_is_wrong_with_a_held_feed_is_told_of_what_publishes_it_too
    a_dry_run_keeps_no_person_and_orders_have_none
    what_a_feed_changes_is_told_with_prices_that_jump
    account_prices_are_counted_and_never_shown
    every_token_of_a_held_feed_can_publish_it_and_dry_runs_join_nobody
    going_back_shows_an_older_snapshot_with_the_changes_now_on_top
    a_snapshot_that_was_gone_back_to_is_kept_when_the_next_feed_comes
    what_is_held_and_kept_is_bounded_and_belongs_to_its_shop
}

const HELD_FILES: Statement = statement("held_files", "SELECT count(*) AS counted FROM held_snapshot");

fn product(id: usize, price: &str) -> Value {
    json!({"Id": id, "Title": format!("Product {id}"), "Link": "/p", "Image": "/i", "Description": "d",
           "Prices": [price]})
}

fn feed(ids: std::ops::Range<usize>) -> Value {
    json!({"Products": ids.map(|id| product(id, "10 GBP")).collect::<Vec<_>>()})
}

/// Posts something that is answered with a token, works, and gives token and status.
async fn submit_and_work(world: &World, shop: &Shop, path: &str, body: Value) -> (String, Value) {
    let reply = world.ask(shop, path, body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let token = reply.header("x-feed-token").to_owned();
    world.run_all_jobs().await;
    let status = world.feed_status(shop, &token).await;
    (token, status)
}

async fn difference(world: &World, shop: &Shop, token: &str) -> Value {
    world.ask_json(shop, "/api/feed/difference", json!({"Token": token})).await
}

async fn snapshots(world: &World, shop: &Shop) -> Vec<(i64, bool)> {
    let listed = world.ask_json(shop, "/api/snapshots", json!({"Section": "Products"})).await;
    let kept = listed.as_array().expect("a list").iter();
    kept.map(|kept| (kept["Number"].as_i64().expect("a number"), kept["Shown"] == true)).collect()
}

fn complete_status() -> Value {
    json!(["Complete", null])
}

async fn a_feed_that_would_remove_most_products_is_held_until_it_is_published_anyway(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &feed(0..1000)).await;
    world.complete_feed(&shop, "/f", &feed(500..1000)).await;
    world.complete_feed(&shop, "/f", &feed(900..1000)).await;
    assert_eq!(world.count(&shop, "Products").await, 100, "80 % of 500 may go, and so may most of 100");
    world.complete_feed(&shop, "/f", &feed(0..1000)).await;
    world.apply_delta(&shop, json!({"Products": [product(1, "11 GBP"), product(2_000, "1 GBP")]})).await;

    let url = world.feeds.serve("/few", [Answer::ok(feed(901..1000).to_string())]);
    let (token, status) = submit_and_work(&world, &shop, "/api/productfeed", json!({"url": url})).await;
    assert_eq!(
        status,
        json!([
            "Error",
            format!(
                "the feed would remove 901 of 1000 products, and 80 % is the most one may; the catalogue was left alone. If it is meant, publish it with `lethe feed publish {token} --anyway`"
            )
        ])
    );
    assert_eq!(world.count(&shop, "Products").await, 1_001);
    let held = json!({"Token": token});
    let told = world.ask(&shop, "/api/feed/publish", held.clone()).await.expect_refusal(409);
    assert!(told.starts_with("That feed was stopped") && told.contains("--anyway"), "{told}");
    let listed = world.ask_json(&shop, "/api/submissions", json!({})).await;
    assert_eq!(listed[0]["Token"], token, "no submission is made that must fail: {listed}");
    let guard = async |percent: u8| {
        world.control("/control/account/guard", json!({"Name": "one", "Percent": percent})).await;
    };
    guard(85).await;
    let (again, status) = submit_and_work(&world, &shop, "/api/feed/publish", held).await;
    assert_eq!(status[0], "Error", "with another limit it is looked at again, and stopped again");
    guard(80).await;
    world.apply_delta(&shop, json!({"Products": [product(3_000, "1 GBP")]})).await;
    // Its token leads to the same: nothing is held twice, and the cut stays that of the feed.
    let held = json!({"Token": again, "Anyway": true});
    let (published, status) = submit_and_work(&world, &shop, "/api/feed/publish", held.clone()).await;
    assert_eq!(status, complete_status());
    assert_eq!(difference(&world, &shop, &published).await["Sections"][0]["Counts"]["removed"], 901);
    assert_eq!(world.count(&shop, "Products").await, 100);
    assert_eq!(world.title(&shop, "2000").await, Value::Null, "accepted before the feed was submitted");
    assert_eq!(world.title(&shop, "3000").await, "Product 3000", "accepted after it");
    assert_eq!(world.feed_status(&shop, &token).await[0], "Error", "recorded once, never taken back");
    assert!(
        world.ask(&shop, "/api/feed/publish", held).await.expect_refusal(404).starts_with("Nothing is held")
    );
}

async fn the_removal_guard_is_a_setting_of_the_account(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &feed(0..500)).await;
    let set = async |percent: Value| {
        let body = json!({"Name": "one", "Percent": percent});
        world.control("/control/account/guard", body).await["RemovalGuard"].clone()
    };
    assert_eq!(set(json!(10)).await, 10);
    assert_eq!(world.publish_feed(&shop, "/f", &feed(51..500)).await[0], "Error");
    world.complete_feed(&shop, "/f", &feed(0..500)).await;
    assert_eq!(set(json!(100)).await, 100);
    world.complete_feed(&shop, "/f", &feed(499..500)).await;
    world.complete_feed(&shop, "/f", &feed(0..500)).await;
    let reset = world.control("/control/account/guard", json!({"Name": "one"})).await;
    assert_eq!(reset["RemovalGuard"], 80);
    assert_eq!(world.publish_feed(&shop, "/f", &feed(499..500)).await[0], "Error");
    assert_eq!(world.control("/control/account/list", json!({})).await[0]["RemovalGuard"], 80);
}

async fn a_dry_run_changes_nothing_and_can_be_published(mut world: World) {
    let shop = world.shop("one").await;
    let url = world.feeds.serve("/f", [Answer::ok(feed(0..3).to_string()).header("ETag", "\"v1\"")]);
    let dry = json!({"url": url, "DryRun": true});
    let (first, status) = submit_and_work(&world, &shop, "/api/productfeed", dry.clone()).await;
    assert_eq!((status, world.count(&shop, "Products").await), (complete_status(), 0));
    world.complete_feed(&shop, "/other", &feed(1..5)).await;
    let (token, status) = submit_and_work(&world, &shop, "/api/productfeed", dry).await;
    assert_eq!((status, world.count(&shop, "Products").await), (complete_status(), 4));
    let found = difference(&world, &shop, &token).await;
    assert_eq!(found["Held"], true);
    assert_eq!(
        found["Sections"][0]["Counts"],
        json!({"added": 1, "changed": 0, "removed": 2, "unchanged": 2, "price_jump": 0, "price_zero": 0,
               "currency_lost": 0})
    );
    let shown = world.ask_json(&shop, "/api/submissions", json!({"Token": token})).await;
    assert_eq!(shown[0]["DryRun"], true);
    world.restart().await;
    let (_, status) = submit_and_work(&world, &shop, "/api/feed/publish", json!({"Token": token})).await;
    assert_eq!((status, world.count(&shop, "Products").await), (complete_status(), 3));
    assert_eq!(difference(&world, &shop, &token).await["Held"], false);
    let (_, status) = submit_and_work(&world, &shop, "/api/feed/publish", json!({"Token": first})).await;
    assert_eq!(status, complete_status(), "the first one is the same file, and still held");
    world.complete_feed(&shop, "/f", &feed(0..2)).await;
    assert_eq!(world.count(&shop, "Products").await, 2, "no dry run made the feed a known one");
}

/// A server that is asked whether anything changed says no.
async fn a_dry_run_of_an_unchanged_address_is_fetched_and_can_be_published(world: World) {
    let shop = world.shop("one").await;
    let shown = Answer::ok(feed(0..3).to_string()).header("ETag", "\"v1\"");
    let url = world.feeds.serve("/f", [shown]);
    let (_, status) = submit_and_work(&world, &shop, "/api/productfeed", json!({"url": url})).await;
    assert_eq!(status, complete_status());
    let (token, status) =
        submit_and_work(&world, &shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await;
    assert_eq!(status, complete_status());
    let asked = world.feeds.requests_of("/f");
    assert_eq!(asked.len(), 2);
    assert!(!asked[1].to_lowercase().contains("if-none-match"), "{}", asked[1]);
    assert_eq!(difference(&world, &shop, &token).await["Held"], true);
    let (_, status) = submit_and_work(&world, &shop, "/api/feed/publish", json!({"Token": token})).await;
    assert_eq!((status, world.count(&shop, "Products").await), (complete_status(), 3));
}

async fn what_is_wrong_with_a_held_feed_is_told_of_what_publishes_it_too(world: World) {
    let shop = world.shop("one").await;
    let mut rows: Vec<_> = (0..20).map(|id| product(id, "10 GBP")).collect();
    rows[3] = json!({"Title": "no id"});
    let url = world.feeds.serve("/f", [Answer::ok(json!({"Products": rows}).to_string())]);
    let (held, status) =
        submit_and_work(&world, &shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await;
    assert_eq!(status, complete_status());
    let (published, status) =
        submit_and_work(&world, &shop, "/api/feed/publish", json!({"Token": held})).await;
    assert_eq!((status, world.count(&shop, "Products").await), (complete_status(), 19));
    for token in [held, published] {
        let listed = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
        let issues = listed["Issues"].as_array().expect("issues");
        assert_eq!(
            (issues.len(), &issues[0]["Row"], &issues[0]["Code"]),
            (1, &json!(4), &json!("id_missing"))
        );
    }
}

async fn a_dry_run_keeps_no_person_and_orders_have_none(world: World) {
    let shop = world.shop("one").await;
    let body = json!({"Users": [{"UserId": "u", "Email": "a@shop.example"}], "Brands": [{"Id": "b"}]});
    let url = world.feeds.serve("/f", [Answer::ok(body.to_string())]);
    let (token, status) =
        submit_and_work(&world, &shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await;
    assert_eq!((status, world.subjects(&shop).await), (complete_status(), 0));
    let (_, status) = submit_and_work(&world, &shop, "/api/feed/publish", json!({"Token": token})).await;
    assert_eq!((status, world.subjects(&shop).await), (complete_status(), 0));
    assert_eq!(world.count(&shop, "Brands").await, 1);
    let create = |name: &str| {
        let form = format!("accessKey={}&secretKey={}&feedName={name}&dryRun=1", shop.key, shop.secret);
        let form = form + "&payLoad=%7B%22Brands%22%3A%5B%7B%22Id%22%3A%22c%22%7D%5D%7D";
        let request = world.request("POST", "/feed-create");
        world.send(request.header("content-type", "application/x-www-form-urlencoded").body(form))
    };
    assert!(create("orders-1").await.expect_refusal(400).starts_with("dryRun is for feeds"));
    assert_eq!(create("brand-1").await.text, "OK");
    let form = format!("accessKey={}&secretKey={}&feedName=brand-1", shop.key, shop.secret);
    let request = world.request("POST", "/feed-close");
    let closed =
        world.send(request.header("content-type", "application/x-www-form-urlencoded").body(form)).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, closed.header("x-feed-token")).await, complete_status());
    assert_eq!(world.item(&shop, "Brands", "c").await, Value::Null);
}

async fn what_a_feed_changes_is_told_with_prices_that_jump(world: World) {
    let shop = world.shop("one").await;
    let before = [product(1, "10 GBP"), product(2, "10 GBP"), product(3, "10 GBP"), product(4, "10 GBP")];
    world.complete_feed(&shop, "/f", &json!({"Products": before, "Brands": [{"Id": "b"}]})).await;
    let after = [product(1, "16 GBP"), product(2, "0 GBP"), product(3, "12 EUR"), product(5, "1 GBP")];
    let url = world.feeds.serve("/f", [Answer::ok(json!({"Products": after}).to_string())]);
    let (token, status) = submit_and_work(&world, &shop, "/api/productfeed", json!({"url": url})).await;
    assert_eq!(status, complete_status(), "they are told and stop nothing");
    let found = difference(&world, &shop, &token).await;
    assert_eq!(found["Held"], false);
    assert_eq!(found["Sections"].as_array().expect("sections").len(), 1);
    let mut examples: Vec<String> = found["Sections"][0]["Examples"]
        .as_array()
        .expect("examples")
        .iter()
        .map(|example| example.to_string().replace('"', ""))
        .collect();
    examples.sort();
    assert_eq!(
        examples,
        [
            "{Kind:added,Id:5,Before:null,After:null}",
            "{Kind:changed,Id:1,Before:null,After:null}",
            "{Kind:changed,Id:2,Before:null,After:null}",
            "{Kind:changed,Id:3,Before:null,After:null}",
            "{Kind:currency_lost,Id:3,Before:10.00 GBP,After:null}",
            "{Kind:price_jump,Id:1,Before:10.00 GBP,After:16.00 GBP}",
            "{Kind:price_zero,Id:2,Before:10.00 GBP,After:0.00 GBP}",
            "{Kind:removed,Id:4,Before:null,After:null}",
        ]
    );
    assert_eq!(world.ask(&shop, "/api/feed/difference", json!({"Token": "x"})).await.status, 404);
}

async fn account_prices_are_counted_and_never_shown(world: World) {
    let shop = world.shop("one").await;
    let prices =
        |price: &str| json!({"AccountPrices": [{"AccountId": "acme", "Id": "1", "Prices": [price]}]});
    world.complete_feed(&shop, "/f", &prices("1 GBP")).await;
    let url = world.feeds.serve("/f", [Answer::ok(prices("9 GBP").to_string())]);
    let (token, _) = submit_and_work(&world, &shop, "/api/productfeed", json!({"url": url})).await;
    let found = difference(&world, &shop, &token).await;
    assert_eq!(found["Sections"][0]["Counts"]["changed"], 1);
    assert_eq!(found["Sections"][0]["Examples"], json!([]));
}

async fn every_token_of_a_held_feed_can_publish_it_and_dry_runs_join_nobody(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &feed(0..500)).await;
    let url = world.feeds.serve("/few", [Answer::status(503)]);
    let mut tokens = Vec::new();
    for dry_run in [false, false, true, true] {
        let reply = world.ask(&shop, "/api/productfeed", json!({"url": url, "DryRun": dry_run})).await;
        tokens.push(reply.header("x-feed-token").to_owned());
        world.run_all_jobs().await;
    }
    world.feeds.serve("/few", [Answer::ok(feed(0..1).to_string())]);
    let asked = world.feeds.requests_of("/few").len();
    world.clock.advance(std::time::Duration::from_secs(60));
    world.run_all_jobs().await;
    assert_eq!(
        world.feeds.requests_of("/few").len() - asked,
        3,
        "once for the first two, once for each dry run"
    );
    for (token, status) in tokens.iter().zip(["Error", "Error", "Complete", "Complete"]) {
        assert_eq!(world.feed_status(&shop, token).await[0], status);
        assert_eq!(difference(&world, &shop, token).await["Held"], true);
    }
    let first = json!({"Token": tokens[0], "Anyway": true});
    let (_, status) = submit_and_work(&world, &shop, "/api/feed/publish", first).await;
    assert_eq!((status, world.count(&shop, "Products").await), (complete_status(), 1));
    assert_eq!(difference(&world, &shop, &tokens[1]).await["Held"], false);
}

async fn a_snapshot_that_was_gone_back_to_is_kept_when_the_next_feed_comes(world: World) {
    let shop = world.shop("one").await;
    for last in 2..5 {
        world.complete_feed(&shop, "/f", &feed(1..last)).await;
    }
    let oldest = snapshots(&world, &shop).await[2].0;
    submit_and_work(&world, &shop, "/api/snapshots/back", json!({"Number": oldest})).await;
    world.complete_feed(&shop, "/f", &feed(1..9)).await;
    let (_, status) = submit_and_work(&world, &shop, "/api/snapshots/back", json!({"Number": oldest})).await;
    assert_eq!((status, world.count(&shop, "Products").await), (complete_status(), 1));
}

async fn going_back_shows_an_older_snapshot_with_the_changes_now_on_top(world: World) {
    let shop = world.shop("one").await;
    let ok = |body: Value| Answer::ok(body.to_string()).header("ETag", "\"v2\"");
    world
        .complete_feed(&shop, "/old", &json!({"Products": [product(1, "1 GBP"), product(2, "1 GBP")]}))
        .await;
    world.apply_delta(&shop, json!({"Products": [product(7, "7 GBP")]})).await;
    let url =
        world.feeds.serve("/new", [ok(json!({"Products": [product(1, "100 GBP")]})), Answer::status(304)]);
    let feed = json!({"url": url});
    submit_and_work(&world, &shop, "/api/productfeed", feed.clone()).await;
    world.apply_delta(&shop, json!({"Products": [product(8, "8 GBP")]})).await;

    let kept = snapshots(&world, &shop).await;
    let [(new, true), (old, false)] = kept[..] else { panic!("{kept:?}") };
    let body = json!({"From": old, "To": new});
    let compared = world.ask_json(&shop, "/api/snapshots/compare", body).await;
    assert_eq!((&compared["Counts"]["removed"], &compared["Counts"]["price_jump"]), (&json!(1), &json!(1)));

    let (token, status) = submit_and_work(&world, &shop, "/api/snapshots/back", json!({"Number": old})).await;
    assert_eq!(status, complete_status());
    let source =
        world.ask_json(&shop, "/api/submissions", json!({"Token": token})).await[0]["Source"].clone();
    assert_eq!(source, "Products of feed 1");
    assert_eq!(world.item(&shop, "Products", "1").await["Prices"], json!(["1.00 GBP"]));
    assert_eq!(world.title(&shop, "7").await, Value::Null, "the later feed had replaced that change");
    assert_eq!(world.title(&shop, "8").await, "Product 8");
    assert_eq!(snapshots(&world, &shop).await, [(old, true), (new, false)], "nothing is lost by going back");
    world.apply_delta(&shop, json!({"DeleteProducts": [2]})).await;
    assert_eq!(world.count(&shop, "Products").await, 2);

    world.feeds.serve("/new", [ok(json!({"Products": [product(1, "100 GBP")]}))]);
    let (_, status) = submit_and_work(&world, &shop, "/api/productfeed", feed).await;
    assert_eq!(status, complete_status());
    let asked = world.feeds.requests_of("/new").pop().expect("a request").to_ascii_lowercase();
    assert!(!asked.contains("if-none-match"), "what is shown is not the feed of that version");
    assert_eq!(world.item(&shop, "Products", "1").await["Prices"], json!(["100.00 GBP"]));
    assert_eq!(
        snapshots(&world, &shop).await,
        [(new, true), (old, false)],
        "the same file is not kept twice"
    );
}

async fn what_is_held_and_kept_is_bounded_and_belongs_to_its_shop(mut world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("two").await;
    let mut tokens = Vec::new();
    for n in 1..=5 {
        world.complete_feed(&shop, "/f", &feed(0..n)).await;
        let url = world.feeds.serve("/dry", [Answer::ok(feed(n..n + 1).to_string())]);
        tokens.push(
            submit_and_work(&world, &shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await.0,
        );
    }
    assert_eq!(snapshots(&world, &shop).await.len(), 3);
    let held = world.node().store.read(|tx| tx.row(&HELD_FILES, &[])).await.expect("a count");
    assert_eq!(held.expect("a row").int("counted").expect("a number"), 3);
    assert_eq!(world.ask(&shop, "/api/feed/publish", json!({"Token": tokens[0]})).await.status, 404);
    for (path, body) in [
        ("/api/feed/publish", json!({"Token": tokens[4]})),
        ("/api/feed/difference", json!({"Token": tokens[4]})),
        ("/api/snapshots/back", json!({"Number": snapshots(&world, &shop).await[0].0})),
        ("/api/snapshots/compare", json!({"From": 1, "To": 2})),
    ] {
        assert_eq!(world.ask(&other, path, body.clone()).await.status, 404, "{path}");
        let wrong = json!({"AccessKey": shop.key, "SecretKey": "wrong"});
        assert_eq!(world.post(path, &wrong).await.status, 403, "{path}: the keys come first");
    }
    assert_eq!(snapshots(&world, &other).await, []);
    let sentence = world.ask(&shop, "/api/snapshots/back", json!({"Number": "x"})).await.expect_refusal(400);
    assert_eq!(sentence, "Number has to be a whole number");
    world.restart().await;
    let (_, status) = submit_and_work(&world, &shop, "/api/feed/publish", json!({"Token": tokens[4]})).await;
    assert_eq!((status, world.title(&shop, "5").await), (complete_status(), json!("Product 5")));
}
