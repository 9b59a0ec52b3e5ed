//! Dates as shops write them, brought into a form that means one moment.

use jiff::civil::{Date, Time};

use crate::dates::DateText;
use crate::formats::mapping::context::MappingContext;

/// Bytes of the longest text that is read as a date.
const DATE_BYTES_MAX: usize = 64;
/// Digits of a day in ISO 8601 without dashes, `20261127`.
const BASIC_DAY_DIGITS: usize = 8;
/// Century of a year of two digits: the dates of a feed lie near today.
const CENTURY: i16 = 2000;

/// A date that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DateReading {
    /// No date: empty, zeros.
    Blank,
    /// A date, as ISO 8601; `is_ambiguous` if day and month could change places and the shop's habit decided.
    Date {
        /// ISO 8601: a day, or a moment.
        iso: String,
        /// True if it reads as another day too.
        is_ambiguous: bool,
    },
    /// Anything else.
    Malformed,
}

/// Reads every date of [`DateText`], which is returned as sent; `2026.11.27`, `20261127`; `27.11.2026`, day first, also
/// `27.11.26`; `11/27/2026`, `27/11/2026`, `27-11-2026`, in the order of [`MappingContext::is_day_first`] where both
/// read. A time may follow: `14:30`, `14:30:15`, `2:30 PM`, with or without an offset, otherwise in UTC.
///
/// A year of two digits is ambiguous where it could be a day.
#[must_use]
pub fn parse_date(text: &str, context: &MappingContext<'_>) -> DateReading {
    let text = text.trim();
    match DateText::parse(text) {
        DateText::Blank => return DateReading::Blank,
        DateText::Date(_) => return DateReading::Date { iso: text.to_owned(), is_ambiguous: false },
        DateText::Malformed if text.len() > DATE_BYTES_MAX => return DateReading::Malformed,
        DateText::Malformed => {}
    }
    let is_of_day = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '/' | '-');
    let end = text.find(|letter| !is_of_day(letter)).unwrap_or(text.len());
    let (day, time) = text.split_at(end);
    let Some(day) = parse_day(day, context) else { return DateReading::Malformed };
    let Some(time) = parse_time(time) else { return DateReading::Malformed };
    let iso = format!("{}{time}", day.date);
    match DateText::parse(&iso) {
        DateText::Date(_) => DateReading::Date { iso, is_ambiguous: day.is_ambiguous },
        DateText::Blank => DateReading::Blank,
        DateText::Malformed => DateReading::Malformed,
    }
}

/// A day, and whether it reads as another one too.
struct DayReading {
    date: Date,
    is_ambiguous: bool,
}

impl DayReading {
    /// The first of two readings that is a day.
    fn choose(preferred: Option<Date>, other: Option<Date>) -> Option<Self> {
        let date = preferred.or(other)?;
        Some(Self { date, is_ambiguous: other.is_some_and(|other| other != date) })
    }
}

fn parse_day(text: &str, context: &MappingContext<'_>) -> Option<DayReading> {
    if text.len() == BASIC_DAY_DIGITS && text.bytes().all(|digit| digit.is_ascii_digit()) {
        return parse_basic_day(text);
    }
    let separator = text.chars().find(|letter| !letter.is_ascii_digit())?;
    let mut fields = text.split(separator);
    let first = fields.next()?;
    let second = fields.next()?;
    let third = fields.next()?;
    let is_last = fields.next().is_none();
    let is_short = |field: &str| (1..=2).contains(&field.len());
    if !is_last || !is_short(second) {
        return None;
    }
    let day_first = || to_date(third, second, first);
    let month_first = || to_date(third, first, second);
    match (first.len(), third.len(), separator) {
        (4, 1..=2, _) => DayReading::choose(to_date(first, second, third), None),
        (1..=2, 4, '.') => DayReading::choose(day_first(), None),
        (1..=2, 4, _) if context.is_day_first => DayReading::choose(day_first(), month_first()),
        (1..=2, 4, _) => DayReading::choose(month_first(), day_first()),
        // 27.11.26 is a day of 2026, and in few countries one of 2027. With dashes it could as well be a cut ISO date.
        (1..=2, 2, '.') => DayReading::choose(day_first(), to_date(first, second, third)),
        (1..=2, 2, '/') if context.is_day_first => DayReading::choose(day_first(), month_first()),
        (1..=2, 2, '/') => DayReading::choose(month_first(), day_first()),
        _ => None,
    }
}

