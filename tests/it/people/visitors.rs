//! Floods of people: new visitors within a limit, and the end of their data in units of some rows.

use std::time::Duration;

use lethe::args;
use lethe::clock::day_of;
use lethe::ids::AccountId;
use lethe::keys::SlotNumber;
use lethe::limits;
use lethe::people::retention;
use lethe::store::{Statement, StoreFault};
use serde_json::{Value, json};

use crate::support::events::{count_events, open_shop, post_events, post_view};
use crate::support::world::{World, on_both_engines, statement};

on_both_engines! {
    new_visitors_beyond_the_limit_are_left_out_until_later
    who_is_known_waits_for_no_key
    somebody_whose_key_was_lost_is_in_no_model
    somebody_whose_key_was_lost_goes_in_units_of_some_rows
    many_visitors_go_in_units_of_some_rows
}

fn view(who: &str, id: &str) -> Value {
    json!({"Name": "product_view", "Product": "p1", who: id})
}

fn visitors(numbers: std::ops::Range<usize>) -> Vec<Value> {
    numbers.map(|number| view("VisitorId", &format!("5f2b8c1e77aa{number:04}"))).collect()
}

fn is_taken(taken: &Value) -> bool {
    taken["SessionId"].is_string()
}

async fn destroy_all_keys(world: &World) {
    const SLOTS: Statement = statement("slots", "SELECT slot FROM subject");
    let rows = world.node().store.read(|tx| tx.run(&SLOTS, args![])).await;
    let rows = rows.map_err(|fault: StoreFault| fault).expect("slots");
    let slots: Vec<_> =
        rows.iter().filter_map(|row| SlotNumber::from_row(row.int("slot").expect("a slot"))).collect();
    world.node().keys.destroy(&slots).expect("destroyed");
}

async fn new_visitors_beyond_the_limit_are_left_out_until_later(world: World) {
    let shop = open_shop(&world, 1).await;
    let stroke = limits::NEW_VISITORS_AT_A_STROKE as usize;
    for first in (0..stroke).step_by(limits::EVENTS_OF_REQUEST) {
        let taken = post_events(&world, &shop, &visitors(first..first + limits::EVENTS_OF_REQUEST)).await;
        assert!(taken.iter().all(is_taken), "from {first} on");
    }
    let mut events = visitors(stroke..stroke + 2);
    events.extend(visitors(stroke..stroke + 1));
    events.extend(visitors(0..1));
    events.extend([view("UserId", "anna"), view("Email", "berta@shop.test"), view("AccountId", "acme")]);
    let answer = world.ask_json(&shop, "/api/events", json!({"Events": events})).await;
    assert_eq!(answer["Accepted"], 4);
    let later = json!({"LeftOut": lethe::api::events::LATER});
    let taken = answer["Events"].as_array().expect("a list");
    assert_eq!(taken[..3], [later.clone(), later.clone(), later], "{taken:?}");
    assert!(
        taken[3..].iter().all(is_taken),
        "who is known, or has an id or an address, has no limit: {taken:?}"
    );
    assert_eq!(count_events(&world).await, stroke as i64 + 4);
    // A second later some more are taken: in the order in which they stand.
    world.clock.advance(Duration::from_secs(1));
    let second = limits::NEW_VISITORS_PER_SECOND as usize;
    let taken = post_events(&world, &shop, &visitors(stroke..stroke + 2 * second)).await;
    let taken: Vec<_> = taken.iter().map(is_taken).collect();
    assert_eq!(taken, [vec![true; second], vec![false; second]].concat());
}

async fn who_is_known_waits_for_no_key(world: World) {
    let shop = open_shop(&world, 1).await;
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    let others = world
        .node()
        .keys
        .reserve_slots(limits::KEY_POOL_SLOTS / 2)
        .await
        .expect("all that is not for requests");
    let known = post_view(&world, &shop, json!({"UserId": "anna"}), "p1");
    let known = tokio::time::timeout(limits::KEY_POOL_WAIT_DURATION / 2, known).await;
    known.expect("who is known needs no key");
    // A new visitor waits for one.
    let new = post_view(&world, &shop, json!({"UserId": "berta"}), "p1");
    let freeing = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(count_events(&world).await, 2);
        drop(others);
    };
    tokio::join!(new, freeing);
    assert_eq!(count_events(&world).await, 3);
}

async fn somebody_whose_key_was_lost_is_in_no_model(world: World) {
    let shop = open_shop(&world, 2).await;
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    post_view(&world, &shop, json!({"UserId": "anna"}), "p2").await;
    destroy_all_keys(&world).await;
    let people = async || {
        let comparing = world.node().derived.models().compare_with_rebuilt(AccountId(1), |live, anew| {
            (live.people(), live.canonical() == anew.canonical())
        });
        comparing.await.expect("a model").0
    };
    post_view(&world, &shop, json!({"UserId": "berta"}), "p1").await;
    assert_eq!(people().await, (1, true));
    post_view(&world, &shop, json!({"UserId": "clara"}), "p1").await;
    assert_eq!(people().await, (2, true));
    destroy_all_keys(&world).await;
    // By an event, and by a profile.
    post_view(&world, &shop, json!({"UserId": "berta"}), "p2").await;
    world.apply_delta(&shop, json!({"Users": [{"UserId": "clara"}]})).await;
    assert_eq!(people().await, (1, true));
}

async fn somebody_whose_key_was_lost_goes_in_units_of_some_rows(world: World) {
    let shop = open_shop(&world, 1).await;
    for _ in 0..3 {
        let taken =
            post_events(&world, &shop, &vec![view("UserId", "anna"); limits::EVENTS_OF_REQUEST]).await;
        assert!(taken.iter().all(is_taken));
    }
    post_view(&world, &shop, json!({"UserId": "berta"}), "p1").await;
    destroy_all_keys(&world).await;
    let events = [view("UserId", "anna"), view("UserId", "berta"), view("UserId", "anna")];
    let taken = post_events(&world, &shop, &events).await;
    assert_eq!(taken[0], taken[2], "{taken:?}");
    let left = 3 * limits::EVENTS_OF_REQUEST - limits::UNIT_ROWS;
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (left as i64 + 4, 2));
    lethe::work::retention::end(world.node()).await.expect("the rest goes");
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (3, 2));
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    assert_eq!(count_events(&world).await, 4);
}

async fn many_visitors_go_in_units_of_some_rows(world: World) {
    let shop = open_shop(&world, 1).await;
    let count = limits::EVENTS_OF_REQUEST;
    post_events(&world, &shop, &visitors(0..count)).await;
    world.clock.advance(limits::VISITS_KEPT_DURATION + Duration::from_secs(24 * 60 * 60));
    let today = day_of(world.clock.now());
    let unit = world.node().store.write(AccountId(1), move |tx| {
        let ended = retention::list_expired(tx, today)?;
        retention::end(tx, AccountId(1), &ended)
    });
    let freed = unit.await.map_err(|fault: StoreFault| fault).expect("it goes").len();
    let left = count_events(&world).await as usize;
    // For each a record, an identifier and the subject.
    assert!(freed > 0 && 3 * freed <= limits::UNIT_ROWS && freed + left == count, "{freed}, {left}");
    lethe::work::retention::end(world.node()).await.expect("the rest goes");
    assert_eq!((count_events(&world).await, world.subjects(&shop).await), (0, 0));
}
