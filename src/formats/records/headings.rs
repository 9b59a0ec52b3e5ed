//! Names of the columns of a file, each with a number.

use std::collections::HashMap;

use super::fault::RecordFault;

/// Names that one file may have: tables of a shop have hundreds.
pub const COLUMNS_MAX: usize = 10_000;

/// Names of columns, elements or members, in the order in which they were met.
#[derive(Default)]
pub struct Headings {
    names: Vec<String>,
    columns: HashMap<String, usize>,
}

impl Headings {
    /// Number of the column with this name, which is added if it is new.
    ///
    /// # Errors
    /// When the file has more than [`COLUMNS_MAX`] names.
    pub fn intern(&mut self, name: &str) -> Result<usize, RecordFault> {
        if let Some(column) = self.columns.get(name) {
            return Ok(*column);
        }
        if self.names.len() == COLUMNS_MAX {
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
