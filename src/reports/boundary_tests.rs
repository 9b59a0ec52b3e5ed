//! Boundaries of reports: moments, periods, caps and sizes.

use std::ops::Range;

use super::attribution::AttributionSource;
use super::fact::{ReportFact, ReportOrderLine};
use super::tests::{DAY, MINUTE, bought, clicked, ordered, rows, saw, search, searched, zone};
use super::{ReportCounts, ReportKind, ReportRow};
use crate::clock::{Day, millis};
use crate::limits;

/// A report of these days for five people who all did the same.
fn count_five(days: Range<Day>, facts: &[ReportFact]) -> ReportCounts {
    let mut tallies = ReportCounts::new(days);
    (0..5).for_each(|_| tallies.add(facts.to_vec()));
    tallies
}

/// The searches of a report by their texts, each with its number.
fn count_searches(tallies: &ReportCounts) -> Vec<(String, u64)> {
    let rows = rows(tallies, ReportKind::Search).into_iter();
    let mut counts: Vec<_> = rows.map(|row| (row.query.unwrap_or_default(), row.measures.count)).collect();
    counts.sort_unstable();
    counts
}

fn find_zone(rows: &[ReportRow], name: &str) -> ReportRow {
    rows.iter().find(|row| row.zone.as_deref() == Some(name)).expect("a zone").clone()
}

#[test]
fn a_period_begins_with_nothing_of_the_one_before() {
    let midnight = limits::REPORT_PERIOD_DAYS * DAY;
    let facts = [
        searched(midnight - 1_000, "la", 1),
        saw(midnight - 1, &["HP-01"]),
        saw(midnight, &["HP-01"]),
        searched(midnight + 1_000, "lamp", 1),
    ];
    let both = count_five(27..29, &facts);
    assert_eq!(find_zone(&rows(&both, ReportKind::Zones), "HP-01").measures.count, 10);
    assert_eq!(count_searches(&both), [("la".to_owned(), 5), ("lamp".to_owned(), 5)]);
    let second = count_five(28..29, &facts);
    assert_eq!(find_zone(&rows(&second, ReportKind::Zones), "HP-01").measures.count, 5);
    assert_eq!(count_searches(&second), [("lamp".to_owned(), 5)]);
}

#[test]
fn a_click_in_the_moment_of_an_order_says_where_it_was_found() {
    let at = 12 * DAY;
    let facts = [ordered(at, vec![bought("a", 3, None)]), clicked(at, "a", search("lamp"))];
    let quality = rows(&count_five(10..20, &facts), ReportKind::Quality);
    let found = quality.last().expect("a row");
    assert_eq!(found.measure, Some("orders with something found in a zone or a search"));
    assert_eq!((found.measures.count, found.measures.revenue), (5, Some(15.into())));
}

#[test]
fn the_shop_knows_better_than_a_click_where_something_was_found() {
    let at = 12 * DAY;
    let unpriced = ReportOrderLine { product: "b".to_owned(), amount: None, source: Some(zone("HP-03")) };
    let facts = [
        saw(at, &["HP-01", "HP-02", "HP-03"]),
        clicked(at, "a", zone("HP-01")),
        ordered(at + 1, vec![bought("a", 3, Some(zone("HP-02")))]),
        ordered(at + 2, vec![unpriced]),
    ];
    let rows = rows(&count_five(10..20, &facts), ReportKind::Zones);
    let counts = ["HP-01", "HP-02", "HP-03"].map(|name| {
        let measures = find_zone(&rows, name).measures;
        (measures.clicks, measures.orders, measures.revenue)
    });
    let expected = [(Some(5), None, None), (None, Some(5), Some(15.into())), (None, Some(5), None)];
    assert_eq!(counts, expected, "a line without a price adds no revenue");
}

#[test]
fn a_search_goes_on_for_so_long_and_no_longer() {
    let at = 12 * DAY;
    let soon = millis(limits::TYPING_DURATION);
    let typed = |after| {
        count_searches(&count_five(10..20, &[searched(at, "la", 1), searched(at + after, "lamp", 1)]))
    };
    assert_eq!(typed(soon), [("lamp".to_owned(), 5)]);
    assert_eq!(typed(soon + 1), [("la".to_owned(), 5), ("lamp".to_owned(), 5)]);
}

