//! Recovery: preparation for the day a disk is lost, and the way back, which brings no forgotten person along.
//!
//! Three things with three lives. A *backup* holds the database and the files it names, never a key of a person. The
//! *bundle* holds the keys that recognise, sealed to the operator. The *journal* lists the erasures, is replayed at
//! every start, and has a copy of every account's ledger. The keys of people are in none of the three: they have one
//! live second copy at most (`--key-mirror`).

pub mod bundle;
pub mod content;
mod hpke;
pub mod journal;
pub mod ledger_copy;
pub mod lost;
mod manifest;
pub mod reach;
pub mod replay;
pub mod restore;
pub mod start;

pub use manifest::{MANIFEST, Manifest, ManifestFault, blob_path};

use std::io;

use crate::keys::KeyFault;
use crate::people::subject::SubjectFault;
use crate::store::StoreFault;

/// Name of the database in a backup.
pub const DATABASE: &str = "lethe.db";
/// Folder of the catalogue files, in a backup as in the data folder.
const BLOBS: &str = "blobs";

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

/// Progress of a backup or a restore.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryProgress {
    /// Step that is running.
    pub step: &'static str,
    /// Amount that is done …
    pub done: u64,
    /// … of this amount: pages, tables or files.
    pub total: u64,
}

/// Receives progress.
pub type ReportProgress<'a> = dyn FnMut(RecoveryProgress) + Send + 'a;

impl From<replay::ReplayFault> for RecoveryFault {
    fn from(fault: replay::ReplayFault) -> Self {
        match fault {
            replay::ReplayFault::Journal(fault) => fault.into(),
            replay::ReplayFault::Store(fault) => fault.into(),
            replay::ReplayFault::Keys(fault) => fault.into(),
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
