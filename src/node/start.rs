//! What can stand in the way of a start, and the lock on the data folder.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::keys::KeyFault;
use crate::recovery::RecoveryFault;
use crate::recovery::journal::JournalFault;
use crate::store::{StoreFault, StoreOptions};

/// Why a node cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartFault {
    /// Somebody else runs on this folder or database.
    #[error("{0}")]
    InUse(&'static str),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// The keys.
    #[error("the key folder: {0}")]
    Keys(#[source] KeyFault),
    /// The key folder belongs to another store.
    #[error(
        "the key folder and the store do not belong together; give each store the key folder it was started \
         with first (--key-dir), and a new store an empty one"
    )]
    OtherKeys,
    /// The database is gone and the keys are not.
    #[error(
        "there is no database in the data folder, but the key folder holds keys of one: `lethe restore` the newest \
         backup, name the right folder with --data-dir, or give a new store an empty key folder (--key-dir)"
    )]
    DataLost,
    /// What is kept for a recovery.
    #[error(transparent)]
    Recovery(#[from] RecoveryFault),
    /// A restore has not ended.
    #[error("a restore into this data folder was broken off; run the same `lethe restore` again")]
    RestoreBrokeOff,
    /// A folder or file.
    #[error("{what}: {error}")]
    File {
        /// What was being done.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
}

impl From<KeyFault> for StartFault {
    fn from(fault: KeyFault) -> Self {
        match fault {
            KeyFault::InUse => Self::InUse(
                "another lethe runs on this key folder; stop it, or choose another with --key-dir",
            ),
            fault => Self::Keys(fault),
        }
    }
}

impl StartFault {
    /// The process's exit code: 2 for what only the operator can mend, so that nobody starts it again and again, 3 for
    /// a folder in use, 4 for a schema that does not fit, else 1.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::InUse(_) => 3,
            Self::Store(fault) | Self::Recovery(RecoveryFault::Store(fault)) => code_of_store(fault),
            Self::Keys(fault) | Self::Recovery(RecoveryFault::Keys(fault)) => code_of_keys(fault),
            Self::Recovery(RecoveryFault::Journal(fault)) => code_of_journal(fault),
            Self::OtherKeys | Self::DataLost | Self::RestoreBrokeOff => 2,
            Self::Recovery(_) | Self::File { .. } => 1,
        }
    }
}

fn code_of_store(fault: &StoreFault) -> u8 {
    if matches!(fault, StoreFault::NewerSchema { .. }) { 4 } else { 1 }
}

fn code_of_keys(fault: &KeyFault) -> u8 {
    match fault {
        KeyFault::InUse => 3,
        KeyFault::Mirror { fault } => code_of_keys(fault),
        // Of the disk, or of the library: another try may go well.
        KeyFault::Disk { .. } | KeyFault::PoolEmpty | KeyFault::Cryptography => 1,
        _ => 2,
    }
}

fn code_of_journal(fault: &JournalFault) -> u8 {
    match fault {
        JournalFault::Keys(fault) => code_of_keys(fault),
        JournalFault::Disk { .. } | JournalFault::BrokeOff => 1,
        _ => 2,
    }
}

/// Whether a key folder holds keys of a store.
pub(super) fn has_keys(key_dir: &Path) -> bool {
    std::fs::metadata(key_dir.join("slots.key")).is_ok_and(|slots| slots.len() > 64)
}

/// Refuses to make a database beside the keys of one, before anything of it is there: a restore wants an empty folder.
/// A fresh one on a server of its own is told by its rows.
pub(super) fn check_database(store: &StoreOptions, key_dir: &Path) -> Result<(), StartFault> {
    match store {
        StoreOptions::Sqlite(file) if has_keys(key_dir) && !file.exists() => Err(StartFault::DataLost),
        _ => Ok(()),
    }
}

pub(super) fn file(what: &'static str) -> impl FnOnce(io::Error) -> StartFault {
    move |error| StartFault::File { what, error }
}

/// The data folder, locked for this process. The lock dies with the process, also by kill -9.
pub struct FolderLock(#[expect(dead_code, reason = "held open for its lock")] File);

impl FolderLock {
    /// Makes the folder if need be (0700) and locks it.
    pub fn take(folder: &Path) -> Result<Self, StartFault> {
        make_private(folder).map_err(file("the data folder cannot be made"))?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("lock"))
            .map_err(file("the data folder cannot be written"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self(lock)),
            Err(std::fs::TryLockError::WouldBlock) => Err(StartFault::InUse(
                "another lethe runs on this data folder; stop it, or choose another with --data-dir",
            )),
            Err(std::fs::TryLockError::Error(error)) => {
                Err(StartFault::File { what: "the data folder cannot be locked", error })
            }
        }
    }
}

pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}