#[test]
fn places_and_searches_are_counted_up_to_a_cap_in_each_period() {
    const MOST: usize = limits::REPORT_CELLS_COUNTED;
    let many: Vec<_> = (0..MOST).map(|number| number.to_string()).collect();
    let zones: Vec<_> = many.iter().map(String::as_str).collect();
    let mut tallies = ReportCounts::new(10..41);
    tallies.add(vec![saw(12 * DAY, &zones)]);
    (0..5).for_each(|_| tallies.add(vec![saw(40 * DAY, &["beyond"])]));
    let told = rows(&tallies, ReportKind::Zones);
    assert_eq!(find_zone(&told, "beyond").people, 5, "another period has room of its own");
    // Of the same days with those before, which have more searches than there is room for.
    let mut tallies = ReportCounts::with_days_before(40..41, 12);
    tallies.add(many.iter().map(|query| searched(12 * DAY, query, 1)).collect());
    for day in [12, 40] {
        (0..5).for_each(|_| tallies.add(vec![searched(day * DAY, "beyond", 1)]));
    }
    assert_eq!(count_searches(&tallies), [("beyond".to_owned(), 5)]);
}

#[test]
fn the_most_missed_searches_are_told_however_often_others_were_made() {
    let at = 12 * DAY;
    let mut tallies = ReportCounts::new(10..20);
    for (people, query, found) in [(30, "shoe", 3), (20, "lamp", 3), (5, "lamp", 0), (6, "desk", 0)] {
        (0..people).for_each(|_| tallies.add(vec![searched(at, query, found)]));
    }
    let missed = |size| {
        let rows = tallies.build_report(ReportKind::Missed, size).rows.into_iter();
        rows.map(|row| (row.query.unwrap_or_default(), row.measures.without_result)).collect::<Vec<_>>()
    };
    let [desk, lamp] = [("desk".to_owned(), Some(6)), ("lamp".to_owned(), Some(5))];
    assert_eq!(missed(100), [desk.clone(), lamp]);
    assert_eq!(missed(1), [desk]);
}

#[test]
fn a_group_of_two_days_is_told_of_neither() {
    let mut tallies = ReportCounts::new(10..20);
    for day in [12, 13] {
        (0..3).for_each(|_| tallies.add(vec![searched(day * DAY, "lamp", 1)]));
    }
    assert_eq!(rows(&tallies, ReportKind::Days), []);
    assert_eq!(rows(&tallies, ReportKind::Quality)[0].measures.count, 6);
}

#[test]
fn a_table_names_its_columns_as_its_report_does() {
    let at = 12 * DAY;
    let facts = [saw(at, &["HP-01", "HP-02"]), searched(at + MINUTE, "lamp", 0)];
    let tallies = count_five(10..20, &facts);
    let table = |kind, size| {
        let table = tallies.build_report(kind, size).csv(kind).expect("a table");
        String::from_utf8(table).expect("a text")
    };
    const COUNTED: &str = "People,Count,WithoutResult,Corrected,Clicks,Orders,Revenue\n";
    for (kind, about, first) in [
        (ReportKind::Zones, "Zone,Recommender,Campaign", "HP-01,Trending,,5,5,,,,,\n"),
        (ReportKind::Search, "Query", "lamp,5,5,5,,,,\n"),
        (ReportKind::Missed, "Query", "lamp,5,5,5,,,,\n"),
        (ReportKind::Quality, "Measure", "searches,5,5,,,,,\n"),
        (ReportKind::Days, "Day,Measure", "1970-01-13,searches,5,5,,,,,\n"),
    ] {
        let table = table(kind, 100);
        assert!(table.starts_with(&format!("{about},{COUNTED}{first}")), "{kind:?}: {table}");
    }
    assert!(table(ReportKind::Zones, 1).ends_with("\n(rest),,,,5,,,,,\n"));
}

#[test]
fn a_client_says_nothing_of_a_control_group_and_no_control_characters() {
    assert_eq!(AttributionSource::parse("c"), Some(AttributionSource::Control));
    assert_eq!(AttributionSource::parse_sent("c"), None);
    assert_eq!(AttributionSource::parse_sent(&zone("HP-01").to_string()), Some(zone("HP-01")));
    for wrong in ["z.a.%00.b", "z.a.b.%0a"] {
        assert_eq!(AttributionSource::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn a_report_of_the_days_before_is_that_of_these_days() {
    let facts = [searched(45 * DAY, "hat", 0), searched(58 * DAY, "shoe", 3), searched(65 * DAY, "shoe", 3)];
    let counted = |mut tallies: ReportCounts| {
        (0..5).for_each(|_| tallies.add(facts.to_vec()));
        tallies
    };
    let both = counted(ReportCounts::with_days_before(57..71, 43));
    for kind in [ReportKind::Search, ReportKind::Missed, ReportKind::Quality, ReportKind::Days] {
        let before = counted(ReportCounts::new(43..57)).build_report(kind, 9);
        assert_eq!(both.build_report_before(kind, 9).rows, before.rows, "{kind:?}");
        let now = counted(ReportCounts::new(57..71)).build_report(kind, 9);
        assert_eq!(both.build_report(kind, 9).rows, now.rows, "{kind:?}");
    }
}
