//! Mapping that a shop writes for its own table or JSON: which column is what.
//!
//! `{"Columns": {"Artikelnummer": "Id", "Preis": "Price", "Warengruppe": {"Use": "CategoryPath", "Separator": ">"}},
//! "Others": "Attributes"}`. A path of categories may name its `Separator`, several paths also what stands `Between`
//! them. `Others` is the use of all columns that are not named: `Attributes`, which is usual, or `LeftOut`.

use serde_json::{Map, Value, json};

use self::uses::{USES, is_single, name_of};
use super::column_rule::ColumnUse;
use super::context::MappingContext;
use super::engine::{close_empty_stock, turn_options_into_attributes};
use super::format_rules::{Extras, MappingRules, normalise_name};
use crate::formats::draft_row::DraftRow;
use crate::limits::{FEED_MAPPING_BYTES, FEED_MAPPING_COLUMNS, FEED_MAPPING_NAME_BYTES};

pub mod uses;

/// Characters of a name that a sentence quotes.
const QUOTE_CHARS_MAX: usize = 60;

/// Mapping of a shop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShopMapping {
    pub(super) columns: Vec<MappedColumn>,
    /// Columns that are not named become attributes; otherwise they are left out.
    pub(super) keeps_others: bool,
}

/// A column and its use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MappedColumn {
    name: String,
    becomes: ColumnUse,
    /// The name as [`normalise_name`] writes it.
    folded: String,
}

impl MappedColumn {
    pub(super) fn new(name: &str, becomes: ColumnUse) -> Self {
        Self { name: name.to_owned(), becomes, folded: normalise_name(name) }
    }

    /// The name, as the file's heading writes it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The use.
    #[must_use]
    pub const fn becomes(&self) -> ColumnUse {
        self.becomes
    }
}

/// Mistake in a mapping.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MappingFault {
    /// More than [`FEED_MAPPING_BYTES`].
    #[error("the mapping is larger than 64 KiB")]
    TooLarge,
    /// No JSON.
    #[error("the mapping is not JSON (line {line}, column {column})")]
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// Another JSON value, or `Columns` is missing or another value.
    #[error(
        "the mapping needs an object `Columns` of names and uses: {{\"Columns\": {{\"Preis\": \"Price\"}}}}"
    )]
    ColumnsMissing,
    /// A member besides `Columns` and `Others`.
    #[error("`{0}` is no member of a mapping; it has `Columns` and `Others`")]
    MemberUnknown(String),
    /// `Others` with another value.
    #[error("`Others` is either `Attributes` or `LeftOut`")]
    OthersUnknown,
    /// More than [`FEED_MAPPING_COLUMNS`].
    #[error("the mapping names more than 1,000 columns")]
    TooManyColumns,
    /// Name that is empty.
    #[error("a column of the mapping has an empty name")]
    NameEmpty,
    /// Name of more than [`FEED_MAPPING_NAME_BYTES`].
    #[error("the name of the column `{0}` is longer than 200 bytes")]
    NameTooLong(String),
    /// Use that is neither a text nor an object with a text `Use`.
    #[error("the column `{0}` needs a use: a text such as `Title`, or an object with `Use`")]
    UseMissing(String),
    /// Use that is not one of the list.
    #[error("the column `{column}` has the unknown use `{unknown}`; did you mean `{nearest}`?")]
    UseUnknown {
        /// The column.
        column: String,
        /// The use as sent.
        unknown: String,
        /// The use that is most like it.
        nearest: &'static str,
    },
    /// Member of a use that it does not have.
    #[error("the use of the column `{column}` has no `{member}`; only paths of categories have a separator")]
    UseMemberUnknown {
        /// The column.
        column: String,
        /// The member as sent.
        member: String,
    },
    /// Separator that is not one character.
    #[error("a separator of the column `{0}` is not one character")]
    SeparatorMalformed(String),
    /// Two columns for a field that has one value.
    #[error("the columns `{first}` and `{second}` are both `{name}`, of which only one counts")]
    UseRepeated {
        /// Name of the use.
        name: &'static str,
        /// The column that comes first.
        first: String,
        /// The other.
        second: String,
    },
    /// Nothing tells products apart.
    #[error("no column is `Id`; name the one that tells products apart (`Sku` or `Link` serve too)")]
    IdMissing,
}

