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
