//! Texts for people, in their language: letters and pages, those of the console, and those of the page to try a search.
//! The texts are files, three for each language, and a fourth with the advice for issues where it is not the English
//! one; dates and numbers are written as the language writes them.

use iso_currency::Currency;
use toml::Table;

/// The files of a language as one.
macro_rules! texts {
    ($($file:literal),+) => { concat!($(include_str!($file), "\n"),+) };
}

const ENGLISH: &str = texts!("en.toml", "console/en.toml", "try_page/en.toml");
const GERMAN: &str = texts!("de.toml", "console/de.toml", "try_page/de.toml", "issues/de.toml");
const FRENCH: &str = texts!("fr.toml", "console/fr.toml", "try_page/fr.toml", "issues/fr.toml");

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

    /// The texts of a table, such as `try_page`, in JSON for the scripts of a page.
    #[must_use]
    pub fn to_json(&self, table: &str) -> String {
        let texts = self.texts.get(table).and_then(|texts| serde_json::to_string(texts).ok());
        texts.unwrap_or_default()
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

    /// A number with its sign, its thousands parted, and so many digits after the decimal sign.
    #[must_use]
    pub fn decimal(&self, number: f64, digits: usize) -> String {
        let written = format!("{:.digits$}", number.abs());
        let (whole, part) = written.split_once('.').unwrap_or((written.as_str(), ""));
        let mut shown = if number < 0.0 { "-".to_owned() } else { String::new() };
        let parted = whole.parse::<u64>().map(|whole| self.number(whole));
        shown.push_str(&parted.unwrap_or_else(|_| whole.to_owned()));
        if !part.is_empty() {
            shown.push_str(&self.translate("format.decimal", &[]));
            shown.push_str(part);
        }
        shown
    }

    /// An amount of money with the digits of its currency, as the language writes it: `£1,310.50`, `1.310,50 £`. An
    /// amount without a currency is a number with two digits.
    #[must_use]
    pub fn money(&self, amount: f64, currency: &str) -> String {
        let digits = Currency::from_code(currency).and_then(|currency| currency.exponent()).unwrap_or(2);
        let number = self.decimal(amount.abs(), usize::from(digits));
        let sign = if amount < 0.0 { "-" } else { "" };
        let symbol = match currency {
            "" => return format!("{sign}{number}"),
            "EUR" => "€",
            "GBP" => "£",
            "USD" => "$",
            code => {
                return format!(
                    "{sign}{}",
                    self.translate("format.money_code", &[("amount", &number), ("code", code)])
                );
            }
        };
        format!("{sign}{}", self.translate("format.money", &[("amount", &number), ("symbol", symbol)]))
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
mod tests;
