//! Names of the columns of a file, each with a number.

use std::collections::HashMap;

use super::fault::RecordFault;
use crate::limits::{FEED_COLUMN_NAME_BYTES, FEED_COLUMNS};

/// Names of columns, elements or members, in the order in which they were met.
#[derive(Default)]
pub struct Headings {
    names: Vec<String>,
    columns: HashMap<String, usize>,
}

impl Headings {
    /// Number of the column with this name, which is added if it is new; names are told by their first 1,024 bytes.
    ///
    /// # Errors
    /// When the file has more than [`FEED_COLUMNS`] names.
    pub fn intern(&mut self, name: &str) -> Result<usize, RecordFault> {
        let name = limit_name(name);
        if let Some(column) = self.columns.get(name) {
            return Ok(*column);
        }
        if self.names.len() == FEED_COLUMNS {
            return Err(RecordFault::TooManyColumns);
        }
        self.names.push(name.to_owned());
        self.columns.insert(name.to_owned(), self.names.len() - 1);
        Ok(self.names.len() - 1)
    }

    /// The name of a column, as sent; empty for an unknown number.
    #[must_use]
    pub fn name(&self, column: usize) -> &str {
        self.names.get(column).map_or("", String::as_str)
    }

    /// All names so far.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Columns of the values of former records, by their order: the next record mostly has the same.
#[derive(Default)]
pub(super) struct ColumnSequence {
    columns: Vec<usize>,
}

impl ColumnSequence {
    /// Number of the column with this name, which the value at `index` of its record has.
    pub(super) fn find_column(
        &mut self,
        headings: &mut Headings,
        index: usize,
        name: &str,
    ) -> Result<usize, RecordFault> {
        if let Some(column) = self.columns.get(index).filter(|column| headings.name(**column) == name) {
            return Ok(*column);
        }
        let column = headings.intern(name)?;
        match self.columns.get_mut(index) {
            Some(known) => *known = column,
            None => self.columns.push(column),
        }
        Ok(column)
    }
}

/// The name, or the beginning of one that is too long to be kept.
///
/// Parts of a name are cut before they are joined too: a long one around many values would be copied for each.
pub(super) fn limit_name(name: &str) -> &str {
    let end = (0..=FEED_COLUMN_NAME_BYTES.min(name.len())).rev().find(|end| name.is_char_boundary(*end));
    name.get(..end.unwrap_or(0)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{ColumnSequence, FEED_COLUMN_NAME_BYTES, Headings};

    #[test]
    fn a_long_name_is_cut_between_two_letters() {
        let mut headings = Headings::default();
        let long = format!("a{}", "ü".repeat(FEED_COLUMN_NAME_BYTES));
        assert_eq!(headings.intern(&long).unwrap(), headings.intern(&format!("{long}x")).unwrap());
        assert_eq!(headings.names(), [format!("a{}", "ü".repeat((FEED_COLUMN_NAME_BYTES - 1) / 2))]);
    }

    #[test]
    fn a_sequence_of_columns_changes_with_the_records() {
        let mut headings = Headings::default();
        let mut columns = ColumnSequence::default();
        for names in [["id", "title"], ["id", "price"], ["title", "id"]] {
            for (index, name) in names.iter().enumerate() {
                let column = columns.find_column(&mut headings, index, name).unwrap();
                assert_eq!(headings.name(column), *name);
            }
        }
        assert_eq!(headings.names(), ["id", "title", "price"]);
    }
}
