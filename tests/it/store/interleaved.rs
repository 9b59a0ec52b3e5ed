//! Interruptions between two transactions of one operation: another call, or the end of the process.

use std::pin::pin;
use std::sync::Arc;

use lethe::args;
use lethe::jobs::{self, Lane, Lease};
use lethe::store::{Statement, StoreFault};
use serde_json::{Value, json};

use crate::support::feed_server::Answer;
use crate::support::steps;
use crate::support::uploads::{post_piece, send_feed};
use crate::support::world::{World, on_both_engines, statement};

on_both_engines! {
    an_erasure_in_slices_keeps_the_way_to_the_rest_until_the_rest_is_gone
    what_a_feed_has_cut_off_stays_away_also_when_nothing_was_swept
    a_piece_that_was_sealed_for_an_upload_begun_anew_is_refused
    who_asked_to_be_forgotten_is_kept_out_also_under_what_the_request_did_not_name
}

const RECORDS: Statement = statement("records", "SELECT count(*) AS counted FROM record");
const ORDER_NUMBERS: Statement = statement("order_numbers", "SELECT count(*) AS counted FROM order_known");
const IDENTIFIERS: Statement = statement("identifiers", "SELECT count(*) AS counted FROM identifier");
const SUBJECTS: Statement = statement("subjects", "SELECT count(*) AS counted FROM subject");
const CHANGES: Statement = statement("changes", "SELECT count(*) AS counted FROM change");

async fn count(world: &World, statement: &'static Statement) -> i64 {
    let counting =
        world.node().store.read(|tx| tx.row(statement, args![])?.map_or(Ok(-1), |row| row.int("counted")));
    counting.await.map_err(|fault: StoreFault| fault).expect("a count")
}

async fn claim_job(world: &World, lane: Lane) -> Arc<Lease> {
    let lease = jobs::claim(&world.node().store, lane, "a test", world.clock.now(), None).await;
    Arc::new(lease.expect("a claim").expect("a job"))
}

/// Stored data of people: records and order numbers, and then the identifiers that lead to them.
async fn count_stored(world: &World) -> (i64, i64) {
    let rest = count(world, &RECORDS).await + count(world, &ORDER_NUMBERS).await;
    (rest, count(world, &IDENTIFIERS).await + count(world, &SUBJECTS).await)
}

/// More than a unit of work deletes; the process ends after each slice.
async fn an_erasure_in_slices_keeps_the_way_to_the_rest_until_the_rest_is_gone(mut world: World) {
    let shop = world.shop("one").await;
    let mut file = "OrderId,UserId,Email,DateTime,ProdCode\n".to_owned();
    for n in 0..700 {
        file += &format!("o-{n},7,ada-canary@shop.test,2026-11-01 10:00:00,p1\n");
    }
    send_feed(&world, &shop, "orders-1", &[&file, ""]).await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": "ada-canary@shop.test"}]})).await;
    assert_eq!(count_stored(&world).await, (1401, 3));
    let reply = world.ask(&shop, "/api/user/forget", json!({"Identifier": "ada-canary@shop.test"})).await;
    let erasure = reply.header("x-erasure-id").to_owned();
    let mut slices = 0;
    while count_stored(&world).await != (0, 0) {
        let lease = claim_job(&world, Lane::ERASE).await;
        let before = count_stored(&world).await;
        let mut held = steps::hold_writer(&world.node().store).await;
        let node = world.node().clone();
        let mut job = Box::pin(lethe::work::erasure::run(&node, &lease));
        while count_stored(&world).await == before {
            assert!(held.drive_until_waiting(1, &mut job).await.is_none(), "it ended with {before:?}");
            held.commit_waiting().await;
        }
        drop(job);
        drop(held);
        drop(node);
        world.crash().await;
        slices += 1;
        let (rest, way) = count_stored(&world).await;
        assert!(rest == 0 || way == 3, "{rest} rows are left, and {way} that lead to them");
    }
    assert!(slices >= 3, "{slices}");
    world.run_all_jobs().await;
    let shown = world.ask_json(&shop, "/api/erasure", json!({"Erasure": erasure})).await;
    assert_eq!(shown["State"], "verified", "{shown}");
    let removed = |place: &str| -> Value {
        let places = shown["Places"].as_array().expect("places");
        places.iter().find(|shown| shown["Name"] == place).expect("the place")["Removed"].clone()
    };
    assert_eq!((removed("records"), removed("order-numbers")), (json!(701), json!(700)));
}

