//! Rows as they are shown: each of so many people that nobody can be found in it, and the rest as one sum.

use std::cmp::Reverse;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::control::Compared;
use super::source::Source;
use super::tally::{Counted, Key, Kind, MEASURES, Tallies};
use crate::clock::{Day, day_name};
use crate::limits;

/// A report.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
#[schema(as = ReportRows)]
pub struct Arranged {
    /// One for each zone and what stood in it, for each search, for each measure, or for each measure of a day.
    pub rows: Vec<ReportRow>,
    /// How many rows are in the sum below, each of fewer than five people or beyond the rows that are shown.
    pub rest_rows: usize,
    /// The sum of all other rows; not there when fewer than five people are in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Measures)]
    pub rest: Option<Measures>,
    /// Who sees zones beside the control group; not there without one, or with fewer than five people in a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Compared)]
    pub control: Option<Compared>,
}

/// A row.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ReportRow {
    /// The zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub zone: Option<String>,
    /// By what its products were recommended; empty for what is no recommendation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub recommender: Option<String>,
    /// The campaign; empty for what stands there without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub campaign: Option<String>,
    /// What was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub query: Option<String>,
    /// The day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, example = "2026-11-01")]
    pub day: Option<String>,
    /// What was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub measure: Option<&'static str>,
    /// How many people there are: five or more.
    pub people: u64,
    /// What was counted.
    #[serde(flatten)]
    pub measures: Measures,
}

/// What is counted of a row; what fewer than five people did is not told, unless nobody did it.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Measures {
    /// How often a zone was seen or something was searched (by a person once a minute), or there was what is measured.
    pub count: u64,
    /// Of searches: how often nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub without_result: Option<u64>,
    /// Of searches: how often something else was searched than was typed.
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
    /// What these parts of the orders cost, in the shop's currency.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_number")]
    #[schema(required = false, value_type = f64)]
    pub revenue: Option<Decimal>,
}

fn as_number<S: serde::Serializer>(amount: &Option<Decimal>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(amount.and_then(|amount| amount.to_f64()).unwrap_or_default())
}

impl From<&Counted> for Measures {
    fn from(counted: &Counted) -> Self {
        let [_, clicks, orders, without_result, corrected] = counted.first.each_ref().map(|first| {
            // red: reports::tests::what_few_did_of_a_row_is_not_told
            mutant!(
                "what-few-did-is-told",
                first.is_empty() || first.len() >= limits::REPORT_ROW_PEOPLE,
                true
            )
        });
        Self {
            count: counted.shown,
            without_result: without_result.then_some(counted.without_result),
            corrected: corrected.then_some(counted.corrected),
            clicks: clicks.then_some(counted.clicks),
            orders: orders.then_some(counted.orders),
            revenue: orders.then_some(counted.revenue),
        }
    }
}

impl Tallies {
    /// A report of a kind, of up to so many rows; that of days has them all.
    #[must_use]
    pub fn arranged(&self, kind: Kind, size: usize) -> Arranged {
        if kind == Kind::Missed {
            return self.missed(size);
        }
        let all = if kind == Kind::Days { &self.days } else { &self.rows };
        let of_kind = all.iter().filter(|(key, _)| is_of(key, kind));
        let (mut shown, mut rest): (Vec<_>, Vec<_>) = of_kind.partition(|(key, counted)| {
            // red: reports::tests::a_row_is_of_five_people_or_more_and_the_rest_is_one_sum
            let is_of_many = mutant!("a-row-is-of-anybody", counted.is_of_many(), true);
            is_of_many && self.is_known(key, counted)
        });
        match kind {
            Kind::Zones | Kind::Missed => {}
            Kind::Search => shown.sort_by(|(one, counted), (other, more)| {
                more.shown.cmp(&counted.shown).then_with(|| one.cmp(other))
            }),
            Kind::Quality | Kind::Days => {
                shown.sort_by_key(|(key, _)| order_of(key));
                rest.clear();
            }
        }
        // red: reports::tests::a_day_has_the_measures_of_a_report_of_that_day
        let size = if mutant!("days-are-left-out", kind == Kind::Days, false) { shown.len() } else { size };
        rest.extend(shown.drain(size.min(shown.len())..));
        let mut sum = Counted::default();
        rest.iter().for_each(|(_, counted)| sum.add(counted));
        // Who knows the sum of all would know the few: rows that are shown go to them until they are many.
        // red: reports::tests::a_rest_of_few_people_takes_rows_to_it
        while mutant!("a-rest-of-few-is-shown", is_of_few(&sum), false) {
            let Some((key, counted)) = shown.pop() else { break };
            sum.add(counted);
            rest.push((key, counted));
        }
        let has_rest = !rest.is_empty() && sum.is_of_many();
        Arranged {
            rows: shown.into_iter().map(|(key, counted)| self.row(key, counted)).collect(),
            rest_rows: rest.len(),
            rest: has_rest.then(|| Measures::from(&sum)),
            control: self.control.compared().filter(|_| [Kind::Zones, Kind::Quality].contains(&kind)),
        }
    }