/// A day of the years 1900 to 2099: with the day first, `19` and `20` would be its month, so that no digits read twice.
fn parse_basic_day(digits: &str) -> Option<DayReading> {
    let is_near = digits.starts_with("19") || digits.starts_with("20");
    let date = to_date(digits.get(..4)?, digits.get(4..6)?, digits.get(6..)?);
    date.filter(|_| is_near).map(|date| DayReading { date, is_ambiguous: false })
}

fn to_date(year: &str, month: &str, day: &str) -> Option<Date> {
    let century = if year.len() <= 2 { CENTURY } else { 0 };
    let year: i16 = year.parse().ok()?;
    Date::new(century + year, month.parse().ok()?, day.parse().ok()?).ok()
}

/// The rest behind a day, as ISO 8601 writes it: empty, or `T14:30:00` with an offset if it has one.
fn parse_time(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    let begins = |letter: char| matches!(letter, 'T' | 't' | ',') || letter.is_whitespace();
    let text = text.strip_prefix(begins)?.trim_start().to_ascii_uppercase();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, ':' | '.'));
    let (clock, rest) = text.split_at(end.unwrap_or(text.len()));
    let (half, zone) = split_half_of_day(rest.trim_start());
    let mut parts = clock.split(':');
    let hour: i8 = parts.next()?.parse().ok()?;
    let minute: i8 = parts.next()?.parse().ok()?;
    let seconds = parts.next().unwrap_or("0");
    let second: i8 = seconds.split('.').next()?.parse().ok()?;
    let is_clock = parts.next().is_none() && seconds.matches('.').count() <= 1;
    let hour = match half {
        None => hour,
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half.hours(),
        Some(_) => return None,
    };
    let time = Time::new(hour, minute, second, 0).ok().filter(|_| is_clock)?;
    Some(format!("T{time}{}", parse_zone(zone.trim())?))
}

/// Half of a day on a clock of twelve hours.
#[derive(Clone, Copy)]
enum HalfOfDay {
    Am,
    Pm,
}

impl HalfOfDay {
    const fn hours(self) -> i8 {
        match self {
            Self::Am => 0,
            Self::Pm => 12,
        }
    }
}

fn split_half_of_day(text: &str) -> (Option<HalfOfDay>, &str) {
    if let Some(zone) = text.strip_prefix("AM") {
        (Some(HalfOfDay::Am), zone)
    } else if let Some(zone) = text.strip_prefix("PM") {
        (Some(HalfOfDay::Pm), zone)
    } else {
        (None, text)
    }
}

