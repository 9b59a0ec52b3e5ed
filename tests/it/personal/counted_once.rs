//! Reports count each event once, however often it was sent, and no person who leaves meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use lethe::ids::AccountId;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events};
use crate::support::plugin::view_event;
use crate::support::reports::{await_page, call_server, fetch_report, rows_by_subject};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    what_is_told_again_for_want_of_an_answer_counts_once
    each_line_of_each_order_counts_where_its_product_was_clicked
    a_report_is_not_told_while_people_leave
}

async fn what_is_told_again_for_want_of_an_answer_counts_once(world: World) {
    let shop = open_shop(&world, 3).await;
    let told = async |tries: usize| {
        for number in 0..5 {
            let visitor = format!("browser-{number}");
            let page =
                json!({"events": [view_event("p1")], "zones": ["HP-01"], "search": {"query": "thing"}});
            let answer = await_page(&world, &shop, &visitor, page).await;
            let click = |source: &Value| json!({"name": "item_click", "data": {"id": "p1", "refid": source}});
            let clicks =
                [&answer["search"]["refId"], &answer["zones"]["HP-01"]["items"][0]["RefId"]].map(click);
            // The server noted the search itself already.
            let search = json!({"name": "search", "data": {"query": "Thing", "found": 3}});
            let events = json!([search, clicks[0], clicks[1]]);
            for _ in 0..tries {
                let told = json!({"visitorId": visitor, "zones": ["HP-01"], "events": events});
                let told = call_server(&world, &shop, told).await;
                assert_eq!(told.get("errors"), None);
                // As long as the script waits.
                world.clock.advance(Duration::from_secs(5));
            }
        }
        let zones = rows_by_subject(&fetch_report(&world, &shop, "zones").await)["HP-01/for_you/"];
        [zones, rows_by_subject(&fetch_report(&world, &shop, "search").await)["thing"]]
            .map(|row| [row[0], row[1], row[2]])
    };
    assert_eq!(told(3).await, [[5.0; 3]; 2]);
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(told(1).await, [[5.0, 10.0, 10.0]; 2]);
}

/// Orders name products by their numbers, clicks by their ids.
async fn each_line_of_each_order_counts_where_its_product_was_clicked(world: World) {
    let shop = open_shop(&world, 3).await;
    for number in 0..5 {
        let event = |name: &str| json!({"Name": name, "UserId": format!("u{number}")});
        let click = |product: &str, zone: &str| {
            let mut click = event("item_click");
            click["Product"] = product.into();
            click["RefId"] = format!("z.{zone}.for_you.").into();
            click
        };
        let order = |id: &str, lines: &[(&str, u64)]| {
            let line = |(product, price): &(&str, u64)| json!({"Product": product, "Quantity": 1, "UnitPrice": price});
            let mut order = event("order");
            order["Order"] = format!("{id}-{number}").into();
            order["Items"] = lines.iter().map(line).collect();
            order
        };
        let events = [
            click("p1", "HP-01"),
            click("p2", "HP-02"),
            order("first", &[("no-3", 90), ("no-1", 5), ("no-2", 7)]),
            order("second", &[("v1", 1)]),
        ];
        post_events(&world, &shop, &events).await;
    }
    let rest = &fetch_report(&world, &shop, "zones").await["Rest"];
    // Nobody saw a zone. An order with products from two of them is an order of each.
    assert_eq!((&rest["Orders"], &rest["Revenue"]), (&json!(15), &json!(65.0)), "{rest}");
}

async fn a_report_is_not_told_while_people_leave(world: World) {
    let shop = open_shop(&world, 1).await;
    let other = world.shop("two").await;
    let asked = || world.ask(&shop, "/api/report", json!({"Report": "zones"}));
    assert_eq!(asked().await.status, 200);
    let node = world.node().clone();
    let is_over = Arc::new(AtomicBool::default());
    let is_end = is_over.clone();
    let leaving = tokio::task::spawn_blocking(move || {
        while !is_end.load(Ordering::SeqCst) {
            let _ = node.derived.forget(AccountId(1), &[[7; 16]]).now_or_never();
        }
    });
    // Nothing is stored, so a count may be over before a person leaves.
    let mut tries = 0..1_000;
    let is_refused = loop {
        let Some(_) = tries.next() else { break false };
        if asked().await.status == 503 {
            break true;
        }
    };
    let of_other = world.ask(&other, "/api/report", json!({"Report": "zones"})).await;
    is_over.store(true, Ordering::SeqCst);
    leaving.await.expect("it ends");
    assert!(is_refused);
    assert_eq!(of_other.status, 200, "nobody leaves the other shop");
    assert_eq!(asked().await.status, 200);
}