async fn what_a_feed_has_cut_off_stays_away_also_when_nothing_was_swept(mut world: World) {
    let shop = world.shop("one").await;
    post_piece(&world, &shop, "/feed-create", "product-1", Some(br#"{"Products":["#)).await;
    world.apply_delta(&shop, json!({"Products": [{"Id": "a", "Title": "delta"}]})).await;
    let url = world.feeds.serve("/f", [Answer::ok(r#"{"Products":[{"Id":"9","Title":"url"}]}"#)]);
    let token = world.feed(&shop, &url).await;
    let lease = claim_job(&world, Lane::FETCH).await;
    let mut held = steps::hold_writer(&world.node().store).await;
    let node = world.node().clone();
    let mut job = Box::pin(lethe::work::feed::run(&node, &lease));
    while world.feed_status(&shop, &token).await[0] == "Processing" {
        assert!(held.drive_until_waiting(1, &mut job).await.is_none(), "it ended");
        held.commit_waiting().await;
    }
    // The process ends between the switch and the sweep.
    drop(job);
    drop(held);
    drop(node);
    world.crash().await;
    assert_eq!(count(&world, &CHANGES).await, 1, "what the feed replaced is still there");
    assert_eq!(world.item(&shop, "Products", "a").await, Value::Null);
    world.apply_delta(&shop, json!({"Products": [{"Id": "b", "Title": "delta"}]})).await;
    // The upload was begun before that delta, but the feed in between has cut it off.
    let close =
        post_piece(&world, &shop, "/feed-close", "product-1", Some(br#"{"Id":"1","Title":"upload"}]}"#))
            .await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, close.header("x-feed-token")).await, json!(["Complete", null]));
    assert_eq!(world.item(&shop, "Products", "a").await, Value::Null);
    assert_eq!(
        (world.title(&shop, "1").await, world.title(&shop, "b").await),
        (json!("upload"), json!("delta"))
    );
    assert_eq!(world.count(&shop, "Products").await, 2);
}

async fn a_piece_that_was_sealed_for_an_upload_begun_anew_is_refused(world: World) {
    let shop = world.shop("one").await;
    post_piece(&world, &shop, "/feed-create", "product-1", Some(br#"{"Products":[{"Id":"old"}"#)).await;
    let mut held = steps::hold_writer(&world.node().store).await;
    // The upload begins again while a piece of the old one is on its way.
    let mut begun = pin!(post_piece(&world, &shop, "/feed-create", "product-1", Some(br#"{"Products":["#)));
    assert!(held.drive_until_waiting(1, &mut begun).await.is_none());
    let mut late = pin!(post_piece(&world, &shop, "/feed-append", "product-1", Some(br#",{"Id":"late"}"#)));
    assert!(held.drive_until_waiting(2, &mut late).await.is_none());
    held.release_one_writer();
    assert_eq!(begun.await.status, 200);
    late.await.expect_refusal(409);
    drop(held);
    let piece = br#"{"Id":"new"}"#;
    assert_eq!(post_piece(&world, &shop, "/feed-append", "product-1", Some(piece)).await.status, 200);
    let close = post_piece(&world, &shop, "/feed-close", "product-1", Some(b"]}")).await;
    world.run_all_jobs().await;
    assert_eq!(world.feed_status(&shop, close.header("x-feed-token")).await, json!(["Complete", null]));
    assert_eq!(world.count(&shop, "Products").await, 1);
    assert_eq!(world.item(&shop, "Products", "new").await["Id"], "new");
}

/// Every record of a person, as it is stored.
async fn list_sealed_records(world: &World) -> Vec<Vec<u8>> {
    const SEALED: Statement = statement("sealed", "SELECT sealed FROM record ORDER BY subject_id, kind, n");
    let reading = world.node().store.read(|tx| {
        let rows = tx.run(&SEALED, args![])?;
        rows.iter().map(|row| Ok(row.blob("sealed")?.to_vec())).collect::<Result<_, StoreFault>>()
    });
    reading.await.expect("records")
}

async fn who_asked_to_be_forgotten_is_kept_out_also_under_what_the_request_did_not_name(world: World) {
    let shop = world.shop("one").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "7", "Email": "ada-canary@shop.test"}]})).await;
    let before = list_sealed_records(&world).await;
    assert_eq!(before.len(), 1);
    // Accepted, and no more: the next step has not begun.
    world.forget(&shop, "ada-canary@shop.test").await;
    world.delta(&shop, json!({"Users": [{"UserId": "7", "FirstName": "Later"}]})).await;
    assert_eq!(world.run_jobs(Lane::DELTA).await, 1);
    let file = "OrderId,UserId,Email,DateTime,ProdCode\no-1,7,,2026-11-01 10:00:00,p1\n";
    send_feed(&world, &shop, "orders-1", &[file, ""]).await;
    assert_eq!(world.run_jobs(Lane::FEED).await, 1);
    assert_eq!(list_sealed_records(&world).await, before);
    let text = world.get("/metrics").await.text;
    assert!(text.contains("lethe_rows_kept_out_total{account=\"one\"} 2"), "{text}");
    world.run_all_jobs().await;
    assert_eq!((world.subjects(&shop).await, list_sealed_records(&world).await.len()), (0, 0));
}