    /// The rows of the report of searches that tell of searches without a result, the most missed first.
    fn missed(&self, size: usize) -> Arranged {
        let mut all = self.arranged(Kind::Search, limits::REPORT_ROWS);
        let missed = |row: &ReportRow| row.measures.without_result.unwrap_or_default();
        // red: reports::tests::what_was_missed_is_told_as_far_as_searches_are
        all.rows.retain(|row| mutant!("what-was-found-is-missed", missed(row) > 0, true));
        all.rows.sort_by_key(|row| Reverse(missed(row)));
        all.rows.truncate(size);
        Arranged { rest_rows: 0, rest: None, ..all }
    }

    /// Whether the server knows what it is about: pages say where something was clicked, and may say anything.
    fn is_known(&self, key: &Key, counted: &Counted) -> bool {
        match key {
            Key::Of(Source::Search(mark)) => self.queries.contains_key(mark),
            Key::Of(Source::Zone { .. } | Source::Control) => counted.shown > 0,
            Key::Others(_) => false,
            Key::Measure(_) | Key::OfDay(..) => true,
        }
    }

    fn row(&self, key: &Key, counted: &Counted) -> ReportRow {
        let row = ReportRow { people: counted.people, measures: counted.into(), ..ReportRow::default() };
        match key {
            Key::Of(Source::Zone { zone, recommender, campaign }) => ReportRow {
                zone: Some(zone.clone()),
                recommender: Some(recommender.clone()),
                campaign: Some(campaign.clone()),
                ..row
            },
            Key::Of(Source::Search(mark)) => ReportRow { query: self.queries.get(mark).cloned(), ..row },
            Key::Of(Source::Control) | Key::Others(_) => row,
            Key::Measure(name) => ReportRow { measure: Some(name), ..row },
            Key::OfDay(day, name) => ReportRow { day: Some(day_name(*day)), measure: Some(name), ..row },
        }
    }
}

/// Sorts measures by day, and then as in [`MEASURES`].
fn order_of(key: &Key) -> Option<(Day, usize)> {
    let (day, measure) = match key {
        Key::Measure(name) => (0, name),
        Key::OfDay(day, name) => (*day, name),
        Key::Of(_) | Key::Others(_) => return None,
    };
    Some((day, MEASURES.iter().position(|name| name == measure)?))
}

fn is_of(key: &Key, kind: Kind) -> bool {
    matches!(
        (key, kind),
        (Key::Of(Source::Zone { .. }), Kind::Zones)
            | (Key::Of(Source::Search(_)), Kind::Search | Kind::Missed)
            | (Key::Others(false), Kind::Zones)
            | (Key::Others(true), Kind::Search)
            | (Key::Measure(_), Kind::Quality)
            | (Key::OfDay(..), Kind::Days)
    )
}

fn is_of_few(sum: &Counted) -> bool {
    !sum.first[0].is_empty() && !sum.is_of_many()
}
