//! Counting what people did, a person at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use rust_decimal::Decimal;

use super::control::Control;
use super::source::Source;
use super::{Bought, Did, Fact, query};
use crate::clock::{Day, Millis, day_of, millis};
use crate::limits;

/// The random number under which a person is kept.
pub type Person = [u8; 16];

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What zones showed, and what came of it.
    Zones,
    /// What was searched.
    Search,
    /// What was searched and not found.
    Missed,
    /// How well search and zones serve, in a few figures.
    Quality,
    /// The same figures of each day.
    Days,
}

/// What is counted of one row: a zone and what stood in it, a search, or a measure.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    /// How many people there are.
    pub people: u64,
    /// The first of them, and of those who clicked, ordered, found nothing and were corrected: as many of each as have
    /// to be there before it is shown.
    pub(super) first: [BTreeSet<Person>; 5],
    /// How often it was seen or searched, a minute of a person at most once; of a measure how often there was one.
    pub shown: u64,
    /// Products that were clicked there, each a minute of a person at most once.
    pub clicks: u64,
    /// Orders with something that was found there.
    pub orders: u64,
    /// What these parts of the orders cost.
    pub revenue: Decimal,
    /// Of a search: how often nothing was found.
    pub without_result: u64,
    /// Of a search: how often something else was searched than was typed.
    pub corrected: u64,
}

impl Counted {
    /// Adds what was counted of one person, or of a whole row.
    pub(super) fn add(&mut self, other: &Self) {
        self.people += other.people;
        self.shown += other.shown;
        self.clicks += other.clicks;
        self.orders += other.orders;
        self.revenue = self.revenue.saturating_add(other.revenue);
        self.without_result += other.without_result;
        self.corrected += other.corrected;
        for (own, others) in self.first.iter_mut().zip(&other.first) {
            let room = limits::REPORT_ROW_PEOPLE.saturating_sub(own.len());
            let new: Vec<_> = others.difference(own).take(room).copied().collect();
            own.extend(new);
        }
    }

    /// That it is of one person.
    fn is_of(&mut self, person: Person) {
        self.people = 1;
        let counts = [1, self.clicks, self.orders, self.without_result, self.corrected];
        for (first, _) in self.first.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
            first.insert(person);
        }
    }

    /// Whether it is of enough people.
    pub(super) fn is_of_many(&self) -> bool {
        self.first[0].len() >= limits::REPORT_ROW_PEOPLE
    }
}

