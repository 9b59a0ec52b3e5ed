//! Numbers of feeds and deltas for people: each kind counts on its own, and no number is given twice.

use std::time::Duration;

use lethe::limits;
use lethe::work::end_what_is_kept;
use serde_json::{Value, json};

use crate::support::uploads::send_feed;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    feeds_and_deltas_are_numbered_on_their_own
    a_number_is_given_once_whatever_becomes_of_its_submission
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn products(title: &str) -> Value {
    json!({"Products": [{"Id": "1", "Title": title, "Prices": ["5 GBP"]}]})
}

/// Kind and number of an account's submissions, the oldest first.
async fn list_numbers(world: &World, shop: &Shop) -> Vec<String> {
    let listed = world.ask_json(shop, "/api/submissions", json!({})).await;
    let listed = listed.as_array().expect("a list").iter().rev();
    let named = listed.map(|one| format!("{} {}", one["Kind"].as_str().expect("a kind"), one["KindNumber"]));
    named.collect()
}

async fn feeds_and_deltas_are_numbered_on_their_own(world: World) {
    let shop = world.shop("one").await;
    let other = world.shop("other").await;
    world.complete_feed(&shop, "/a", &products("A")).await;
    world.forget(&shop, "userid:nobody").await;
    world.apply_delta(&shop, products("B")).await;
    world.delta(&other, json!({})).await;
    let token = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
    for _ in 0..2 {
        // Sent again it is the same delta.
        world.delta(&shop, json!({"DeleteProducts": ["9"], "Token": token})).await;
    }
    send_feed(&world, &shop, "brand-1", &[r#"{"Brands":[{"Id":"b","#, r#""DisplayName":"B"}]}"#]).await;
    world.run_all_jobs().await;
    let snapshots = world.ask_json(&shop, "/api/snapshots", json!({})).await;
    let first = snapshots.as_array().expect("a list").iter().find(|kept| kept["Section"] == "Products");
    let first = first.expect("a snapshot").clone();
    let back = world.ask(&shop, "/api/snapshots/back", json!({"Number": first["Number"]})).await;
    assert_eq!((back.status, &first["KindNumber"]), (200, &json!(1)), "{}", back.text);
    world.run_all_jobs().await;
    let expected = ["feed 1", "delta 1", "delta 2", "feed 2", "feed 3"];
    assert_eq!(list_numbers(&world, &shop).await, expected);
    assert_eq!(list_numbers(&world, &other).await, ["delta 1"]);

    let newest = world.ask_json(&shop, "/api/submissions", json!({"Kind": "feed"})).await[0].clone();
    assert_eq!(newest["Source"], "Products of feed 1");
    let item = world.ask_json(&shop, "/api/product", json!({"Id": "1"})).await;
    assert_eq!((&item["FeedNumber"], &item["DeltaNumber"]), (&json!(1), &json!(1)), "{item}");
    let why = world.ask_json(&shop, "/api/product/why", json!({"Id": "1"})).await;
    let timeline = why["Timeline"].as_array().expect("a timeline").iter();
    let touched: Vec<_> = timeline.map(|one| (one["Kind"].clone(), one["KindNumber"].clone())).collect();
    assert_eq!(touched, [(json!("delta"), json!(1)), (json!("feed"), json!(1))]);
    let issues = world.ask_json(&shop, "/api/issues", json!({"Token": token})).await;
    assert_eq!((&issues["Kind"], &issues["KindNumber"]), (&json!("delta"), &json!(2)));
}

async fn a_number_is_given_once_whatever_becomes_of_its_submission(mut world: World) {
    let shop = world.shop("one").await;
    world.complete_feed(&shop, "/a", &products("A")).await;
    world.apply_delta(&shop, products("B")).await;
    world.clock.advance(limits::STATUS_KEPT_DURATION + DAY);
    end_what_is_kept(world.node()).await;
    assert_eq!(list_numbers(&world, &shop).await, [""; 0], "their statuses are gone");
    // The snapshot keeps the number of its feed; that of the delta is told no more.
    let item = world.ask_json(&shop, "/api/product", json!({"Id": "1"})).await;
    assert_eq!((&item["FeedNumber"], &item["DeltaNumber"]), (&json!(1), &Value::Null), "{item}");
    world.restart().await;
    world.delta(&shop, json!({})).await;
    world.complete_feed(&shop, "/b", &products("C")).await;
    assert_eq!(list_numbers(&world, &shop).await, ["delta 2", "feed 2"]);
}
