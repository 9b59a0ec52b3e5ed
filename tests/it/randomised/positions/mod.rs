//! Positions of what is shown: a client that follows from any position to the next has the same as one that reads all.

mod drive;
mod schedules;
mod search_index;
mod searching;

use std::time::Duration;

use lethe::args;
use lethe::ids::AccountId;
use lethe::jobs::Lane;
use lethe::store::{Statement, StoreFault};
use serde_json::{Value, json};

use crate::support::backups::{back_up, stop_and_restore};
use crate::support::catalogue_follower::{Watcher, find_account};
use crate::support::feed_server::Answer;
use crate::support::refusals::{REFUSE_END, REFUSE_SECOND_PART, REFUSE_SWEEP, plant_refusal, remove_refusal};
use crate::support::world::{Shop, World, on_both_engines, on_sqlite, statement};

on_both_engines! {
    an_item_that_a_delta_removed_and_the_next_feed_holds_unchanged_is_seen_again
    a_feed_that_was_not_sent_again_undoes_deltas_for_who_follows
    what_a_follower_needs_is_swept_after_it_has_passed
    who_comes_after_the_sweep_reads_everything
    a_large_delta_that_broke_off_is_followed_from_its_middle
    a_large_delta_that_broke_off_loses_nothing_when_somebody_is_forgotten_meanwhile
    a_removal_by_sku_is_followed_when_it_comes_when_it_takes_effect_and_when_it_is_undone
    of_two_items_with_one_sku_one_is_removed_whoever_reads_it
    a_removal_goes_by_the_sku_that_is_shown
    a_status_is_final_only_when_everything_derived_shows_it
    an_end_waits_for_a_list_that_is_behind
    a_published_feed_is_not_read_again_after_a_crash
    going_back_is_not_done_again_after_a_crash
    an_erasure_waits_for_what_is_published_and_not_for_who_follows
    a_position_is_good_after_a_restart_and_not_after_a_restore
    the_catalogue_is_paged_in_the_order_of_the_ids
}

const HELD: Statement = statement(
    "held",
    "SELECT count(*) AS counted FROM submission AS s WHERE published_as IS NOT NULL AND state = 0 AND NOT EXISTS \
     (SELECT 1 FROM payload WHERE payload.account_id = s.account_id AND payload.seq = s.seq)",
);

/// Runs due jobs three times a quarter of a second apart, also those that fail.
async fn work_thrice(world: &World) {
    for _ in 0..3 {
        for lane in lethe::work::KINDS.iter().map(|kind| kind.lane) {
            world.run_jobs(lane).await;
        }
        world.clock.advance(Duration::from_millis(250));
    }
}

fn product(id: &str, sku: Option<&str>) -> Value {
    let mut product = json!({"Id": id, "Title": format!("Product {id}"), "Categories": ["c"]});
    if let Some(sku) = sku {
        product["Sku"] = sku.into();
    }
    product
}

fn products(products: &[(&str, Option<&str>)]) -> Value {
    json!({"Products": products.iter().map(|(id, sku)| product(id, *sku)).collect::<Vec<_>>()})
}

async fn is_shown(world: &World, shop: &Shop, id: &str) -> bool {
    !world.item(shop, "Products", id).await.is_null()
}

async fn an_item_that_a_delta_removed_and_the_next_feed_holds_unchanged_is_seen_again(world: World) {
    let shop = world.shop("one").await;
    let account = find_account(&world, &shop).await;
    world.complete_feed(&shop, "/f", &products(&[("1", None), ("2", None)])).await;
    world.apply_delta(&shop, json!({"DeleteProducts": ["1"], "Products": [product("3", None)]})).await;
    let mut watcher = Watcher::default();
    watcher.assert_follows(&world, account).await;
    assert_eq!(world.count(&shop, "Products").await, 2);

    plant_refusal(&world, &REFUSE_SWEEP).await;
    let url = world.feeds.serve("/g", [Answer::ok(products(&[("1", None), ("4", None)]).to_string())]);
    world.feed(&shop, &url).await;
    work_thrice(&world).await;
    watcher.assert_follows(&world, account).await;
    assert_eq!(watcher.rebuilds, 1, "what it takes was there");
    remove_refusal(&world).await;
    world.run_all_jobs().await;
    watcher.assert_follows(&world, account).await;
    assert!(is_shown(&world, &shop, "1").await);
    assert_eq!((world.count(&shop, "Products").await, watcher.rebuilds), (2, 1));
}

