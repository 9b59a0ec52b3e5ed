//! Products in reports, and their variants.

use super::fact::{ReportFact, ReportedAction};
use super::tests::{DAY, MINUTE, rows, saw, searched};
use super::{ReportCounts, ReportKind, ReportRow};
use crate::clock::Millis;
use crate::limits;

const AT: Millis = 12 * DAY;

fn viewed(at: Millis, product: &str, variant: Option<&str>) -> ReportFact {
    let did = ReportedAction::Viewed { product: product.to_owned(), variant: variant.map(str::to_owned) };
    ReportFact { at, did }
}

/// Counts people who each viewed one thing: a product, its variant, and how many people.
fn count_views(views: &[(&str, Option<&str>, usize)]) -> ReportCounts {
    let mut tallies = ReportCounts::new(10..20);
    for (product, variant, people) in views {
        (0..*people).for_each(|_| tallies.add(vec![viewed(AT, product, *variant)]));
    }
    tallies
}

/// A product, its people and its count, and the same of its variants.
type DescribedProduct = (String, u64, u64, Vec<(String, u64, u64)>);

/// A row as a described product.
fn described(row: &ReportRow) -> DescribedProduct {
    let variants = row.variants.iter();
    let variants = variants.map(|one| (one.variant.clone(), one.people, one.count)).collect();
    (row.product.clone().unwrap_or_default(), row.people, row.measures.count, variants)
}

fn products(tallies: &ReportCounts) -> Vec<DescribedProduct> {
    rows(tallies, ReportKind::Products).iter().map(described).collect()
}

fn variant(name: &str, people: u64) -> (String, u64, u64) {
    (name.to_owned(), people, people)
}

#[test]
fn a_product_counts_its_variants_and_shows_those_of_five_people_or_more() {
    let views = [
        ("p1", Some("red"), 5),
        ("p1", Some("blue"), 6),
        ("p1", Some("green"), 3),
        ("p1", None, 2),
        ("p2", None, 7),
    ];
    let shown = vec![variant("blue", 6), variant("red", 5)];
    let expected = [("p1".to_owned(), 16, 16, shown.clone()), ("p2".to_owned(), 7, 7, Vec::new())];
    assert_eq!(products(&count_views(&views)), expected);
    // One fewer: what four did stands neither with the product nor alone, nor in the rest.
    let few = [("p1", Some("red"), 5), ("p1", Some("blue"), 6), ("p1", Some("green"), 3), ("p1", None, 1)];
    let counts = count_views(&few);
    assert_eq!(products(&counts), [("p1".to_owned(), 11, 11, shown.clone())]);
    assert_eq!(counts.build_report(ReportKind::Products, 9).rest, None);
    // With a view of another product it is the rest.
    let counts = count_views(&[&few[..], &[("p9", Some("one"), 1)]].concat());
    assert_eq!(products(&counts), [("p1".to_owned(), 11, 11, shown)]);
    let rest = counts.build_report(ReportKind::Products, 9).rest;
    assert_eq!(rest.map(|rest| rest.count), Some(5));
}

#[test]
fn a_variant_of_few_people_is_a_part_of_its_product_alone() {
    let views = [("p1", Some("red"), 3), ("p1", Some("blue"), 2), ("p2", Some("red"), 4)];
    let expected = [("p1".to_owned(), 5, 5, Vec::new())];
    assert_eq!(products(&count_views(&views)), expected, "variants of one name are of two products");
    // One person who views five variants is no five people.
    let mut counts = ReportCounts::new(10..20);
    let views: Vec<_> = ["a", "b", "c", "d", "e"].map(|one| viewed(AT, "p1", Some(one))).into();
    (0..4).for_each(|_| counts.add(views.clone()));
    assert_eq!(products(&counts), []);
    counts.add(views);
    let each = ["a", "b", "c", "d", "e"].map(|one| variant(one, 5)).to_vec();
    assert_eq!(products(&counts), [("p1".to_owned(), 25, 25, each)]);
}

