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
    what_was_clicked_after_midnight_of_a_session_of_the_day_before_counts
    a_report_is_of_four_weeks_and_of_as_many_rows_as_asked_for
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

async fn what_was_clicked_after_midnight_of_a_session_of_the_day_before_counts(world: World) {
    const MINUTE: i64 = 60_000;
    let shop = open_shop(&world, 3).await;
    let first = (day_of(world.clock.now()) / limits::REPORT_PERIOD_DAYS + 1) * limits::REPORT_PERIOD_DAYS;
    let midnight = |day: i64| day * 24 * 60 * MINUTE;
    // The session begins on the day before the first that is read.
    let of = async |at: i64, more: Value| {
        world.clock.advance(Duration::from_millis(u64::try_from(at - world.clock.now()).expect("later")));
        let event = |number: usize| {
            let mut event = json!({"UserId": format!("u{number}")});
            more.as_object().expect("an object").iter().for_each(|(name, value)| event[name] = value.clone());
            if event["Name"] == "order" {
                event["Order"] = format!("o{number}").into();
            }
            event
        };
        post_events(&world, &shop, &(0..5).map(event).collect::<Vec<_>>()).await;
    };
    of(midnight(first - 7) - 5 * MINUTE, json!({"Name": "product_view", "Product": "p1"})).await;
    let click = json!({"Name": "item_click", "Product": "p1", "RefId": "z.HP-01.for_you."});
    of(midnight(first - 7) + 5 * MINUTE, click).await;
    let goods = json!([{"Product": "p1", "Quantity": 1, "UnitPrice": 4}]);
    of(midnight(first) + MINUTE, json!({"Name": "order", "Items": goods})).await;
    let asked = json!({"Report": "zones", "From": day_name(first), "Until": day_name(first)});
    let told = world.ask_json(&shop, "/api/report", asked).await;
    assert_eq!((&told["Rest"]["Orders"], &told["Rest"]["Revenue"]), (&json!(5), &json!(20.0)), "{told}");
}

async fn a_report_is_of_four_weeks_and_of_as_many_rows_as_asked_for(world: World) {
    const DAY: i64 = 24 * 60 * 60_000;
    let shop = open_shop(&world, 1).await;
    let now = world.clock.now();
    let search = |person: i64, query: &str, days_ago: i64| {
        let at = now - days_ago * DAY;
        json!({"Name": "search", "Query": query, "Found": 0, "UserId": format!("u{person}"), "At": at})
    };
    let searches = [("lamp", 0, 6), ("hat", 27, 5), ("shoe", 28, 5)];
    let all: Vec<_> = searches
        .into_iter()
        .flat_map(|(query, days_ago, people)| (0..people).map(move |person| search(person, query, days_ago)))
        .collect();
    let taken = post_events(&world, &shop, &all).await;
    assert!(taken.iter().all(|taken| taken["SessionId"].is_string()), "{taken:?}");
    let told = async |more: Value| {
        let mut asked = json!({"Report": "search"});
        more.as_object().expect("an object").iter().for_each(|(name, value)| asked[name] = value.clone());
        world.ask_json(&shop, "/api/report", asked).await
    };
    let queries = |told: &Value| rows_by_subject(told).into_keys().collect::<Vec<_>>();
    let [today, begin] = [0, 27].map(|ago| day_name(day_of(now) - ago));
    let all = told(json!({})).await;
    assert_eq!((&all["From"], &all["Until"]), (&json!(begin), &json!(today)));
    assert_eq!((queries(&all), &all["RestRows"]), (vec!["hat".to_owned(), "lamp".to_owned()], &json!(0)));
    let yesterday = day_name(day_of(now) - 1);
    let before = told(json!({"Until": yesterday})).await;
    assert_eq!(queries(&before), ["hat", "shoe"], "four weeks up to that day");
    let short = told(json!({"Size": 1})).await;
    assert_eq!((queries(&short), &short["RestRows"]), (vec!["lamp".to_owned()], &json!(1)));
    assert_eq!((&short["Rest"]["Count"], &short["Rest"]["WithoutResult"]), (&json!(5), &json!(5)));
    let both = told(json!({"With": ["before", "days", "missed"]})).await;
    assert_eq!((queries(&both), queries(&both["Before"])), (queries(&all), vec!["shoe".to_owned()]));
    let searched = |row: &Value| (row["Day"].clone(), row["Count"].clone());
    let days = both["Days"].as_array().expect("rows").iter().filter(|row| row["Measure"] == "searches");
    let expected = [(json!(begin), json!(5)), (json!(today), json!(6))];
    assert_eq!(days.map(searched).collect::<Vec<_>>(), expected);
    assert_eq!(both["Missed"][0]["Query"], "lamp", "{both}");
    assert!(all.get("Before").or(all.get("Days")).or(all.get("Missed")).is_none(), "{all}");
}

async fn a_report_reads_more_records_than_one_page_has(world: World) {
    let shop = open_shop(&world, 1).await;
    let now = world.clock.now();
    let search = |person: i64, number: i64| {
        json!({"Name": "search", "Query": "lamp", "Found": 1, "UserId": format!("u{person}"),
            "At": now - number * 61_000})
    };
    // The page ends among the records of a person, who is one all the same.
    const RECORDS: i64 = 26;
    let all: Vec<_> =
        (0..41).flat_map(|person| (0..RECORDS).map(move |number| search(person, number))).collect();
    assert_ne!(limits::REPORT_PAGE_RECORDS % RECORDS, 0);
    assert!(all.len() as i64 > limits::REPORT_PAGE_RECORDS);
    for some in all.chunks(limits::EVENTS_OF_REQUEST) {
        post_events(&world, &shop, some).await;
    }
    assert_eq!(rows_by_subject(&fetch_report(&world, &shop, "search").await)["lamp"][..2], [41.0, 1066.0]);
}
