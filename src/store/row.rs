//! A row of an answer.

use super::fault::StoreFault;
use super::statement::SqlValue;
use std::sync::Arc;

/// One row of an answer. Columns are read by name; a wrong type is a fault, never a panic.
#[derive(Clone)]
pub struct Row {
    pub(super) statement: &'static str,
    /// Shared by the rows of an answer.
    pub(super) columns: ColumnNames,
    pub(super) values: Vec<SqlValue>,
}

/// Names of the columns of an answer.
pub(super) type ColumnNames = Arc<[Box<str>]>;

impl Row {
    /// The fault of a column whose value means nothing.
    #[must_use]
    pub const fn unreadable(&self, column: &'static str) -> StoreFault {
        StoreFault::Shape { statement: self.statement, column }
    }

    fn shape<T>(&self, column: &'static str) -> Result<T, StoreFault> {
        Err(self.unreadable(column))
    }

    fn value(&self, column: &'static str) -> Option<&SqlValue> {
        let place = self.columns.iter().position(|name| **name == *column)?;
        self.values.get(place)
    }

    /// An integer that is not null.
    ///
    /// # Errors
    /// [`StoreFault::Shape`] when the column has another type or is missing.
    pub fn int(&self, column: &'static str) -> Result<i64, StoreFault> {
        match self.value(column) {
            Some(SqlValue::Int(value)) => Ok(*value),
            _ => self.shape(column),
        }
    }

    /// An integer or null.
    ///
    /// # Errors
    /// As [`Row::int`].
    pub fn opt_int(&self, column: &'static str) -> Result<Option<i64>, StoreFault> {
        match self.value(column) {
            Some(SqlValue::Int(value)) => Ok(Some(*value)),
            Some(SqlValue::Null) => Ok(None),
            _ => self.shape(column),
        }
    }

    /// A text that is not null.
    ///
    /// # Errors
    /// As [`Row::int`].
    pub fn text(&self, column: &'static str) -> Result<&str, StoreFault> {
        match self.value(column) {
            Some(SqlValue::Text(value)) => Ok(value),
            _ => self.shape(column),
        }
    }

    /// A text or null.
    ///
    /// # Errors
    /// As [`Row::int`].
    pub fn opt_text(&self, column: &'static str) -> Result<Option<&str>, StoreFault> {
        match self.value(column) {
            Some(SqlValue::Text(value)) => Ok(Some(value)),
            Some(SqlValue::Null) => Ok(None),
            _ => self.shape(column),
        }
    }

    /// Bytes that are not null.
    ///
    /// # Errors
    /// As [`Row::int`].
    pub fn blob(&self, column: &'static str) -> Result<&[u8], StoreFault> {
        match self.value(column) {
            Some(SqlValue::Blob(value)) => Ok(value),
            _ => self.shape(column),
        }
    }

    /// Bytes or null.
    ///
    /// # Errors
    /// As [`Row::int`].
    pub fn opt_blob(&self, column: &'static str) -> Result<Option<&[u8]>, StoreFault> {
        match self.value(column) {
            Some(SqlValue::Blob(value)) => Ok(Some(value)),
            Some(SqlValue::Null) => Ok(None),
            _ => self.shape(column),
        }
    }

    /// Exactly `N` bytes.
    ///
    /// # Errors
    /// As [`Row::int`], also when the length is another.
    pub fn bytes<const N: usize>(&self, column: &'static str) -> Result<[u8; N], StoreFault> {
        self.blob(column)?.try_into().or_else(|_| self.shape(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["null", "int", "text", "blob", "missing"];

    fn row() -> Row {
        let columns: Vec<Box<str>> = NAMES[..4].iter().map(|name| Box::from(*name)).collect();
        let text = SqlValue::Text("t".to_owned());
        let values = vec![SqlValue::Null, SqlValue::Int(7), text, SqlValue::Blob(vec![1, 2])];
        Row { statement: "read", columns: columns.into(), values }
    }

    #[test]
    fn a_column_is_read_as_what_it_is_and_as_nothing_else() {
        let row = row();
        assert_eq!(NAMES.map(|name| row.int(name).ok()), [None, Some(7), None, None, None]);
        assert_eq!(NAMES.map(|name| row.text(name).ok()), [None, None, Some("t"), None, None]);
        assert_eq!(NAMES.map(|name| row.blob(name).ok()), [None, None, None, Some(&[1_u8, 2][..]), None]);
        let numbers = [Some(None), Some(Some(7)), None, None, None];
        assert_eq!(NAMES.map(|name| row.opt_int(name).ok()), numbers);
        let texts = [Some(None), None, Some(Some("t")), None, None];
        assert_eq!(NAMES.map(|name| row.opt_text(name).ok()), texts);
        let blobs = [Some(None), None, None, Some(Some(&[1_u8, 2][..])), None];
        assert_eq!(NAMES.map(|name| row.opt_blob(name).ok()), blobs);
    }

    #[test]
    fn bytes_of_another_length_and_a_wrong_type_are_a_fault_that_names_the_column() {
        let row = row();
        assert_eq!(row.bytes("blob").ok(), Some([1, 2]));
        let faults = [
            row.bytes::<1>("blob").map(drop),
            row.bytes::<3>("blob").map(drop),
            row.bytes::<1>("text").map(drop),
            row.opt_int("missing").map(drop),
        ];
        let said = faults.map(|fault| fault.map_err(|fault| fault.to_string()));
        let column = |name: &str| Err(format!("statement read gave column {name} another type"));
        assert_eq!(said, ["blob", "blob", "text", "missing"].map(column));
    }
}
