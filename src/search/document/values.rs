//! Attributes of products and their values: texts, some of them numbers that may have a unit.

use super::json::{elements, members, scalar};
use super::markup::with_characters;
use serde_json::value::RawValue;

/// Objects nested deeper than this are not read.
const DEPTH_MAX: usize = 4;
/// More values of one attribute are left out.
pub(super) const VALUES_MAX: usize = 256;
/// A longer word after a number is no unit.
const UNIT_LETTERS_MAX: usize = 6;
/// Longer numbers are names of something.
const DIGITS_MAX: usize = 15;
/// Digits between two signs that part thousands.
const THOUSANDS_DIGITS: usize = 3;

/// One attribute of a product.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Its name as the shop writes it.
    pub name: String,
    /// Its values, each once.
    pub values: Vec<AttributeValue>,
}

/// One value of an attribute: the text that was sent.
#[derive(Clone, PartialEq, Debug)]
pub enum AttributeValue {
    /// A text.
    Text(String),
    /// A text that is a number too, for sorting and ranges.
    Number(Measure),
}

/// A text that is a number, and perhaps its unit.
#[derive(Clone, PartialEq, Debug)]
pub struct Measure {
    /// The text as it was sent: `45 cm`, `7.10`, `1,5`.
    pub text: String,
    /// Its numeric value.
    pub number: f64,
    /// The unit after the number.
    pub unit: Option<String>,
}

impl AttributeValue {
    /// Reads a text: a decimal number with at most one short unit after it is a number, also `45cm`, `15"` and `1,5`.
    /// Numbers with a meaningless leading zero, such as `0815`, and `1,500`, which can be read as two numbers, are
    /// texts.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        parse_measure(text).map_or_else(|| Self::Text(text.to_owned()), Self::Number)
    }

    /// The value as it was sent.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Number(Measure { text, .. }) => text,
        }
    }
}

impl Measure {
    /// The number as it was sent, without its unit.
    #[must_use]
    pub fn digits(&self) -> &str {
        let (digits, _) = split_number(&self.text);
        digits
    }
}

/// The digits and signs at the beginning of a text, and the rest.
fn split_number(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || ".,-".contains(letter)));
    text.split_at(end.unwrap_or(text.len()))
}

fn parse_measure(text: &str) -> Option<Measure> {
    let (digits, unit) = split_number(text);
    let magnitude = digits.strip_prefix('-').unwrap_or(digits);
    let is_plain = magnitude.starts_with(|first: char| first.is_ascii_digit())
        && magnitude.ends_with(|last: char| last.is_ascii_digit())
        && !magnitude.contains('-');
    let (units, fraction) = magnitude.split_once(['.', ',']).unwrap_or((magnitude, ""));
    let says_nothing = units.len() > 1 && units.starts_with('0');
    // Some write `1,500` for one and a half, others for fifteen hundred.
    let is_doubtful = magnitude.contains(',') && fraction.len() == THOUSANDS_DIGITS && units != "0";
    if !is_plain || says_nothing || is_doubtful || digits.len() > DIGITS_MAX {
        return None;
    }
    let unit = unit.trim();
    let is_unit = unit.chars().count() <= UNIT_LETTERS_MAX
        && unit.chars().all(|letter| letter.is_alphabetic() || "\"'%°²³µ€$£".contains(letter));
    let with_point = digits.replacen(',', ".", 1);
    let number: f64 = with_point.parse().ok()?;
    let measure = || Measure {
        text: text.to_owned(),
        number,
        unit: Some(unit.to_owned()).filter(|unit| !unit.is_empty()),
    };
    is_unit.then(measure)
}

/// Reads an attribute; `None` if it has no value.
pub(super) fn read_attribute(name: &str, value: &RawValue) -> Option<Attribute> {
    let mut values = Vec::new();
    push_values(value, DEPTH_MAX, &mut values);
    let is_named = !name.trim().is_empty() && !values.is_empty();
    is_named.then(|| Attribute { name: name.to_owned(), values })
}

fn push_values(value: &RawValue, depth: usize, values: &mut Vec<AttributeValue>) {
    match value.get().as_bytes().first() {
        Some(b'[') if depth > 0 => {
            elements(value).into_iter().for_each(|element| push_values(element, depth - 1, values));
        }
        Some(b'{') if depth > 0 => {
            members(value).into_iter().for_each(|(_, member)| push_values(member, depth - 1, values));
        }
        Some(b'[' | b'{' | b'n') | None => {}
        Some(b'f') => push(AttributeValue::Text("false".to_owned()), values),
        Some(_) => {
            let text = scalar(value);
            let text = with_characters(&text);
            if !text.trim().is_empty() {
                push(AttributeValue::parse(text.trim()), values);
            }
        }
    }
}

fn push(value: AttributeValue, values: &mut Vec<AttributeValue>) {
    if values.len() < VALUES_MAX && !values.contains(&value) {
        values.push(value);
    }
}
