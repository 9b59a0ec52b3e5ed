//! Filters of templates: times, numbers, amounts.

use std::sync::Arc;

use html_escape::encode_double_quoted_attribute as escaped;
use jiff::Timestamp;
use minijinja::{Environment, State, Value};

use super::words::AllTranslations;
use crate::addresses::printable;
use crate::i18n::Translations;

/// Adds the filters; and the function `known("key")`, the text of a key or none.
pub(super) fn add(environment: &mut Environment<'static>, words: &Arc<AllTranslations>) {
    environment.add_filter("as_typed", as_typed);
    environment.add_filter("when", format_time);
    environment.add_filter("size", size);
    environment.add_filter("lasting", |ms: Option<i64>| ms.map_or_else(|| "–".to_owned(), lasting));
    let own = words.clone();
    environment.add_function("known", move |state: &State<'_, '_>, key: &str| {
        own.of_page(state).find(key).map(str::to_owned)
    });
    environment.add_filter("english", english);
    add_numbers(environment, words);
    let own = words.clone();
    environment
        .add_filter("in_words", move |state: &State<'_, '_>, at: Option<i64>| own.of_page(state).time(at));
    let own = words.clone();
    environment
        .add_filter("count", move |state: &State<'_, '_>, count: u64| own.of_page(state).number(count));
}

/// Adds the filters of numbers, which are written in the language of the page.
fn add_numbers(environment: &mut Environment<'static>, words: &Arc<AllTranslations>) {
    let own = words.clone();
    environment
        .add_filter("number", move |state: &State<'_, '_>, value: i64| number(own.of_page(state), value));
    let own = words.clone();
    environment
        .add_filter("bytes", move |state: &State<'_, '_>, value: i64| bytes(own.of_page(state), value));
    let own = words.clone();
    environment
        .add_filter("percent", move |state: &State<'_, '_>, part: f64| percent(own.of_page(state), part));
    let own = words.clone();
    environment.add_filter("share", move |state: &State<'_, '_>, part: f64| share(own.of_page(state), part));
    let own = words.clone();
    environment
        .add_filter("points", move |state: &State<'_, '_>, part: f64| points(own.of_page(state), part));
    let own = words.clone();
    environment
        .add_filter("on_day", move |state: &State<'_, '_>, day: String| on_day(own.of_page(state), &day));
    let own = words.clone();
    environment
        .add_filter("price", move |state: &State<'_, '_>, amount: f64| price(own.of_page(state), amount));
    let own = words.clone();
    environment.add_filter("money", move |state: &State<'_, '_>, amount: f64, currency: Option<String>| {
        own.of_page(state).money(amount, currency.as_deref().unwrap_or_default())
    });
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
    let shown = at.strftime("%Y-%m-%d %H:%M UTC");
    Value::from_safe_string(format!("<time datetime=\"{at}\">{shown}</time>"))
}

/// A number with its thousands apart.
fn number(texts: &Translations, value: i64) -> String {
    let shown = texts.number(value.unsigned_abs());
    if value < 0 { format!("-{shown}") } else { shown }
}

/// A size.
fn bytes(texts: &Translations, value: i64) -> String {
    let value = value as f64;
    let units = ["B", "kB", "MB", "GB", "TB"];
    let unit = units.iter().enumerate().rfind(|(power, _)| value >= 1000_f64.powi(*power as i32));
    let (power, unit) = unit.unwrap_or((0, &"B"));
    let scaled = value / 1000_f64.powi(power as i32);
    format!("{} {unit}", texts.decimal(scaled, usize::from(power > 0)))
}

/// A size as it is typed, to the byte: 2GB.
fn size(value: i64) -> String {
    let units = [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)];
    let whole = units.into_iter().find(|(_, bytes)| value > 0 && value % bytes == 0);
    whole.map_or_else(|| format!("{value}B"), |(unit, bytes)| format!("{}{unit}", value / bytes))
}

/// A relative difference: 0.1 is +10.0 %.
fn percent(texts: &Translations, part: f64) -> String {
    format!("{}\u{202f}%", points(texts, part))
}

/// A difference of two parts of a whole, in percentage points: 0.1 is +10.0.
fn points(texts: &Translations, part: f64) -> String {
    let sign = if part < 0.0 { "" } else { "+" };
    format!("{sign}{}", texts.decimal(100.0 * part, 1))
}

/// A day such as 2026-11-21 as the language writes it; any other text stays as it is.
fn on_day(texts: &Translations, day: &str) -> String {
    let moment = format!("{day}T00:00:00Z").parse::<Timestamp>();
    moment.map_or_else(|_| day.to_owned(), |at| texts.day(Some(at.as_millisecond())))
}

/// A part of a whole: 0.123 is 12.3 %.
fn share(texts: &Translations, part: f64) -> String {
    format!("{}\u{202f}%", texts.decimal(100.0 * part, 1))
}

