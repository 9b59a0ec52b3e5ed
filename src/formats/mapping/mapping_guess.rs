//! First guess of a mapping, by the names of the columns and by the values of a few records.

use std::collections::{HashMap, HashSet};

use iso_currency::Currency;

use super::column_words::{COLUMN_WORDS, fold_name, shorten_name};
use super::shop_mapping::uses::{PATH_SEPARATOR, is_single};
use super::shop_mapping::{MappedColumn, ShopMapping};
use crate::formats::mapping::column_rule::ColumnUse;
use crate::formats::records::record::FeedRecord;
use crate::limits::{FEED_MAPPING_BYTES, FEED_MAPPING_COLUMNS, FEED_MAPPING_NAME_BYTES};

/// Records that are looked at.
const RECORDS_MAX: usize = 200;

/// Bytes that a column needs in the JSON of a mapping besides its name, whatever its use.
const USE_BYTES_MAX: usize = 64;

/// Languages that columns are written in, codes of ISO 639. `no` and `is` are left out, because they are words.
const LANGUAGES: [&str; 18] = [
    "en", "de", "fr", "it", "es", "nl", "pt", "pl", "da", "sv", "fi", "nb", "cs", "sk", "hu", "ro", "el",
    "tr",
];

/// Ends of addresses of pictures.
const PICTURE_ENDS: [&str; 8] = [".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".svg", ".bmp"];

impl ShopMapping {
    /// Guesses the use of each column by its name and, where that says nothing, by the values of `sample`. Of a table
    /// in several languages one is taken and the others are left out. May lack an `Id`: see [`ShopMapping::check`].
    #[must_use]
    pub fn guess(headings: &[String], sample: &[FeedRecord]) -> Self {
        let mut guess = Guess::new(headings, sample);
        guess.leave_out_languages();
        let names: Vec<String> = guess.bases.iter().map(|base| fold_name(base)).collect();
        guess.guess_by_words(names.iter().enumerate().map(|(column, name)| (name.clone(), column)));
        let short = |(column, name): (usize, &String)| {
            shorten_name(name).into_iter().map(move |short| (short, column)).collect::<Vec<_>>()
        };
        guess.guess_by_words(names.iter().enumerate().flat_map(short));
        guess.guess_by_values();
        guess.choose_key();
        guess.choose_separators();
        guess.into_mapping(headings)
    }
}

/// Columns while their uses are guessed.
struct Guess<'a> {
    /// Names without the language.
    bases: Vec<&'a str>,
    /// Language that a name ends with.
    languages: Vec<Option<String>>,
    /// Values in the sample.
    values: Vec<Vec<&'a str>>,
    /// Uses, as far as they are known.
    uses: Vec<Option<ColumnUse>>,
    /// Word by which columns of categories were found.
    category_word: Option<&'static str>,
}

impl<'a> Guess<'a> {
    fn new(headings: &'a [String], sample: &'a [FeedRecord]) -> Self {
        let mut values: Vec<Vec<&str>> = vec![Vec::new(); headings.len()];
        for value in sample.iter().take(RECORDS_MAX).flat_map(|record| &record.values) {
            if let Some(column) = values.get_mut(value.column) {
                column.push(&value.text);
            }
        }
        let languages =
            headings.iter().map(|name| split_language(name).map(|split| split.language)).collect();
        let bases = headings
            .iter()
            .map(|name| split_language(name).map_or(name.as_str(), |split| split.base))
            .collect();
        let mut guess =
            Self { bases, languages, values, uses: vec![None; headings.len()], category_word: None };
        guess.forget_lone_languages(headings);
        guess
    }

    /// A language counts if a name has it besides another: `price_it` alone may be anything.
    fn forget_lone_languages(&mut self, headings: &'a [String]) {
        let mut by_base: HashMap<&str, HashSet<&str>> = HashMap::new();
        for (base, language) in self.bases.iter().zip(&self.languages) {
            by_base.entry(base).or_default().extend(language.as_deref());
        }
        let used: HashSet<String> = by_base
            .into_values()
            .filter(|languages| languages.len() > 1)
            .flat_map(|languages| languages.into_iter().map(str::to_owned))
            .collect();
        for ((language, base), name) in self.languages.iter_mut().zip(&mut self.bases).zip(headings) {
            if !language.as_ref().is_some_and(|language| used.contains(language)) {
                *language = None;
                *base = name;
            }
        }
    }

