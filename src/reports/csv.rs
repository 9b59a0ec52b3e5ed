//! A report as a table for spreadsheets (RFC 4180).

use super::aggregate::ReportKind;
use super::k_anonymity::{Measures, ReportRow, ReportRows, ReportVariant};
use crate::csv_injection::sheet_cell;

/// The columns of counts, after those that name the subject of a row.
const COUNTED: [&str; 7] = ["People", "Count", "WithoutResult", "Corrected", "Clicks", "Orders", "Revenue"];

impl ReportRows {
    /// The report as a table: a line with the names of the columns, the rows, each with the lines of its variants below
    /// it, and the rest, which has no number of people.
    ///
    /// # Errors
    /// Never: memory can always be written.
    pub fn csv(&self, kind: ReportKind) -> Result<Vec<u8>, csv::Error> {
        let mut table = csv::Writer::from_writer(Vec::new());
        let about: &[&str] = match kind {
            ReportKind::Zones => &["Zone", "Recommender", "Campaign"],
            ReportKind::Search | ReportKind::Missed => &["Query"],
            ReportKind::Products => &["Product", "Variant"],
            ReportKind::Quality => &["Measure"],
            ReportKind::Days => &["Day", "Measure"],
        };
        table.write_record(about.iter().chain(&COUNTED))?;
        for row in &self.rows {
            let ReportRow {
                zone,
                recommender,
                campaign,
                query,
                product,
                variants,
                day,
                measure,
                people,
                measures,
            } = row;
            let named = match kind {
                ReportKind::Zones => vec![zone.as_deref(), recommender.as_deref(), campaign.as_deref()],
                ReportKind::Search | ReportKind::Missed => vec![query.as_deref()],
                ReportKind::Products => vec![product.as_deref(), None],
                ReportKind::Quality => vec![*measure],
                ReportKind::Days => vec![day.as_deref(), *measure],
            };
            let named = named.into_iter().map(|text| sheet_cell(text.unwrap_or_default()));
            table.write_record(named.chain([people.to_string()]).chain(counts(measures)))?;
            for ReportVariant { variant, people, count } in variants {
                let named = [product.as_deref().unwrap_or_default(), variant].map(sheet_cell).into_iter();
                let measures = Measures { count: *count, ..Measures::default() };
                table.write_record(named.chain([people.to_string()]).chain(counts(&measures)))?;
            }
        }
        if let Some(rest) = &self.rest {
            let named = std::iter::once("(rest)").chain(std::iter::repeat("")).take(about.len());
            let named = named.map(str::to_owned);
            table.write_record(named.chain([String::new()]).chain(counts(rest)))?;
        }
        table.into_inner().map_err(|fault| fault.into_error().into())
    }
}

fn counts(measures: &Measures) -> [String; 6] {
    let Measures { count, without_result, corrected, clicks, orders, revenue } = measures;
    let told = |count: &Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
    let [without_result, corrected, clicks, orders] = [without_result, corrected, clicks, orders].map(told);
    let revenue = revenue.map(|revenue| revenue.to_string()).unwrap_or_default();
    [count.to_string(), without_result, corrected, clicks, orders, revenue]
}
