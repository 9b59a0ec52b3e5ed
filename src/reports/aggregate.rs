//! Counting people's actions, one person at a time.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

use rust_decimal::Decimal;

use super::attribution::AttributionSource;
use super::control_group::ControlGroupSums;
use super::fact::{ReportFact, ReportOrderLine, ReportedAction};
use super::groups::{ActionKind, AnonymousGroup, Cells, PersonCounts, ReportPlace, cover_periods, period};
use super::query;
use super::query_texts::QueryTexts;
use crate::clock::{Day, Millis, day_of, millis};
use crate::limits;

/// Subject of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportKind {
    /// Impressions of zones, and their effect.
    Zones,
    /// Searches.
    Search,
    /// Searches that found nothing.
    Missed,
    /// Looks at products, and at their variants.
    Products,
    /// Quality of search and zones, in a few figures.
    Quality,
    /// The same figures for each day.
    Days,
}

/// All that reports are made of.
#[derive(Debug)]
pub struct ReportCounts {
    /// The days of the report.
    pub(super) days: Range<Day>,
    /// The counted days, including those before and after the report's.
    counted: Range<Day>,
    cells: Cells,
    /// The groups of the cells, once a report asked for them.
    groups: OnceLock<BTreeMap<ReportPlace, Vec<AnonymousGroup>>>,
    pub(super) queries: QueryTexts,
    pub(super) control: ControlGroupSums,
}

impl ReportCounts {
    /// Empty counts for a report of some days.
    #[must_use]
    pub fn new(days: Range<Day>) -> Self {
        let counted = cover_periods(&days);
        Self {
            days,
            counted,
            cells: Cells::default(),
            groups: OnceLock::new(),
            queries: QueryTexts::default(),
            control: ControlGroupSums::default(),
        }
    }

    /// Empty counts that include the days from `first` on, for a comparison. They change no group of the report's days.
    #[must_use]
    pub fn with_days_before(days: Range<Day>, first: Day) -> Self {
        let counted = cover_periods(&(first..days.end));
        Self { counted, ..Self::new(days) }
    }

    /// Counts all actions of a person, in any order. Earlier clicks show where products of orders were found.
    pub fn add(&mut self, mut facts: Vec<ReportFact>) {
        // A click in the moment of an order was before it.
        facts.sort_by_key(|fact| (fact.at, matches!(fact.did, ReportedAction::Ordered(_))));
        let mut own = PersonTally::default();
        for ReportFact { at, did } in facts {
            let day = day_of(at);
            own.begin_period(day, &mut self.queries);
            own.is_in_report = self.days.contains(&day);
            own.add(at, did, self.counted.contains(&day), &mut self.queries);
        }
        own.end_search(&mut self.queries);
        self.control.add(own.control, own.orders, own.revenue);
        self.cells.add(own.did);
        self.groups.take();
    }

    /// The groups of each place, made once for all reports of these counts.
    pub(super) fn groups(&self) -> &BTreeMap<ReportPlace, Vec<AnonymousGroup>> {
        self.groups.get_or_init(|| self.cells.groups())
    }
}

/// Action that counts once a minute: a client that got no answer sends it again, and it is stored twice.
#[derive(PartialEq, Eq, Hash)]
enum CountedAction {
    Saw(AttributionSource),
    Clicked {
        product: String,
        source: AttributionSource,
    },
    /// The mark of the query.
    Searched(String),
    Viewed {
        product: String,
        variant: Option<String>,
    },
}

/// Counted deeds of one person.
#[derive(Default)]
struct PersonTally {
    did: PersonCounts,
    period: Option<Day>,
    /// Actions that count once a minute, with the time each was last counted.
    counted: HashMap<CountedAction, Millis>,
    /// Place and time of the last click on each product.
    clicked: HashMap<String, (Millis, AttributionSource)>,
    /// A search that may be the beginning of a longer one, still being typed.
    search: Option<TypedSearch>,
    /// True if the counted action is in the days of the report.
    is_in_report: bool,
    /// Two flags: zones were left out, and some were shown.
    control: (bool, bool),
    orders: u64,
    revenue: Decimal,
}

struct TypedSearch {
    at: Millis,
    query: String,
    found: u64,
    is_corrected: bool,
}

impl PersonTally {
    /// Begins a period. Deeds of another period change nothing in it, except where products were found.
    fn begin_period(&mut self, day: Day, queries: &mut QueryTexts) {
        if self.period != Some(period(day)) {
            self.end_search(queries);
            self.counted.clear();
            self.period = Some(period(day));
        }
    }

    fn add(&mut self, at: Millis, did: ReportedAction, counts: bool, queries: &mut QueryTexts) {
        match did {
            ReportedAction::Viewed { product, variant } if counts => self.count_view(at, product, variant),
            ReportedAction::Saw(sources) if counts => self.count_zones(at, sources),
            ReportedAction::Clicked { product, source } => {
                let deed = CountedAction::Clicked { product: product.clone(), source: source.clone() };
                if counts && self.is_new(at, deed) {
                    self.count(at, ReportPlace::Of(source.clone()), ActionKind::Clicked);
                }
                self.clicked.insert(product, (at, source));
            }
            ReportedAction::Searched { query, found, is_corrected } if counts => {
                self.count_search(TypedSearch { at, query, found, is_corrected }, queries);
            }
            ReportedAction::Ordered(lines) if counts => self.count_order(at, lines),
            ReportedAction::Viewed { .. }
            | ReportedAction::Saw(_)
            | ReportedAction::Searched { .. }
            | ReportedAction::Ordered(_) => {}
        }
    }

