//! Disk quota of an account.

use lethe::accounts::quota::{self, DefaultQuota, QuotaUse};
use lethe::args;
use lethe::ids::AccountId;
use lethe::limits;
use lethe::store::{Statement, StoreFault};
use lethe::work::retention;
use serde_json::{Value, json};

use crate::support::events::count_events;
use crate::support::feed_server::Answer;
use crate::support::plugin::{send_events, start_visit, view_event};
use crate::support::quota::assert_sizes_counted;
use crate::support::uploads::post_piece;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    a_single_account_has_no_limit_and_each_of_several_a_part
    what_an_account_holds_is_what_its_files_are
    an_upload_that_would_pass_the_quota_ends_and_frees_its_room
    tiny_pieces_count_with_the_room_that_their_files_take
    a_full_account_is_refused_what_it_sends_and_still_forgets
    a_feed_that_would_pass_the_quota_fails_with_the_sentence
    a_feed_that_takes_no_more_than_it_frees_fits
    a_held_feed_takes_room_and_frees_that_of_the_oldest_one
    an_account_that_was_there_before_limits_keeps_its_size
}

/// `[HeldBytes, QuotaBytes]`.
async fn fetch_holding(world: &World, shop: &Shop) -> (i64, Option<i64>) {
    let told = world.ask_json(shop, "/api/account", json!({})).await;
    (told["HeldBytes"].as_i64().expect("bytes"), told["QuotaBytes"].as_i64())
}

async fn limit(world: &World, shop: &Shop, quota: impl Into<Value>) -> Value {
    world.control("/control/account/quota", json!({"Name": shop.name, "Quota": quota.into()})).await
}

async fn delete_account(world: &World, shop: &Shop) {
    assert_eq!(world.ask(shop, "/api/plugin/delete", json!({})).await.status, 200);
    world.control("/control/account/deletion/confirm", json!({"Name": shop.name})).await;
}

/// A feed of `count` products from the number `first` on.
fn products(first: usize, count: usize) -> String {
    let rows = (first..first + count).map(|id| json!({"Id": id.to_string(), "Sku": format!("s{id}")}));
    json!({"Products": rows.collect::<Vec<_>>()}).to_string()
}

async fn send_piece(world: &World, shop: &Shop, path: &str, name: &str, piece: &str) -> u16 {
    let piece = (!piece.is_empty()).then_some(piece.as_bytes());
    post_piece(world, shop, path, name, piece).await.status
}

async fn a_single_account_has_no_limit_and_each_of_several_a_part(world: World) {
    let shop = world.shop("one").await;
    assert_eq!(fetch_holding(&world, &shop).await, (0, None));
    let other = world.shop("other").await;
    let part = world.node().quota_part().0;
    assert!(part > 0);
    assert_eq!(
        [fetch_holding(&world, &shop).await, fetch_holding(&world, &other).await],
        [(0, Some(part)); 2]
    );
    let set = limit(&world, &shop, "4MB").await;
    assert_eq!(set, json!({"Name": "one", "HeldBytes": 0, "QuotaBytes": 4_000_000}));
    assert_eq!(fetch_holding(&world, &shop).await, (0, Some(4_000_000)));
    assert_eq!(fetch_holding(&world, &other).await, (0, Some(part)));
    limit(&world, &shop, "none").await;
    assert_eq!(fetch_holding(&world, &shop).await, (0, None));
    let listed = world.control("/control/account/list", json!({})).await;
    assert_eq!((&listed[0]["QuotaBytes"], &listed[1]["QuotaBytes"]), (&Value::Null, &json!(part)));
    world.control("/control/account/quota", json!({"Name": "one"})).await;
    assert_eq!(fetch_holding(&world, &shop).await, (0, Some(part)));
    let metrics = world.get("/metrics").await.text;
    for line in [
        "lethe_account_bytes{account=\"one\"} 0",
        &format!("lethe_account_quota_bytes{{account=\"one\"}} {part}"),
    ] {
        assert!(metrics.lines().any(|told| told == line), "no {line}");
    }
    // A closed account leaves a single one again.
    delete_account(&world, &other).await;
    assert_eq!(fetch_holding(&world, &shop).await, (0, None));
}

