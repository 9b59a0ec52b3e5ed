//! Midnight in UTC, the turn of a year and a leap day, to the millisecond: reports, models, retention, periods of
//! validity, erasures that are due, and webhooks.

use axum::http::StatusCode;
use jiff::Timestamp;
use lethe::clock::day_of;
use lethe::ids::AccountId;
use lethe::jobs::Lane;
use lethe::work;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events, post_view};
use crate::support::log_ins::describe_events;
use crate::support::recommendations::describe_recommended;
use crate::support::reports::{fetch_report, rows_by_subject};
use crate::support::uploads::send_piece;
use crate::support::webhook_receiver::{Got, Receiver, deliver, set_webhook, test};
use crate::support::world::{Shop, World, on_both_engines};
use crate::support::zones::{await_zones, set_campaigns};

on_both_engines! {
    an_event_at_midnight_is_of_its_own_day_in_reports
    a_model_counts_whole_days
    what_trends_is_viewed_in_seven_whole_days
    what_is_kept_for_a_time_is_there_to_the_last_millisecond
    a_campaign_and_a_rule_act_from_one_moment_to_before_the_other
    a_campaign_until_the_last_millisecond_of_a_day_acts_in_its_last_second
    a_product_and_a_sale_last_from_the_first_day_to_the_end_of_the_last
    an_erasure_is_due_a_month_after_the_request_and_told_a_week_before
    a_notice_of_each_day_comes_again_at_midnight
    a_message_that_is_tried_again_after_midnight_is_of_the_day_before
}

const DAY: i64 = 24 * 3_600_000;

/// Visitors by the numbers in their cookies.
const VISITORS: [&str; 2] = ["5f2b8c1e77aa41d2", "8c1e77aa41d25f2b"];

/// A text with its day and the day after it: a search made at the midnight between them. A period of reports ends at
/// the first midnight.
const MIDNIGHTS: [(&str, &str, &str); 5] = [
    ("lamp", "2026-12-16", "2026-12-17"),
    ("sofa", "2026-12-31", "2027-01-01"),
    ("vase", "2027-02-28", "2027-03-01"),
    ("rug", "2028-02-28", "2028-02-29"),
    ("desk", "2028-02-29", "2028-03-01"),
];

/// The beginning of what [`KEPT`] lists.
const KEPT_SINCE: &str = "2028-01-30T23:59:59.999Z";

/// The last milliseconds in which data of [`KEPT_SINCE`] are there, and the kinds that are gone one later. Events go
/// at the beginning of a day (docs/privacy/retention.md).
const KEPT: [(&str, &[&str]); 5] = [
    ("2028-01-31T23:59:59.998Z", &["secret"]),
    ("2028-01-31T23:59:59.999Z", &["upload", "key of a request"]),
    ("2028-02-28T23:59:59.999Z", &["event of a visitor"]),
    ("2028-02-29T23:59:59.999Z", &["status"]),
    ("2029-02-27T23:59:59.999Z", &["event of a known person"]),
];

/// `From` and `Until` of a campaign, with its first moment and the first after it.
const SCHEDULED: [[&str; 4]; 2] = [
    ["2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z", "2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"],
    [
        "2029-01-01T00:00:00+14:00",
        "2028-12-31T16:00:00-08:00",
        "2028-12-31T10:00:00Z",
        "2029-01-01T00:00:00Z",
    ],
];