    fn count(&mut self, at: Millis, place: ReportPlace, act: ActionKind) {
        self.did.entry((place, act, day_of(at))).or_default().0 += 1;
    }

    /// Returns true if it did not count in the minute before, and then records that it counts now.
    fn is_new(&mut self, at: Millis, deed: CountedAction) -> bool {
        const MINUTE: Millis = 60_000;
        let last = self.counted.get(&deed);
        let is_new = last.is_none_or(|last| at - last >= MINUTE);
        if is_new {
            self.counted.insert(deed, at);
        }
        is_new
    }

    fn count_view(&mut self, at: Millis, product: String, variant: Option<String>) {
        let view = CountedAction::Viewed { product: product.clone(), variant: variant.clone() };
        if self.is_new(at, view) {
            self.count(at, ReportPlace::Product { id: product, variant }, ActionKind::Viewed);
        }
    }

    fn count_zones(&mut self, at: Millis, sources: Vec<AttributionSource>) {
        for source in sources {
            let is_kept = source == AttributionSource::Control;
            if self.is_in_report {
                self.control.0 |= is_kept;
                self.control.1 |= !is_kept;
            }
            if !is_kept && self.is_new(at, CountedAction::Saw(source.clone())) {
                self.count(at, ReportPlace::Of(source), ActionKind::Saw);
            }
        }
    }

    /// A search continued soon with more letters was still being typed.
    fn count_search(&mut self, typed: TypedSearch, queries: &mut QueryTexts) {
        let goes_on = |before: &TypedSearch| {
            let is_soon = typed.at - before.at <= millis(limits::TYPING_DURATION);
            is_soon && typed.query.starts_with(&before.query)
        };
        if !self.search.as_ref().is_some_and(goes_on) {
            self.end_search(queries);
        }
        self.search = Some(typed);
    }

    fn end_search(&mut self, queries: &mut QueryTexts) {
        let Some(TypedSearch { at, query, found, is_corrected }) = self.search.take() else { return };
        let mark = query::mark(&query);
        if !self.is_new(at, CountedAction::Searched(mark.clone())) {
            return;
        }
        let act = ActionKind::Searched { is_found: found > 0, is_corrected };
        self.count(at, ReportPlace::Of(AttributionSource::Search(mark.clone())), act);
        queries.keep(day_of(at), mark, query);
    }

    fn count_order(&mut self, at: Millis, lines: Vec<ReportOrderLine>) {
        let mut all = Decimal::ZERO;
        let mut found: Vec<(AttributionSource, Decimal)> = Vec::new();
        for ReportOrderLine { product, amount, source } in lines {
            let amount = amount.unwrap_or_default();
            all = all.saturating_add(amount);
            let clicked = self
                .clicked
                .get(&product)
                .filter(|(clicked, _)| at - clicked <= millis(limits::ATTRIBUTED_DURATION));
            let Some(source) = source.or_else(|| clicked.map(|(_, source)| source.clone())) else { continue };
            let same = found.iter_mut().find(|(known, _)| *known == source);
            match same {
                Some((_, sum)) => *sum = sum.saturating_add(amount),
                None => found.push((source, amount)),
            }
        }
        if self.is_in_report {
            self.orders += 1;
            self.revenue = self.revenue.saturating_add(all);
        }
        self.attribute(at, all, found);
    }

    /// Counts an order once for the place with its largest part (the first of several), and as another kind for all
    /// other places, so that a sum has it once. Its amount is split among the places and what was found nowhere.
    fn attribute(&mut self, at: Millis, all: Decimal, found: Vec<(AttributionSource, Decimal)>) {
        let mut elsewhere = all;
        let most = found.iter().map(|(_, amount)| *amount).max();
        let main = found.iter().position(|(_, amount)| Some(*amount) == most);
        if main.is_none() {
            self.count(at, ReportPlace::Nowhere, ActionKind::Ordered);
        }
        for (number, (source, amount)) in found.into_iter().enumerate() {
            let act = if Some(number) == main { ActionKind::Ordered } else { ActionKind::OrderedToo };
            self.count(at, ReportPlace::Of(source.clone()), act);
            self.count_amount(at, ReportPlace::Of(source), amount);
            elsewhere = elsewhere.saturating_sub(amount);
        }
        self.count_amount(at, ReportPlace::Nowhere, elsewhere);
    }

    fn count_amount(&mut self, at: Millis, place: ReportPlace, amount: Decimal) {
        if !amount.is_zero() {
            let (_, sum) = self.did.entry((place, ActionKind::Spent, day_of(at))).or_default();
            *sum = sum.saturating_add(amount);
        }
    }
}
