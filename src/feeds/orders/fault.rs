//! Failure of a file of orders.

use std::{io, str};

/// Reason why an order file as a whole is refused. No content is quoted: a customer's data may stand in place of a
/// header.
#[derive(Debug, thiserror::Error)]
pub enum OrdersFault {
    /// No line at all.
    #[error("the order file is empty; it begins with a header line that names its columns")]
    Empty,
    /// The first line names too little.
    #[error("the header line of the order file lacks {}", missing.join(", "))]
    ColumnsMissing {
        /// The documented names of the missing columns.
        missing: Vec<&'static str>,
    },
    /// Two columns mean the same.
    #[error("the header line of the order file names {column} twice")]
    ColumnTwice {
        /// Its documented name.
        column: &'static str,
    },
    /// The source stopped giving bytes.
    #[error("the order file could not be read")]
    Read(#[from] io::Error),
}