impl ShopMapping {
    /// Reads a mapping that a shop wrote.
    ///
    /// # Errors
    /// [`MappingFault`]: the first mistake, in one sentence.
    pub fn parse(text: &str) -> Result<Self, MappingFault> {
        if text.len() > FEED_MAPPING_BYTES {
            return Err(MappingFault::TooLarge);
        }
        let json: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|fault| MappingFault::NotJson { line: fault.line(), column: fault.column() })?;
        let Value::Object(members) = json else { return Err(MappingFault::ColumnsMissing) };
        let mut mapping = Self { columns: Vec::new(), keeps_others: true };
        let mut has_columns = false;
        for (member, value) in &members {
            if member.eq_ignore_ascii_case("Columns") {
                has_columns = true;
                mapping.columns = parse_columns(value)?;
            } else if member.eq_ignore_ascii_case("Others") {
                mapping.keeps_others = parse_others(value)?;
            } else {
                return Err(MappingFault::MemberUnknown(quote(member)));
            }
        }
        if !has_columns {
            return Err(MappingFault::ColumnsMissing);
        }
        mapping.check()?;
        Ok(mapping)
    }

    /// Checks what [`ShopMapping::parse`] checks of the columns together: of use for a guessed mapping.
    ///
    /// # Errors
    /// [`MappingFault::UseRepeated`] and [`MappingFault::IdMissing`].
    pub fn check(&self) -> Result<(), MappingFault> {
        for (at, column) in self.columns.iter().enumerate() {
            if !is_single(column.becomes) {
                continue;
            }
            let earlier = self.columns.iter().take(at).find(|earlier| earlier.becomes == column.becomes);
            if let Some(earlier) = earlier {
                return Err(MappingFault::UseRepeated {
                    name: name_of(column.becomes),
                    first: quote(&earlier.name),
                    second: quote(&column.name),
                });
            }
        }
        let is_key = |becomes| matches!(becomes, ColumnUse::Id | ColumnUse::Sku | ColumnUse::Link);
        let has_key = self.columns.iter().any(|column| is_key(column.becomes));
        if has_key { Ok(()) } else { Err(MappingFault::IdMissing) }
    }

    /// The mapping as JSON, as [`ShopMapping::parse`] reads it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let columns: Map<String, Value> =
            self.columns.iter().map(|column| (column.name.clone(), use_to_json(column.becomes))).collect();
        let others = if self.keeps_others { "Attributes" } else { "LeftOut" };
        json!({ "Columns": columns, "Others": others }).to_string()
    }

    /// The columns that are named, in their order.
    #[must_use]
    pub fn columns(&self) -> &[MappedColumn] {
        &self.columns
    }
}

impl MappingRules for ShopMapping {
    fn find_use(&self, name: &str) -> ColumnUse {
        let others = if self.keeps_others { ColumnUse::Attribute } else { ColumnUse::LeftOut };
        let folded = normalise_name(name);
        let is_alike = |column: &&MappedColumn| !folded.is_empty() && column.folded == folded;
        let exact = self.columns.iter().find(|column| column.name == name);
        exact.or_else(|| self.columns.iter().find(is_alike)).map_or(others, |column| column.becomes)
    }

    fn complete(&self, row: &mut DraftRow, _extras: &Extras, _context: &MappingContext<'_>) {
        if row.group.is_none() {
            turn_options_into_attributes(row);
        }
        if row.id.is_none() && row.sku.is_none() {
            row.id.clone_from(&row.link);
        }
        close_empty_stock(row);
    }
}

fn use_to_json(becomes: ColumnUse) -> Value {
    match becomes {
        ColumnUse::CategoryPath(within) => json!({ "Use": "CategoryPath", "Separator": within }),
        ColumnUse::CategoryPaths(between, within) => {
            json!({ "Use": "CategoryPaths", "Separator": within, "Between": between })
        }
        _ => json!(name_of(becomes)),
    }
}

