//! Texts for people, in their language: letters and pages, and those of the console. The texts are files, two for each
//! language; dates and numbers are written as the language writes them.

use toml::Table;

const ENGLISH: &str = concat!(include_str!("en.toml"), "\n", include_str!("console/en.toml"));
const GERMAN: &str = concat!(include_str!("de.toml"), "\n", include_str!("console/de.toml"));
const FRENCH: &str = concat!(include_str!("fr.toml"), "\n", include_str!("console/fr.toml"));

/// A language that there are texts in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum UiLanguage {
    /// The default, and the language in place of one without texts.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
}

impl UiLanguage {
    /// All languages.
    pub const ALL: [Self; 3] = [Self::English, Self::German, Self::French];

    /// Its code (ISO 639-1).
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
        }
    }

    /// Its name, in English.
    const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "German",
            Self::French => "French",
        }
    }

    /// The language of a code, with or without a country (`de`, `de-AT`, `de_AT`); `None`: it has no texts.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        let language = code.trim().split(['-', '_']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|known| known.code().eq_ignore_ascii_case(language))
    }

    /// The language of a code; if it has no texts, English, and a sentence about that.
    #[must_use]
    pub fn or_english(code: &str) -> (Self, Option<String>) {
        match Self::from_code(code) {
            Some(language) => (language, None),
            None => {
                let known = Self::ALL.map(|language| format!("{} ({})", language.code(), language.name()));
                let sentence = format!(
                    "There are no texts in this language, so they are in English. There are: {}.",
                    known.join(", ")
                );
                (Self::English, Some(sentence))
            }
        }
    }
}

/// The texts of a language.
pub struct Translations {
    language: UiLanguage,
    texts: Table,
}

impl Translations {
    /// Reads them.
    #[must_use]
    pub fn load(language: UiLanguage) -> Self {
        let file = match language {
            UiLanguage::English => ENGLISH,
            UiLanguage::German => GERMAN,
            UiLanguage::French => FRENCH,
        };
        // A test checks that each can be read, and has every text.
        Self { language, texts: file.parse().unwrap_or_default() }
    }

    /// The language they are in.
    #[must_use]
    pub const fn language(&self) -> UiLanguage {
        self.language
    }

    /// A text by its key, such as `letter.opening`, with values in place of `{name}`. Values are not searched for
    /// further names. A missing key is its own text.
    #[must_use]
    pub fn translate(&self, key: &str, values: &[(&str, &str)]) -> String {
        fill_placeholders(self.find(key).unwrap_or(key), values)
    }

    /// A text by its key, if there is one.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<&str> {
        let mut path = key.split('.');
        let first = self.texts.get(path.next()?)?;
        path.try_fold(first, |found, name| found.get(name))?.as_str()
    }

    /// A number of things, `1 entry` or `2 entries`, by the key of both forms; `None`: there is no such text.
    #[must_use]
    pub fn many(&self, key: &str, count: u64) -> Option<String> {
        let is_one = match self.language {
            UiLanguage::English | UiLanguage::German => count == 1,
            UiLanguage::French => count < 2,
        };
        let form = if is_one { "one" } else { "other" };
        Some(format!("{} {}", self.number(count), self.find(&format!("{key}.{form}"))?))
    }

    /// A number with its thousands parted.
    #[must_use]
    pub fn number(&self, number: u64) -> String {
        let digits = number.to_string();
        let separator = self.translate("format.thousands", &[]);
        let mut written = String::with_capacity(digits.len() * 2);
        for (at, digit) in digits.char_indices() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                written.push_str(&separator);
            }
            written.push(digit);
        }
        written
    }

    /// An amount such as `5.00` with the language's decimal sign; any other text stays as it is.
    #[must_use]
    pub fn amount(&self, amount: &str) -> String {
        let is_amount = amount.bytes().all(|sign| sign.is_ascii_digit() || matches!(sign, b'.' | b'-'));
        if is_amount {
            amount.replace('.', &self.translate("format.decimal", &[]))
        } else {
            amount.to_owned()
        }
    }

    /// The day of milliseconds since 1970.
    #[must_use]
    pub fn day(&self, millis: Option<i64>) -> String {
        match millis.and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok()) {
            Some(at) => self.date(&at),
            None => self.translate("format.unknown_time", &[]),
        }
    }

    /// The day and the minute of milliseconds since 1970, UTC.
    #[must_use]
    pub fn time(&self, millis: Option<i64>) -> String {
        match millis.and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok()) {
            Some(at) => {
                let date = self.date(&at);
                let time = at.strftime("%H:%M").to_string();
                self.translate("format.date_time", &[("date", &date), ("time", &time)])
            }
            None => self.translate("format.unknown_time", &[]),
        }
    }

    fn date(&self, at: &jiff::Timestamp) -> String {
        let at = at.to_zoned(jiff::tz::TimeZone::UTC);
        let day = at.day().to_string();
        let year = at.year().to_string();
        let months = self.translate("format.months", &[]);
        let month = months.split(' ').nth(usize::from(at.month().unsigned_abs()) - 1).unwrap_or_default();
        let key = if at.day() == 1 { "format.date_first" } else { "format.date" };
        self.translate(key, &[("day", &day), ("month", month), ("year", &year)])
    }
}

