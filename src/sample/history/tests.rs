//! The sample history matches its description.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::session::draw_pause;
use super::world::SECOND;
use super::*;
use crate::reports::attribution::AttributionSource;
use crate::sample::tests::digest_of;

const UNTIL: Millis = 1_800_000_000_000;

fn write(shop: &SampleShop, events: u64, days: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let history = SampleHistory { shop, events, days, until: UNTIL };
    write_history(&mut out, &history, &ShelfItem::list_products(shop)).expect("memory takes everything");
    out
}

fn lines(shop: &SampleShop, events: u64, days: u64) -> Vec<Value> {
    let text = String::from_utf8(write(shop, events, days)).expect("a text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn shop() -> SampleShop {
    SampleShop { products: 500, ..SampleShop::default() }
}

/// Number of different values of a name that occur with each value of another.
fn beside(lines: &[Value], name: &str, other: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut beside: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in lines {
        if let (Some(value), Some(other)) = (line[name].as_str(), line[other].as_str()) {
            beside.entry(value.to_owned()).or_default().insert(other.to_owned());
        }
    }
    beside
}

#[test]
fn a_history_is_the_same_for_the_same_seed_and_end_and_as_long_as_asked_for() {
    let made = lines(&shop(), 3_000, 59);
    assert_eq!((made.len(), &made), (3_000, &lines(&shop(), 3_000, 59)));
    assert_ne!(made, lines(&SampleShop { seed: 2, ..shop() }, 3_000, 59));
    for (events, days) in [(0, 59), (1, 59), (7, 0), (58, 59), (5_000, 1)] {
        assert_eq!(lines(&shop(), events, days).len() as u64, events, "{days}");
    }
    let nothing = SampleHistory { shop: &shop(), events: 9, days: 1, until: UNTIL };
    let mut out = Vec::new();
    write_history(&mut out, &nothing, &[]).expect("nothing to write");
    assert!(out.is_empty());
}

#[test]
fn a_history_is_the_same_in_every_build() {
    // One of more days than visitors are kept, and one of the people of a shop.
    let long = digest_of(&write(&shop(), 12_000, 40));
    assert_eq!(long, "08233c30b80e8028ddd115d98c19c45d933960060e2ca64cf2b4de1048a7e285");
    let short = digest_of(&write(&SampleShop { people: 30, ..shop() }, 3_000, 2));
    assert_eq!(short, "bd8c57900b043936a8424cd14af527d0399975f834a20eee5e988dc6b5c3419c");
}

#[test]
fn the_oldest_is_the_first_and_all_lie_within_the_days() {
    let times: Vec<i64> =
        lines(&shop(), 5_000, 10).iter().map(|line| line["At"].as_i64().expect("a time")).collect();
    assert!(times.is_sorted());
    assert!(times[0] >= UNTIL - 10 * DAY && times[4_999] <= UNTIL);
    let first_day = times.iter().filter(|at| **at <= UNTIL - 9 * DAY).count();
    assert_eq!(first_day, 410);
}

#[test]
fn a_tenth_of_the_products_has_more_than_half_of_the_views() {
    let mut views: BTreeMap<String, u64> = BTreeMap::new();
    let made = lines(&shop(), 20_000, 20);
    for line in made.iter().filter(|line| line["Name"] == "product_view") {
        *views.entry(line["Product"].to_string()).or_default() += 1;
    }
    let all = views.values().sum::<u64>();
    let mut counts: Vec<u64> = views.into_values().collect();
    counts.sort_unstable_by(|one, other| other.cmp(one));
    let popular = counts.iter().take(50).sum::<u64>();
    assert!((50..85).contains(&(100 * popular / all)), "{popular} of {all}");
    assert!(all > 8_000, "{all}");
    assert!(counts.len() > 400, "{}", counts.len());
}

#[test]
fn shoppers_log_in_share_devices_buy_for_companies_and_some_are_robots() {
    let made = lines(&shop(), 30_000, 20);
    let users = beside(&made, "VisitorId", "UserId");
    let shared = users.iter().filter(|(visitor, users)| visitor.starts_with("shared-") && users.len() > 1);
    assert!(shared.count() > 5);
    let own = users.iter().filter(|(visitor, _)| visitor.starts_with('V'));
    assert!(own.clone().count() > 100 && own.clone().all(|(_, users)| users.len() == 1));
    let alone = |line: &&Value| line["VisitorId"].is_string() && line["UserId"].is_null();
    let alone: BTreeSet<&str> =
        made.iter().filter(alone).filter_map(|line| line["VisitorId"].as_str()).collect();
    let logged_in = alone.iter().filter(|visitor| users.contains_key(**visitor)).count();
    assert!(logged_in > 50 && alone.len() > logged_in, "{logged_in} of {}", alone.len());
    assert!(beside(&made, "AccountId", "UserId").len() > 10);
    let of_company = made.iter().filter(|line| line["AccountId"].is_string() && line["UserId"].is_null());
    assert!(of_company.count() > 50);
    let guests = made.iter().filter(|line| line["Email"].is_string() && line["UserId"].is_null());
    assert!(guests.count() > 50);
    let robots =
        made.iter().filter(|line| line["VisitorId"].as_str().is_some_and(|id| id.starts_with("robot")));
    assert!((200..9_000).contains(&robots.count()));
}

#[test]
fn long_ago_nobody_comes_of_whom_only_a_visitor_is_known() {
    let made = lines(&shop(), 10_000, 59);
    let is_visitor =
        |line: &&Value| line["UserId"].is_null() && line["Email"].is_null() && line["AccountId"].is_null();
    let visitors: Vec<_> = made.iter().filter(is_visitor).collect();
    let kept = millis(limits::VISITS_KEPT_DURATION);
    assert!(visitors.len() > 1_000);
    assert!(visitors.iter().all(|line| line["At"].as_i64().expect("a time") > UNTIL - kept));
}

#[test]
fn the_products_are_those_of_the_feed_and_alike_what_is_the_same_thing() {
    let items = ShelfItem::list_products(&shop());
    for (number, item) in (1..).zip(&items) {
        let row: Value = serde_json::from_str(&crate::sample::product(&shop(), number)).expect("JSON");
        assert_eq!(row["Id"], *item.id);
        assert_eq!(row["Title"], *item.title);
        assert!(item.title.ends_with(&item.group), "{row}");
        let prices = if row["SalePrices"].is_null() { &row["Prices"] } else { &row["SalePrices"] };
        let pence = item.pence.expect("a price");
        assert_eq!(prices[0], format!("{}.{:02} GBP", pence / 100, pence % 100), "{row}");
    }
}

#[test]
fn shoppers_are_the_people_of_the_shop_and_pause_for_less_than_ends_a_session() {
    let shop = SampleShop { people: 30, ..shop() };
    let made = lines(&shop, 10_000, 5);
    let users: BTreeSet<&str> = made.iter().filter_map(|line| line["UserId"].as_str()).collect();
    let first = super::super::feed::user_id(1);
    let last = super::super::feed::user_id(30);
    assert_eq!((users.first().copied(), users.last().copied()), (Some(&*first), Some(&*last)));
    for line in made.iter().filter(|line| line["Email"].is_string() && line["UserId"].is_string()) {
        let user: u64 = line["UserId"].as_str().expect("an id")[1..].parse().expect("a number");
        assert_eq!(line["Email"], super::super::feed::email(&shop, user));
    }
    let random = &mut SampleRandom::new(1, 1, 1);
    let longest = (0..10_000).map(|_| draw_pause(random)).max().expect("pauses");
    assert!(longest > 120 * SECOND && (longest as i64) < millis(limits::SESSION_PAUSE_DURATION));
}

#[test]
fn shoppers_search_see_zones_click_fill_baskets_and_order() {
    let made = lines(&shop(), 20_000, 28);
    let named = |name: &'static str| made.iter().filter(move |line| line["Name"] == name);
    for name in ["search", "zones_seen", "item_click", "set_basket", "order"] {
        let count = named(name).count();
        assert!((100..6_000).contains(&count), "{name}: {count}");
    }
    let in_vain = named("search").filter(|line| line["Found"] == 0).count();
    let corrected = named("search").filter(|line| line["Corrected"] == true).count();
    let searches = named("search").count();
    assert!(in_vain * 20 > searches && corrected * 40 > searches, "{in_vain}, {corrected} of {searches}");
    let numbers: BTreeSet<&str> = named("order").filter_map(|line| line["Order"].as_str()).collect();
    assert_eq!(numbers.len(), named("order").count(), "each order has a number of its own");
    let names_customer =
        |line: &Value| ["UserId", "Email", "AccountId"].iter().any(|id| line[*id].is_string());
    assert!(named("order").all(names_customer));
    let lines_of_orders = named("order").flat_map(|line| line["Items"].as_array().expect("items"));
    assert!(
        lines_of_orders.clone().all(|line| line["UnitPrice"].is_string()) && lines_of_orders.count() > 100
    );
}

#[test]
fn the_newest_four_weeks_sell_no_less_and_each_day_has_people_enough_to_be_shown() {
    let made = lines(&SampleShop { people: 300, ..shop() }, 22_000, 56);
    let of_day = |name: &'static str, day: i64| {
        let begin = UNTIL - (56 - day) * DAY;
        let is_of = move |line: &&Value| {
            line["Name"] == name && line["At"].as_i64().is_some_and(|at| (begin..begin + DAY).contains(&at))
        };
        made.iter().filter(is_of)
    };
    let [before, newest] =
        [0..28, 28..56].map(|days| days.map(|day| of_day("order", day).count()).sum::<usize>());
    assert!(newest > before && newest < 2 * before, "{before}, then {newest}");
    for (day, name) in (28..56).flat_map(|day| ["search", "item_click", "order"].map(|name| (day, name))) {
        let id = |line: &Value| {
            let ids = ["UserId", "VisitorId", "Email", "AccountId"];
            ids.iter().find_map(|id| line[*id].as_str()).map(str::to_owned)
        };
        let people: BTreeSet<_> = of_day(name, day).filter_map(id).collect();
        assert!(people.len() >= limits::REPORT_ROW_PEOPLE, "{name} on day {day}: {people:?}");
    }
}

#[test]
fn a_tenth_of_the_browsers_is_a_control_group_that_sees_no_zone_and_clicks_none() {
    let made = lines(&shop(), 20_000, 28);
    let zones = |line: &Value| -> Vec<AttributionSource> {
        let refs = line["RefIds"].as_array().into_iter().flatten().chain(Some(&line["RefId"]));
        refs.filter_map(|text| text.as_str())
            .map(|text| AttributionSource::parse(text).expect("a place"))
            .collect()
    };
    let mut seen_by: BTreeMap<bool, BTreeSet<&str>> = BTreeMap::new();
    for line in made.iter().filter(|line| line["VisitorId"].is_string()) {
        for source in zones(line) {
            if !matches!(source, AttributionSource::Search(_)) {
                let is_in_control = source == AttributionSource::Control;
                let visitor = line["VisitorId"].as_str().expect("an id");
                seen_by.entry(is_in_control).or_default().insert(visitor);
            }
        }
    }
    let [control, others] = [true, false].map(|is_in_control| &seen_by[&is_in_control]);
    assert!(control.is_disjoint(others));
    assert!(control.len() * 25 > others.len() && control.len() * 5 < others.len(), "{}", control.len());
}