async fn a_feed_that_was_not_sent_again_undoes_deltas_for_who_follows(world: World) {
    let shop = world.shop("one").await;
    let account = find_account(&world, &shop).await;
    let whole = Answer::ok(products(&[("1", None), ("2", None)]).to_string()).header("etag", "\"a\"");
    let url = world.feeds.serve("/f", [whole, Answer::status(304)]);
    world.feed(&shop, &url).await;
    world.run_all_jobs().await;
    let mut watcher = Watcher::default();
    watcher.assert_follows(&world, account).await;
    world.apply_delta(&shop, json!({"DeleteProducts": ["1"]})).await;
    watcher.assert_follows(&world, account).await;
    assert_eq!((watcher.items.len(), watcher.rebuilds), (1, 1));
    world.feed(&shop, &url).await;
    plant_refusal(&world, &REFUSE_SWEEP).await;
    work_thrice(&world).await;
    watcher.assert_follows(&world, account).await;
    assert_eq!((watcher.items.len(), watcher.rebuilds), (2, 1));
    remove_refusal(&world).await;
    world.run_all_jobs().await;
    assert_eq!(world.count(&shop, "Products").await, 2);
}

async fn who_comes_after_the_sweep_reads_everything(world: World) {
    let shop = world.shop("one").await;
    let account = find_account(&world, &shop).await;
    world.complete_feed(&shop, "/f", &products(&[("1", None), ("2", None)])).await;
    let mut watcher = Watcher::default();
    watcher.assert_follows(&world, account).await;
    world.apply_delta(&shop, json!({"DeleteProducts": ["1"]})).await;
    watcher.assert_follows(&world, account).await;
    world.complete_feed(&shop, "/f", &products(&[("1", None), ("2", None)])).await;
    watcher.assert_follows(&world, account).await;
    assert_eq!((watcher.items.len(), watcher.rebuilds), (2, 2));
    // Nothing was swept since: a feed without deltas before it is followed.
    world.complete_feed(&shop, "/f", &products(&[("1", None), ("3", None)])).await;
    watcher.assert_follows(&world, account).await;
    assert_eq!((watcher.items.len(), watcher.rebuilds), (2, 2));
    // Its snapshot goes when three others came.
    for id in ["4", "5", "6"] {
        world.complete_feed(&shop, "/f", &products(&[(id, None)])).await;
    }
    watcher.assert_follows(&world, account).await;
    assert_eq!((watcher.items.len(), watcher.rebuilds), (1, 3));
}

fn many(count: usize, title: &str) -> Value {
    let products = (0..count).map(|n| json!({"Id": format!("m{n}"), "Title": title}));
    json!({"Products": products.collect::<Vec<_>>()})
}

async fn a_large_delta_that_broke_off_is_followed_from_its_middle(mut world: World) {
    let shop = world.shop("one").await;
    let account = find_account(&world, &shop).await;
    world.complete_feed(&shop, "/f", &products(&[("1", None)])).await;
    let mut watcher = Watcher::default();
    watcher.assert_follows(&world, account).await;
    let token = world.delta(&shop, many(700, "large")).await;
    plant_refusal(&world, &REFUSE_SECOND_PART).await;
    work_thrice(&world).await;
    watcher.assert_follows(&world, account).await;
    let half = watcher.items.len();
    assert!(half > 100 && half < 700, "{half} items are shown in the middle");
    assert_eq!(world.delta_status(&shop, &token).await, json!([0, null]));
    world.crash().await;
    remove_refusal(&world).await;
    watcher.assert_follows(&world, account).await;
    world.run_all_jobs().await;
    watcher.assert_follows(&world, account).await;
    assert_eq!((watcher.items.len(), watcher.rebuilds), (701, 1));
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
}

/// Her row stands before the products, and is read no more when the rest is applied.
async fn a_large_delta_that_broke_off_loses_nothing_when_somebody_is_forgotten_meanwhile(world: World) {
    let shop = world.shop("one").await;
    let mut delta = json!({"Users": [{"UserId": "ada@shop.test"}]});
    delta["Products"] = many(700, "large")["Products"].take();
    let token = world.delta(&shop, delta).await;
    plant_refusal(&world, &REFUSE_SECOND_PART).await;
    work_thrice(&world).await;
    assert_eq!((world.delta_status(&shop, &token).await, world.subjects(&shop).await), (json!([0, null]), 1));
    world.forget(&shop, "ada@shop.test").await;
    remove_refusal(&world).await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    assert_eq!((world.count(&shop, "Products").await, world.subjects(&shop).await), (700, 0));
}

