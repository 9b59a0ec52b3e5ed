//! Filters of templates: times, numbers, amounts.

use std::sync::Arc;

use html_escape::encode_double_quoted_attribute as escaped;
use jiff::Timestamp;
use minijinja::{Environment, State, Value};

use super::words::AllTranslations;
use crate::addresses::printable;

/// Adds the filters; and the function `known("key")`, the text of a key or none.
pub(super) fn add(environment: &mut Environment<'static>, words: &Arc<AllTranslations>) {
    environment.add_filter("as_typed", as_typed);
    environment.add_filter("when", format_time);
    environment.add_filter("number", number);
    environment.add_filter("bytes", bytes);
    environment.add_filter("size", size);
    environment.add_filter("percent", percent);
    environment.add_filter("price", price);
    environment.add_filter("lasting", |ms: Option<i64>| ms.map_or_else(|| "–".to_owned(), lasting));
    let own = words.clone();
    environment.add_function("known", move |state: &State<'_, '_>, key: &str| {
        own.of_page(state).find(key).map(str::to_owned)
    });
    environment.add_filter("english", english);
    let own = words.clone();
    environment
        .add_filter("in_words", move |state: &State<'_, '_>, at: Option<i64>| own.of_page(state).time(at));
    let own = words.clone();
    environment
        .add_filter("count", move |state: &State<'_, '_>, count: u64| own.of_page(state).number(count));
}

/// A text that goes back into a form, letter by letter.
fn as_typed(text: &Value) -> Value {
    Value::from_safe_string(escaped(&text.to_string()).into_owned())
}

/// Marks a sentence of an operation, which is always English, as such on a page in another language (WCAG 2.2, 3.1.2).
fn english(state: &State<'_, '_>, text: &Value) -> Value {
    let is_english = state.lookup("lang").is_none_or(|page| page.as_str() == Some("en"));
    if is_english || text.is_none() || text.is_undefined() {
        return text.clone();
    }
    let text = printable_lines(&text.to_string());
    Value::from_safe_string(format!("<span lang=\"en\">{}</span>", escaped(&text)))
}

/// A time in milliseconds since 1970, which a script shows in the reader's own zone.
fn format_time(at: Option<i64>) -> Value {
    let Some(at) = at.and_then(|at| Timestamp::from_millisecond(at).ok()) else { return Value::from("–") };
    let shown = at.strftime("%Y-%m-%d %H:%M:%S UTC");
    Value::from_safe_string(format!("<time datetime=\"{at}\">{shown}</time>"))
}

/// A number with its thousands apart.
fn number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push('\u{202f}');
        }
        shown.push(digit);
    }
    if value < 0 { format!("-{shown}") } else { shown }
}

/// A size.
fn bytes(value: i64) -> String {
    let value = value as f64;
    let units = ["B", "kB", "MB", "GB", "TB"];
    let unit = units.iter().enumerate().rfind(|(power, _)| value >= 1000_f64.powi(*power as i32));
    let (power, unit) = unit.unwrap_or((0, &"B"));
    let scaled = value / 1000_f64.powi(power as i32);
    if power == 0 { format!("{scaled} {unit}") } else { format!("{scaled:.1} {unit}") }
}

/// A size as it is typed, to the byte: 2GB.
fn size(value: i64) -> String {
    let units = [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)];
    let whole = units.into_iter().find(|(_, bytes)| value > 0 && value % bytes == 0);
    whole.map_or_else(|| format!("{value}B"), |(unit, bytes)| format!("{}{unit}", value / bytes))
}

/// A relative difference: 0.1 is +10.0 %.
fn percent(part: f64) -> String {
    format!("{:+.1}\u{202f}%", 100.0 * part)
}

/// An amount as people write it: 10.5 is 10.50.
fn price(amount: f64) -> String {
    let text = amount.to_string();
    let has_tenths_alone = text.split_once('.').is_some_and(|(_, rest)| rest.len() == 1);
    if has_tenths_alone { format!("{text}0") } else { text }
}

/// A duration in milliseconds in readable units: 100 ms, 10 s, 5 min.
#[must_use]
pub fn lasting(ms: i64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..10_000 if ms % 1_000 != 0 => format!("{:.1} s", ms as f64 / 1_000.0),
        1_000..60_000 => format!("{} s", ms / 1_000),
        60_000..3_600_000 => format!("{} min", ms / 60_000),
        _ => format!("{} h", ms / 3_600_000),
    }
}

/// A text of several lines as a page shows it, with no hidden character.
pub(super) fn printable_lines(text: &str) -> String {
    let lines: Vec<String> = text.split(['\n', '\r', '\t']).map(printable).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_their_units() {
        let said = [0, 999, 1_000, 1_550, 59_999, 60_000, 7_200_000].map(lasting);
        assert_eq!(said, ["0 ms", "999 ms", "1 s", "1.6 s", "59 s", "1 min", "2 h"]);
    }

    #[test]
    fn numbers_are_read_at_a_glance() {
        assert_eq!(
            [number(0), number(-1234), number(1_234_567)],
            ["0", "-1\u{202f}234", "1\u{202f}234\u{202f}567"]
        );
        assert_eq!(
            [bytes(0), bytes(999), bytes(1500), bytes(5_400_000_000)],
            ["0 B", "999 B", "1.5 kB", "5.4 GB"]
        );
        assert_eq!([percent(0.123), percent(-0.02)], ["+12.3\u{202f}%", "-2.0\u{202f}%"]);
        assert_eq!([price(10.5), price(5000.0), price(1.234)], ["10.50", "5000", "1.234"]);
        assert_eq!(format_time(None).to_string(), "–");
        assert_eq!(
            format_time(Some(1_795_262_400_000)).to_string(),
            "<time datetime=\"2026-11-21T12:00:00Z\">2026-11-21 12:00:00 UTC</time>"
        );
    }
}
