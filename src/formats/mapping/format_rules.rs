//! Rules of one format as a value.

use super::column_rule::{ColumnRule, ColumnUse, Extra};
use super::context::MappingContext;
use crate::feeds::feed_format::FeedFormat;
use crate::formats::draft_row::DraftRow;

/// Rules by which flat records become rows: those of a format, or those that a shop wrote.
pub trait MappingRules {
    /// Use of the column with this name.
    fn find_use(&self, name: &str) -> ColumnUse;

    /// Puts together what needs several values at once: the group, the role, prices, stock.
    fn complete(&self, row: &mut DraftRow, extras: &Extras, context: &MappingContext<'_>);
}

impl<T: MappingRules + ?Sized> MappingRules for &T {
    fn find_use(&self, name: &str) -> ColumnUse {
        (**self).find_use(name)
    }

    fn complete(&self, row: &mut DraftRow, extras: &Extras, context: &MappingContext<'_>) {
        (**self).complete(row, extras, context);
    }
}

/// Rules of a format that is known.
pub struct FormatRules {
    /// The format.
    pub format: FeedFormat,
    /// The kind of file, for people: `CSV export`.
    pub file: &'static str,
    /// Its columns.
    pub columns: &'static [ColumnRule],
    /// Use of a column that `columns` does not name: numbered columns, prefixes. `name` is as [`normalise_name`]
    /// writes it.
    pub find_other: fn(name: &str) -> ColumnUse,
    /// As [`MappingRules::complete`].
    pub complete: fn(row: &mut DraftRow, extras: &Extras, context: &MappingContext<'_>),
    /// Condition under which the rows of a group are variants of one product.
    pub groups: GroupRule,
}

impl MappingRules for FormatRules {
    fn find_use(&self, name: &str) -> ColumnUse {
        let wanted = normalise_name(name);
        let is_named = |name: &&'static str| normalise_name(name) == wanted;
        let is_meant = |rule: &&ColumnRule| is_named(&rule.name) || rule.also.iter().any(is_named);
        self.columns.iter().find(is_meant).map_or_else(|| (self.find_other)(&wanted), |rule| rule.becomes)
    }

    fn complete(&self, row: &mut DraftRow, extras: &Extras, context: &MappingContext<'_>) {
        (self.complete)(row, extras, context);
    }
}

/// Trust in the groups of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupRule {
    /// The format knows products: its groups are products.
    Certain,
    /// As [`GroupRule::Certain`], and each product has a row of its own besides its variants: variants without one are
    /// products of their own.
    Parented,
    /// A group may be a category in disguise: its rows are variants of one product only if they differ in options and
    /// share most of their title.
    Checked,
}

/// Values of a row that wait for the format's `complete`.
#[derive(Default, Debug)]
pub struct Extras {
    values: Vec<(Extra, String)>,
}

impl Extras {
    /// Adds a value.
    pub fn push(&mut self, extra: Extra, value: String) {
        self.values.push((extra, value));
    }

    /// The first value of a kind.
    #[must_use]
    pub fn first(&self, extra: Extra) -> Option<&str> {
        self.values.iter().find(|(kind, _)| *kind == extra).map(|(_, value)| value.as_str())
    }

    /// Forgets all values.
    pub fn clear(&mut self) {
        self.values.clear();
    }
}

/// A column's name for comparison: lower case, without a namespace prefix, only letters and digits of any script.
#[must_use]
pub fn normalise_name(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