async fn a_removal_by_sku_is_followed_when_it_comes_when_it_takes_effect_and_when_it_is_undone(world: World) {
    let shop = world.shop("one").await;
    let account = find_account(&world, &shop).await;
    let with = |skus: &[(&str, Option<&str>)]| Answer::ok(products(skus).to_string());
    world.complete_feed(&shop, "/f", &products(&[("1", Some("s1")), ("2", Some("s2"))])).await;
    let mut watcher = Watcher::default();
    watcher.assert_follows(&world, account).await;
    // A feed waits, and then a removal is accepted whose item is not known yet.
    let url = world.feeds.serve("/g", [with(&[("1", Some("s1")), ("2", Some("s2")), ("3", Some("s3"))])]);
    world.feed(&shop, &url).await;
    world.delta(&shop, json!({"DeleteProducts": ["s3", "s2"]})).await;
    world.run_jobs(Lane::DELTA).await;
    watcher.assert_follows(&world, account).await;
    assert!(!is_shown(&world, &shop, "2").await && is_shown(&world, &shop, "1").await);
    world.run_all_jobs().await;
    watcher.assert_follows(&world, account).await;
    assert!(!is_shown(&world, &shop, "3").await, "it was removed after the feed was submitted");
    assert_eq!((watcher.items.len(), watcher.rebuilds), (1, 1));
    // An item that is put now has another id: nothing is undone by it.
    world.apply_delta(&shop, json!({"Products": [product("s3", None)]})).await;
    watcher.assert_follows(&world, account).await;
    assert!(!is_shown(&world, &shop, "3").await && is_shown(&world, &shop, "s3").await);
    // The next feed undoes it, and says nothing new of the item.
    plant_refusal(&world, &REFUSE_SWEEP).await;
    let url = world.feeds.serve("/h", [with(&[("1", Some("s1")), ("2", Some("s2")), ("3", Some("s3"))])]);
    world.feed(&shop, &url).await;
    work_thrice(&world).await;
    watcher.assert_follows(&world, account).await;
    remove_refusal(&world).await;
    world.run_all_jobs().await;
    watcher.assert_follows(&world, account).await;
    assert_eq!((watcher.items.len(), watcher.rebuilds), (3, 1));
}

async fn of_two_items_with_one_sku_one_is_removed_whoever_reads_it(world: World) {
    let shop = world.shop("one").await;
    let account = find_account(&world, &shop).await;
    world.complete_feed(&shop, "/f", &products(&[("1", Some("same")), ("2", Some("same"))])).await;
    let mut watcher = Watcher::default();
    watcher.assert_follows(&world, account).await;
    world.apply_delta(&shop, json!({"DeleteProducts": ["same"]})).await;
    watcher.assert_follows(&world, account).await;
    assert_eq!(world.count(&shop, "Products").await, 1);
    // The same rows in another order lead from the SKU to the other item.
    let url = world
        .feeds
        .serve("/g", [Answer::ok(products(&[("2", Some("same")), ("1", Some("same"))]).to_string())]);
    world.feed(&shop, &url).await;
    world.delta(&shop, json!({"DeleteProducts": ["same"]})).await;
    world.run_all_jobs().await;
    watcher.assert_follows(&world, account).await;
    assert_eq!(world.count(&shop, "Products").await, watcher.items.len() as i64);
}

async fn a_removal_goes_by_the_sku_that_is_shown(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &products(&[("1", Some("old")), ("2", Some("other"))])).await;
    world.apply_delta(&shop, json!({"Products": [product("1", Some("new"))]})).await;
    world.apply_delta(&shop, json!({"DeleteProducts": ["old"]})).await;
    assert!(is_shown(&world, &shop, "1").await, "nothing that is shown has this SKU");
    assert!(!is_shown(&world, &shop, "old").await);
    world.apply_delta(&shop, json!({"DeleteProducts": ["new"]})).await;
    assert!(!is_shown(&world, &shop, "1").await);
    assert_eq!(world.count(&shop, "Products").await, 1);
}

async fn count_held(world: &World) -> i64 {
    let row = world.node().store.read(|tx| tx.row(&HELD, args![])).await;
    let row = row.map_err(|fault: StoreFault| fault).expect("a row").expect("a count");
    row.int("counted").expect("a number")
}