    /// Keeps the language with the most values; of several, the first.
    fn leave_out_languages(&mut self) {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for (language, values) in self.languages.iter().zip(&self.values) {
            let Some(language) = language.as_deref() else { continue };
            match counts.iter_mut().find(|(known, _)| *known == language) {
                Some((_, count)) => *count += values.len(),
                None => counts.push((language, values.len())),
            }
        }
        let Some(chosen) = counts.iter().rev().max_by_key(|(_, count)| *count).map(|(language, _)| *language)
        else {
            return;
        };
        for (becomes, language) in self.uses.iter_mut().zip(&self.languages) {
            if language.as_deref().is_some_and(|language| language != chosen) {
                *becomes = Some(ColumnUse::LeftOut);
            }
        }
    }

    fn guess_by_words(&mut self, names: impl Iterator<Item = (String, usize)>) {
        let mut columns: HashMap<String, Vec<usize>> = HashMap::new();
        for (name, column) in names {
            columns.entry(name).or_default().push(column);
        }
        for entry in COLUMN_WORDS {
            for word in entry.words.split(' ') {
                let named = columns.get(word).map(Vec::as_slice).unwrap_or_default();
                if !named.is_empty() && self.admits_word(entry.becomes, word) {
                    named.iter().for_each(|column| self.set_use(*column, entry.becomes));
                }
            }
        }
    }

    /// Categories come from columns of one word, with or without a number: `type` beside `category` is something else.
    fn admits_word(&mut self, becomes: ColumnUse, word: &'static str) -> bool {
        !matches!(becomes, ColumnUse::CategoryPath(_)) || *self.category_word.get_or_insert(word) == word
    }

    fn guess_by_values(&mut self) {
        for column in 0..self.uses.len() {
            let guessed = self.values.get(column).and_then(|values| guess_by_values(values));
            if let Some(becomes) = guessed {
                self.set_use(column, becomes);
            }
        }
    }

    /// Sets the use of a column that has none yet. A use of which one column counts is given once, to the first; the
    /// pictures after the first are more pictures.
    fn set_use(&mut self, column: usize, becomes: ColumnUse) {
        let is_taken = self.find_column(becomes).is_some();
        let Some(slot @ None) = self.uses.get_mut(column) else { return };
        if becomes == ColumnUse::Image && is_taken {
            *slot = Some(ColumnUse::MoreImages);
        } else if !(is_single(becomes) && is_taken) {
            *slot = Some(becomes);
        }
    }

    fn find_column(&self, becomes: ColumnUse) -> Option<usize> {
        self.uses.iter().position(|known| *known == Some(becomes))
    }

    /// An id that repeats beside article numbers that do not is that of the product, and the rows are its variants.
    fn choose_key(&mut self) {
        let id = self.find_column(ColumnUse::Id);
        let sku = self.find_column(ColumnUse::Sku);
        let (Some(id), Some(sku)) = (id, sku) else { return };
        if !self.has_repeats(id) || self.has_repeats(sku) || self.values[sku].len() < self.values[id].len() {
            return;
        }
        let is_group_known = self.find_column(ColumnUse::Group).is_some();
        self.uses[id] = (!is_group_known).then_some(ColumnUse::Group);
    }

    fn has_repeats(&self, column: usize) -> bool {
        let mut known = HashSet::new();
        self.values.get(column).is_some_and(|values| values.iter().any(|value| !known.insert(value)))
    }

    fn choose_separators(&mut self) {
        for (becomes, values) in self.uses.iter_mut().zip(&self.values) {
            if matches!(becomes, Some(ColumnUse::CategoryPath(_))) {
                *becomes = Some(guess_path_use(values));
            }
        }
    }

    /// The mapping of as many columns as it may have; the rest are attributes like all that nothing is known of.
    fn into_mapping(self, headings: &[String]) -> ShopMapping {
        let mut bytes = 0;
        let columns = headings
            .iter()
            .zip(self.uses)
            .filter(|(name, _)| !name.trim().is_empty() && name.len() <= FEED_MAPPING_NAME_BYTES)
            .take_while(|(name, _)| {
                bytes += name.escape_default().count() + USE_BYTES_MAX;
                bytes < FEED_MAPPING_BYTES
            })
            .take(FEED_MAPPING_COLUMNS)
            .map(|(name, becomes)| MappedColumn::new(name, becomes.unwrap_or(ColumnUse::Attribute)))
            .collect();
        ShopMapping { columns, keeps_others: true }
    }
}

/// A name that ends with a language.
struct LanguageName<'a> {
    base: &'a str,
    language: String,
}