fn parse_others(value: &Value) -> Result<bool, MappingFault> {
    match value.as_str() {
        Some(text) if text.eq_ignore_ascii_case("Attributes") => Ok(true),
        Some(text) if text.eq_ignore_ascii_case("LeftOut") => Ok(false),
        _ => Err(MappingFault::OthersUnknown),
    }
}

fn parse_columns(value: &Value) -> Result<Vec<MappedColumn>, MappingFault> {
    let columns = value.as_object().ok_or(MappingFault::ColumnsMissing)?;
    if columns.len() > FEED_MAPPING_COLUMNS {
        return Err(MappingFault::TooManyColumns);
    }
    columns.iter().map(|(name, value)| parse_column(name, value)).collect()
}

fn parse_column(name: &str, value: &Value) -> Result<MappedColumn, MappingFault> {
    if name.trim().is_empty() {
        return Err(MappingFault::NameEmpty);
    }
    if name.len() > FEED_MAPPING_NAME_BYTES {
        return Err(MappingFault::NameTooLong(quote(name)));
    }
    let no_members = Map::new();
    let members = value.as_object().unwrap_or(&no_members);
    let find = |wanted: &str| members.iter().find(|(member, _)| member.eq_ignore_ascii_case(wanted));
    let text = value.as_str().or_else(|| find("Use")?.1.as_str());
    let text = text.ok_or_else(|| MappingFault::UseMissing(quote(name)))?;
    let parse_separator = |member: &str, usual: char| match find(member) {
        None => Ok(usual),
        Some((_, separator)) => {
            read_separator(separator).ok_or_else(|| MappingFault::SeparatorMalformed(quote(name)))
        }
    };
    let mut becomes = parse_use(name, text)?;
    let known: &[&str] = match &mut becomes {
        ColumnUse::CategoryPath(within) => {
            *within = parse_separator("Separator", *within)?;
            &["Use", "Separator"]
        }
        ColumnUse::CategoryPaths(between, within) => {
            *within = parse_separator("Separator", *within)?;
            *between = parse_separator("Between", *between)?;
            &["Use", "Separator", "Between"]
        }
        _ => &["Use"],
    };
    let is_unknown = |member: &&String| !known.iter().any(|known| known.eq_ignore_ascii_case(member));
    match members.keys().find(is_unknown) {
        Some(member) => Err(MappingFault::UseMemberUnknown { column: quote(name), member: quote(member) }),
        None => Ok(MappedColumn::new(name, becomes)),
    }
}

fn read_separator(value: &Value) -> Option<char> {
    // A blank may be the separator, so that nothing is trimmed unless more is left.
    let text = value.as_str()?;
    let text = if text.trim().is_empty() { text } else { text.trim() };
    let mut letters = text.chars();
    let separator = letters.next()?;
    letters.next().is_none().then_some(separator)
}

fn parse_use(column: &str, text: &str) -> Result<ColumnUse, MappingFault> {
    let wanted = text.trim();
    let found = USES.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    found.map(|(_, becomes)| *becomes).ok_or_else(|| MappingFault::UseUnknown {
        column: quote(column),
        unknown: quote(text),
        nearest: find_nearest(wanted),
    })
}

/// The use that a word of a shop means, or else the one that begins and ends most like it.
fn find_nearest(text: &str) -> &'static str {
    let wanted = normalise_name(text);
    if let Some(becomes) = super::column_words::find_use(&wanted) {
        return name_of(becomes);
    }
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        let begin = name.chars().zip(wanted.chars()).take_while(|(one, other)| one == other).count();
        let end =
            name.chars().rev().zip(wanted.chars().rev()).take_while(|(one, other)| one == other).count();
        let length = name.chars().count();
        // Twice what is alike, less what is not.
        2 * (begin + end).min(length) as i64 - length as i64
    };
    USES.iter().rev().map(|(name, _)| *name).max_by_key(|name| likeness(name)).unwrap_or("Attribute")
}

/// The first characters of a name that a shop wrote.
fn quote(name: &str) -> String {
    let mut quoted: String = name.chars().take(QUOTE_CHARS_MAX).collect();
    if quoted.len() < name.len() {
        quoted.push('…');
    }
    quoted
}

#[cfg(test)]
#[path = "shop_mapping_tests.rs"]
mod tests;