/// What a row is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    Of(Source),
    /// All searches, or all zones, for which there was no row left.
    Others(bool),
    Measure(&'static str),
    /// A measure of one day.
    OfDay(Day, &'static str),
}

/// All that reports are made of.
#[derive(Debug)]
pub struct Tallies {
    period: Range<Millis>,
    pub(super) rows: BTreeMap<Key, Counted>,
    /// The measures of each day.
    pub(super) days: BTreeMap<Key, Counted>,
    /// What was searched, by its mark.
    pub(super) queries: HashMap<String, String>,
    pub(super) control: Control,
}

/// The measures of the report of quality, in its order.
pub const MEASURES: [&str; 8] = [
    "searches",
    "searches without a result",
    "searches corrected",
    "clicks on a hit",
    "zones seen",
    "clicks in a zone",
    "orders",
    "orders with something found in a zone or a search",
];

impl Tallies {
    /// Nothing is counted yet, of a period in milliseconds since 1970.
    #[must_use]
    pub fn of(period: Range<Millis>) -> Self {
        let days = BTreeMap::new();
        Self { period, rows: BTreeMap::new(), days, queries: HashMap::new(), control: Control::default() }
    }

    /// Counts all that a person did, in any order. What was clicked before the period says where products of orders in
    /// it were found.
    pub fn add(&mut self, person: Person, mut facts: Vec<Fact>) {
        // What was clicked in the moment of an order was clicked before it.
        facts.sort_by_key(|fact| (fact.at, matches!(fact.did, Did::Ordered(_))));
        let mut own = OfPerson::default();
        for Fact { at, did } in facts {
            own.add((at, did), self.period.contains(&at), &mut self.queries);
        }
        own.end_search(&mut self.queries);
        let OfPerson { rows, days, control, orders, revenue, .. } = own;
        self.control.add(control, orders, revenue);
        for (key, mut counted) in days {
            counted.is_of(person);
            self.days.entry(key).or_default().add(&counted);
        }
        for (key, mut counted) in rows {
            counted.is_of(person);
            // red: reports::tests::rows_beyond_what_is_counted_are_in_the_rest
            let has_room = mutant!(
                "a-report-counts-any-number-of-rows",
                self.rows.len() < limits::REPORT_ROWS_COUNTED,
                true
            );
            let has_row = has_room || self.rows.contains_key(&key);
            let key = match key {
                Key::Of(source) if !has_row => Key::Others(matches!(source, Source::Search(_))),
                key => key,
            };
            self.rows.entry(key).or_default().add(&counted);
        }
    }
}

/// What counts once a minute. Who gets no answer tells it again, and it is stored twice.
#[derive(PartialEq, Eq, Hash)]
enum Deed {
    Saw(Source),
    Clicked {
        product: String,
        source: Source,
    },
    /// By its mark.
    Searched(String),
}

/// What one person did.
#[derive(Default)]
struct OfPerson {
    rows: BTreeMap<Key, Counted>,
    days: BTreeMap<Key, Counted>,
    /// What counts once a minute, and when it was counted last.
    counted: HashMap<Deed, Millis>,
    /// Where each product was clicked last.
    clicked: HashMap<String, (Millis, Source)>,
    /// A search that may be the beginning of one that is still being typed.
    search: Option<Typed>,
    /// Whether zones were left out, and whether some were shown.
    control: (bool, bool),
    orders: u64,
    revenue: Decimal,
}

struct Typed {
    at: Millis,
    query: String,
    found: u64,
    is_corrected: bool,
}

impl OfPerson {
    fn add(&mut self, (at, did): (Millis, Did), counts: bool, queries: &mut HashMap<String, String>) {
        match did {
            Did::Saw(sources) if counts => self.saw(at, sources),
            Did::Clicked { product, source } => {
                let deed = Deed::Clicked { product: product.clone(), source: source.clone() };
                if counts && self.is_new(at, deed) {
                    let measure = match source {
                        Source::Search(_) => MEASURES[3],
                        Source::Zone { .. } | Source::Control => MEASURES[5],
                    };
                    self.measured(at, measure, Decimal::ZERO);
                    self.row(Key::Of(source.clone())).clicks += 1;
                }
                self.clicked.insert(product, (at, source));
            }
            Did::Searched { query, found, is_corrected } if counts => {
                self.searched(Typed { at, query, found, is_corrected }, queries);
            }
            Did::Ordered(lines) if counts => self.ordered(at, lines),
            Did::Saw(_) | Did::Searched { .. } | Did::Ordered(_) => {}
        }
    }

    fn row(&mut self, key: Key) -> &mut Counted {
        self.rows.entry(key).or_default()
    }

    /// Counts one more of a measure, in all and of its day; with what it cost.
    fn measured(&mut self, at: Millis, measure: &'static str, revenue: Decimal) {
        let of_day = self.days.entry(Key::OfDay(day_of(at), measure)).or_default();
        let in_all = self.rows.entry(Key::Measure(measure)).or_default();
        for counted in [of_day, in_all] {
            counted.shown += 1;
            counted.revenue = counted.revenue.saturating_add(revenue);
        }
    }

    /// Whether it did not count in the minute before.
    fn is_new(&mut self, at: Millis, deed: Deed) -> bool {
        const MINUTE: Millis = 60_000;
        let last = self.counted.get(&deed);
        // red: reports::tests::what_is_told_again_within_a_minute_counts_once
        let is_new = mutant!("what-is-told-again-counts", last.is_none_or(|last| at - last >= MINUTE), true);
        if is_new {
            self.counted.insert(deed, at);
        }
        is_new
    }

    fn saw(&mut self, at: Millis, sources: Vec<Source>) {
        for source in sources {
            if source == Source::Control {
                self.control.0 = true;
                continue;
            }
            self.control.1 = true;
            if self.is_new(at, Deed::Saw(source.clone())) {
                self.measured(at, MEASURES[4], Decimal::ZERO);
                self.row(Key::Of(source)).shown += 1;
            }
        }
    }

    /// A search that goes on soon with more letters was still being typed.
    fn searched(&mut self, typed: Typed, queries: &mut HashMap<String, String>) {
        let goes_on = |before: &Typed| {
            let is_soon = typed.at - before.at <= millis(limits::TYPING_DURATION);
            is_soon && typed.query.starts_with(&before.query)
        };
        // red: reports::tests::what_is_still_being_typed_is_one_search
        if mutant!("each-letter-is-a-search", !self.search.as_ref().is_some_and(goes_on), true) {
            self.end_search(queries);
        }
        self.search = Some(typed);
    }

    fn end_search(&mut self, queries: &mut HashMap<String, String>) {
        let Some(Typed { at, query, found, is_corrected }) = self.search.take() else { return };
        let mark = query::mark(&query);
        if !self.is_new(at, Deed::Searched(mark.clone())) {
            return;
        }
        let without_result = u64::from(found == 0);
        let corrected = u64::from(is_corrected);
        let measured = [true, found == 0, is_corrected];
        for (measure, _) in MEASURES.into_iter().zip(measured).filter(|(_, is_one)| *is_one) {
            self.measured(at, measure, Decimal::ZERO);
        }
        let row = self.row(Key::Of(Source::Search(mark.clone())));
        row.shown += 1;
        row.without_result += without_result;
        row.corrected += corrected;
        if queries.len() < limits::REPORT_ROWS_COUNTED {
            queries.entry(mark).or_insert(query);
        }
    }

    fn ordered(&mut self, at: Millis, lines: Vec<Bought>) {
        self.orders += 1;
        let mut found_in = HashSet::new();
        let mut found = Decimal::ZERO;
        for Bought { product, amount, source } in lines {
            let amount = amount.unwrap_or_default();
            self.revenue = self.revenue.saturating_add(amount);
            let clicked = self.clicked.get(&product).filter(|(clicked, _)| {
                // red: reports::tests::an_order_counts_for_the_last_click_of_a_week
                mutant!("a-click-counts-for-ever", at - clicked <= millis(limits::ATTRIBUTED_DURATION), true)
            });
            let Some(source) = source.or_else(|| clicked.map(|(_, source)| source.clone())) else { continue };
            found = found.saturating_add(amount);
            let row = self.row(Key::Of(source.clone()));
            row.revenue = row.revenue.saturating_add(amount);
            // red: reports::tests::an_order_counts_once_for_each_place
            let is_first = found_in.insert(source);
            if mutant!("an-order-counts-by-its-lines", is_first, true) {
                row.orders += 1;
            }
        }
        self.measured(at, MEASURES[6], Decimal::ZERO);
        if !found_in.is_empty() {
            self.measured(at, MEASURES[7], found);
        }
    }
}
