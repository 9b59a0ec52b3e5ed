//! Failure of a row of the catalogue.

/// A row that is no document. Stored rows always are; a fault means that the store holds something else.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DocumentFault {
    /// Not an object of JSON.
    #[error("the row is no object of JSON: {0}")]
    Malformed(String),
    /// Without a text under `Id` or `Sku`, or without `AccountTag` in a price of an account.
    #[error("the row has no {0}")]
    Missing(&'static str),
}