async fn what_an_account_holds_is_what_its_files_are(mut world: World) {
    let shop = world.shop("one").await;
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for step in 0..60 {
        let first = draw(3) as usize * 100;
        let count = 40 + draw(3) as usize * 40;
        let feed = products(first, count);
        let name = format!("product-{}", draw(3));
        match draw(8) {
            0 => drop(send_piece(&world, &shop, "/feed-create", &name, &feed).await),
            1 | 2 => drop(send_piece(&world, &shop, "/feed-append", &name, " ").await),
            3 => drop(send_piece(&world, &shop, "/feed-close", &name, "").await),
            4 | 5 => {
                let url = world.feeds.serve(&format!("/{step}"), [Answer::ok(feed)]);
                let body = json!({"url": url, "DryRun": draw(2) == 0});
                assert_eq!(world.ask(&shop, "/api/productfeed", body).await.status, 200);
            }
            6 => world.crash().await,
            _ => world.clock.advance(std::time::Duration::from_secs(5 * 60 * 60)),
        }
        if draw(2) == 0 {
            assert_sizes_counted(&world).await;
        }
        // Looks at it at its end.
        world.run_all_jobs().await;
    }
    assert!(fetch_holding(&world, &shop).await.0 > 0);
    world.clock.advance(limits::UPLOAD_IDLE_DURATION * 2);
    lethe::work::upload::give_up_idle(world.node(), world.clock.now()).await;
    world.run_all_jobs().await;
    const UPLOADS: Statement = statement("uploads_left", "SELECT seq FROM upload");
    let left = world.node().store.read(|tx| tx.run(&UPLOADS, args![])).await;
    assert_eq!(left.map_err(|fault: StoreFault| fault).expect("rows").len(), 0);
}

async fn an_upload_that_would_pass_the_quota_ends_and_frees_its_room(world: World) {
    let shop = world.shop("one").await;
    limit(&world, &shop, "100kB").await;
    let piece = " ".repeat(60_000);
    assert_eq!(send_piece(&world, &shop, "/feed-create", "product-1", &piece).await, 200);
    assert_eq!(fetch_holding(&world, &shop).await, (76_384, Some(100_000)));
    // Another one is not begun, and this one stays.
    let refused = post_piece(&world, &shop, "/feed-create", "product-2", Some(piece.as_bytes()))
        .await
        .expect_refusal(413);
    assert_eq!(
        refused,
        "There is no room for this: the account holds 76.4 kB of its 100.0 kB on the disk of the server; wait until its \
         uploads and feeds have ended, or ask the operator for more (lethe account quota)"
    );
    // Begun again, it replaces what it held.
    assert_eq!(send_piece(&world, &shop, "/feed-create", "product-1", &piece).await, 200);
    world.run_all_jobs().await;
    assert_eq!(fetch_holding(&world, &shop).await.0, 76_384);
    post_piece(&world, &shop, "/feed-append", "product-1", Some(piece.as_bytes())).await.expect_refusal(413);
    post_piece(&world, &shop, "/feed-append", "product-1", Some(b" ")).await.expect_refusal(409);
    world.run_all_jobs().await;
    assert_eq!(fetch_holding(&world, &shop).await.0, 0);
    let listed = world.ask_json(&shop, "/api/submissions", json!({})).await;
    assert_eq!(listed[0]["Status"], "Error");
    let reason = listed[0]["Reason"].as_str().expect("a reason");
    assert!(
        reason.starts_with("there was no room for the next piece of the upload: the account holds"),
        "{reason}"
    );
    let files = world.node().blobs.list().expect("files").count();
    assert_eq!(files, 0, "they go with it");
    // There is room again, also for one that ends with its last piece.
    assert_eq!(send_piece(&world, &shop, "/feed-create", "product-1", &piece).await, 200);
    assert_eq!(send_piece(&world, &shop, "/feed-close", "product-1", &piece).await, 413);
    world.run_all_jobs().await;
    assert_eq!(fetch_holding(&world, &shop).await.0, 0);
}

async fn tiny_pieces_count_with_the_room_that_their_files_take(world: World) {
    let shop = world.shop("one").await;
    limit(&world, &shop, "33kB").await;
    assert_eq!(send_piece(&world, &shop, "/feed-create", "product-1", "").await, 200);
    assert_eq!(fetch_holding(&world, &shop).await.0, 0, "nothing was sent");
    assert_eq!(send_piece(&world, &shop, "/feed-append", "product-1", " ").await, 200);
    assert_eq!(send_piece(&world, &shop, "/feed-append", "product-1", " ").await, 200);
    assert_eq!(fetch_holding(&world, &shop).await.0, 2 * 16_385);
    let metrics = world.get("/metrics").await.text;
    assert!(metrics.contains("lethe_account_bytes{account=\"one\"} 32770"), "the list of all says the same");
    assert_eq!(send_piece(&world, &shop, "/feed-append", "product-1", " ").await, 413);
    world.run_all_jobs().await;
    assert_eq!(fetch_holding(&world, &shop).await.0, 0);
    // Nor does one begin with a piece for which there is no room.
    limit(&world, &shop, "16384").await;
    assert_eq!(send_piece(&world, &shop, "/feed-create", "product-1", " ").await, 413);
}