/// An amount as people write it: 10.5 is 10.50.
fn price(texts: &Translations, amount: f64) -> String {
    let text = amount.to_string();
    let has_tenths_alone = text.split_once('.').is_some_and(|(_, rest)| rest.len() == 1);
    texts.amount(&if has_tenths_alone { format!("{text}0") } else { text })
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
    use crate::i18n::UiLanguage;

    #[test]
    fn times_have_their_units() {
        let said = [0, 999, 1_000, 1_550, 59_999, 60_000, 7_200_000].map(lasting);
        assert_eq!(said, ["0 ms", "999 ms", "1 s", "1.6 s", "59 s", "1 min", "2 h"]);
    }

    #[test]
    fn numbers_are_read_at_a_glance() {
        let [english, german] = [UiLanguage::English, UiLanguage::German].map(Translations::load);
        let numbers = [0, -1234, 1_234_567].map(|value| number(&english, value));
        assert_eq!(numbers, ["0", "-1,234", "1,234,567"]);
        let sizes = [0, 999, 1500, 5_400_000_000].map(|value| bytes(&english, value));
        assert_eq!(sizes, ["0 B", "999 B", "1.5 kB", "5.4 GB"]);
        assert_eq!(bytes(&german, 1500), "1,5 kB");
        let parts = [0.123, -0.02].map(|part| percent(&english, part));
        assert_eq!(parts, ["+12.3\u{202f}%", "-2.0\u{202f}%"]);
        assert_eq!(share(&german, 0.123), "12,3\u{202f}%");
        assert_eq!(points(&english, 0.02), "+2.0");
        let days = ["2026-11-21", "soon"].map(|day| on_day(&german, day));
        assert_eq!(days, ["21. November 2026", "soon"]);
        let prices = [10.5, 5000.0, 1.234].map(|amount| price(&english, amount));
        assert_eq!(prices, ["10.50", "5000", "1.234"]);
        assert_eq!(price(&german, 10.5), "10,50");
        assert_eq!(format_time(None).to_string(), "–");
        assert_eq!(
            format_time(Some(1_795_262_400_000)).to_string(),
            "<time datetime=\"2026-11-21T12:00:00Z\">2026-11-21 12:00 UTC</time>"
        );
    }

    #[test]
    fn a_unit_begins_at_its_very_first_number() {
        let lasts =
            [-5, 1_001, 1_999, 2_000, 9_999, 10_000, 10_001, 60_001, 3_599_999, 3_600_000, 90_000_000];
        let said =
            ["-5 ms", "1.0 s", "2.0 s", "2 s", "10.0 s", "10 s", "10 s", "1 min", "59 min", "1 h", "25 h"];
        assert_eq!(lasts.map(lasting), said);
        let sizes = [1, 1000, 999_999, 1_000_000, 1_000_000_000, 1_000_000_000_000, 5_000_000_000_000_000];
        let said = ["1 B", "1.0 kB", "1,000.0 kB", "1.0 MB", "1.0 GB", "1.0 TB", "5,000.0 TB"];
        let english = Translations::load(UiLanguage::English);
        assert_eq!(sizes.map(|value| bytes(&english, value)), said);
        let numbers = [1, -1, 100, 999, 1000, 12_345, 123_456, -123_456, i64::MIN];
        let said =
            ["1", "-1", "100", "999", "1 000", "12 345", "123 456", "-123 456", "-9 223 372 036 854 775 808"];
        for (language, separator) in
            [(UiLanguage::English, ","), (UiLanguage::German, "."), (UiLanguage::French, "\u{202f}")]
        {
            let texts = Translations::load(language);
            let written = numbers.map(|value| number(&texts, value));
            assert_eq!(written, said.map(|one| one.replace(' ', separator)), "{language:?}");
        }
    }

    #[test]
    fn a_size_is_typed_in_the_largest_unit_that_it_is_whole_in() {
        let sizes = [
            0,
            1,
            999,
            1000,
            1001,
            1_500_000,
            2_000_000,
            2_000_000_000,
            1_001_000_000,
            3_000_000_000_000,
            -1000,
        ];
        let typed = ["0B", "1B", "999B", "1kB", "1001B", "1500kB", "2MB", "2GB", "1001MB", "3TB", "-1000B"];
        assert_eq!(sizes.map(size), typed);
    }

    #[test]
    fn amounts_and_differences_have_their_places_behind_the_point() {
        let [english, german] = [UiLanguage::English, UiLanguage::German].map(Translations::load);
        let prices = [0.0, 0.5, 10.0, 10.25, 10.125, 1e6, -2.5];
        let said = ["0", "0.50", "10", "10.25", "10.125", "1000000", "-2.50"];
        assert_eq!(prices.map(|amount| price(&english, amount)), said);
        assert_eq!(prices.map(|amount| price(&german, amount)), said.map(|one| one.replace('.', ",")));
        let parts = [0.0, 1.0, -1.0, 0.0006, 0.1];
        let said = ["+0.0", "+100.0", "-100.0", "+0.1", "+10.0"];
        assert_eq!(parts.map(|part| points(&english, part)), said);
        let said = said.map(|one| format!("{one}\u{202f}%"));
        assert_eq!(parts.map(|part| percent(&english, part)), said);
        assert_eq!(parts.map(|part| percent(&german, part)), said.map(|one| one.replace('.', ",")));
        assert_eq!(format_time(Some(i64::MAX)).to_string(), "–");
        let zero = "<time datetime=\"1970-01-01T00:00:00Z\">1970-01-01 00:00 UTC</time>";
        assert_eq!(format_time(Some(0)).to_string(), zero);
    }
}