async fn a_status_is_final_only_when_everything_derived_shows_it(mut world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &products(&[("1", None)])).await;
    assert_eq!(world.count(&shop, "Products").await, 1);
    plant_refusal(&world, &REFUSE_END).await;
    let first =
        world.delta(&shop, json!({"Products": [product("2", None)], "Users": [{"UserId": "7"}]})).await;
    let second = world.delta(&shop, json!({"Products": [{"Id": "3"}, {"Title": "bad"}]})).await;
    work_thrice(&world).await;
    for token in [&first, &second] {
        assert_eq!(
            world.delta_status(&shop, token).await,
            json!([0, null]),
            "nothing is told before the end"
        );
    }
    assert!(is_shown(&world, &shop, "2").await, "and yet it is shown");
    assert_eq!(count_held(&world).await, 2, "what was sent is not needed any more");
    world.crash().await;
    remove_refusal(&world).await;
    world.run_all_jobs().await;
    assert_eq!(world.delta_status(&shop, &first).await, json!([1, null]));
    let status = world.delta_status(&shop, &second).await;
    assert_eq!(status[0], 2);
    assert!(status[1].as_str().is_some_and(|why| why.starts_with("1 bad rows")), "{status}");
    assert_eq!((world.count(&shop, "Products").await, world.subjects(&shop).await), (3, 1));
}

async fn a_published_feed_is_not_read_again_after_a_crash(mut world: World) {
    let shop = world.shop("one").await;
    let url =
        world.feeds.serve("/f", [Answer::ok(products(&[("1", None)]).to_string()), Answer::status(410)]);
    let token = world.feed(&shop, &url).await;
    plant_refusal(&world, &REFUSE_END).await;
    work_thrice(&world).await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Processing", null]));
    assert!(is_shown(&world, &shop, "1").await);
    assert_eq!(count_held(&world).await, 1);
    world.crash().await;
    remove_refusal(&world).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, &token).await, json!(["Complete", null]));
    assert_eq!((world.count(&shop, "Products").await, world.feeds.requests_of("/f").len()), (1, 1));
}

async fn going_back_is_not_done_again_after_a_crash(mut world: World) {
    let shop = world.shop("one").await;
    let account = find_account(&world, &shop).await;
    for (path, id) in [("/f", "1"), ("/g", "2")] {
        world.complete_feed(&shop, path, &products(&[(id, None)])).await;
    }
    let listed = world.ask_json(&shop, "/api/snapshots", json!({"Section": "Products"})).await;
    let oldest = &listed.as_array().and_then(|listed| listed.last()).expect("a snapshot")["Number"];
    let body = json!({"Section": "Products", "Number": oldest});
    assert_eq!(world.ask(&shop, "/api/snapshots/back", body).await.status, 200);
    plant_refusal(&world, &REFUSE_END).await;
    work_thrice(&world).await;
    assert!(is_shown(&world, &shop, "1").await);
    let mut watcher = Watcher::default();
    watcher.assert_follows(&world, account).await;
    world.crash().await;
    remove_refusal(&world).await;
    let published = watcher.position.clone();
    world.run_all_jobs().await;
    watcher.assert_follows(&world, account).await;
    assert_eq!(watcher.position, published);
    assert_eq!(world.ask_json(&shop, "/api/submissions", json!({})).await[0]["Status"], "Complete");
}

/// Number of times that a list was rebuilt.
async fn rebuilds(world: &World) -> u64 {
    let text = world.get("/metrics").await.text;
    let line =
        text.lines().find_map(|line| line.strip_prefix("lethe_derived_rebuilds_total{name=\"listing\"} "));
    line.map_or(0, |count| count.parse().expect("a count"))
}

async fn what_a_follower_needs_is_swept_after_it_has_passed(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &products(&[("1", None), ("2", None)])).await;
    assert_eq!(world.count(&shop, "Products").await, 2);
    let before = rebuilds(&world).await;
    for feed in ["/f", "/g"] {
        world.apply_delta(&shop, json!({"DeleteProducts": ["1"], "Products": [product("3", None)]})).await;
        world.complete_feed(&shop, feed, &products(&[("1", None), (feed, None)])).await;
        assert_eq!(world.count(&shop, "Products").await, 2);
    }
    assert_eq!(rebuilds(&world).await, before, "the list followed");
}

/// A reader who looks at the list of an account until told to stop.
struct Looking {
    stop: std::sync::mpsc::Sender<()>,
    looking: tokio::task::JoinHandle<()>,
}

impl Looking {
    async fn begin(world: &World, account: AccountId) -> Self {
        let (stop, stopped) = std::sync::mpsc::channel();
        let (begun, begins) = tokio::sync::oneshot::channel();
        let node = world.node().clone();
        let runtime = tokio::runtime::Handle::current();
        let looking = tokio::task::spawn_blocking(move || {
            let look = node.derived.listing().with_list(account, |_| {
                begun.send(()).expect("the test waits");
                stopped.recv().expect("the test goes on");
            });
            runtime.block_on(look).expect("a list");
        });
        begins.await.expect("the list is looked at");
        Self { stop, looking }
    }

    async fn end(self) {
        self.stop.send(()).expect("somebody looks");
        self.looking.await.expect("it ends");
    }
}

