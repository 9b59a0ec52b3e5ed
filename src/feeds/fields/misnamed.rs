//! Names that resemble a documented one: of fields, and of sections.
//!
//! A name is like another when it is written with other signs between its words (`in_stock`), when people often write
//! it for the field (`price`, `url`; the table has them), or when a letter or two are wrong.

use std::cell::RefCell;
use std::collections::HashMap;

use strsim::osa_distance;

use super::sections::{SECTIONS, schema_of};
use super::spec::FieldSpec;
use super::variants::VARIANT;
use crate::feeds::section::FeedPart;

/// Longer names are like no documented one.
const NAME_BYTES_MAX: usize = 40;
/// Names with at least this many letters may have one wrong letter.
const ONE_WRONG_LETTERS: usize = 5;
/// Names of this many letters may have two.
const TWO_WRONG_LETTERS: usize = 9;
/// Words that are a letter away from a documented name and mean something else.
const OTHER_WORDS: &[&str] = &["county"];
/// Maximum number of names of one table that are checked. Rows have no more, unless they are made to waste time.
const NAMES_MAX: usize = 1000;

/// A table of fields: of a part's rows, or of the variants that a product lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldTable {
    /// Rows of this part.
    Rows(FeedPart),
    /// Entries of `Variants`.
    Variants,
}

impl FieldTable {
    const COUNT: usize = FeedPart::ALL.len() + 1;

    fn index(self) -> usize {
        match self {
            Self::Rows(part) => part.index(),
            Self::Variants => FeedPart::ALL.len(),
        }
    }

    fn fields(self) -> &'static [FieldSpec] {
        match self {
            Self::Rows(part) => schema_of(part).fields,
            Self::Variants => VARIANT,
        }
    }
}

/// The documented field that a wrong name probably means.
#[derive(Clone, Copy)]
pub struct SuggestedField {
    /// The field.
    pub field: &'static FieldSpec,
    /// The table's spelling of the wrong name, if the table has it: no word of the sender's.
    pub written: Option<&'static str>,
}

/// Near misses among the field names of one feed or delta. Each distinct name is looked up once: a million rows cost as
/// much as one row, plus a million comparisons.
#[derive(Default)]
pub struct NearMisses {
    decided: RefCell<[Decided; FieldTable::COUNT]>,
}

/// The names in the objects of one table.
#[derive(Default)]
struct Decided {
    names: Vec<(Box<str>, Option<SuggestedField>)>,
    numbers: HashMap<Box<str>, usize>,
    /// Number of the name at each position in the rows before. Most rows have the same names in the same order, and a
    /// comparison is cheaper than a look-up.
    at: Vec<usize>,
}

impl NearMisses {
    /// The field of `table` that a sender means by `name`, which is not one of its fields' names and stands at
    /// `position` among such names. `None` for names of the sender's own; and for all new names after a very large
    /// number.
    pub fn find_meant_field(&self, table: FieldTable, position: usize, name: &str) -> Option<SuggestedField> {
        if name.len() > NAME_BYTES_MAX {
            return None;
        }
        let mut decided = self.decided.borrow_mut();
        let decided = &mut decided[table.index()];
        let before = decided.at.get(position).and_then(|number| decided.names.get(*number));
        if let Some((known, meant)) = before
            && **known == *name
        {
            return *meant;
        }
        let number = decided.number(table, name)?;
        match decided.at.get_mut(position) {
            Some(at) => *at = number,
            None if position < NAMES_MAX => decided.at.resize(position + 1, number),
            None => {}
        }
        decided.names[number].1
    }

    #[cfg(test)]
    pub(super) fn count_remembered(&self) -> usize {
        self.decided.borrow().iter().map(|decided| decided.names.len().max(decided.at.len())).sum()
    }
}

impl Decided {
    /// The number of a name, which is looked up when it is new; `None` after a very large number.
    fn number(&mut self, table: FieldTable, name: &str) -> Option<usize> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let number = self.names.len();
        if number >= NAMES_MAX {
            return None;
        }
        self.names.push((name.into(), field_meant(table.fields(), name)));
        self.numbers.insert(name.into(), number);
        Some(number)
    }
}

/// The field of a table that a wrong name probably means.
#[must_use]
pub fn field_meant(fields: &'static [FieldSpec], name: &str) -> Option<SuggestedField> {
    let letters = letters(name)?;
    for field in fields {
        if let Some(written) = field.mistaken.iter().find(|mistaken| **mistaken == letters) {
            return Some(SuggestedField { field, written: Some(written) });
        }
    }
    let names = fields.iter().flat_map(|field| names_of(field).map(move |name| (field, name)));
    let nearest = names.filter_map(|(field, name)| Some((distance(&letters, name)?, field)));
    let (_, field) = nearest.min_by_key(|(distance, _)| *distance)?;
    Some(SuggestedField { field, written: None })
}

/// The section that a wrong name probably means.
#[must_use]
pub fn section_meant(name: &str) -> Option<FeedPart> {
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let letters = letters(name)?;
    let sections = || SECTIONS.into_iter().filter(|rows| rows.part != FeedPart::Orders);
    if let Some(rows) = sections().find(|rows| rows.mistaken.contains(&letters.as_str())) {
        return Some(rows.part);
    }
    let nearest = sections().filter_map(|rows| Some((distance(&letters, rows.part.as_str())?, rows.part)));
    nearest.min_by_key(|(distance, _)| *distance).map(|(_, part)| part)
}

fn names_of(field: &'static FieldSpec) -> impl Iterator<Item = &'static str> {
    std::iter::once(field.name).chain(field.also.iter().copied())
}

/// The letters and digits of a name in lower case; `None` when it has none, or when it means something else.
fn letters(name: &str) -> Option<String> {
    let letters: String =
        name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let is_other_word = OTHER_WORDS.contains(&letters.as_str());
    (!letters.is_empty() && !is_other_word).then_some(letters)
}

/// Number of wrong letters; `None` for a different name. Numbered names (`Image2`) are the sender's own.
fn distance(letters: &str, name: &str) -> Option<usize> {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if letters == name {
        return Some(0);
    }
    let shorter = letters.len().min(name.len());
    let allowed = match shorter {
        TWO_WRONG_LETTERS.. => 2,
        ONE_WRONG_LETTERS.. => 1,
        _ => return None,
    };
    let is_numbered = letters.bytes().any(|byte| byte.is_ascii_digit());
    if is_numbered || letters.len().abs_diff(name.len()) > allowed {
        return None;
    }
    Some(osa_distance(letters, &name)).filter(|distance| *distance <= allowed)
}
