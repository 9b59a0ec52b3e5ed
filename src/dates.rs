//! Dates as shops write them: read when they can mean one moment only.

use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::Offset;

const DAY_SECONDS: i64 = 24 * 60 * 60;
/// `2026-01-31`.
const DAY_LETTERS: usize = 10;
/// Digits of seconds since 1970, from 2001 to 2286.
const UNIX_SECONDS_DIGITS: usize = 10;
/// Digits of the same in milliseconds.
const UNIX_MILLISECONDS_DIGITS: usize = 13;
/// The days that programs write for none: .NET, and PHP for MySQL's date of zeros.
const DAYS_OF_NONE: [&str; 2] = ["0001-01-01", "-0001-11-30"];
/// The days that mean "never ends", which lie beyond the calendar's range.
const LAST_DAYS: [&str; 2] = ["9999-12-30", "9999-12-31"];

/// A moment or a whole day, in seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Date {
    /// Its first second.
    pub begin: i64,
    /// The first second after it.
    pub end: i64,
}

/// A text in the place of a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateText {
    /// Empty, or the date that databases and programs write for none: `0000-00-00`, `0001-01-01`.
    Blank,
    /// A date.
    Date(Date),
    /// Anything else, also what could be one of two days, such as `11/12/2026`.
    Malformed,
}

impl DateText {
    /// Reads ISO 8601 with an offset, or without one and then in UTC; a day alone, also `2026/01/31`; RFC 2822; seconds
    /// or milliseconds since 1970.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if is_blank(text) {
            return Self::Blank;
        }
        parse(text).map_or(Self::Malformed, Self::Date)
    }
}

fn is_blank(text: &str) -> bool {
    let mut digits = text.bytes().filter(u8::is_ascii_digit);
    let is_zeros = text.bytes().all(|byte| byte == b'0' || b"-+/.: TtZ".contains(&byte));
    text.is_empty() || (is_zeros && digits.next().is_some()) || is_of_day(text, DAYS_OF_NONE)
}

/// Returns true if a text is one of these days, alone or with a time.
fn is_of_day(text: &str, days: [&str; 2]) -> bool {
    let time = days.iter().find_map(|day| text.strip_prefix(day));
    time.is_some_and(|time| moment(&format!("2000-01-01{time}")).is_some())
}

fn parse(text: &str) -> Option<Date> {
    if let Some(begin) = parse_unix(text) {
        return Some(Date { begin, end: begin.saturating_add(1) });
    }
    let iso = with_dashes(text);
    let begin = moment(&iso).map(|moment| moment.as_second());
    let begin = begin.or_else(|| is_of_day(&iso, LAST_DAYS).then(|| jiff::Timestamp::MAX.as_second()));
    let mail = || rfc2822::parse(text).ok().map(|moment| moment.timestamp().as_second());
    let is_mail = begin.is_none();
    let begin = begin.or_else(mail)?;
    let is_day = !is_mail && iso.len() <= DAY_LETTERS;
    Some(Date { begin, end: begin.saturating_add(if is_day { DAY_SECONDS } else { 1 }) })
}

/// A moment of ISO 8601 with an offset; without one, and a day alone, in UTC. `None` for any other text.
#[must_use]
pub fn moment(text: &str) -> Option<jiff::Timestamp> {
    if let Ok(exact) = text.parse::<jiff::Timestamp>() {
        return Some(exact);
    }
    // An offset that is none must not be passed over as if it were not there.
    let is_civil = |byte: u8| byte.is_ascii_digit() || b"-:. Tt".contains(&byte);
    if !text.bytes().all(is_civil) || text.bytes().filter(|byte| *byte == b'-').count() != 2 {
        return None;
    }
    let civil: DateTime = text.parse().ok()?;
    Offset::UTC.to_timestamp(civil).ok()
}

/// Seconds since 1970 of a number of seconds or milliseconds since 1970.
fn parse_unix(text: &str) -> Option<i64> {
    let number: i64 = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())??;
    match text.len() {
        UNIX_SECONDS_DIGITS => Some(number),
        UNIX_MILLISECONDS_DIGITS => Some(number / 1_000),
        _ => None,
    }
}

/// `2026-01-31` for `2026/01/31`: a date that begins with the year has one order only.
fn with_dashes(text: &str) -> String {
    let bytes = text.as_bytes();
    let begins_with_year = bytes.len() >= DAY_LETTERS && bytes[..4].iter().all(u8::is_ascii_digit);
    let is_slashed = begins_with_year && bytes[4] == b'/' && bytes[7] == b'/';
    if is_slashed { text.replacen('/', "-", 2) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(text: &str) -> Option<i64> {
        match DateText::parse(text) {
            DateText::Date(date) => Some(date.begin),
            _ => None,
        }
    }

    #[test]
    fn a_date_is_read_when_it_means_one_moment() {
        let texts = [
            "2026-11-27T10:00:00Z",
            "2026-11-27T12:00:00+02:00",
            "2026-11-27T12:00:00+0200",
            "2026-11-27 10:00:00",
            "2026/11/27 10:00:00",
            "Fri, 27 Nov 2026 10:00:00 +0000",
            "27 Nov 2026 11:00:00 +0100",
            "1795773600",
            "1795773600000",
            " 2026-11-27T10:00 ",
        ];
        for text in texts {
            assert_eq!(second(text), Some(1_795_773_600), "{text}");
        }
        let malformed = [
            "27.11.2026",
            "11/27/2026",
            "11/12/2026",
            "27-11-2026",
            "next week",
            "20261127",
            "179577360",
            "2026-11",
            "2026-02-30",
            "2026-11-27T10:00:00 CET",
            "9999-12-31 or so",
            "9999-12-39",
            "0001-01-01 at noon",
            "Fri, 27 Nov 2026",
            "2026-11/27",
            "2026-11-27T10:00:00+99:00",
            "-179577360",
            "+179577360",
            "-",
        ];
        for text in malformed {
            assert_eq!(DateText::parse(text), DateText::Malformed, "{text}");
        }
    }

    #[test]
    fn a_date_of_zeros_is_none() {
        let blank = [
            "",
            "  ",
            "0000-00-00",
            "0000-00-00 00:00:00",
            "00.00.0000",
            "0",
            "0001-01-01T00:00:00",
            "0000-00-00T00:00:00+00:00",
            "-0001-11-30T00:00:00+00:00",
        ];
        for text in blank {
            assert_eq!(DateText::parse(text), DateText::Blank, "{text}");
        }
    }

    #[test]
    fn a_day_alone_lasts_a_day_and_a_moment_a_second() {
        let lasts = |text: &str| match DateText::parse(text) {
            DateText::Date(date) => date.end - date.begin,
            _ => 0,
        };
        assert_eq!(["2026-11-27", "2026/11/27"].map(lasts), [DAY_SECONDS; 2]);
        assert_eq!(["2026-11-27 10:00", "1795773600", "27 Nov 2026 11:00:00 +0100"].map(lasts), [1; 3]);
        assert_eq!(second("9999-12-31 23:59:59"), second("9999-12-31"), "for ever");
    }
}
