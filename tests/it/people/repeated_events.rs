//! Requests with events that are sent again, because their sender saw no answer.

use std::time::Duration;

use lethe::args;
use lethe::clock::day_of;
use lethe::limits;
use lethe::store::{Owner, Statement, StoreFault};
use lethe::work::retention;
use serde_json::{Value, json};

use crate::support::events::{count_events, open_shop};
use crate::support::refusals::{plant_refusal, remove_refusal};
use crate::support::residue::assert_nothing;
use crate::support::world::{Shop, World, on_both_engines, statement};

on_both_engines! {
    a_request_with_a_key_counts_once
    a_request_with_a_key_is_stored_as_a_whole
    a_key_is_known_for_a_day_and_then_gone
    more_keys_than_one_unit_has_go_on_their_day
    keys_that_cannot_be_removed_are_a_fault_and_go_later
    a_key_is_readable_nowhere_and_one_that_is_too_long_is_refused
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn send_order_events(world: &World, shop: &Shop, key: &str, users: &[&str]) -> Value {
    let event = |user: &&str| json!({"Name": "product_view", "Product": "p1", "UserId": user});
    let events: Vec<_> = users.iter().map(event).collect();
    world.ask_json(shop, "/api/events", json!({"Events": events, "IdempotencyKey": key})).await
}

async fn keys(world: &World) -> i64 {
    const KEYS: Statement = statement("keys of requests", "SELECT count(*) AS counted FROM event_request");
    let row = world.node().store.read(|tx| tx.row(&KEYS, args![])).await;
    row.map_err(|fault: StoreFault| fault).expect("a row").expect("a row").int("counted").expect("a count")
}

async fn a_request_with_a_key_counts_once(mut world: World) {
    let shop = open_shop(&world, 1).await;
    let first = send_order_events(&world, &shop, "batch-1", &["anna", "berta"]).await;
    assert_eq!((&first["Accepted"], &first["Repeated"]), (&json!(2), &Value::Null));
    let repeated = json!({"Accepted": 0, "Events": [], "Repeated": true});
    assert_eq!(send_order_events(&world, &shop, "batch-1", &["anna", "berta"]).await, repeated);
    assert_eq!(send_order_events(&world, &shop, "batch-2", &["anna"]).await["Accepted"], 1);
    assert_eq!(send_order_events(&world, &shop, "", &["anna"]).await["Accepted"], 1);
    assert_eq!(send_order_events(&world, &shop, "", &["anna"]).await["Accepted"], 1, "no key is none");
    world.restart().await;
    assert_eq!(send_order_events(&world, &shop, "batch-2", &["anna"]).await, repeated);
    // Many at the same time: one counts.
    let all = (0..8).map(|_| send_order_events(&world, &shop, "batch-3", &["anna"]));
    let all = futures_util::future::join_all(all).await;
    assert_eq!(all.iter().filter(|one| one["Accepted"] == 1).count(), 1, "{all:?}");
    assert_eq!(count_events(&world).await, 6);
    // Another shop has keys of its own.
    let other = world.shop("two").await;
    let product = json!({"Id": "p1", "Title": "Thing", "Prices": ["5.00 GBP"]});
    world.complete_feed(&other, "/two", &json!({"Products": [product]})).await;
    assert_eq!(send_order_events(&world, &other, "batch-1", &["anna"]).await["Accepted"], 1);
}

async fn a_request_with_a_key_is_stored_as_a_whole(world: World) {
    let shop = open_shop(&world, 1).await;
    let visitors = |from: usize, count: usize| -> Vec<Value> {
        let event = |number: usize| json!({"Name": "product_view", "Product": "p1", "VisitorId": format!("5f2b8c1e77aa{number:04}")});
        (from..from + count).map(event).collect()
    };
    let stroke = limits::NEW_VISITORS_AT_A_STROKE as usize;
    for from in (0..stroke - 100).step_by(100) {
        world.ask_json(&shop, "/api/events", json!({"Events": visitors(from, 100)})).await;
    }
    let keyed = json!({"Events": visitors(stroke - 100, 150), "IdempotencyKey": "batch-1"});
    let refused = world.ask(&shop, "/api/events", keyed.clone()).await;
    refused.expect_refusal(503);
    assert_eq!(count_events(&world).await, stroke as i64 - 100);
    world.clock.advance(Duration::from_secs(10));
    assert_eq!(world.ask_json(&shop, "/api/events", keyed.clone()).await["Accepted"], 150);
    assert_eq!(world.ask_json(&shop, "/api/events", keyed).await["Repeated"], true);
}

async fn a_key_is_known_for_a_day_and_then_gone(world: World) {
    let shop = open_shop(&world, 1).await;
    send_order_events(&world, &shop, "batch-1", &["anna"]).await;
    world.clock.advance(DAY);
    send_order_events(&world, &shop, "batch-2", &["anna"]).await;
    retention::end(world.node()).await.expect("it ends");
    assert_eq!(send_order_events(&world, &shop, "batch-1", &["anna"]).await["Repeated"], true);
    world.clock.advance(DAY);
    retention::end(world.node()).await.expect("it ends");
    assert_eq!(keys(&world).await, 1);
    assert_eq!(send_order_events(&world, &shop, "batch-2", &["anna"]).await["Repeated"], true);
    assert_eq!(send_order_events(&world, &shop, "batch-1", &["anna"]).await["Accepted"], 1);
}

async fn more_keys_than_one_unit_has_go_on_their_day(world: World) {
    const PUT: Statement =
        statement("key of a request", "INSERT INTO event_request (account_id, tag, day) VALUES ($1, $2, $3)");
    world.shop("one").await;
    world.shop("two").await;
    let today = day_of(world.clock.now());
    let putting = world.node().store.write(Owner::STORE, move |tx| {
        for n in 0..limits::UNIT_ROWS as u128 + 10 {
            tx.exec(&PUT, args![1 + (n % 2) as i64, n.to_be_bytes().as_slice(), today])?;
        }
        Ok::<_, StoreFault>(())
    });
    putting.await.expect("put");
    world.clock.advance(2 * DAY);
    retention::end(world.node()).await.expect("it ends");
    assert_eq!(keys(&world).await, 0);
}

async fn keys_that_cannot_be_removed_are_a_fault_and_go_later(world: World) {
    const REFUSE: Statement = Statement::new(
        "refuse_keys",
        "CREATE TRIGGER refused BEFORE DELETE ON event_request BEGIN SELECT RAISE(ABORT, 'planted'); END",
        "CREATE TRIGGER refused BEFORE DELETE ON event_request FOR EACH ROW EXECUTE FUNCTION refuse()",
    );
    let shop = open_shop(&world, 1).await;
    send_order_events(&world, &shop, "batch-1", &["anna"]).await;
    world.clock.advance(2 * DAY);
    plant_refusal(&world, &REFUSE).await;
    let ending = tokio::time::timeout(Duration::from_secs(5), retention::end(world.node())).await;
    assert!(ending.expect("it comes to an end").is_err());
    assert_eq!(keys(&world).await, 1);
    remove_refusal(&world).await;
    retention::end(world.node()).await.expect("it ends");
    assert_eq!(keys(&world).await, 0);
}

async fn a_key_is_readable_nowhere_and_one_that_is_too_long_is_refused(world: World) {
    let shop = open_shop(&world, 1).await;
    send_order_events(&world, &shop, "canary-of-a-key@shop.test", &["anna"]).await;
    assert_nothing(&world, &["canary-of-a-key"]).await;
    let body = |key: Value| json!({"Events": [], "IdempotencyKey": key});
    let long = "k".repeat(limits::EVENTS_KEY_BYTES + 1);
    for wrong in [json!(long), json!(["a"]), json!({})] {
        world.ask(&shop, "/api/events", body(wrong)).await.expect_refusal(400);
    }
    assert_eq!(world.ask(&shop, "/api/events", body(json!(&long[1..]))).await.status, 200);
}
