//! Failure of the search of an account.

use crate::catalogue::CatalogueFault;
use crate::search::document::DocumentFault;
use crate::search::index::IndexFault;

/// Reason why there is no search.
#[derive(Debug, thiserror::Error)]
pub enum SearchFault {
    /// A fault of the catalogue.
    #[error(transparent)]
    Catalogue(#[from] CatalogueFault),
    /// A fault of the index.
    #[error(transparent)]
    Index(#[from] IndexFault),
    /// A row of the catalogue is no document.
    #[error(transparent)]
    Row(#[from] DocumentFault),
    /// The index is being built, and that takes longer than a request waits.
    #[error("the search index of the account is being made")]
    Making,
    /// So much changed in one step that the index has to be rebuilt.
    #[error("most of what the search index holds changed")]
    Outgrown,
    /// The task that made it ended early.
    #[error("the search index could not be made")]
    Ended,
}
