//! Failure of the index of an account.

/// Failure to open, write or read an index.
#[derive(Debug, thiserror::Error)]
pub enum IndexFault {
    /// The folder holds no index.
    #[error("there is no index")]
    Missing,
    /// It was made by another version, in another language or for other statistics: rebuild it.
    #[error("the index is of another kind: {0}")]
    Other(String),
    /// A file of it is damaged: rebuild it.
    #[error("the index is torn: {0}")]
    Torn(String),
    /// tantivy cannot carry out an instruction.
    #[error("the index: {0}")]
    Engine(#[from] tantivy::TantivyError),
    /// A file cannot be read or written.
    #[error("a file of the index: {0}")]
    File(#[from] std::io::Error),
}
