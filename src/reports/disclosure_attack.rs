//! A solver that looks for single people in reports. It does not know how they are counted: it compares everything that
//! is shown before and after one person does one more thing, and so gets the equations from outside. Then it looks for
//! a sum or difference of shown numbers that is about fewer than five people.
//!
//! `LETHE_TEST_HISTORIES` sets the number of small random histories to check, `LETHE_TEST_SEED` the first.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::aggregate::{ReportCounts, ReportKind};
use super::attribution::AttributionSource;
use super::fact::{ReportFact, ReportOrderLine, ReportedAction};
use super::query;
use crate::clock::Millis;
use crate::limits;

const DAY: Millis = 24 * 60 * 60 * 1000;
const KINDS: [ReportKind; 6] = [
    ReportKind::Zones,
    ReportKind::Search,
    ReportKind::Missed,
    ReportKind::Products,
    ReportKind::Quality,
    ReportKind::Days,
];
/// Windows that overlap, also over the end of four weeks that are counted together: first day, and the day after the
/// last.
const WINDOWS: [(Millis, Millis); 5] = [(20, 40), (26, 29), (26, 28), (27, 30), (28, 29)];
const DAYS: [Millis; 4] = [26, 27, 28, 29];
const SIZES: [usize; 2] = [1, 100];

/// Deed of a person on a day, done several times: a cell that must not be visible alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SolverDeed {
    person: u8,
    day: Millis,
    what: SolverAction,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SolverAction {
    /// A view of a product, or of its variant.
    Viewed(u8, Option<u8>),
    Saw(u8),
    Clicked(u8),
    /// A search, with the number of products found: none, one, or seven, which stands for a corrected search.
    Searched(u8, u64),
    Ordered(Option<u8>),
    /// Cost of the orders above, as a cell of its own.
    Cost(Option<u8>),
}

/// Number of times of each deed; of a cost, the amount.
type SolverHistory = BTreeMap<SolverDeed, u32>;

fn place(number: u8) -> AttributionSource {
    match number {
        0 | 1 => AttributionSource::Zone {
            zone: format!("zone-{number}"),
            recommender: "Trending".to_owned(),
            campaign: String::new(),
        },
        _ => AttributionSource::Search(query::mark(name(number))),
    }
}

fn name(number: u8) -> &'static str {
    if number == 2 { "lamp" } else { "desk" }
}

/// The state of numbers that look random, after G. Steele, D. Lea and C. Flood (SplitMix, OOPSLA 2014).
struct SolverRandom(u64);

/// A number below a limit.
fn draw(SolverRandom(state): &mut SolverRandom, limit: u32) -> u32 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) >> 33) as u32 % limit
}

/// Some people, a few possible actions, and the people who did each.
fn draw_history(random: &mut SolverRandom) -> SolverHistory {
    let people = 5 + draw(random, 3) as u8;
    let mut history = SolverHistory::new();
    for _ in 0..3 + draw(random, 4) {
        let place = draw(random, 4) as u8;
        let found = [0, 1, 1, 7][draw(random, 4) as usize];
        let source = (draw(random, 6) > 0).then_some(place);
        let variant = Some(draw(random, 3) as u8).filter(|variant| *variant > 0);
        let what = match draw(random, 6) {
            4 | 5 => SolverAction::Viewed(place % 2, variant),
            0 | 1 if place < 2 => SolverAction::Saw(place),
            0 | 1 => SolverAction::Searched(place, found),
            2 => SolverAction::Clicked(place),
            _ => SolverAction::Ordered(source),
        };
        let part = 1 + draw(random, 4);
        let day = DAYS[draw(random, 4) as usize];
        for person in 0..people {
            if draw(random, 4) >= part {
                continue;
            }
            let day = if draw(random, 4) > 0 { day } else { DAYS[draw(random, 4) as usize] };
            history.insert(SolverDeed { person, day, what }, 1 + draw(random, 2));
            if let SolverAction::Ordered(source) = what {
                history.insert(
                    SolverDeed { person, day, what: SolverAction::Cost(source) },
                    10 + draw(random, 90),
                );
            }
        }
    }
    history
}

/// Facts of a history as reports receive them, by person, each in a minute of its own.
fn facts(history: &SolverHistory) -> BTreeMap<u8, Vec<ReportFact>> {
    let mut all = BTreeMap::<u8, Vec<ReportFact>>::new();
    for (deed, times) in history {
        let own = all.entry(deed.person).or_default();
        let cost =
            |source| history.get(&SolverDeed { what: SolverAction::Cost(source), ..deed.clone() }).copied();
        for time in 0..*times {
            let did = match deed.what {
                SolverAction::Viewed(product, variant) => ReportedAction::Viewed {
                    product: format!("product-{product}"),
                    variant: variant.map(|variant| format!("variant-{variant}")),
                },
                SolverAction::Saw(number) => ReportedAction::Saw(vec![place(number)]),
                SolverAction::Clicked(number) => {
                    ReportedAction::Clicked { product: "shown".to_owned(), source: place(number) }
                }
                SolverAction::Searched(number, found) => ReportedAction::Searched {
                    query: name(number).to_owned(),
                    found,
                    is_corrected: found == 7,
                },
                SolverAction::Ordered(source) => ReportedAction::Ordered(vec![ReportOrderLine {
                    product: "bought".to_owned(),
                    amount: Some(if time == 0 { cost(source).unwrap_or_default() } else { 0 }.into()),
                    source: source.map(place),
                }]),
                SolverAction::Cost(_) => continue,
            };
            own.push(ReportFact { at: deed.day * DAY + own.len() as Millis * 120_000, did });
        }
    }
    all
}

