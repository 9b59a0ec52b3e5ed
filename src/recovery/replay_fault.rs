//! Failure of the replay of the journal.

use super::journal::JournalFault;
use crate::keys::KeyFault;
use crate::people::subject::SubjectFault;
use crate::store::StoreFault;

/// A fault of the replay; nothing may start.
#[derive(Debug, thiserror::Error)]
pub enum ReplayFault {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalFault),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// The keys.
    #[error(transparent)]
    Keys(#[from] KeyFault),
}

impl From<SubjectFault> for ReplayFault {
    fn from(fault: SubjectFault) -> Self {
        match fault {
            SubjectFault::Store(fault) => fault.into(),
            SubjectFault::Keys(fault) => fault.into(),
        }
    }
}
