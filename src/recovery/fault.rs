//! Failure of a backup or a restore.

use std::io;

use super::manifest::ManifestFault;
use super::{journal, replay_fault};
use crate::keys::KeyFault;
use crate::people::subject::SubjectFault;
use crate::store::StoreFault;

/// Failure of a backup or a restore. It names no person.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryFault {
    /// The operator has to choose or do something else; the sentence names it.
    #[error("{0}")]
    Refused(String),
    /// The backup cannot be used, and nothing was changed.
    #[error("the backup cannot be used: {0}")]
    Unusable(#[from] ManifestFault),
    /// A catalogue file that a row names is missing or damaged.
    #[error(
        "the catalogue file {0} is missing or damaged; submit the feed again, then make the backup again"
    )]
    BlobDamaged(String),
    /// The journal of erasures.
    #[error(transparent)]
    Journal(#[from] journal::JournalFault),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// The keys.
    #[error("the key folder: {0}")]
    Keys(#[from] KeyFault),
    /// A file.
    #[error("{doing}: {error}")]
    File {
        /// Action that failed, as the start of a sentence.
        doing: &'static str,
        /// Error of the system.
        error: io::Error,
    },
    /// The work ended in the middle.
    #[error("the work broke off")]
    BrokeOff,
}

/// For `map_err`: a [`RecoveryFault::File`] that names the failed step.
pub fn while_doing(doing: &'static str) -> impl FnOnce(io::Error) -> RecoveryFault {
    move |error| RecoveryFault::File { doing, error }
}

impl From<replay_fault::ReplayFault> for RecoveryFault {
    fn from(fault: replay_fault::ReplayFault) -> Self {
        match fault {
            replay_fault::ReplayFault::Journal(fault) => fault.into(),
            replay_fault::ReplayFault::Store(fault) => fault.into(),
            replay_fault::ReplayFault::Keys(fault) => fault.into(),
        }
    }
}

impl From<SubjectFault> for RecoveryFault {
    fn from(fault: SubjectFault) -> Self {
        match fault {
            SubjectFault::Store(fault) => fault.into(),
            SubjectFault::Keys(fault) => fault.into(),
        }
    }
}