#[test]
fn a_variant_is_viewed_once_a_minute() {
    let views = [
        viewed(AT, "p1", Some("red")),
        viewed(AT + 1, "p1", Some("blue")),
        viewed(AT + 2, "p1", None),
        viewed(AT + MINUTE - 1, "p1", Some("red")),
        viewed(AT + MINUTE, "p1", Some("red")),
    ];
    let mut counts = ReportCounts::new(10..20);
    (0..5).for_each(|_| counts.add(views.to_vec()));
    let shown = vec![("red".to_owned(), 5, 10), ("blue".to_owned(), 5, 5)];
    assert_eq!(products(&counts), [("p1".to_owned(), 15, 20, shown)]);
}

#[test]
fn a_group_of_a_variant_is_told_with_all_its_days_and_its_rest_with_the_product() {
    let told = |days: std::ops::Range<i64>| {
        let mut counts = ReportCounts::new(days);
        for day in [12, 13] {
            (0..3).for_each(|_| counts.add(vec![viewed(day * DAY, "p1", Some("red"))]));
            (0..2).for_each(|_| counts.add(vec![viewed(day * DAY, "p1", Some("blue"))]));
            (0..2).for_each(|_| counts.add(vec![viewed(day * DAY, "p1", None)]));
        }
        products(&counts)
    };
    let all = [("p1".to_owned(), 14, 14, vec![variant("red", 6)])];
    assert_eq!([told(12..14), told(0..28)], [all.clone(), all]);
    // Blue and the product itself have eight people in two days, and five only with the second.
    assert_eq!([told(12..13), told(13..14)], [Vec::new(), Vec::new()]);
}

#[test]
fn products_change_no_other_report_and_take_none_of_their_room() {
    let facts = [saw(AT, &["HP-01"]), searched(AT, "lamp", 0)];
    let others =
        [ReportKind::Zones, ReportKind::Search, ReportKind::Missed, ReportKind::Quality, ReportKind::Days];
    let report = |with_views: bool| {
        let mut counts = ReportCounts::new(10..20);
        if with_views {
            let many = (0..=limits::REPORT_CELLS_COUNTED).map(|number| viewed(AT, &number.to_string(), None));
            counts.add(many.collect());
        }
        for _ in 0..5 {
            let views =
                [viewed(AT, "beyond", None), viewed(AT, "0", None)].into_iter().filter(|_| with_views);
            counts.add(facts.iter().cloned().chain(views).collect());
        }
        counts
    };
    let [with, without] = [true, false].map(report);
    assert_eq!(others.map(|kind| rows(&with, kind)), others.map(|kind| rows(&without, kind)));
    assert_eq!(products(&without), []);
    // The first of so many products are counted one by one, and all others together.
    assert_eq!(products(&with), [("0".to_owned(), 6, 6, Vec::new())]);
    let rest = with.build_report(ReportKind::Products, 9).rest;
    assert_eq!(rest.map(|rest| rest.count), Some(limits::REPORT_CELLS_COUNTED as u64 + 5));
}

#[test]
fn products_beyond_the_size_are_in_the_rest_with_their_variants() {
    let counts =
        count_views(&[("p1", Some("red"), 5), ("p1", None, 5), ("p2", None, 9), ("p3", Some("x"), 6)]);
    let report = counts.build_report(ReportKind::Products, 1);
    assert_eq!(report.rows.iter().map(described).collect::<Vec<_>>(), products(&counts)[..1]);
    assert_eq!((report.rest_rows, report.rest.map(|rest| rest.count)), (2, Some(15)));
}

#[test]
fn a_table_has_the_variants_below_their_product() {
    let mut counts = count_views(&[("p1", Some("=red"), 5), ("p1", None, 5), ("p2", None, 6)]);
    (0..5).for_each(|number| counts.add(vec![viewed(AT, &format!("few-{number}"), None)]));
    let report = counts.build_report(ReportKind::Products, 9);
    let table = String::from_utf8(report.csv(ReportKind::Products).expect("a table")).expect("a text");
    let lines = [
        "Product,Variant,People,Count,WithoutResult,Corrected,Clicks,Orders,Revenue",
        "p1,,10,10,,,,,",
        "p1,'=red,5,5,,,,,",
        "p2,,6,6,,,,,",
        "(rest),,,5,,,,,",
    ];
    assert_eq!(table, lines.map(|line| format!("{line}\n")).concat());
}
