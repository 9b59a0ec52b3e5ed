//! Reports of made-up people.

use super::attribution::AttributionSource;
use super::fact::{ReportFact, ReportOrderLine, ReportedAction};
use super::query;
use super::{ReportCounts, ReportKind, ReportRow};
use crate::clock::Millis;
use crate::limits;

pub(super) const MINUTE: Millis = 60_000;
pub(super) const DAY: Millis = 24 * 60 * MINUTE;

pub(super) fn zone(name: &str) -> AttributionSource {
    let recommender = "Trending".to_owned();
    AttributionSource::Zone { zone: name.to_owned(), recommender, campaign: String::new() }
}

pub(super) fn search(query: &str) -> AttributionSource {
    AttributionSource::Search(query::mark(query))
}

pub(super) fn saw(at: Millis, zones: &[&str]) -> ReportFact {
    ReportFact { at, did: ReportedAction::Saw(zones.iter().map(|name| zone(name)).collect()) }
}

pub(super) fn clicked(at: Millis, product: &str, source: AttributionSource) -> ReportFact {
    ReportFact { at, did: ReportedAction::Clicked { product: product.to_owned(), source } }
}

pub(super) fn searched(at: Millis, query: &str, found: u64) -> ReportFact {
    ReportFact {
        at,
        did: ReportedAction::Searched { query: query.to_owned(), found, is_corrected: found == 7 },
    }
}

pub(super) fn bought(product: &str, amount: i64, source: Option<AttributionSource>) -> ReportOrderLine {
    ReportOrderLine { product: product.to_owned(), amount: Some(amount.into()), source }
}

pub(super) fn ordered(at: Millis, lines: Vec<ReportOrderLine>) -> ReportFact {
    ReportFact { at, did: ReportedAction::Ordered(lines) }
}

/// A report of ten days after the tenth for this number of people who all did the same.
fn count_repeated(people: u8, facts: &[ReportFact]) -> ReportCounts {
    let mut tallies = ReportCounts::new(10..20);
    (0..people).for_each(|_| tallies.add(facts.to_vec()));
    tallies
}

pub(super) fn rows(tallies: &ReportCounts, kind: ReportKind) -> Vec<ReportRow> {
    tallies.build_report(kind, 100).rows
}

#[test]
fn a_source_that_is_too_long_is_none() {
    let of = |bytes: usize| zone(&"x".repeat(bytes)).to_string();
    let beside = of(1).len() - 1;
    assert!(AttributionSource::parse(&of(limits::REF_ID_BYTES - beside)).is_some());
    assert_eq!(AttributionSource::parse(&of(limits::REF_ID_BYTES - beside + 1)), None);
}