/// A change slower than ten seconds is not waited for, and goes on by itself.
#[test]
fn an_end_waits_for_ten_seconds_at_most() {
    on_sqlite(async |world: World| {
        let shop = world.shop("one").await;
        let account = find_account(&world, &shop).await;
        let looking = Looking::begin(&world, account).await;
        let token = world.delta(&shop, json!({"Products": [product("1", None)]})).await;
        let began = std::time::Instant::now();
        world.run_jobs(Lane::DELTA).await;
        assert!((9..15).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
        assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
        assert_eq!(world.get("/ready").await.status, 503, "it is still behind");
        looking.end().await;
        assert_eq!(world.count(&shop, "Products").await, 1);
    });
}

async fn an_end_waits_for_a_list_that_is_behind(world: World) {
    let shop = world.shop("one").await;
    let account = find_account(&world, &shop).await;
    world.complete_feed(&shop, "/f", &products(&[("1", None)])).await;
    assert_eq!(world.get("/ready").await.status, 200);
    let token = world.delta(&shop, json!({"Products": [product("2", None)]})).await;
    let looking = Looking::begin(&world, account).await;
    let node = world.node().clone();
    let working = tokio::spawn(async move {
        lethe::work::run_due(&node, Lane::DELTA, &tokio_util::sync::CancellationToken::new()).await
    });
    while !is_shown(&world, &shop, "2").await {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.get("/ready").await.status, 503, "it waits a little for what is behind");
    assert_eq!(world.delta_status(&shop, &token).await, json!([0, null]));
    looking.end().await;
    working.await.expect("it ends").expect("a job");
    assert_eq!(world.delta_status(&shop, &token).await, json!([1, null]));
    assert_eq!(world.get("/ready").await.status, 200);
}

async fn an_erasure_waits_for_what_is_published_and_not_for_who_follows(world: World) {
    let shop = world.shop("one").await;
    plant_refusal(&world, &REFUSE_END).await;
    world.delta(&shop, json!({"Users": [{"UserId": "7", "Email": "ada@shop.test"}]})).await;
    work_thrice(&world).await;
    let reply = world.ask(&shop, "/api/user/forget", json!({"Identifier": "ada@shop.test"})).await;
    let id = reply.header("x-erasure-id").to_owned();
    work_thrice(&world).await;
    let shown = world.ask_json(&shop, "/api/erasure", json!({"Erasure": id})).await;
    assert_eq!(shown["State"], "verified", "{shown}");
    remove_refusal(&world).await;
    world.run_all_jobs().await;
}

async fn a_position_is_good_after_a_restart_and_not_after_a_restore(mut world: World) {
    let shop = world.shop("one").await;
    let account = find_account(&world, &shop).await;
    world.complete_feed(&shop, "/f", &products(&[("1", None), ("2", None)])).await;
    let backup = back_up(&world, "backup").await;
    world.apply_delta(&shop, json!({"Products": [product("3", None)]})).await;
    let mut watcher = Watcher::default();
    watcher.assert_follows(&world, account).await;
    world.restart().await;
    watcher.assert_follows(&world, account).await;
    assert_eq!(watcher.rebuilds, 1);
    stop_and_restore(&mut world, &backup, "restored").await;
    // At the same place of the other history something else happens.
    world.apply_delta(&shop, json!({"Products": [product("4", None)]})).await;
    watcher.assert_follows(&world, account).await;
    assert_eq!(watcher.rebuilds, 2);
}

async fn the_catalogue_is_paged_in_the_order_of_the_ids(world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/f", &products(&[("b", None), ("d", None), ("a", None)])).await;
    world.apply_delta(&shop, json!({"Products": [product("c", None)], "DeleteProducts": ["d"]})).await;
    let mut ids = Vec::new();
    let mut asked = json!({"Limit": 2});
    loop {
        let page = world.ask_json(&shop, "/api/catalogue", asked.clone()).await;
        assert_eq!(page["Counts"]["Products"], 3);
        ids.extend(page["Items"].as_array().expect("items").iter().map(|item| item["Id"].clone()));
        asked["From"] = page["Next"].clone();
        if asked["From"].is_null() {
            break;
        }
    }
    assert_eq!(ids, ["a", "b", "c"]);
    let page = world.ask_json(&shop, "/api/catalogue", json!({"Limit": 0})).await;
    assert_eq!((page["Items"].as_array().map(Vec::len), &page["Next"]), (Some(0), &Value::Null));
    // More than one page of changes has.
    world.apply_delta(&shop, many(700, "large")).await;
    assert_eq!(world.count(&shop, "Products").await, 703);
}
