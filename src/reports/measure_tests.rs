//! All measures, places and periods of reports, exactly.

use rust_decimal::Decimal;

use super::attribution::AttributionSource;
use super::tests::{DAY, MINUTE, bought, clicked, ordered, rows, saw, search, searched, zone};
use super::{Measures, ReportCounts, ReportKind, cover_periods};

const AT: i64 = 12 * DAY;

/// The measures of a report of quality, each with its people, its count and its revenue.
fn measured(tallies: &ReportCounts) -> Vec<(Option<&'static str>, u64, u64, Option<Decimal>)> {
    let rows = rows(tallies, ReportKind::Quality).into_iter();
    rows.map(|row| (row.measure, row.people, row.measures.count, row.measures.revenue)).collect()
}

/// A report of five people who searched four times, looked, clicked, and ordered twice.
fn count_visits() -> ReportCounts {
    let facts = [
        searched(AT, "lamp", 3),
        searched(AT + MINUTE, "desk", 0),
        searched(AT + 2 * MINUTE, "chair", 7),
        searched(AT + 3 * MINUTE, "rug", 1),
        clicked(AT + 4 * MINUTE, "a", search("lamp")),
        saw(AT + 5 * MINUTE, &["HP-01"]),
        clicked(AT + 6 * MINUTE, "b", zone("HP-01")),
        ordered(AT + 7 * MINUTE, vec![bought("a", 3, None), bought("c", 1, None)]),
        ordered(AT + 8 * MINUTE, vec![bought("d", 5, None)]),
    ];
    let mut tallies = ReportCounts::new(10..20);
    (0..5).for_each(|_| tallies.add(facts.to_vec()));
    tallies
}

#[test]
fn each_measure_counts_what_it_names() {
    let [all, found] = [45, 15].map(|revenue| Some(Decimal::from(revenue)));
    assert_eq!(
        measured(&count_visits()),
        [
            (Some("searches"), 20, 20, None),
            (Some("searches without a result"), 5, 5, None),
            (Some("searches corrected"), 5, 5, None),
            (Some("clicks on a hit"), 5, 5, None),
            (Some("zones seen"), 5, 5, None),
            (Some("clicks in a zone"), 5, 5, None),
            (Some("orders"), 10, 10, all),
            (Some("orders with something found in a zone or a search"), 5, 5, found),
        ]
    );
    assert_eq!(count_visits().build_report(ReportKind::Quality, 2).rows.len(), 2);
}

#[test]
fn each_search_has_the_measures_of_its_own() {
    let told = rows(&count_visits(), ReportKind::Search);
    let of = |query: &str| {
        let row = told.iter().find(|row| row.query.as_deref() == Some(query)).expect("a row");
        (row.people, row.measures)
    };
    let once = Measures { count: 5, ..Measures::default() };
    let revenue = Some(Decimal::from(15));
    assert_eq!(of("lamp"), (5, Measures { clicks: Some(5), orders: Some(5), revenue, ..once }));
    assert_eq!(of("desk"), (5, Measures { without_result: Some(5), ..once }));
    assert_eq!(of("chair"), (5, Measures { corrected: Some(5), ..once }));
    assert_eq!((of("rug"), told.len()), ((5, once), 4));
}

/// Five people who ordered something of a place that they share, and something of a place of their own: of three a
/// zone, of two a search.
fn count_parts(shared: i64, own: i64) -> ReportCounts {
    let mut tallies = ReportCounts::new(10..20);
    for number in 0..5 {
        let name = format!("own {number}");
        let place = if number < 3 { zone(&name) } else { search(&name) };
        let lines = vec![bought("a", shared, Some(zone("shared"))), bought("b", own, Some(place))];
        tallies.add(vec![ordered(AT, lines)]);
    }
    tallies
}