async fn a_full_account_is_refused_what_it_sends_and_still_forgets(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "u-1", "Email": "ada@shop.test"}]})).await;
    world
        .apply_delta(&shop, json!({"Products": [{"Id": "p1", "Title": "One", "Prices": ["5.00 GBP"]}]}))
        .await;
    let browsers = [
        start_visit(&world, &shop).await,
        start_visit(&world, &shop).await,
        start_visit(&world, &shop).await,
    ];
    for browser in &browsers {
        send_events(&world, &shop, browser, json!([view_event("p1")])).await;
    }
    assert_eq!(count_events(&world).await, 3);
    limit(&world, &shop, "0").await;
    // Refused consent is taken even over the quota; nothing else is.
    let [one, two, three] = &browsers;
    let no = json!({"name": "accept_cookies", "data": false});
    let page = json!({"appId": shop.key, "visitorId": one, "events": [no]});
    assert_eq!(world.post("/api/serverside", &page).await.status, 200);
    let answer = send_events(&world, &shop, two, json!([view_event("p1"), no])).await;
    assert!(answer["errors"][0].as_str().is_some_and(|why| why.contains("of its 0 bytes")), "{answer}");
    let events = json!([{"VisitorId": three, "Consent": false}, {"VisitorId": "v-4", "Name": "product_view", "Product": "p1"}]);
    let taken = world.ask_json(&shop, "/api/events", json!({"Events": events})).await;
    assert!(
        taken["Events"][1]["LeftOut"].as_str().is_some_and(|why| why.contains("of its 0 bytes")),
        "{taken}"
    );
    retention::end(world.node()).await.expect("it ends");
    assert_eq!(count_events(&world).await, 0);
    world.ask(&shop, "/api/events", json!({"Events": [events[1]]})).await.expect_refusal(413);
    let delta = json!({"Products": [{"Id": "1"}]});
    let feed = json!({"url": world.feeds.serve("/f", [Answer::ok(products(0, 1))])});
    for (path, body) in [("/api/delta", delta.clone()), ("/api/productfeed", feed)] {
        let refused = world.ask(&shop, path, body).await.expect_refusal(413);
        assert!(refused.contains("the account holds 0 bytes of its 0 bytes on the disk"), "{refused}");
    }
    post_piece(&world, &shop, "/feed-create", "product-1", None).await.expect_refusal(413);
    world.forget(&shop, "u-1").await;
    world.run_all_jobs().await;
    assert_eq!(world.ask_json(&shop, "/api/erasures", json!({})).await[0]["State"], "verified");
    limit(&world, &shop, "none").await;
    world.apply_delta(&shop, delta).await;
}

async fn a_feed_that_would_pass_the_quota_fails_with_the_sentence(world: World) {
    let shop = world.shop("one").await;
    let feed = products(0, 1000);
    let publish = || async {
        let url = world.feeds.serve("/f", [Answer::ok(feed.clone())]);
        let token = world.feed(&shop, &url).await;
        world.run_all_jobs().await;
        let status = world.feed_status(&shop, &token).await;
        (status[0].clone(), status[1].as_str().unwrap_or_default().to_owned())
    };
    // Less than the fetched bytes.
    limit(&world, &shop, (feed.len() - 1).to_string()).await;
    let (status, why) = publish().await;
    assert_eq!(status, "Error");
    assert!(why.starts_with("there is no room for the feed: the account holds 0 bytes of its"), "{why}");
    assert_eq!(
        (world.feeds.requests_of("/f").len(), fetch_holding(&world, &shop).await.0),
        (1, 0),
        "it is not fetched again"
    );
    // Enough for that, and less than its size as a catalogue.
    limit(&world, &shop, feed.len().to_string()).await;
    let (status, why) = publish().await;
    assert_eq!(status, "Error");
    assert!(
        why.starts_with("there is no room for what the feed holds: the account holds 0 bytes of its"),
        "{why}"
    );
    assert_eq!((world.count(&shop, "Products").await, fetch_holding(&world, &shop).await.0), (0, 0));
    limit(&world, &shop, "none").await;
    assert_eq!(publish().await, (json!("Complete"), String::new()));
    assert!(fetch_holding(&world, &shop).await.0 > feed.len() as i64);
}

