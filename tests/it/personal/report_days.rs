//! The days of reports: reading before the first day, and after the first page of records.

use std::time::Duration;

use lethe::clock::{day_name, day_of};
use lethe::limits;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events};
use crate::support::reports::{call_server, fetch_report, rows_by_subject};
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    what_was_clicked_a_week_before_the_first_day_says_where_it_was_found
    a_report_reads_more_records_than_one_page_has
}

async fn what_was_clicked_a_week_before_the_first_day_says_where_it_was_found(world: World) {
    let shop = open_shop(&world, 3).await;
    let today = || day_of(world.clock.now());
    let days = |count: i64| Duration::from_secs(u64::try_from(count).expect("days") * 24 * 60 * 60);
    // The order is of the first day that is counted together with others, the click of seven days before.
    let first = (today() / limits::REPORT_PERIOD_DAYS + 1) * limits::REPORT_PERIOD_DAYS;
    world.clock.advance(days(first - 7 - today()));
    let of = async |name: &str, data: &dyn Fn(usize) -> Value| {
        for number in 0..5 {
            let who = json!({"name": "customer_details", "data": {"userid": format!("u{number}")}});
            let event = json!({"name": name, "data": data(number)});
            let told = json!({"visitorId": format!("browser-{number}"), "events": [who, event]});
            assert_eq!(call_server(&world, &shop, told).await.get("errors"), None);
        }
    };
    of("item_click", &|_| json!({"id": "p1", "refid": "z.HP-01.for_you."})).await;
    world.clock.advance(days(7));
    of(
        "order",
        &|number| json!({"orderid": format!("o{number}"), "items": [{"id": "p1", "qty": 1, "unitprice": 4}]}),
    )
    .await;
    let day = day_name(first);
    let asked = json!({"Report": "zones", "From": day, "Until": day});
    let told = world.ask_json(&shop, "/api/report", asked).await;
    assert_eq!((&told["Rest"]["Orders"], &told["Rest"]["Revenue"]), (&json!(5), &json!(20.0)), "{told}");
}

async fn a_report_reads_more_records_than_one_page_has(world: World) {
    let shop = open_shop(&world, 1).await;
    let now = world.clock.now();
    let search = |person: i64, number: i64| {
        json!({"Name": "search", "Query": "lamp", "Found": 1, "UserId": format!("u{person}"),
            "At": now - number * 61_000})
    };
    let all: Vec<_> = (0..41).flat_map(|person| (0..25).map(move |number| search(person, number))).collect();
    assert!(all.len() as i64 > limits::REPORT_PAGE_RECORDS);
    for some in all.chunks(limits::EVENTS_OF_REQUEST) {
        post_events(&world, &shop, some).await;
    }
    assert_eq!(rows_by_subject(&fetch_report(&world, &shop, "search").await)["lamp"][..2], [41.0, 1025.0]);
}