/// Everything that is shown of a history, by its place: the report, its days and size, the row, the measure.
fn render_reports(history: &SolverHistory) -> BTreeMap<String, BTreeMap<String, i128>> {
    let people = facts(history);
    let mut all = BTreeMap::new();
    for (first, end) in WINDOWS {
        let mut tallies = ReportCounts::new(first..end);
        let mut compared = ReportCounts::with_days_before(first..end, 2 * first - end);
        for facts in people.values() {
            tallies.add(facts.clone());
            compared.add(facts.clone());
        }
        for kind in KINDS {
            for size in SIZES {
                let before = serde_json::to_value(compared.build_report_before(kind, size)).expect("JSON");
                all.insert(format!("{kind:?} before {first}..{end} of {size}"), numbers(&before));
                let report = tallies.build_report(kind, size);
                let told = serde_json::to_value(&report).expect("JSON");
                let beside = serde_json::to_value(compared.build_report(kind, size)).expect("JSON");
                assert_eq!(lines(&told).collect::<Vec<_>>(), lines(&beside).collect::<Vec<_>>());
                let numbers = numbers(&told);
                let table = String::from_utf8(report.csv(kind).expect("a table")).expect("a text");
                assert_eq!(of_table(&table), sort_numbers(&told), "the table has the numbers of the report");
                all.insert(format!("{kind:?} {first}..{end} of {size}"), numbers);
            }
        }
    }
    all
}

