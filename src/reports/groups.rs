//! The one rule of reports: all actions of people are cut into groups, each of one kind of action in one place by five
//! people or more, and every number that a report shows is a sum of whole groups
//! (docs/decisions/0040-groups-of-five.md).
//!
//! The groups depend on the records and not on the question: two reports never cut the same deeds in two ways.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use rust_decimal::Decimal;

use super::attribution::AttributionSource;
use crate::clock::Day;
use crate::limits;

/// Place where something was done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ReportPlace {
    Of(AttributionSource),
    /// All zones, or all searches, with too few people to be shown separately.
    Others {
        is_search: bool,
    },
    /// Orders with no product found in a zone or a search.
    Nowhere,
}

/// Kind of deed in a place. The kinds do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ActionKind {
    Saw,
    Clicked,
    Searched {
        is_found: bool,
        is_corrected: bool,
    },
    /// An order, in the place with its largest part.
    Ordered,
    /// An order, in another place with a part of it.
    OrderedToo,
    /// Cost of the order lines that were found there.
    Spent,
}

/// Number and cost of a person's deeds, by place, kind and day.
pub(super) type PersonCounts = BTreeMap<(ReportPlace, ActionKind, Day), (u64, Decimal)>;

/// Deeds of one kind in one place on one day.
#[derive(Debug, Default)]
struct Cell {
    people: u64,
    /// The first people: as many as have to be there.
    first: Vec<u32>,
    count: u64,
    amount: Decimal,
}

/// Deeds of one kind by five people or more in one place, over some days.
#[derive(Debug, Clone)]
pub(super) struct AnonymousGroup {
    pub act: ActionKind,
    /// The days, from the first to the one after the last.
    pub days: Range<Day>,
    /// Number of people, a person once for each day.
    pub people: u64,
    pub count: u64,
    pub amount: Decimal,
}

/// All that was done, by place and day.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// The numbers of places.
    places: HashMap<ReportPlace, u32>,
    cells: BTreeMap<(u32, ActionKind, Day), Cell>,
    /// Number of cells in each period.
    counts: HashMap<Day, usize>,
    people: u32,
}

/// The days that are counted for a report of some days: whole periods, so that it has the groups of every other report.
#[must_use]
pub fn cover_periods(days: &Range<Day>) -> Range<Day> {
    let length = limits::REPORT_PERIOD_DAYS;
    period(days.start) * length..(period(days.end - 1) + 1) * length
}

/// The number of the period in which a day lies. Groups begin again in each.
pub(super) fn period(day: Day) -> Day {
    day.div_euclid(limits::REPORT_PERIOD_DAYS)
}

impl ReportPlace {
    /// Returns true for searches and false for zones; `None` for neither.
    pub(super) fn is_search(&self) -> Option<bool> {
        match self {
            Self::Of(AttributionSource::Search(_)) => Some(true),
            Self::Of(AttributionSource::Zone { .. } | AttributionSource::Control) => Some(false),
            Self::Others { is_search } => Some(*is_search),
            Self::Nowhere => None,
        }
    }
}

impl Cell {
    fn add(&mut self, other: &Self) {
        self.people += other.people;
        self.count += other.count;
        self.amount = self.amount.saturating_add(other.amount);
        unite(&mut self.first, &other.first);
    }
}

/// Adds people who are missing, up to the required number.
fn unite(first: &mut Vec<u32>, others: &[u32]) {
    for person in others {
        if first.len() < limits::REPORT_ROW_PEOPLE && !first.contains(person) {
            first.push(*person);
        }
    }
}

impl Cells {
    /// Adds all that one person did.
    pub(super) fn add(&mut self, did: PersonCounts) {
        for ((place, act, day), (count, amount)) in did {
            let number = self.number(place, act, day);
            let cell = self.cells.entry((number, act, day)).or_default();
            cell.add(&Cell { people: 1, first: vec![self.people], count, amount });
        }
        self.people += 1;
    }

