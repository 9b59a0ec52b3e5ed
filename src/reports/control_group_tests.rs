//! Boundaries of the comparison with a control group: people, buyers, days.

use super::attribution::AttributionSource;
use super::control_group::{ControlGroup, Means, Uplift};
use super::fact::{ReportFact, ReportOrderLine, ReportedAction};
use super::tests::{DAY, bought, ordered, saw};
use super::{ReportCounts, ReportKind};
use crate::clock::Millis;

const AT: Millis = 5 * DAY;

/// A page without its zones: its visitor belongs to the control group.
fn without_zones(at: Millis) -> ReportFact {
    ReportFact { at, did: ReportedAction::Saw(vec![AttributionSource::Control]) }
}

/// Adds people who see zones, or of whom they are kept, of whom the first ones each buy something of this price.
fn add_people(tallies: &mut ReportCounts, seen: &ReportFact, people: usize, buyers: usize, price: i64) {
    for number in 0..people {
        let order = (number < buyers).then(|| ordered(AT, vec![bought("a", price, None)]));
        tallies.add([seen.clone()].into_iter().chain(order).collect());
    }
}

fn compare(tallies: &ReportCounts) -> Option<ControlGroup> {
    tallies.build_report(ReportKind::Zones, 9).control
}

#[test]
fn a_group_of_four_people_or_with_four_buyers_is_not_told() {
    let compared = |with: (usize, usize), without: (usize, usize)| {
        let mut tallies = ReportCounts::new(5..6);
        add_people(&mut tallies, &saw(AT, &["HP-01"]), with.0, with.1, 10);
        add_people(&mut tallies, &without_zones(AT), without.0, without.1, 10);
        compare(&tallies).map(|control| (control.orders.is_some(), control.revenue.is_some()))
    };
    assert_eq!(compared((5, 5), (5, 5)), Some((true, true)));
    assert_eq!([compared((4, 4), (5, 5)), compared((5, 5), (4, 4))], [None; 2]);
    let few = Some((false, false));
    assert_eq!([compared((9, 4), (9, 9)), compared((9, 9), (9, 4))], [few; 2]);
}

#[test]
fn each_group_has_its_own_mean_and_who_is_in_both_counts_for_neither() {
    let mut tallies = ReportCounts::new(5..6);
    add_people(&mut tallies, &saw(AT, &["HP-01"]), 15, 5, 10);
    add_people(&mut tallies, &without_zones(AT), 20, 5, 4);
    (0..7).for_each(|_| {
        tallies.add(vec![saw(AT, &["HP-01"]), without_zones(AT), ordered(AT, vec![bought("a", 99, None)])])
    });
    let control = compare(&tallies).expect("two groups");
    assert_eq!((control.people_with, control.people_without, control.people_of_both), (15, 20, 5));
    let means = |means: Option<Means>| means.map(|means| (means.with, means.without)).expect("buyers");
    assert_eq!(means(control.orders), (0.33, 0.25));
    assert_eq!(means(control.revenue), (3.3, 1.0));
    let uplift = control.orders.and_then(|means| means.uplift).expect("an uplift");
    assert_eq!(uplift.measured, 0.33, "in whole hundredths: a third would tell how many ordered");
    assert!(
        [uplift.low, uplift.high].iter().all(|told| *told == (told * 100.0).round() / 100.0),
        "{uplift:?}"
    );
    for (kind, is_told) in [
        (ReportKind::Zones, true),
        (ReportKind::Quality, true),
        (ReportKind::Search, false),
        (ReportKind::Missed, false),
        (ReportKind::Days, false),
    ] {
        assert_eq!(tallies.build_report(kind, 9).control.is_some(), is_told, "{kind:?}");
    }
}

#[test]
fn groups_are_those_of_the_days_of_the_report() {
    let before = AT - DAY;
    let mut tallies = ReportCounts::new(5..6);
    // They saw zones before, or ordered before.
    add_people(&mut tallies, &saw(before, &["HP-01"]), 10, 0, 0);
    add_people(&mut tallies, &without_zones(before), 10, 0, 0);
    for seen in [saw(AT, &["HP-01"]), without_zones(AT)] {
        (0..5).for_each(|_| tallies.add(vec![ordered(before, vec![bought("a", 9, None)]), seen.clone()]));
    }
    let control = compare(&tallies).expect("two groups");
    assert_eq!((control.people_with, control.people_without, control.people_of_both), (5, 5, 0));
    assert_eq!((control.orders, control.revenue), (None, None));
}

#[test]
fn orders_without_a_price_have_no_uplift_of_revenue() {
    let mut tallies = ReportCounts::new(5..6);
    for seen in [saw(AT, &["HP-01"]), without_zones(AT)] {
        let unpriced = ReportOrderLine { product: "a".to_owned(), amount: None, source: None };
        (0..5).for_each(|_| tallies.add(vec![seen.clone(), ordered(AT, vec![unpriced.clone()])]));
    }
    let revenue = compare(&tallies).and_then(|control| control.revenue).expect("buyers");
    assert_eq!(revenue, Means { with: 0.0, without: 0.0, uplift: None });
}

/// People who see zones, or of whom they are kept, by the number of their orders and what they cost.
fn add_buyers(tallies: &mut ReportCounts, seen: &ReportFact, people: &[(usize, usize, i64)]) {
    for (count, orders, revenue) in people {
        let prices = (0..*orders).map(|order| if order == 0 { *revenue } else { 0 });
        let orders: Vec<_> = prices.map(|price| ordered(AT, vec![bought("a", price, None)])).collect();
        (0..*count).for_each(|_| tallies.add([vec![seen.clone()], orders.clone()].concat()));
    }
}

#[test]
fn people_who_order_differently_have_the_known_uplift() {
    let mut tallies = ReportCounts::new(5..6);
    let with = [(5, 0, 0), (4, 1, 10), (1, 3, 50), (1, 3, 70), (1, 3, 90)];
    add_buyers(&mut tallies, &saw(AT, &["HP-01"]), &with);
    add_buyers(&mut tallies, &without_zones(AT), &[(8, 0, 0), (5, 1, 20), (2, 2, 44)]);
    let uplift = |measured, low, high| Some(Uplift { measured, low, high });
    let known = ControlGroup {
        people_with: 10,
        people_without: 15,
        people_of_both: 0,
        orders: Some(Means { with: 1.1, without: 0.6, uplift: uplift(0.81, -0.26, 3.43) }),
        revenue: Some(Means { with: 21.0, without: 13.0, uplift: uplift(0.66, -0.42, 3.8) }),
    };
    assert_eq!(compare(&tallies), Some(known));
}
