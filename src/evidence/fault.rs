//! Failure of a search for a person or of its documents.

use crate::keys::KeyFault;
use crate::ledger::LedgerFault;
use crate::people::subject::SubjectFault;
use crate::store::StoreFault;

/// A fault while evidence is gathered; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceFault {
    /// A fault of the store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// A fault of the keys.
    #[error(transparent)]
    Keys(#[from] KeyFault),
    /// A fault of the disk, without the name of the file.
    #[error("a file could not be read: {0}")]
    File(std::io::ErrorKind),
    /// A link in a folder that is scanned.
    #[error(
        "a symbolic link lies in a folder that is scanned, and what is behind it is not looked through; put what it \
         leads to in its place"
    )]
    Link,
    /// The scan did not read the database or the keys.
    #[error("the scan did not see the database, or the file of the keys: it proves nothing")]
    Unseen,
    /// A fault of the ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerFault),
    /// A thread panicked.
    #[error("the search panicked")]
    Panicked,
}

impl From<std::io::Error> for EvidenceFault {
    fn from(error: std::io::Error) -> Self {
        Self::File(error.kind())
    }
}

impl From<SubjectFault> for EvidenceFault {
    fn from(fault: SubjectFault) -> Self {
        match fault {
            SubjectFault::Store(fault) => Self::Store(fault),
            SubjectFault::Keys(fault) => Self::Keys(fault),
        }
    }
}
