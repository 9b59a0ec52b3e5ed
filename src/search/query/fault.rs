//! Faults of a query, worded for its sender.

use std::fmt;

/// A part of a request that cannot be answered: the parameter and a sentence with the allowed values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFault {
    /// The parameter with its path, such as `Filters.Price.From`.
    pub parameter: String,
    /// Sentence that names the fault, and the allowed values.
    pub sentence: String,
}

impl QueryFault {
    /// For this parameter.
    #[must_use]
    pub fn new(parameter: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { parameter: parameter.into(), sentence: sentence.into() }
    }
}

impl fmt::Display for QueryFault {
    fn fmt(&self, into: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(into, "{}: {}", self.parameter, self.sentence)
    }
}

impl std::error::Error for QueryFault {}
