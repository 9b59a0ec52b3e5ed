//! Attributes of products, and what their values are: texts, or numbers with their unit.

use super::json::{elements, members, scalar};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Objects in objects deeper than this are not looked into.
const DEPTH_MAX: usize = 4;
/// More values of one attribute are left out.
const VALUES_MAX: usize = 256;
/// Longer words behind a number are no unit.
const UNIT_LETTERS_MAX: usize = 6;
/// Longer numbers are names of something.
const DIGITS_MAX: usize = 15;

/// One attribute of a product.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Its name as the shop writes it.
    pub name: String,
    /// Its values, each once.
    pub values: Vec<Value>,
}

/// One value of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A text.
    Text(String),
    /// A number, and its unit if the text has one: `45 cm`.
    Number(f64, Option<String>),
}

impl Value {
    /// Reads a text: a decimal number with at most one short unit behind it is a number, also `45cm` and `15"`.
    /// Numbers that begin with a zero that says nothing, such as `0815`, are texts.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        parse_number(text).unwrap_or_else(|| Self::Text(text.to_owned()))
    }

    /// The value as a text, as facets show it: `45 cm`, `2.5`, `15"`.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Number(number, None) => Cow::Owned(number.to_string()),
            Self::Number(number, Some(unit)) => {
                let is_word = unit.starts_with(char::is_alphabetic);
                Cow::Owned(format!("{number}{}{unit}", if is_word { " " } else { "" }))
            }
        }
    }
}

fn parse_number(text: &str) -> Option<Value> {
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || letter == '.' || letter == '-'));
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let magnitude = digits.strip_prefix('-').unwrap_or(digits);
    let is_plain = magnitude.starts_with(|first: char| first.is_ascii_digit())
        && magnitude.ends_with(|last: char| last.is_ascii_digit())
        && !magnitude.contains('-');
    let says_nothing = magnitude.len() > 1 && magnitude.starts_with('0') && !magnitude.starts_with("0.");
    if !is_plain || says_nothing || digits.len() > DIGITS_MAX {
        return None;
    }
    let unit = unit.trim();
    let is_unit = unit.chars().count() <= UNIT_LETTERS_MAX
        && unit.chars().all(|letter| letter.is_alphabetic() || "\"'%°²³µ€$£".contains(letter));
    let number: f64 = digits.parse().ok()?;
    is_unit.then(|| Value::Number(number, Some(unit.to_owned()).filter(|unit| !unit.is_empty())))
}

/// Reads an attribute; `None` if it has no value.
pub(super) fn read_attribute(name: &str, value: &RawValue) -> Option<Attribute> {
    let mut values = Vec::new();
    push_values(value, DEPTH_MAX, &mut values);
    let is_named = !name.trim().is_empty() && !values.is_empty();
    is_named.then(|| Attribute { name: name.to_owned(), values })
}

fn push_values(value: &RawValue, depth: usize, values: &mut Vec<Value>) {
    match value.get().as_bytes().first() {
        Some(b'[') if depth > 0 => {
            elements(value).into_iter().for_each(|element| push_values(element, depth - 1, values));
        }
        Some(b'{') if depth > 0 => {
            members(value).into_iter().for_each(|(_, member)| push_values(member, depth - 1, values));
        }
        Some(b'[' | b'{' | b'n') | None => {}
        Some(b'f') => push(Value::Text("false".to_owned()), values),
        Some(_) => {
            let text = scalar(value);
            if !text.trim().is_empty() {
                push(Value::parse(text.trim()), values);
            }
        }
    }
}

fn push(value: Value, values: &mut Vec<Value>) {
    if values.len() < VALUES_MAX && !values.contains(&value) {
        values.push(value);
    }
}