/// Splits `name.en`, `name_de`, `name-en-GB`, `name [fr]` and `name (it)`.
fn split_language(name: &str) -> Option<LanguageName<'_>> {
    let is_between = |letter: char| !letter.is_alphanumeric();
    let whole = name.trim_end_matches([']', ')', ' ']);
    let (front, last) = whole.rsplit_once(is_between)?;
    let is_country = last.len() == 2 && last.bytes().all(|letter| letter.is_ascii_uppercase());
    let with_country = is_country.then(|| front.rsplit_once(is_between)).flatten();
    let found = [Some((front, last)), with_country].into_iter().flatten().find_map(|(base, code)| {
        let language = code.to_lowercase();
        LANGUAGES.contains(&language.as_str()).then_some(LanguageName { base, language })
    })?;
    let base = found.base.trim_end_matches(is_between);
    (!base.is_empty()).then_some(LanguageName { base, language: found.language })
}

/// Use of a column whose values all look alike.
fn guess_by_values(values: &[&str]) -> Option<ColumnUse> {
    let all = |is_such: fn(&str) -> bool| !values.is_empty() && values.iter().all(|value| is_such(value));
    if all(is_picture) {
        Some(ColumnUse::Image)
    } else if all(is_address) {
        Some(ColumnUse::Link)
    } else if all(is_price_with_currency) {
        Some(ColumnUse::Price)
    } else if all(is_gtin) && (values.len() > 1 || values.iter().all(|value| value.len() > 8)) {
        // One number of eight digits in ten has the right check digit by chance.
        Some(ColumnUse::Gtin)
    } else if all(is_path) {
        Some(ColumnUse::CategoryPath(PATH_SEPARATOR))
    } else {
        None
    }
}

fn is_address(value: &str) -> bool {
    value.starts_with("https://") || value.starts_with("http://")
}

fn is_picture(value: &str) -> bool {
    let path = value.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    is_address(value) && PICTURE_ENDS.iter().any(|end| path.ends_with(end))
}

/// A number with the code or the sign of a currency, and nothing else.
fn is_price_with_currency(value: &str) -> bool {
    let letters: String = value.chars().filter(|letter| letter.is_alphabetic()).collect();
    let signs = value.chars().filter(|letter| "€£$¥".contains(*letter)).count();
    let is_of_price = |letter: char| {
        letter.is_alphanumeric()
            || letter.is_whitespace()
            || matches!(letter, '.' | ',' | '\'' | '’')
            || "€£$¥".contains(letter)
    };
    let is_currency =
        if letters.is_empty() { signs == 1 } else { Currency::from_code(&letters.to_uppercase()).is_some() };
    is_currency && value.bytes().any(|letter| letter.is_ascii_digit()) && value.chars().all(is_of_price)
}

/// Digits of a GTIN-8, -12, -13 or -14 with the right check digit: GS1 General Specifications, section 7.9.
fn is_gtin(value: &str) -> bool {
    let is_number = value.bytes().all(|digit| digit.is_ascii_digit());
    let weighted = value.bytes().rev().zip([1, 3].into_iter().cycle());
    let sum: u32 = weighted.map(|(digit, weight)| u32::from(digit.wrapping_sub(b'0')) * weight).sum();
    is_number && matches!(value.len(), 8 | 12 | 13 | 14) && sum.is_multiple_of(10) && sum > 0
}

fn is_path(value: &str) -> bool {
    let titles = value.split(PATH_SEPARATOR).map(str::trim);
    value.contains(PATH_SEPARATOR)
        && !value.contains('<')
        && titles.into_iter().all(|title| !title.is_empty())
}

/// Separators of a column of categories: within a path and, where each part is a path, between paths.
fn guess_path_use(values: &[&str]) -> ColumnUse {
    let has = |separator: char| values.iter().filter(|value| value.contains(separator)).count();
    let slashes = has('/');
    let usual = ['>', '»', '›'].into_iter().find(|separator| has(*separator) > 0);
    // A single title may have a slash: `Audio/Video`.
    let within = usual.or((slashes > 0 && 2 * slashes >= values.len()).then_some('/'));
    let are_paths = |between: char| {
        values.iter().any(|value| {
            let mut parts = value.split(between).filter(|part| !part.trim().is_empty());
            value.contains(between) && parts.all(|part| within.is_none_or(|within| part.contains(within)))
        })
    };
    // A comma is part of many titles, unless paths stand on both sides.
    let between: &[char] = if within.is_some() { &['|', ';', ','] } else { &['|', ';'] };
    let between = between.iter().copied().find(|between| are_paths(*between));
    let within = within.unwrap_or(PATH_SEPARATOR);
    between.map_or(ColumnUse::CategoryPath(within), |between| ColumnUse::CategoryPaths(between, within))
}