/// The rows of a report, each with its variants below it, and its rest.
fn lines(told: &Value) -> impl Iterator<Item = (String, &Value)> {
    let rows = told["Rows"].as_array().expect("rows").iter();
    let rows = rows.flat_map(|row| {
        let names = ["Zone", "Query", "Product", "Day", "Measure"];
        let name = names.map(|name| row[name].as_str().unwrap_or_default()).join("/");
        let variants = row["Variants"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
        let of_row = name.clone();
        let variants = variants.map(move |variant| (format!("{of_row}/{}", variant["Variant"]), variant));
        std::iter::once((name, row)).chain(variants)
    });
    let rest = std::iter::once(&told["Rest"]).filter(|rest| rest.is_object());
    rows.chain(rest.map(|rest| ("rest".to_owned(), rest)))
}

/// All numbers that are sums of people's actions. Numbers of people are checked below.
fn numbers(told: &Value) -> BTreeMap<String, i128> {
    let mut numbers = BTreeMap::new();
    for (row, told) in lines(told) {
        for (measure, value) in told.as_object().expect("a row") {
            if let Some(number) = value.as_f64().filter(|_| measure != "People") {
                numbers.insert(format!("{row}: {measure}"), number as i128);
            }
        }
    }
    numbers
}

/// The numbers of each line of a report, as in a table.
fn sort_numbers(told: &Value) -> Vec<Vec<String>> {
    const COUNTED: [&str; 7] =
        ["People", "Count", "WithoutResult", "Corrected", "Clicks", "Orders", "Revenue"];
    let number = |value: &Value| value.as_f64().map(|number| number.to_string()).unwrap_or_default();
    lines(told).map(|(_, row)| COUNTED.map(|name| number(&row[name])).to_vec()).collect()
}

fn of_table(table: &str) -> Vec<Vec<String>> {
    let lines = table.lines().skip(1);
    lines
        .map(|line| line.rsplitn(8, ',').take(7).map(str::to_owned).collect::<Vec<_>>())
        .map(|mut cells| {
            cells.reverse();
            cells
        })
        .collect()
}

/// A matrix modulo a prime of 61 bits: its rank is that of the whole numbers, but for a chance of one in 2^55.
mod exact {
    pub const PRIME: i128 = (1 << 61) - 1;

    fn inverse(number: i128) -> i128 {
        let mut power = PRIME - 2;
        let mut base = number;
        let mut result = 1;
        while power > 0 {
            if power & 1 == 1 {
                result = result * base % PRIME;
            }
            base = base * base % PRIME;
            power >>= 1;
        }
        result
    }

    /// The independent rows, by Gaussian elimination: zeros below each leading number.
    pub fn reduce_rows(rows: impl IntoIterator<Item = Vec<i128>>) -> Vec<Vec<i128>> {
        let mut basis: Vec<(usize, Vec<i128>)> = Vec::new();
        for row in rows {
            let mut row: Vec<_> = row.into_iter().map(|number| number.rem_euclid(PRIME)).collect();
            for (at, other) in &basis {
                let factor = row[*at];
                if factor != 0 {
                    row.iter_mut().zip(other).for_each(|(one, other)| {
                        *one = (*one - factor * other).rem_euclid(PRIME);
                    });
                }
            }
            if let Some(at) = row.iter().position(|number| *number != 0) {
                let factor = inverse(row[at]);
                row.iter_mut().for_each(|number| *number = *number * factor % PRIME);
                basis.push((at, row));
            }
        }
        basis.into_iter().map(|(_, row)| row).collect()
    }
}

/// The equations of the report: a column for each cell, by the change of every number when the cell is one more.
fn equations(history: &SolverHistory) -> Vec<Vec<i128>> {
    let before = render_reports(history);
    let mut columns = Vec::new();
    let mut moved = BTreeSet::new();
    for deed in history.keys() {
        let mut more = history.clone();
        *more.entry(deed.clone()).or_default() += 1;
        let after = render_reports(&more);
        for (report, numbers) in &after {
            // Another row stands among the first: its change is no answer.
            if !numbers.keys().eq(before[report].keys()) {
                moved.insert(report.clone());
            }
        }
        columns.push(after);
    }
    let kept = before.iter().filter(|(report, _)| !moved.contains(*report));
    let places = kept.flat_map(|(report, numbers)| numbers.keys().map(move |number| (report, number)));
    places
        .map(|(report, number)| {
            columns.iter().map(|after| after[report][number] - before[report][number]).collect()
        })
        .collect()
}

/// Each choice of four out of these people.
fn fours(people: u8) -> Vec<u32> {
    (0..1_u32 << people).filter(|set| set.count_ones() == limits::REPORT_ROW_PEOPLE as u32 - 1).collect()
}

/// Four people that a sum or difference of shown numbers discloses.
fn find_disclosed(history: &SolverHistory) -> Option<Vec<u8>> {
    let people: Vec<_> = history.keys().map(|deed| deed.person).collect();
    let basis = exact::reduce_rows(equations(history));
    let count = people.iter().max().map_or(0, |last| last + 1);
    let tells_of = |set: &u32| {
        let others = basis.iter().map(|row| {
            let of_others = row.iter().zip(&people).filter(|(_, person)| set & (1 << **person) == 0);
            of_others.map(|(number, _)| *number).collect()
        });
        exact::reduce_rows(others.collect::<Vec<_>>()).len() < basis.len()
    };
    let set = fours(count).into_iter().find(tells_of)?;
    Some((0..count).filter(|person| set & (1 << person) != 0).collect())
}

fn of_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Growth of the number of people of each row, from a report to one whose days include its days.
fn people_added(history: &SolverHistory) -> BTreeSet<u64> {
    let all = facts(history);
    let told = |(first, end): (Millis, Millis), kind| {
        let mut tallies = ReportCounts::new(first..end);
        all.values().for_each(|facts| tallies.add(facts.clone()));
        let told = serde_json::to_value(tallies.build_report(kind, 100)).expect("JSON");
        let people = lines(&told).map(|(row, told)| (row, told["People"].as_u64().unwrap_or_default()));
        people.collect::<BTreeMap<_, _>>()
    };
    let mut added = BTreeSet::new();
    for kind in KINDS {
        for (longer, shorter) in WINDOWS.into_iter().flat_map(|one| WINDOWS.map(|other| (one, other))) {
            if longer.0 <= shorter.0 && shorter.1 <= longer.1 {
                let before = told(shorter, kind);
                let after = told(longer, kind).into_iter();
                added.extend(
                    after.map(|(row, people)| people - before.get(&row).copied().unwrap_or_default()),
                );
            }
        }
    }
    added
}

#[test]
fn a_longer_report_has_no_people_more_or_five() {
    for seed in 0..20 {
        let added = people_added(&draw_history(&mut SolverRandom(seed << 32)));
        assert!(
            added.iter().all(|people| *people == 0 || *people >= limits::REPORT_ROW_PEOPLE as u64),
            "{seed}: {added:?}"
        );
    }
}

#[test]
fn no_sum_of_what_is_shown_belongs_to_fewer_than_five_people() {
    let first = of_environment("LETHE_TEST_SEED", 0);
    let count = of_environment("LETHE_TEST_HISTORIES", 60);
    let mut telling = Vec::new();
    let mut told = 0;
    for seed in first..first + count {
        let history = draw_history(&mut SolverRandom(seed << 32));
        told += usize::from(render_reports(&history).values().any(|numbers| !numbers.is_empty()));
        telling.extend(find_disclosed(&history).map(|people| (seed, people)));
    }
    eprintln!("{count} histories, {told} with something shown, {} that tell of few", telling.len());
    assert!(told as u64 > count / 2, "nothing is shown");
    assert!(telling.is_empty(), "{:?}", &telling[..telling.len().min(9)]);
}