    /// The number of a place; that of all others, when the maximum of cells of the period is reached.
    fn number(&mut self, place: ReportPlace, act: ActionKind, day: Day) -> u32 {
        let known = self.places.get(&place).copied();
        let others = match (&place, place.is_search()) {
            (ReportPlace::Of(_), Some(is_search)) => ReportPlace::Others { is_search },
            _ => return self.number_of(place),
        };
        if let Some(known) = known.filter(|known| self.cells.contains_key(&(*known, act, day))) {
            return known;
        }
        let count = self.counts.entry(period(day)).or_default();
        if *count >= limits::REPORT_CELLS_COUNTED {
            return self.number_of(others);
        }
        *count += 1;
        self.number_of(place)
    }

    fn number_of(&mut self, place: ReportPlace) -> u32 {
        let next = self.places.len() as u32;
        *self.places.entry(place).or_insert(next)
    }

    /// The groups of each place. The rest of a place in a period, of fewer than five people, is grouped with the rests
    /// of all others there; the rest of these is shown nowhere.
    pub(super) fn groups(&self) -> BTreeMap<ReportPlace, Vec<AnonymousGroup>> {
        let names: HashMap<u32, &ReportPlace> =
            self.places.iter().map(|(place, number)| (*number, place)).collect();
        let mut groups = BTreeMap::<ReportPlace, Vec<AnonymousGroup>>::new();
        let mut left = BTreeMap::<(bool, ActionKind, Day), Cell>::new();
        let all: Vec<_> = self.cells.iter().collect();
        let is_one = |one: &(u32, ActionKind, Day), other: &(u32, ActionKind, Day)| {
            (one.0, one.1, period(one.2)) == (other.0, other.1, period(other.2))
        };
        for days in all.chunk_by(|(one, _), (other, _)| is_one(one, other)) {
            let Some(((number, act, _), _)) = days.first() else { continue };
            let Some(place) = names.get(number) else { continue };
            let days = days.iter().map(|((_, _, day), cell)| (*day, *cell));
            let (closed, open) = match place {
                ReportPlace::Others { .. } => (Vec::new(), days.collect()),
                ReportPlace::Of(_) | ReportPlace::Nowhere => close_groups(*act, days),
            };
            if !closed.is_empty() {
                groups.entry((*place).clone()).or_default().extend(closed);
            }
            for (day, cell) in open {
                if let Some(is_search) = place.is_search() {
                    left.entry((is_search, *act, day)).or_default().add(cell);
                }
            }
        }
        let left: Vec<_> = left.iter().collect();
        for days in left.chunk_by(|((of, act, day), _), ((other, also, later), _)| {
            (of, act, period(*day)) == (other, also, period(*later))
        }) {
            let Some(((is_search, act, _), _)) = days.first() else { continue };
            let (closed, _) = close_groups(*act, days.iter().map(|((_, _, day), cell)| (*day, *cell)));
            groups.entry(ReportPlace::Others { is_search: *is_search }).or_default().extend(closed);
        }
        groups
    }
}

/// Groups of consecutive days: each ends on the day that brings its fifth person. Returns the days after the last group
/// too.
fn close_groups<'a>(
    act: ActionKind,
    days: impl Iterator<Item = (Day, &'a Cell)>,
) -> (Vec<AnonymousGroup>, Vec<(Day, &'a Cell)>) {
    let mut closed = Vec::new();
    let mut open = Vec::new();
    for day in days {
        open.push(day);
        let mut first = Vec::new();
        open.iter().for_each(|(_, cell)| unite(&mut first, &cell.first));
        if first.len() >= limits::REPORT_ROW_PEOPLE {
            closed.push(make_group(act, &open));
            open.clear();
        }
    }
    (closed, open)
}

fn make_group(act: ActionKind, days: &[(Day, &Cell)]) -> AnonymousGroup {
    let mut sum = Cell::default();
    days.iter().for_each(|(_, cell)| sum.add(cell));
    let [first, last] = [days.first(), days.last()].map(|day| day.map_or(0, |(day, _)| *day));
    AnonymousGroup { act, days: first..last + 1, people: sum.people, count: sum.count, amount: sum.amount }
}