#[test]
fn an_order_counts_where_the_first_of_its_largest_parts_was_found() {
    for (shared, own) in [(10, 1), (4, 4)] {
        let revenue = Some(Decimal::from(5 * shared));
        let both = [
            (Some("orders"), 5, 5, revenue),
            (Some("orders with something found in a zone or a search"), 5, 5, revenue),
        ];
        assert_eq!(measured(&count_parts(shared, own)), both, "{shared} {own}");
    }
    // Of the largest parts three were found in zones and two by searches: too few of either.
    let tallies = count_parts(1, 10);
    assert_eq!(measured(&tallies), []);
    let zones = tallies.build_report(ReportKind::Zones, 9);
    let expected = Measures { orders: Some(5), revenue: Some(Decimal::from(5)), ..Measures::default() };
    assert_eq!((zones.rows, zones.rest_rows, zones.rest), (Vec::new(), 0, Some(expected)));
}

#[test]
fn four_people_are_no_group_however_often_they_come() {
    let mut tallies = ReportCounts::new(10..20);
    let twice = [searched(AT, "lamp", 1), searched(AT + DAY, "lamp", 1)];
    (0..4).for_each(|_| tallies.add(twice.to_vec()));
    let report = tallies.build_report(ReportKind::Search, 9);
    assert_eq!((report.rows, report.rest), (Vec::new(), None));
    tallies.add(vec![searched(AT + DAY, "lamp", 1)]);
    let told = rows(&tallies, ReportKind::Search);
    assert_eq!(told.iter().map(|row| (row.people, row.measures.count)).collect::<Vec<_>>(), [(9, 9)]);
}

#[test]
fn zones_stand_by_their_names_and_searches_by_their_number() {
    let mut tallies = ReportCounts::new(10..20);
    let facts = [
        saw(AT, &["HP-01", "HP-02"]),
        saw(AT + MINUTE, &["HP-02"]),
        searched(AT, "seldom", 1),
        searched(AT + MINUTE, "often", 1),
        searched(AT + 2 * MINUTE, "rarely", 1),
        searched(AT + 3 * MINUTE, "often", 1),
    ];
    (0..5).for_each(|_| tallies.add(facts.to_vec()));
    let zones = rows(&tallies, ReportKind::Zones);
    let counts: Vec<_> = zones.iter().map(|row| (row.zone.as_deref(), row.measures.count)).collect();
    assert_eq!(counts, [(Some("HP-01"), 5), (Some("HP-02"), 10)]);
    let report = tallies.build_report(ReportKind::Search, 1);
    assert_eq!((report.rows[0].query.as_deref(), report.rows[0].measures.count), (Some("often"), 10));
    assert_eq!((report.rest_rows, report.rest), (2, Some(Measures { count: 10, ..Measures::default() })));
}

#[test]
fn the_counted_days_are_the_whole_periods_around_those_of_a_report() {
    let covered = [27..29, 28..56, 28..57, 0..1, 55..56, -1..0, -29..1].map(|days| cover_periods(&days));
    assert_eq!(covered, [0..56, 28..56, 28..84, 0..28, 28..56, -28..0, -56..28]);
}

#[test]
fn a_source_holds_no_address_in_any_part_and_takes_the_bytes_of_its_texts() {
    let source_of = |[zone, recommender, campaign]: [&str; 3]| AttributionSource::Zone {
        zone: zone.to_owned(),
        recommender: recommender.to_owned(),
        campaign: campaign.to_owned(),
    };
    let plain = ["abc", "de", "f"];
    assert_eq!(AttributionSource::parse_sent(&source_of(plain).to_string()), Some(source_of(plain)));
    for place in 0..3 {
        let mut parts = plain;
        parts[place] = "ada@mail.example";
        let source = source_of(parts);
        assert_eq!(AttributionSource::parse_sent(&source.to_string()), None, "{place}");
        assert_eq!(AttributionSource::parse(&source.to_string()), Some(source), "{place}");
    }
    for wrong in ["z.%ff.a.b", "z.a.%ff.b", "z.a.b.%ff", "z.a.b", "z.a.b.c.d", "s.0123456789abcdeg", "x"] {
        assert_eq!(AttributionSource::parse(wrong), None, "{wrong}");
    }
    let bytes = [source_of(plain), search("lamp"), AttributionSource::Control].map(|source| source.bytes());
    assert_eq!(bytes, [6, 16, 0].map(|texts| size_of::<AttributionSource>() + texts));
}