/// A text with values in place of its names.
fn fill_placeholders(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        let value = behind.split_once('}').and_then(|(name, rest)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((*value, rest))
        });
        rest = match value {
            Some((value, rest)) => {
                filled.push_str(value);
                rest
            }
            None => {
                filled.push('{');
                behind
            }
        };
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Every text by its key.
    fn flat(table: &Table, above: &str, all: &mut BTreeMap<String, String>) {
        for (name, value) in table {
            match value {
                toml::Value::Table(table) => flat(table, &format!("{above}{name}."), all),
                toml::Value::String(text) => {
                    all.insert(format!("{above}{name}"), text.clone());
                }
                other => panic!("{above}{name} is no text: {other}"),
            }
        }
    }

    fn placeholders(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
    }

    fn all(language: UiLanguage) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        flat(&Translations::load(language).texts, "", &mut all);
        all
    }

    #[test]
    fn every_language_has_the_same_texts_with_the_same_placeholders() {
        let english = all(UiLanguage::English);
        assert!(english.len() > 140, "{}", english.len());
        for language in UiLanguage::ALL {
            let texts = all(language);
            assert_eq!(texts.keys().collect::<Vec<_>>(), english.keys().collect::<Vec<_>>(), "{language:?}");
            for (key, text) in &texts {
                // A day of the month may be left out.
                if key != "format.date_first" {
                    assert_eq!(placeholders(text), placeholders(&english[key]), "{language:?}: {key}");
                }
                // Thousands are separated by a no-break space.
                assert!(!text.trim().is_empty() || key == "format.thousands", "{language:?}: {key}");
                assert!(!text.is_empty() && !text.contains(['\n', '<', '&']), "{language:?}: {key}");
                assert!(!text.contains("  "), "{language:?}: {key}");
            }
            assert_eq!(texts["format.months"].split(' ').count(), 12, "{language:?}");
        }
        for other in [UiLanguage::German, UiLanguage::French] {
            let same: Vec<_> = all(other)
                .into_iter()
                .filter(|(key, text)| text.len() > 20 && english[key] == *text)
                .collect();
            assert!(same.is_empty(), "not translated into {other:?}: {same:?}");
        }
    }

    #[test]
    fn a_language_is_known_by_its_code_and_every_other_is_english_with_a_sentence() {
        for (code, language) in [
            ("de", UiLanguage::German),
            ("DE", UiLanguage::German),
            ("de-AT", UiLanguage::German),
            ("fr_CH", UiLanguage::French),
            (" en ", UiLanguage::English),
        ] {
            assert_eq!(UiLanguage::or_english(code), (language, None), "{code}");
        }
        for unknown in ["", "xx", "deu", "german", "-", "de–AT"] {
            let (language, said) = UiLanguage::or_english(unknown);
            assert_eq!(language, UiLanguage::English, "{unknown}");
            let said = said.expect("a sentence");
            assert!(said.ends_with("There are: en (English), de (German), fr (French)."), "{said}");
        }
    }

    #[test]
    fn dates_and_numbers_are_written_as_the_language_writes_them() {
        let new_year = Some(1_767_225_600_000);
        let written = UiLanguage::ALL.map(|language| {
            let texts = Translations::load(language);
            [
                texts.day(new_year),
                texts.time(Some(1_774_023_240_000)),
                texts.number(1_234_567),
                texts.amount("5.00"),
            ]
        });
        assert_eq!(written[0], ["1 January 2026", "20 March 2026, 16:14 UTC", "1,234,567", "5.00"]);
        assert_eq!(written[1], ["1. Januar 2026", "20. März 2026, 16:14 Uhr (UTC)", "1.234.567", "5,00"]);
        assert_eq!(
            written[2],
            ["1er janvier 2026", "20 mars 2026 à 16:14 UTC", "1\u{202f}234\u{202f}567", "5,00"]
        );
        let texts = Translations::load(UiLanguage::English);
        assert_eq!((texts.number(0), texts.number(999)), ("0".to_owned(), "999".to_owned()));
        assert_eq!(texts.day(None), "(day unknown)");
        assert_eq!(
            (texts.time(Some(i64::MAX)), texts.amount("1.5 kg")),
            ("(day unknown)".into(), "1.5 kg".into())
        );
    }

    #[test]
    fn one_and_several_have_the_form_of_the_language() {
        let forms = |language| {
            [0, 1, 2].map(|n| Translations::load(language).many("removed.records", n).expect("a text"))
        };
        let [none, one, two] = forms(UiLanguage::French);
        assert!(none.starts_with("0 fiche contenant") && one.starts_with("1 fiche contenant"), "{none}");
        assert!(two.starts_with("2 fiches contenant"));
        let [none, one, two] = forms(UiLanguage::German);
        assert!(
            none.starts_with("0 Einträge") && one.starts_with("1 Eintrag ") && two.starts_with("2 Einträge")
        );
        assert_eq!(Translations::load(UiLanguage::German).many("removed.nothing", 1), None);
    }

    #[test]
    fn a_value_is_not_looked_through_for_names() {
        assert_eq!(fill_placeholders("{a} {b} {c", &[("a", "{b}"), ("b", "x{a}")]), "{b} x{a} {c");
        assert_eq!(fill_placeholders("{unknown} {}", &[("a", "1")]), "{unknown} {}");
    }
}