#[test]
fn a_source_comes_back_as_it_was_written() {
    let odd = AttributionSource::Zone {
        zone: "a.b'<\" %ä".to_owned(),
        recommender: String::new(),
        campaign: ".".to_owned(),
    };
    for source in [zone("HP-01"), odd, search("lamp"), AttributionSource::Control] {
        let text = source.to_string();
        assert!(text.bytes().all(|sign| sign.is_ascii_alphanumeric() || b"-_.%".contains(&sign)), "{text}");
        assert_eq!(AttributionSource::parse(&text), Some(source));
    }
    assert_eq!(zone("HP-01").to_string(), "z.HP-01.Trending.");
    for wrong in ["", "z", "z.HP-01", "z..a.b", "s.0", "s.0123456789ABCDEF", "z.%00.a.b", "z.%ff.a.b", "c.c"]
    {
        assert_eq!(AttributionSource::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn what_is_told_again_within_a_minute_counts_once() {
    let at = 12 * DAY + MINUTE - 1;
    let page = |after: Millis| {
        let at = at + after;
        let hit = clicked(at, "a", search("lamp"));
        [saw(at, &["HP-01", "HP-02"]), searched(at, "lamp", 0), hit, clicked(at, "a", zone("HP-01"))]
    };
    let once = || page(0).to_vec();
    // The page's events are sent again when the answer was lost, the last time after a whole minute.
    let again = |last: Millis| [0, 15_000, MINUTE - 1, last].map(page).concat();
    let all = |tallies: &ReportCounts| {
        [ReportKind::Zones, ReportKind::Search, ReportKind::Quality].map(|kind| rows(tallies, kind)).concat()
    };
    assert_eq!(all(&count_repeated(5, &again(5_001))), all(&count_repeated(5, &once())));
    let twice = all(&count_repeated(5, &again(MINUTE)));
    assert_eq!(twice.len(), 8, "two zones, a search, and measures of both");
    for (row, first) in twice.iter().zip(all(&count_repeated(5, &once()))) {
        let counts = |of: &ReportRow| [of.measures.count, of.measures.clicks.unwrap_or_default()];
        assert_eq!(counts(row), counts(&first).map(|count| 2 * count));
    }
    // Other products, other places, other searches.
    let others = [
        clicked(at, "b", search("lamp")),
        clicked(at, "a", zone("HP-02")),
        searched(at + 20_000, "lamps", 0),
        searched(at + 40_000, "lamp", 0),
    ];
    let quality = all(&count_repeated(5, &[once(), others.to_vec()].concat()));
    let count =
        |measure| quality.iter().find(|row| row.measure == Some(measure)).map(|row| row.measures.count);
    let counts = ["searches", "clicks on a hit", "clicks in a zone"].map(count);
    assert_eq!(counts, [Some(10); 3]);
}

#[test]
fn what_is_still_being_typed_is_one_search() {
    let at = 12 * DAY;
    let typed = [("l", 0), ("la", 900), ("lamp", 1_900), ("red lamp", 2_000), ("red lamp", 62_001)];
    let tallies = count_repeated(5, &typed.map(|(query, after)| searched(at + after, query, 3)));
    let rows = rows(&tallies, ReportKind::Search);
    let counts: Vec<_> = rows.iter().map(|row| (row.query.as_deref(), row.measures.count)).collect();
    assert_eq!(counts, [(Some("red lamp"), 10), (Some("lamp"), 5)]);
}

#[test]
fn an_order_counts_for_the_last_click_of_a_week() {
    let week = 7 * DAY;
    let tallies = count_repeated(
        5,
        &[
            clicked(9 * DAY, "a", zone("HP-01")),
            clicked(9 * DAY + 1, "a", search("lamp")),
            clicked(9 * DAY, "b", zone("HP-01")),
            searched(11 * DAY, "lamp", 3),
            ordered(9 * DAY + week, vec![bought("a", 3, None), bought("b", 4, None), bought("c", 5, None)]),
            ordered(9 * DAY + week + 1, vec![bought("a", 30, None), bought("b", 40, None)]),
        ],
    );
    let found = rows(&tallies, ReportKind::Search);
    assert_eq!(found[0].measures.orders, Some(10));
    assert_eq!(found[0].measures.revenue, Some((5 * 33).into()));
    // The zone has no viewer in the period: its clicks alone are in the rest.
    let zones = tallies.build_report(ReportKind::Zones, 100);
    assert!(zones.rows.is_empty());
    let rest = zones.rest.expect("five people");
    assert_eq!((rest.orders, rest.revenue, rest.clicks), (Some(5), Some(20.into()), None));
    // The first order was found in two places, and is one of ten.
    let orders: Vec<_> =
        rows(&tallies, ReportKind::Quality).into_iter().map(|row| (row.measure, row.measures)).collect();
    let [(_, all), (_, found)] = orders[orders.len() - 2..] else { unreachable!("two rows") };
    assert_eq!((all.count, found.count, found.revenue), (10, 10, Some((5 * 37).into())));
    assert_eq!(all.revenue, Some((5 * 82).into()), "what was found nowhere is revenue too");
}

#[test]
fn an_order_counts_once_for_each_place() {
    let said = |product| bought(product, 2, Some(zone("PP-01")));
    let at = 12 * DAY;
    let lines = vec![said("a"), said("b"), bought("c", 1, None), bought("d", 4, None)];
    let tallies =
        count_repeated(5, &[saw(at, &["PP-01"]), clicked(at, "c", zone("PP-01")), ordered(at + 1, lines)]);
    let row = &rows(&tallies, ReportKind::Zones)[0];
    assert_eq!(
        (row.measures.orders, row.measures.revenue, row.measures.clicks),
        (Some(5), Some(25.into()), Some(5))
    );
    let quality = rows(&tallies, ReportKind::Quality);
    let counts: Vec<_> = quality.iter().map(|row| (row.measure, row.measures.count)).collect();
    let expected =
        ["zones seen", "clicks in a zone", "orders", "orders with something found in a zone or a search"];
    assert_eq!(counts, expected.map(|measure| (Some(measure), 5)));
}

#[test]
fn a_row_is_of_five_people_or_more_and_the_rest_is_one_sum() {
    let mut tallies = count_repeated(5, &[searched(12 * DAY, "lamp", 0)]);
    for query in ["desk", "chair", "desk", "desk", "desk", "rug"] {
        tallies.add(vec![searched(12 * DAY, query, 7)]);
    }
    let report = tallies.build_report(ReportKind::Search, 100);
    let queries: Vec<_> = report.rows.iter().map(|row| (row.query.as_deref(), row.people)).collect();
    assert_eq!(queries, [(Some("lamp"), 5)]);
    let rest = report.rest.expect("six people");
    assert_eq!((report.rest_rows, rest.count, rest.corrected, rest.without_result), (0, 6, Some(6), None));
    let lamp = report.rows[0].measures;
    assert_eq!((lamp.count, lamp.without_result, lamp.corrected), (5, Some(5), None));
    let table = String::from_utf8(report.csv(ReportKind::Search).expect("a table")).expect("a text");
    assert_eq!(
        table,
        "Query,People,Count,WithoutResult,Corrected,Clicks,Orders,Revenue\nlamp,5,5,5,,,,\n(rest),,6,,6,,,\n"
    );
}

#[test]
fn what_few_people_did_alone_is_told_nowhere() {
    let mut tallies = count_repeated(5, &[searched(12 * DAY, "lamp", 0), searched(13 * DAY, "lamp", 0)]);
    (0..5).for_each(|_| tallies.add(vec![searched(12 * DAY, "desk", 1)]));
    let without = [ReportKind::Search, ReportKind::Quality].map(|kind| rows(&tallies, kind));
    tallies.add(vec![searched(12 * DAY, "somebody's name", 1)]);
    let report = tallies.build_report(ReportKind::Search, 100);
    let queries: Vec<_> = report.rows.iter().map(|row| row.query.as_deref()).collect();
    assert_eq!((queries, report.rest_rows, report.rest), (vec![Some("lamp"), Some("desk")], 0, None));
    assert_eq!([ReportKind::Search, ReportKind::Quality].map(|kind| rows(&tallies, kind)), without);
    let first = tallies.build_report(ReportKind::Search, 1);
    assert_eq!(
        (first.rest_rows, first.rest.map(|rest| rest.count)),
        (1, Some(5)),
        "the rest is the other row"
    );
    let alone = count_repeated(4, &[searched(12 * DAY, "lamp", 0)]).build_report(ReportKind::Search, 100);
    assert!(alone.rows.is_empty() && alone.rest.is_none() && alone.rest_rows == 0);
}

#[test]
fn a_group_is_told_in_reports_of_all_its_days() {
    let told = |days: std::ops::Range<i64>| {
        let mut tallies = ReportCounts::new(days);
        for day in [12, 13] {
            (0..3).for_each(|_| tallies.add(vec![searched(day * DAY, "lamp", 1)]));
        }
        (0..9).for_each(|_| tallies.add(vec![searched(28 * DAY, "lamp", 1)]));
        rows(&tallies, ReportKind::Search).first().map(|row| (row.people, row.measures.count))
    };
    assert_eq!([told(12..14), told(10..20), told(0..28)], [Some((6, 6)); 3]);
    assert_eq!([told(12..13), told(13..14), told(13..28)], [None; 3]);
    assert_eq!([told(28..29), told(13..29), told(12..29)], [Some((9, 9)), Some((9, 9)), Some((15, 15))]);
}

#[test]
fn rows_beyond_the_size_are_in_the_rest() {
    let facts: Vec<_> =
        (0..9).map(|number| searched(12 * DAY + number * MINUTE, &format!("q{number}"), 1)).collect();
    let report = count_repeated(5, &facts).build_report(ReportKind::Search, 4);
    assert_eq!((report.rows.len(), report.rest_rows, report.rest.map(|rest| rest.count)), (4, 5, Some(25)));
}

#[test]
fn a_table_holds_no_formula() {
    let report = count_repeated(5, &[searched(12 * DAY, "=1+\"2\"", 1)]).build_report(ReportKind::Search, 9);
    let table = String::from_utf8(report.csv(ReportKind::Search).expect("a table")).expect("a text");
    assert!(table.contains("\n\"'=1+\"\"2\"\"\",5"), "{table}");
}

#[test]
fn the_uplift_of_a_control_group_has_its_interval() {
    let mut tallies = ReportCounts::new(0..1);
    for number in 0..200_u8 {
        let zones = if number < 100 {
            saw(1, &["HP-01"])
        } else {
            ReportFact { at: 1, did: ReportedAction::Saw(vec![AttributionSource::Control]) }
        };
        let buys = number < 30 || (100..120).contains(&number);
        let order = buys.then(|| ordered(2, vec![bought("a", 10, None)]));
        tallies.add([zones].into_iter().chain(order).collect());
    }
    let both = vec![
        saw(1, &["HP-01"]),
        ReportFact { at: 2, did: ReportedAction::Saw(vec![AttributionSource::Control]) },
    ];
    tallies.add(both);
    let control = tallies.build_report(ReportKind::Zones, 9).control.expect("two groups");
    assert_eq!((control.people_with, control.people_without, control.people_of_both), (100, 100, 0));
    let uplift = control.orders.and_then(|orders| orders.uplift).expect("orders in both");
    assert!((uplift.measured - 0.5).abs() < 1e-9);
    // 1.5 times and divided by exp(1.96 sqrt(0.7/0.3/99 + 0.8/0.2/99)).
    let width = (1.959_963_984_540_054 * (0.7 / 0.3 / 99.0 + 4.0 / 99.0_f64).sqrt()).exp();
    assert!(
        (uplift.low - (1.5 / width - 1.0)).abs() < 0.006 && (uplift.high - (1.5 * width - 1.0)).abs() < 0.006
    );
    let revenue = control.revenue.and_then(|revenue| revenue.uplift).expect("revenue in both");
    assert!(
        (revenue.measured - 0.5).abs() < 1e-9 && (revenue.low - uplift.low).abs() < 1e-9,
        "all cost the same"
    );
    // A group in which one person ordered.
    let mut few = ReportCounts::new(0..1);
    for number in 0..40_u8 {
        let zones = if number < 20 {
            saw(1, &["HP-01"])
        } else {
            ReportFact { at: 1, did: ReportedAction::Saw(vec![AttributionSource::Control]) }
        };
        let order = (number <= 20).then(|| ordered(2, vec![bought("a", 10, None)]));
        few.add([zones].into_iter().chain(order).collect());
    }
    let control = few.build_report(ReportKind::Zones, 9).control.expect("two groups");
    assert_eq!((control.people_without, control.orders, control.revenue), (20, None, None));
    assert!(
        count_repeated(50, &[saw(12 * DAY, &["HP-01"])]).build_report(ReportKind::Zones, 9).control.is_none()
    );
}

#[test]
fn what_few_did_of_a_row_is_not_told() {
    let mut tallies = count_repeated(6, &[searched(12 * DAY, "lamp", 3)]);
    for _ in 0..4 {
        let clicked = clicked(12 * DAY, "a", search("lamp"));
        tallies.add(vec![clicked, ordered(12 * DAY, vec![bought("a", 9, None)])]);
    }
    let report = tallies.build_report(ReportKind::Search, 9);
    let few = report.rows[0].measures;
    assert_eq!((few.count, few.clicks, few.orders, few.revenue, few.corrected), (6, None, None, None, None));
    let table = String::from_utf8(report.csv(ReportKind::Search).expect("a table")).expect("a text");
    assert!(table.contains("\nlamp,6,6,,,,,\n"), "{table}");
    let clicks = vec![clicked(12 * DAY, "a", search("lamp"))];
    tallies.add(clicks);
    let many = tallies.build_report(ReportKind::Search, 9).rows[0].measures;
    assert_eq!((many.clicks, many.orders), (Some(5), None));
}

#[test]
fn rows_beyond_what_is_counted_are_in_the_rest() {
    let most = crate::limits::REPORT_CELLS_COUNTED;
    let mut tallies = ReportCounts::new(10..20);
    let many: Vec<_> = (0..most).map(|number| number.to_string()).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    tallies.add(vec![saw(12 * DAY, &many)]);
    (0..5).for_each(|_| tallies.add(vec![saw(12 * DAY, &["0", "beyond"])]));
    let report = tallies.build_report(ReportKind::Zones, most);
    let zones: Vec<_> = report.rows.iter().map(|row| (row.zone.as_deref(), row.people)).collect();
    assert_eq!(zones, [(Some("0"), 6)]);
    assert_eq!(report.rest.map(|rest| rest.count), Some(most as u64 - 1 + 5));
}

#[test]
fn absurd_orders_break_no_report() {
    let most = rust_decimal::Decimal::MAX;
    let line = |product: &str| ReportOrderLine {
        product: product.to_owned(),
        amount: Some(most),
        source: Some(zone("HP-01")),
    };
    let tallies =
        count_repeated(5, &[saw(12 * DAY, &["HP-01"]), ordered(12 * DAY, vec![line("a"), line("b")])]);
    assert_eq!(rows(&tallies, ReportKind::Zones)[0].measures.revenue, Some(most));
}

#[test]
fn what_was_missed_is_told_as_far_as_searches_are() {
    let at = 12 * DAY;
    let mut tallies = count_repeated(
        5,
        &[searched(at, "hat", 0), searched(at + DAY, "shoe", 3), searched(at + 2 * DAY, "cap", 0)],
    );
    tallies.add(vec![searched(at, "cap", 0), searched(at, "my secret", 0)]);
    let few = [searched(at, "rare", 0), searched(at + 5 * MINUTE, "rare", 5)];
    (20..24).for_each(|_| tallies.add(few.to_vec()));
    tallies.add(vec![searched(at, "rare", 5)]);
    let missed = tallies.build_report(ReportKind::Missed, 100);
    let told: Vec<_> =
        missed.rows.iter().map(|row| (row.query.as_deref(), row.measures.without_result)).collect();
    // The last query and the secret one have four people without a result each.
    assert_eq!(told, [(Some("cap"), Some(6)), (Some("hat"), Some(5))]);
    assert_eq!((missed.rest_rows, missed.rest), (0, None));
    assert_eq!(tallies.build_report(ReportKind::Missed, 1).rows.len(), 1);
}

#[test]
fn a_day_has_the_measures_of_a_report_of_that_day() {
    let facts = [
        searched(12 * DAY, "hat", 0),
        clicked(13 * DAY, "a", search("hat")),
        ordered(14 * DAY, vec![bought("a", 3, None)]),
    ];
    let tallies = count_repeated(5, &facts);
    let days = rows(&tallies, ReportKind::Days);
    let told: Vec<_> = days.iter().map(|row| (row.day.as_deref(), row.measure, row.measures.count)).collect();
    let [first, second, third] = ["1970-01-13", "1970-01-14", "1970-01-15"].map(Some);
    assert_eq!(
        told,
        [
            (first, Some("searches"), 5),
            (first, Some("searches without a result"), 5),
            (second, Some("clicks on a hit"), 5),
            (third, Some("orders"), 5),
            (third, Some("orders with something found in a zone or a search"), 5),
        ]
    );
    assert_eq!(days[4].measures.revenue.map(|revenue| revenue.to_string()).as_deref(), Some("15"));
    let all = rows(&tallies, ReportKind::Quality);
    let without_day: Vec<_> = days.into_iter().map(|row| ReportRow { day: None, ..row }).collect();
    assert_eq!(without_day, all);
    assert!(rows(&count_repeated(4, &facts), ReportKind::Days).is_empty());
    let short = tallies.build_report(ReportKind::Days, 1);
    assert_eq!((short.rows.len(), short.rest_rows), (5, 0));
}