async fn a_feed_that_takes_no_more_than_it_frees_fits(world: World) {
    let shop = world.shop("one").await;
    let mut sizes = Vec::new();
    // The fourth takes the place of the first.
    for n in 1..=4 {
        let feed = products(n * 1000, 400);
        if n == 4 {
            limit(&world, &shop, (fetch_holding(&world, &shop).await.0 + feed.len() as i64).to_string())
                .await;
        }
        let body = serde_json::from_str(&feed).expect("JSON");
        world.complete_feed(&shop, &format!("/{n}"), &body).await;
        sizes.push(fetch_holding(&world, &shop).await.0);
    }
    assert!(sizes[2] > 2 * sizes[0] && sizes[3] < sizes[2] + sizes[0] / 2, "{sizes:?}");
}

async fn a_held_feed_takes_room_and_frees_that_of_the_oldest_one(world: World) {
    let shop = world.shop("one").await;
    let dry_run = async |n: usize| {
        let url = world.feeds.serve(&format!("/{n}"), [Answer::ok(products(n * 1000, 400))]);
        let reply = world.ask(&shop, "/api/productfeed", json!({"url": url, "DryRun": true})).await;
        world.run_all_jobs().await;
        let token = reply.header("x-feed-token").to_owned();
        let status = world.feed_status(&shop, &token).await;
        (status[0].clone(), status[1].as_str().unwrap_or_default().to_owned(), token)
    };
    let bytes = products(5000, 400).len() as i64;
    limit(&world, &shop, bytes.to_string()).await;
    let (status, why, _) = dry_run(1).await;
    assert_eq!(status, "Error");
    assert!(why.starts_with("there is no room for what the feed holds: the account holds 0 bytes"), "{why}");
    limit(&world, &shop, "none").await;
    let mut sizes = Vec::new();
    let mut newest = String::new();
    // The last takes the place of the first.
    for n in 1..=limits::HELD_FEEDS + 1 {
        if n > limits::HELD_FEEDS {
            limit(&world, &shop, (fetch_holding(&world, &shop).await.0 + bytes).to_string()).await;
        }
        let (status, why, token) = dry_run(n).await;
        assert_eq!((status, why), (json!("Complete"), String::new()), "{n}");
        sizes.push(fetch_holding(&world, &shop).await.0);
        newest = token;
    }
    assert!(sizes[2] > 2 * sizes[0] && sizes[3] < sizes[2] + sizes[0] / 2, "{sizes:?}");
    // To show what is held takes no room.
    limit(&world, &shop, (sizes[3] + 1).to_string()).await;
    let reply = world.ask(&shop, "/api/feed/publish", json!({"Token": newest})).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    world.run_all_jobs().await;
    let shown = world.feed_status(&shop, reply.header("x-feed-token")).await;
    assert_eq!(shown, json!(["Complete", null]));
    // Nor does a feed that is stored already, on its way with its own bytes.
    limit(&world, &shop, (fetch_holding(&world, &shop).await.0 + bytes).to_string()).await;
    let body = serde_json::from_str(&products((limits::HELD_FEEDS + 1) * 1000, 400)).expect("JSON");
    world.complete_feed(&shop, "/again", &body).await;
}

async fn an_account_that_was_there_before_limits_keeps_its_size(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &serde_json::from_str(&products(0, 500)).expect("JSON")).await;
    let (size, _) = fetch_holding(&world, &shop).await;
    let part = DefaultQuota(size / 2);
    let limits = || async {
        let reading = world.node().store.read(move |tx| {
            let limit = |holding: QuotaUse| holding.limit_bytes;
            let of = |tx: &mut _, account| quota::quota_use(tx, AccountId(account), None, part).map(limit);
            Ok::<_, StoreFault>((of(tx, 1)?, of(tx, 2)?))
        });
        reading.await.expect("limits")
    };
    let store = &world.node().store;
    let other = world.shop("other").await;
    assert_eq!(limits().await, (Some(size / 2), Some(size / 2)));
    quota::keep_single(store, part).await.expect("kept");
    assert_eq!(limits().await, (Some(size / 2), Some(size / 2)), "there are two");
    quota::keep_sizes(store, part).await.expect("kept");
    assert_eq!(limits().await, (Some(size), Some(size / 2)));
    // Until one is set.
    limit(&world, &shop, "1kB").await;
    assert_eq!(limits().await, (Some(1000), Some(size / 2)));
    world.control("/control/account/quota", json!({"Name": "one"})).await;
    assert_eq!(limits().await, (Some(size / 2), Some(size / 2)));
    // A single one keeps its size before the second comes.
    delete_account(&world, &other).await;
    quota::keep_single(store, part).await.expect("kept");
    world.shop("third").await;
    assert_eq!(limits().await.0, Some(size));
}
