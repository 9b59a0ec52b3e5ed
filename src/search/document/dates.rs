//! Dates of rows, as seconds since 1970.

use crate::search::offer::Period;
use jiff::civil::DateTime;
use jiff::tz::Offset;

const DAY_SECONDS: i64 = 24 * 60 * 60;
/// `2026-01-31`.
const DAY_LETTERS: usize = 10;

/// The first second of a moment or day: ISO 8601 with an offset; without one, and a day alone, in UTC.
pub(super) fn begin(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(exact) = text.parse::<jiff::Timestamp>() {
        return Some(exact.as_second());
    }
    // An offset that is none must not be passed over as if it were not there.
    let is_civil = |byte: u8| byte.is_ascii_digit() || b"-:. Tt".contains(&byte);
    if !text.bytes().all(is_civil) || text.bytes().filter(|byte| *byte == b'-').count() != 2 {
        return None;
    }
    let civil: DateTime = text.parse().ok()?;
    Offset::UTC.to_timestamp(civil).ok().map(jiff::Timestamp::as_second)
}

/// The first second after a moment or day: the last day of a sale is a day of the sale.
pub(super) fn end(text: &str) -> Option<i64> {
    let length = if text.trim().len() <= DAY_LETTERS { DAY_SECONDS } else { 1 };
    begin(text).map(|second| second.saturating_add(length))
}

/// The period between two dates; an empty text is no bound. `None` when one of them cannot be read.
pub(super) fn period(from: &str, until: &str) -> Option<Period> {
    let from = if from.trim().is_empty() { i64::MIN } else { begin(from)? };
    let until = if until.trim().is_empty() { i64::MAX } else { end(until)? };
    Some(Period { from, until })
}
