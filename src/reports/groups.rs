//! The one rule of reports: all actions of people are cut into groups, each of one kind of action in one place by five
//! people or more, and every number that a report shows is a sum of whole groups
//! (docs/decisions/0040-groups-of-five.md).
//!
//! The groups depend on the records and not on the question: two reports never cut the same deeds in two ways.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::{iter, mem};

use rust_decimal::Decimal;

use super::attribution::AttributionSource;
use crate::clock::Day;
use crate::limits;

/// Place where something was done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ReportPlace {
    Of(AttributionSource),
    /// The pages of a product, or of its variant.
    Product {
        id: String,
        variant: Option<String>,
    },
    /// All places of a kind with too few people to be shown separately.
    Others(PlaceKind),
    /// Orders with no product found in a zone or a search.
    Nowhere,
}

/// Kind of places that are reported together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PlaceKind {
    Zone,
    Search,
    Product,
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
    /// A product view.
    Viewed,
}

/// Number and cost of a person's deeds, by place, kind and day.
pub(super) type PersonCounts = BTreeMap<(ReportPlace, ActionKind, Day), (u64, Decimal)>;

/// Deeds of one kind in one place on one day.
#[derive(Debug, Clone, Default)]
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
    /// Number of cells in each period, those of products apart: reports without products do not count them.
    counts: HashMap<(bool, Day), usize>,
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
    /// Its kind; `None` for orders found nowhere.
    pub(super) fn kind(&self) -> Option<PlaceKind> {
        match self {
            Self::Of(AttributionSource::Search(_)) => Some(PlaceKind::Search),
            Self::Of(AttributionSource::Zone { .. } | AttributionSource::Control) => Some(PlaceKind::Zone),
            Self::Product { .. } => Some(PlaceKind::Product),
            Self::Others(kind) => Some(*kind),
            Self::Nowhere => None,
        }
    }

    /// Its level, from 0 on: its rest goes to a place of a higher one.
    fn level(&self) -> usize {
        match self {
            Self::Product { variant: Some(_), .. } => 0,
            Self::Product { variant: None, .. } | Self::Of(_) | Self::Nowhere => 1,
            Self::Others(_) => 2,
        }
    }

    /// The place whose groups take the rest of this one.
    fn parent(&self) -> Option<Self> {
        match self {
            Self::Product { id, variant: Some(_) } => Some(Self::Product { id: id.clone(), variant: None }),
            Self::Product { .. } | Self::Of(_) => self.kind().map(Self::Others),
            Self::Others(_) | Self::Nowhere => None,
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
        let others = match (&place, place.kind()) {
            (ReportPlace::Of(_) | ReportPlace::Product { .. }, Some(kind)) => ReportPlace::Others(kind),
            _ => return self.number_of(place),
        };
        if let Some(known) = known.filter(|known| self.cells.contains_key(&(*known, act, day))) {
            return known;
        }
        let is_product = place.kind() == Some(PlaceKind::Product);
        let count = self.counts.entry((is_product, period(day))).or_default();
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
    /// of the other places below the same one: of a variant with its product's, of all else with those of its kind. The
    /// rest of these is shown nowhere.
    pub(super) fn groups(&self) -> BTreeMap<ReportPlace, Vec<AnonymousGroup>> {
        let names: HashMap<u32, &ReportPlace> =
            self.places.iter().map(|(place, number)| (*number, place)).collect();
        let above: BTreeSet<ReportPlace> = self.places.keys().flat_map(list_places_above).collect();
        let mut levels: [LevelCells<'_>; 3] = Default::default();
        for ((number, act, day), cell) in &self.cells {
            let Some(place) = names.get(number).copied() else { continue };
            levels[place.level()].insert((place, *act, *day), Cow::Borrowed(cell));
        }
        let mut groups = BTreeMap::<ReportPlace, Vec<AnonymousGroup>>::new();
        for level in 0..levels.len() {
            let cells = mem::take(&mut levels[level]);
            let all: Vec<_> = cells.iter().collect();
            for days in all.chunk_by(|(one, _), (other, _)| {
                (one.0, one.1, period(one.2)) == (other.0, other.1, period(other.2))
            }) {
                let Some(((place, act, _), _)) = days.first() else { continue };
                let days = days.iter().map(|((_, _, day), cell)| (*day, cell.as_ref()));
                let (closed, open) = close_groups(*act, days);
                if !closed.is_empty() {
                    groups.entry((*place).clone()).or_default().extend(closed);
                }
                let Some(parent) = place.parent().and_then(|parent| above.get(&parent)) else { continue };
                for (day, cell) in open {
                    levels[parent.level()].entry((parent, *act, day)).or_default().to_mut().add(cell);
                }
            }
        }
        groups
    }
}

/// Cells of the places of one level, with the rests of the level below.
type LevelCells<'c> = BTreeMap<(&'c ReportPlace, ActionKind, Day), Cow<'c, Cell>>;

/// The places that may take the rest of a place, one after the other.
fn list_places_above(place: &ReportPlace) -> impl Iterator<Item = ReportPlace> {
    iter::successors(place.parent(), ReportPlace::parent)
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
