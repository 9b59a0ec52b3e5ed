//! Dates of a row: the period in which a product is shown, and the period of its sale.

use crate::dates::{Date, DateText};
use crate::search::pricing::Period;

/// From the beginning of one date to the end of another; a text without a date is no bound. `None` when either cannot
/// be read.
pub(super) fn period(from: &str, until: &str) -> Option<Period> {
    let from = parse_bound(from)?.map_or(i64::MIN, |date| date.begin);
    // The last day of a sale is a day of the sale.
    let until = parse_bound(until)?.map_or(i64::MAX, |date| date.end);
    Some(Period { from, until })
}

/// The first second of a date; `None` for any other text.
pub(super) fn parse_begin(text: &str) -> Option<i64> {
    parse_bound(text).flatten().map(|date| date.begin)
}

/// The outer `None`: the date is unreadable. The inner `None`: it is no bound.
fn parse_bound(text: &str) -> Option<Option<Date>> {
    match DateText::parse(text) {
        DateText::Blank => Some(None),
        DateText::Date(date) => Some(Some(date)),
        DateText::Malformed => None,
    }
}
