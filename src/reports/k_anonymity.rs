//! Rows as they are shown: each a sum of whole groups of people, and the rest another sum.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::aggregate::{ReportCounts, ReportKind};
use super::attribution::AttributionSource;
use super::control_group::ControlGroup;
use super::groups::{ActionKind, AnonymousGroup, PlaceKind, ReportPlace};
use crate::clock::{Day, day_name};
use crate::limits;

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

/// A report.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = ReportRows)]
pub struct ReportRows {
    /// One for each zone and its content, for each search, for each product, for each measure, or for each measure of a
    /// day.
    pub rows: Vec<ReportRow>,
    /// Number of rows that are not shown and are in the sum below. Actions of fewer than five people are no row.
    pub rest_rows: usize,
    /// The sum of these rows, and of the actions of fewer than five people in each of several places together; missing
    /// when there is nothing to report.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Measures)]
    pub rest: Option<Measures>,
    /// Comparison with the control group; missing without one, or with fewer than five people in a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = ControlGroup)]
    pub control: Option<ControlGroup>,
}

/// A row.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ReportRow {
    /// The zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub zone: Option<String>,
    /// Recommender of its products; empty if they are no recommendation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub recommender: Option<String>,
    /// The campaign; empty for content without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub campaign: Option<String>,
    /// The query.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub query: Option<String>,
    /// The product, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, example = "4711")]
    pub product: Option<String>,
    /// Variants of the product that five people or more viewed, the most viewed first. They are in its counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub variants: Vec<ReportVariant>,
    /// The day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, example = "2026-11-01")]
    pub day: Option<String>,
    /// Name of the measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub measure: Option<&'static str>,
    /// Number of people who are counted, a person once for each day and each place of a measure: five or more.
    pub people: u64,
    /// Its counts.
    #[serde(flatten)]
    pub measures: Measures,
}

/// A variant of a product.
#[derive(Debug, Clone, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ReportVariant {
    /// Its id.
    #[schema(example = "4711-red-m")]
    pub variant: String,
    /// Number of people who viewed it, a person once for each day: five or more.
    pub people: u64,
    /// Times that it was viewed, by a person once a minute.
    pub count: u64,
}

/// Measures of a row. Each is a sum of the actions of five people or more; otherwise it is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Measures {
    /// Times that the zone was seen, the query searched or the product viewed (by a person once a minute), or that
    /// the measure counts.
    pub count: u64,
    /// Number of searches that found nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub without_result: Option<u64>,
    /// Number of searches for a corrected query.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub corrected: Option<u64>,
    /// Products that were clicked there, each by a person once a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub clicks: Option<u64>,
    /// Orders with something that was found there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub orders: Option<u64>,
    /// Price of these parts of the orders, in the shop's currency.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_number")]
    #[schema(required = false, value_type = f64)]
    pub revenue: Option<Decimal>,
}

fn as_number<S: serde::Serializer>(amount: &Option<Decimal>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(amount.and_then(|amount| amount.to_f64()).unwrap_or_default())
}

impl Measures {
    fn add_group(&mut self, group: &AnonymousGroup) {
        let add = |sum: &mut Option<u64>| *sum = Some(sum.unwrap_or_default() + group.count);
        match group.act {
            ActionKind::Saw | ActionKind::Viewed => self.count += group.count,
            ActionKind::Searched { is_found, is_corrected } => {
                self.count += group.count;
                if !is_found {
                    add(&mut self.without_result);
                }
                if is_corrected {
                    add(&mut self.corrected);
                }
            }
            ActionKind::Clicked => add(&mut self.clicks),
            ActionKind::Ordered | ActionKind::OrderedToo => add(&mut self.orders),
            ActionKind::Spent => {
                self.revenue = Some(self.revenue.unwrap_or_default().saturating_add(group.amount))
            }
        }
    }

    fn add(&mut self, other: &Self) {
        let Self { count, without_result, corrected, clicks, orders, revenue } = other;
        self.count += count;
        for (sum, more) in [
            (&mut self.without_result, without_result),
            (&mut self.corrected, corrected),
            (&mut self.clicks, clicks),
            (&mut self.orders, orders),
        ] {
            *sum =
                (sum.is_some() || more.is_some()).then(|| sum.unwrap_or_default() + more.unwrap_or_default());
        }
        if let Some(more) = revenue {
            self.revenue = Some(self.revenue.unwrap_or_default().saturating_add(*more));
        }
    }
}