/// An offset from UTC as ISO 8601 writes it; empty if there is none.
fn parse_zone(text: &str) -> Option<String> {
    match text {
        "" => Some(String::new()),
        "Z" | "UTC" | "GMT" => Some("Z".to_owned()),
        offset => {
            let sign = offset.get(..1).filter(|sign| matches!(*sign, "+" | "-"))?;
            let digits = offset.get(1..)?.replacen(':', "", 1);
            let is_offset =
                matches!(digits.len(), 2 | 4) && digits.bytes().all(|digit| digit.is_ascii_digit());
            let minutes = digits.get(2..).filter(|minutes| !minutes.is_empty()).unwrap_or("00");
            is_offset.then(|| format!("{sign}{}:{minutes}", &digits[..2]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, is_day_first: bool) -> DateReading {
        parse_date(text, &MappingContext { is_day_first, ..MappingContext::default() })
    }

    fn date(iso: &str, is_ambiguous: bool) -> DateReading {
        DateReading::Date { iso: iso.to_owned(), is_ambiguous }
    }

    #[test]
    fn a_date_that_is_understood_already_is_passed_on_as_sent() {
        let texts = [
            "2026-11-27",
            "2026/11/27",
            "2026-11-27T13:00-0800",
            "2026-11-27T13:00:00+0100",
            "2026-11-27 14:30",
            "Fri, 27 Nov 2026 10:00:00 +0000",
            "1795773600",
            "9999-12-31",
        ];
        for text in texts {
            assert_eq!(read(&format!(" {text} "), true), date(text, false), "{text}");
        }
        for text in ["", " ", "0000-00-00 00:00:00", "00.00.0000", "0"] {
            assert_eq!(read(text, true), DateReading::Blank, "{text}");
        }
    }

    #[test]
    fn a_date_that_reads_one_way_needs_no_habit() {
        let texts = [
            ("27.11.2026", "2026-11-27"),
            ("1.2.2026", "2026-02-01"),
            ("2026.11.27", "2026-11-27"),
            ("2026-1-5", "2026-01-05"),
            ("20261127", "2026-11-27"),
            ("11/27/2026", "2026-11-27"),
            ("27/11/2026", "2026-11-27"),
            ("27-11-2026", "2026-11-27"),
            ("5/5/2026", "2026-05-05"),
            ("11/27/26", "2026-11-27"),
            ("31.12.9999", "9999-12-31"),
            ("27.11.2026 14:30", "2026-11-27T14:30:00"),
            ("27.11.2026  9:05:07", "2026-11-27T09:05:07"),
            ("11/27/2026, 2:30 PM", "2026-11-27T14:30:00"),
            ("11/27/2026 12:00:01 am", "2026-11-27T00:00:01"),
            ("11/27/2026 12:00pm", "2026-11-27T12:00:00"),
            ("27.11.2026 14:30 +0100", "2026-11-27T14:30:00+01:00"),
            ("2026-11-27 14:30:15 UTC", "2026-11-27T14:30:15Z"),
            ("2026-11-27 14:30:15.123 -08", "2026-11-27T14:30:15-08:00"),
        ];
        for (text, iso) in texts {
            assert_eq!(read(text, true), date(iso, false), "{text}");
            assert_eq!(read(text, false), date(iso, false), "{text}");
        }
    }

    #[test]
    fn a_date_that_reads_both_ways_follows_the_habit_and_is_told() {
        for text in ["1/2/2026", "01/02/2026", "01-02-2026", "1/2/26"] {
            assert_eq!(read(text, true), date("2026-02-01", true), "{text}");
            assert_eq!(read(text, false), date("2026-01-02", true), "{text}");
        }
        assert_eq!(read("27.11.26", false), date("2026-11-27", true), "it could be a day of 2027");
        assert_eq!(read("27.11.32", false), date("2032-11-27", false), "no month has 32 days");
    }

    #[test]
    fn anything_else_is_malformed() {
        let texts = [
            "next week",
            "11.27.2026",
            "30/02/2026",
            "13/13/2026",
            "27-11-26",
            "27112026",
            "20261301",
            "2026-11",
            "27.11",
            "27.11/2026",
            "27.11.2026.1",
            "27.11.2026 25:00",
            "27.11.2026 14",
            "27.11.2026 14:30:15:16",
            "27.11.2026 14:30 PM",
            "27.11.2026 0:30 PM",
            "27.11.2026 14:30 CET",
            "27.11.2026 14:30 +99:00",
            "27.11.2026 14:30 Uhr 5",
            "27.11.2026x",
            "+1.2.2026",
            "179577360",
            "46353",
        ];
        for text in texts {
            assert_eq!(read(text, true), DateReading::Malformed, "{text}");
        }
        let long = format!("27.11.2026{}14:30", " ".repeat(DATE_BYTES_MAX));
        assert_eq!(read(&long, true), DateReading::Malformed);
    }
}