/// First and last date of a product or a sale, with its first moment and the first after it.
const DATED: [[&str; 4]; 5] = [
    ["2026-12-31", "2026-12-31", "2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["2027-12-31T23:59:59Z", "2028-01-01 00:00:00", "2027-12-31T23:59:59Z", "2028-01-01T00:00:01Z"],
    ["2028/02/29", "2028-02-29", "2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"],
    ["2028-12-31T00:00:00.000Z", "2028-12-31T23:59:59.999Z", "2028-12-31T00:00:00Z", "2029-01-01T00:00:00Z"],
    ["2030-01-01T00:00:00+14:00", "2030-01-01", "2029-12-31T10:00:00Z", "2030-01-02T00:00:00Z"],
];

/// Request to forget, and the end of the month in which it has to be done.
const DUE: [[&str; 2]; 4] = [
    ["2026-12-31T23:59:59.999Z", "2027-01-31T23:59:59.999Z"],
    ["2027-03-31T00:00:00Z", "2027-04-30T00:00:00Z"],
    ["2028-01-31T23:59:59.999Z", "2028-02-29T23:59:59.999Z"],
    ["2032-02-29T00:00:00Z", "2032-03-29T00:00:00Z"],
];

fn moment(text: &str) -> i64 {
    text.parse::<Timestamp>().expect("a moment").as_millisecond()
}

/// Moves the clock forward to a moment.
fn go_to(world: &World, at: i64) {
    let by = at - world.clock.now();
    assert!(by >= 0, "the rows of a table come in the order of time: {by} ms");
    world.clock.jump(by);
}

/// The milliseconds around a period, each with true if it is in the period.
fn edges_of([first, after]: [i64; 2]) -> [(i64, bool); 4] {
    [(first - 1, false), (first, true), (after - 1, true), (after, false)]
}

async fn an_event_at_midnight_is_of_its_own_day_in_reports(world: World) {
    let shop = open_shop(&world, 1).await;
    for (word, day, next) in MIDNIGHTS {
        let midnight = moment(&format!("{next}T00:00:00Z"));
        let search = |who: &str| json!({"Name": "search", "Query": word, "Found": 1, "UserId": format!("{word}-{who}")});
        let send = async |begin: &str, odd: &str, at: i64| {
            let mut all: Vec<_> = (0..5).map(|number| search(&format!("{begin}-{number}"))).collect();
            all.push(search(odd));
            all[5]["At"] = at.into();
            let taken = post_events(&world, &shop, &all).await;
            assert!(taken.iter().all(|taken| taken["SessionId"].is_string()), "{taken:?}");
            fetch_report(&world, &shop, "search").await["Until"].clone()
        };
        // A shop's clock that is ahead brings no event into tomorrow, and one that comes late is of its own day.
        go_to(&world, midnight - 1);
        assert_eq!(send("late", "ahead", midnight).await, day);
        world.clock.jump(1);
        assert_eq!(send("early", "behind", midnight - 1).await, next);
        for (from, until, people) in [(day, day, 7.0), (next, next, 5.0), (day, next, 12.0)] {
            let asked = json!({"Report": "search", "From": from, "Until": until});
            let told = rows_by_subject(&world.ask_json(&shop, "/api/report", asked).await);
            let row = told.get(word).map(|row| [row[0], row[1]]);
            assert_eq!(row, Some([people; 2]), "{word} from {from} to {until}");
        }
    }
    let asked = json!({"Report": "days", "From": "2028-02-28", "Until": "2028-03-01"});
    let told = world.ask_json(&shop, "/api/report", asked).await;
    let rows = told["Rows"].as_array().into_iter().flatten();
    let searches = rows.filter(|row| row["Measure"] == "searches");
    let counts: Vec<_> = searches.map(|row| json!([row["Day"], row["Count"]])).collect();
    assert_eq!(counts, [json!(["2028-02-28", 7]), json!(["2028-02-29", 12]), json!(["2028-03-01", 5])]);
}

async fn a_model_counts_whole_days(world: World) {
    let shop = open_shop(&world, 1).await;
    go_to(&world, moment("2027-12-31T23:59:59.999Z"));
    for (user, visitor) in ["anna", "berta"].into_iter().zip(VISITORS) {
        post_view(&world, &shop, json!({"UserId": user}), "p1").await;
        post_view(&world, &shop, json!({"VisitorId": visitor}), "p1").await;
        world.clock.jump(1);
    }
    // Those of the last millisecond of a year count a day less than those of the first of the next.
    for (at, people) in [
        ("2028-01-29T23:59:59.999Z", 4),
        ("2028-01-30T00:00:00Z", 3),
        ("2028-01-30T23:59:59.999Z", 3),
        ("2028-01-31T00:00:00Z", 2),
        ("2028-02-28T23:59:59.999Z", 2),
        ("2028-02-29T00:00:00Z", 1),
        ("2028-02-29T23:59:59.999Z", 1),
        ("2028-03-01T00:00:00Z", 0),
    ] {
        go_to(&world, moment(at));
        let models = world.node().derived.models();
        let comparing = models.compare_with_rebuilt(AccountId(1), |live, anew| {
            [live, anew].map(|model| (model.day(), model.people()))
        });
        let told = comparing.await.expect("a model").0;
        assert_eq!(told, [(day_of(moment(at)), people); 2], "{at}");
    }
}

async fn what_trends_is_viewed_in_seven_whole_days(world: World) {
    let shop = open_shop(&world, 2).await;
    go_to(&world, moment("2028-02-28T23:59:59.999Z"));
    post_view(&world, &shop, json!({"UserId": "anna"}), "p1").await;
    world.clock.jump(1);
    post_view(&world, &shop, json!({"UserId": "berta"}), "p2").await;
    for (at, expected) in [
        ("2028-03-05T23:59:59.999Z", ["p1 trending", "p2 trending"]),
        ("2028-03-06T00:00:00Z", ["p2 trending", "p1 most_viewed"]),
        ("2028-03-06T23:59:59.999Z", ["p2 trending", "p1 most_viewed"]),
        ("2028-03-07T00:00:00Z", ["p1 most_viewed", "p2 most_viewed"]),
    ] {
        go_to(&world, moment(at));
        // A request would not wait for the model of a day that has just begun.
        let models = world.node().derived.models();
        models.compare_with_rebuilt(AccountId(1), |_, _| ()).await.expect("a model");
        let asked = json!({"Recommender": "trending", "Size": 2});
        assert_eq!(describe_recommended(&world, &shop, asked).await, expected, "{at}");
    }
}

async fn send_with_key(world: &World, shop: &Shop) -> Value {
    let event = json!({"Name": "product_view", "Product": "p1", "UserId": "berta"});
    world.ask_json(shop, "/api/events", json!({"Events": [event], "IdempotencyKey": "batch-1"})).await
}

/// Fills a shop with what is kept for a time; returns it, the same with its secret before, and the token of a delta.
async fn hold_all(world: &World) -> ([Shop; 2], String) {
    let before = open_shop(world, 1).await;
    go_to(world, moment(KEPT_SINCE));
    let made = world.control("/control/key/rotate", json!({"Name": before.name, "Hours": 24})).await;
    let shop = Shop { secret: made["SecretKey"].as_str().expect("a secret").to_owned(), ..before.clone() };
    post_view(world, &shop, json!({"UserId": "anna"}), "p1").await;
    post_view(world, &shop, json!({"VisitorId": VISITORS[0]}), "p1").await;
    assert_eq!(send_with_key(world, &shop).await["Accepted"], 1);
    send_piece(world, &shop, "/feed-create", "product-1", r#"{"Products":["#).await;
    let delta = world.delta(&shop, json!({})).await;
    world.run_jobs(Lane::DELTA).await;
    assert_eq!(world.clock.now(), moment(KEPT_SINCE));
    ([shop, before], delta)
}

async fn is_there(world: &World, [shop, before]: &[Shop; 2], delta: &str, kind: &str) -> bool {
    match kind {
        "secret" => world.ask(before, "/api/account", json!({})).await.status == 200,
        "upload" => {
            let listed = world.ask_json(shop, "/api/submissions", json!({"Kind": "feed"})).await;
            let mut listed = listed.as_array().into_iter().flatten();
            listed.any(|one| one["Source"] == "upload" && one["Status"] == "Processing")
        }
        "key of a request" => send_with_key(world, shop).await["Repeated"] == true,
        "event of a visitor" => {
            !describe_events(world, shop, &format!("visitor:{}", VISITORS[0])).await.is_empty()
        }
        "status" => world.delta_status(shop, delta).await[1] != "The token is not known",
        "event of a known person" => !describe_events(world, shop, "userid:anna").await.is_empty(),
        other => panic!("how {other} is looked for has to be said"),
    }
}

async fn what_is_kept_for_a_time_is_there_to_the_last_millisecond(world: World) {
    let (shops, delta) = hold_all(&world).await;
    for (last, kinds) in KEPT {
        for (later, is_kept) in [(0, true), (1, false)] {
            go_to(&world, moment(last) + later);
            work::end_what_is_kept(world.node()).await;
            world.run_jobs(Lane::FEED).await;
            for kind in kinds {
                let is_found = is_there(&world, &shops, &delta, kind).await;
                assert_eq!(is_found, is_kept, "{kind}, {later} ms after {last}");
            }
        }
    }
}

/// True where a campaign and a rule that say "on" act.
async fn list_acting(world: &World, shop: &Shop) -> [bool; 2] {
    let zones = await_zones(world, shop, json!({"zones": ["HP-01"]})).await;
    let found = world.ask_json(shop, "/api/search", json!({"Query": "thing"})).await;
    [zones["HP-01"]["html"] == "<p>on</p>", found["Banners"] == json!(["on"])]
}

/// Sets a campaign and a rule that say "on" for a time.
async fn schedule(world: &World, shop: &Shop, times: &Value) {
    let mut campaign = json!({"Id": "c", "Zone": "HP-01", "Html": "<p>on</p>"});
    let mut rule = json!({"Id": "r", "Query": "thing", "Banner": "on"});
    for (name, at) in times.as_object().expect("moments") {
        campaign[name] = at.clone();
        rule[name] = at.clone();
    }
    set_campaigns(world, shop, json!([campaign])).await;
    world.ask_json(shop, "/api/rules/set", json!({"Rules": [rule]})).await;
}

async fn a_campaign_and_a_rule_act_from_one_moment_to_before_the_other(world: World) {
    let shop = open_shop(&world, 3).await;
    for [from, until, first, after] in SCHEDULED {
        go_to(&world, moment(first) - DAY);
        schedule(&world, &shop, &json!({"From": from, "Until": until})).await;
        for (at, is_on) in edges_of([first, after].map(moment)) {
            go_to(&world, at);
            assert_eq!(list_acting(&world, &shop).await, [is_on; 2], "{from} to {until}, at {at}");
        }
    }
}

/// Scripts write the end of a day like that.
async fn a_campaign_until_the_last_millisecond_of_a_day_acts_in_its_last_second(world: World) {
    let shop = open_shop(&world, 3).await;
    go_to(&world, moment("2027-01-01T12:00:00Z"));
    schedule(&world, &shop, &json!({"Until": "2027-01-01T23:59:59.999Z"})).await;
    for (at, is_on) in [
        ("2027-01-01T23:59:58.999Z", true),
        ("2027-01-01T23:59:59.998Z", true),
        ("2027-01-02T00:00:00Z", false),
    ] {
        go_to(&world, moment(at));
        assert_eq!(list_acting(&world, &shop).await, [is_on; 2], "{at}");
    }
}

async fn a_product_and_a_sale_last_from_the_first_day_to_the_end_of_the_last(world: World) {
    let shop = world.shop("one").await;
    let product = |id: String| json!({"Id": id, "Title": "lamp", "Prices": ["2.00 GBP"]});
    // No year but a leap year has this day: such a product is not shown.
    let mut never = product("never".to_owned());
    never["StartDate"] = "2027-02-29".into();
    let mut products = vec![never];
    for (number, [from, until, ..]) in DATED.into_iter().enumerate() {
        let mut shown = product(format!("shown-{number}"));
        shown["StartDate"] = from.into();
        shown["EndDate"] = until.into();
        let mut sold = product(format!("sold-{number}"));
        sold["SalePrices"] = json!(["1.00 GBP"]);
        sold["SalePriceStartDate"] = from.into();
        sold["SalePriceEndDate"] = until.into();
        products.extend([shown, sold]);
    }
    world.complete_feed(&shop, "/dated", &json!({"Products": products})).await;
    for (number, [from, until, first, after]) in DATED.into_iter().enumerate() {
        for (at, is_in) in edges_of([first, after].map(moment)) {
            go_to(&world, at);
            let found = world.ask_json(&shop, "/api/search", json!({"Query": "lamp", "Size": 50})).await;
            let price = |id: &str| {
                let mut items = found["Items"].as_array().into_iter().flatten();
                items.find(|item| item["Id"] == id).map(|item| item["Price"].clone())
            };
            let told = ["shown", "sold"].map(|kind| price(&format!("{kind}-{number}")));
            let expected = [is_in.then(|| json!(2.0)), Some(json!(if is_in { 1.0 } else { 2.0 }))];
            assert_eq!(told, expected, "{from} to {until}, at {at}");
            assert_eq!(price("never"), None, "{at}");
        }
    }
}

/// Messages of a kind that a receiver got.
fn list_got(receiver: &Receiver, kind: &str) -> Vec<Value> {
    receiver.got().iter().map(Got::json).filter(|message| message["type"] == kind).collect()
}

async fn deliver_notices(world: &World) {
    work::webhooks::notice(world.node()).await.expect("the store answers");
    deliver(world).await;
}

async fn an_erasure_is_due_a_month_after_the_request_and_told_a_week_before(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    for (number, [asked, due]) in DUE.into_iter().enumerate() {
        go_to(&world, moment(asked));
        let person = json!({"Identifier": format!("person-{number}@shop.test")});
        let reply = world.ask(&shop, "/api/user/forget", person).await;
        let named = json!({"Erasure": reply.header("x-erasure-id")});
        for (early, told) in [(7 * DAY + 1, number), (7 * DAY - 1, number + 1)] {
            go_to(&world, moment(due) - early);
            deliver_notices(&world).await;
            let told_of = list_got(&receiver, "erasure.due_soon");
            assert_eq!(told_of.len(), told, "{early} ms before {due}");
            assert!(told == number || told_of[number]["data"]["due_at"] == due, "{told_of:?}");
        }
        for (late, is_overdue) in [(0, false), (1, true)] {
            go_to(&world, moment(due) + late);
            let shown = world.ask_json(&shop, "/api/erasure", named.clone()).await;
            let told = [&shown["DueAt"], &shown["Overdue"]];
            assert_eq!(told, [&json!(moment(due)), &json!(is_overdue)], "{due}");
            let counted = world.ask_json(&shop, "/api/erasures/count", json!({})).await;
            assert_eq!(counted["Overdue"], number + usize::from(is_overdue), "{late} ms after {due}");
        }
    }
}

async fn a_notice_of_each_day_comes_again_at_midnight(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    // No backup was ever made.
    let mut expected = 0;
    for (last, count) in [
        ("2026-11-30T23:59:59.999Z", 1),
        ("2026-12-31T23:59:59.999Z", 1),
        ("2028-02-28T23:59:59.999Z", 1),
        // The one of the leap day has come at its first millisecond.
        ("2028-02-29T23:59:59.999Z", 0),
    ] {
        for (later, more) in [(0, count), (0, 0), (1, 1), (1, 0)] {
            go_to(&world, moment(last) + later);
            deliver_notices(&world).await;
            expected += more;
            assert_eq!(list_got(&receiver, "backup.old").len(), expected, "{later} ms after {last}");
        }
    }
}

async fn a_message_that_is_tried_again_after_midnight_is_of_the_day_before(world: World) {
    let shop = world.shop("one").await;
    let receiver = Receiver::start().await;
    set_webhook(&world, &shop, &receiver.url).await;
    for happened in ["2026-12-31T23:59:57.5Z", "2028-02-28T23:59:57.5Z", "2028-02-29T23:59:57.5Z"] {
        go_to(&world, moment(happened));
        receiver.set_answer(StatusCode::INTERNAL_SERVER_ERROR);
        test(&world, &shop).await;
        deliver(&world).await;
        world.clock.jump(6_000);
        deliver(&world).await;
        let got = receiver.got();
        let [first, again] = [&got[got.len() - 2], &got[got.len() - 1]];
        assert_eq!((&first.id, &first.body), (&again.id, &again.body));
        assert_eq!(again.json()["timestamp"], happened);
        let tried = moment(happened) / 1000;
        assert_eq!([first.at, again.at], [tried, tried + 6]);
    }
}