impl ReportRow {
    fn add_group(&mut self, group: &AnonymousGroup) {
        self.measures.add_group(group);
        if matches!(group.act, ActionKind::Saw | ActionKind::Searched { .. } | ActionKind::Viewed) {
            self.people += group.people;
        }
    }

    /// Adds a group of a measure.
    fn add_measured(&mut self, group: &AnonymousGroup) {
        if group.act == ActionKind::Spent {
            self.measures.add_group(group);
        } else {
            self.people += group.people;
            self.measures.count += group.count;
        }
    }
}

impl ReportRows {
    /// The first rows; the others are added to the rest.
    fn with_first(mut rows: Vec<ReportRow>, size: usize, mut rest: Option<Measures>) -> Self {
        let beyond = rows.split_off(size.min(rows.len()));
        for row in &beyond {
            rest.get_or_insert_with(Measures::default).add(&row.measures);
        }
        Self { rows, rest_rows: beyond.len(), rest, control: None }
    }
}

impl ReportCounts {
    /// A report of a kind, with a limited number of rows; the report of days has them all.
    #[must_use]
    pub fn build_report(&self, kind: ReportKind, size: usize) -> ReportRows {
        let control = self
            .control
            .compare_groups()
            .filter(|_| [ReportKind::Zones, ReportKind::Quality].contains(&kind));
        ReportRows { control, ..self.build_rows(&self.days, kind, size) }
    }

    /// The same report of the days before, as many as the report has; without a control group.
    #[must_use]
    pub fn build_report_before(&self, kind: ReportKind, size: usize) -> ReportRows {
        let length = self.days.end - self.days.start;
        self.build_rows(&(self.days.start - length..self.days.start), kind, size)
    }

    fn build_rows(&self, days: &Range<Day>, kind: ReportKind, size: usize) -> ReportRows {
        match kind {
            ReportKind::Zones => self.rows_by_place(days, PlaceKind::Zone, size),
            ReportKind::Search => self.rows_by_place(days, PlaceKind::Search, size),
            ReportKind::Products => self.rows_by_product(days, size),
            ReportKind::Missed => self.missed_searches(days, size),
            ReportKind::Quality | ReportKind::Days => {
                self.rows_by_measure(days, kind == ReportKind::Days, size)
            }
        }
    }

    /// Rows of zones or searches.
    fn rows_by_place(&self, days: &Range<Day>, kind: PlaceKind, size: usize) -> ReportRows {
        let mut rows = Vec::new();
        let mut rest = None;
        for (place, groups) in self.groups() {
            if place.kind() != Some(kind) {
                continue;
            }
            let mut row = self.new_row(place, days);
            let mut is_told = false;
            for group in groups.iter().filter(|group| covers(days, group)) {
                row.add_group(group);
                is_told = true;
            }
            // Pages report the place of a click, and may report anything: a row needs an impression or a search.
            if row.people > 0 && (row.zone.is_some() || row.query.is_some()) {
                rows.push(row);
            } else if is_told {
                rest.get_or_insert_with(Measures::default).add(&row.measures);
            }
        }
        if kind == PlaceKind::Search {
            rows.sort_by_key(|row| Reverse(row.measures.count));
        }
        ReportRows::with_first(rows, size, rest)
    }

    /// Rows of products, the most viewed first, each with its variants: a variant is a part of its product.
    fn rows_by_product(&self, days: &Range<Day>, size: usize) -> ReportRows {
        let mut rows = BTreeMap::<&str, ReportRow>::new();
        let mut rest = None;
        for (place, groups) in self.groups() {
            let mut groups = groups.iter().filter(|group| covers(days, group)).peekable();
            match place {
                ReportPlace::Product { id, variant } if groups.peek().is_some() => {
                    let mut own = ReportRow::default();
                    groups.for_each(|group| own.add_group(group));
                    let row = rows.entry(id).or_default();
                    row.people += own.people;
                    row.measures.add(&own.measures);
                    row.variants.extend(variant.clone().map(|variant| ReportVariant {
                        variant,
                        people: own.people,
                        count: own.measures.count,
                    }));
                }
                ReportPlace::Others(PlaceKind::Product) => {
                    groups.for_each(|group| rest.get_or_insert_with(Measures::default).add_group(group));
                }
                _ => {}
            }
        }
        let mut rows: Vec<_> =
            rows.into_iter().map(|(id, row)| ReportRow { product: Some(id.to_owned()), ..row }).collect();
        rows.iter_mut().for_each(|row| row.variants.sort_by_key(|variant| Reverse(variant.count)));
        rows.sort_by_key(|row| Reverse(row.measures.count));
        ReportRows::with_first(rows, size, rest)
    }

    /// The report's rows of searches without a result, the most missed first.
    fn missed_searches(&self, days: &Range<Day>, size: usize) -> ReportRows {
        let mut all = self.rows_by_place(days, PlaceKind::Search, limits::REPORT_ROWS);
        let missed = |row: &ReportRow| row.measures.without_result.unwrap_or_default();
        all.rows.retain(|row| missed(row) > 0);
        all.rows.sort_by_key(|row| Reverse(missed(row)));
        all.rows.truncate(size);
        ReportRows { rest_rows: 0, rest: None, ..all }
    }

    /// Rows of measures, of all days or of each.
    fn rows_by_measure(&self, days: &Range<Day>, by_day: bool, size: usize) -> ReportRows {
        let mut rows = BTreeMap::<(Day, usize), ReportRow>::new();
        for (place, groups) in self.groups() {
            let is_one_day = |group: &AnonymousGroup| group.days.end - group.days.start == 1;
            let told = groups.iter().filter(|group| covers(days, group) && (!by_day || is_one_day(group)));
            for group in told {
                let day = if by_day { group.days.start } else { 0 };
                for measure in measures_of_action(place, group.act) {
                    rows.entry((day, measure)).or_default().add_measured(group);
                }
            }
        }
        rows.retain(|_, row| row.people > 0);
        let size = if by_day { rows.len() } else { size };
        let rows = rows.into_iter().take(size).map(|((day, measure), row)| ReportRow {
            day: by_day.then(|| day_name(day)),
            measure: MEASURES.get(measure).copied(),
            ..row
        });
        ReportRows { rows: rows.collect(), rest_rows: 0, rest: None, control: None }
    }

    /// A row without counts: of a search it has the text, if that is known.
    fn new_row(&self, place: &ReportPlace, days: &Range<Day>) -> ReportRow {
        let row = ReportRow::default();
        match place {
            ReportPlace::Of(AttributionSource::Zone { zone, recommender, campaign }) => ReportRow {
                zone: Some(zone.clone()),
                recommender: Some(recommender.clone()),
                campaign: Some(campaign.clone()),
                ..row
            },
            ReportPlace::Of(AttributionSource::Search(mark)) => {
                ReportRow { query: self.queries.find_text(mark, days).map(str::to_owned), ..row }
            }
            ReportPlace::Of(AttributionSource::Control)
            | ReportPlace::Product { .. }
            | ReportPlace::Others(_)
            | ReportPlace::Nowhere => row,
        }
    }
}

/// Returns true if all days of a group are among `days`.
fn covers(days: &Range<Day>, group: &AnonymousGroup) -> bool {
    let is_begun = days.start <= group.days.start;
    is_begun && group.days.end <= days.end
}

/// Measures that count an action in a place, by their places in [`MEASURES`].
fn measures_of_action(place: &ReportPlace, act: ActionKind) -> Vec<usize> {
    match act {
        ActionKind::Searched { is_found, is_corrected } => {
            let measured = [true, !is_found, is_corrected];
            (0..measured.len()).filter(|measure| measured[*measure]).collect()
        }
        ActionKind::Clicked if place.kind() == Some(PlaceKind::Search) => vec![3],
        ActionKind::Saw => vec![4],
        ActionKind::Clicked => vec![5],
        ActionKind::Ordered | ActionKind::Spent if *place == ReportPlace::Nowhere => vec![6],
        ActionKind::Ordered | ActionKind::Spent => vec![6, 7],
        ActionKind::OrderedToo | ActionKind::Viewed => Vec::new(),
    }
}
