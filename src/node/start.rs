//! Obstacles to a start, its notes, and the lock on the data folder.

use std::io;
use std::path::{Path, PathBuf};

use crate::args;
use crate::clock::Millis;
use crate::config::Config;
use crate::disk::{self, Ballast, Lock};
use crate::keys::{KeyFault, KeyFolder, StoreMark};
use crate::recovery::RecoveryFault;
use crate::recovery::journal::JournalFault;
use crate::recovery::restore::RESTORING;
use crate::recovery::start::check_mirror;
use crate::sql;
use crate::store::{Owner, PostgresFault, Store, StoreFault, StoreOptions, Tx};

/// Reason why a node cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartFault {
    /// Another process runs on this folder or database.
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
    /// The key folder belongs to a store on another engine.
    #[error(
        "the key folder belongs to a store on {}, and --store names {}: name that store with --store {}, or give a new \
         store a key folder of its own (--key-dir); nothing was changed",
        engine_in_words(.belongs), engine_in_words(.named), example_of(.belongs)
    )]
    OtherEngine {
        /// The engine of the store that the keys belong to.
        belongs: String,
        /// The engine that the settings name.
        named: &'static str,
    },
    /// The key folder went on with another state of this store.
    #[error(
        "the key folder went on with another copy of this store, one that was restored since: name that one with --store \
         or --data-dir. Keys of people may be gone that are stored here; to go on with this copy without them, make an \
         empty file `restored` in the data folder. Nothing was changed"
    )]
    OtherCopy,
    /// The key folder is an older copy of the one that the store went on with.
    #[error(
        "the key folder is an older copy of the one that this store went on with, and lacks keys of people who are stored \
         here: name the newest one with --key-dir, or its second copy with --key-mirror. If it is lost, make an empty file \
         `restored` in the data folder: the next start goes on with this copy, and clears what is left of people whose \
         keys it lacks. Nothing was changed"
    )]
    OlderKeys,
    /// The keys are gone and the database is not.
    #[error(
        "the key folder and the store do not belong together: there are no keys in the key folder, and the store was \
         started with some. Name the folder with --key-dir, its second copy with --key-mirror, or, when both are lost, \
         move the data folder away and `lethe restore` the newest backup with --recovery-key"
    )]
    KeysLost,
    /// The database is gone and the keys are not.
    #[error(
        "there is no database in the data folder, but the key folder holds keys of one: name the right folder with \
         --data-dir, or the database with --store when it is on PostgreSQL; if it is lost, `lethe restore` the newest \
         backup; give a new store an empty key folder (--key-dir)"
    )]
    DataLost,
    /// Fault of a recovery, or of the files kept for one.
    #[error(transparent)]
    Recovery(#[from] RecoveryFault),
    /// A restore has not ended.
    #[error("a restore into this data folder was broken off; run the same `lethe restore` again")]
    RestoreBrokeOff,
    /// Something lies somewhere else, where no erasure would be proven.
    #[error(
        "{} is a symbolic link: what lies behind it would not be looked through after an erasure. Put what it leads to \
         in its place, or name the real place with --data-dir, --key-dir, --key-mirror, --journal-mirror or --store \
         sqlite:PATH", .0.display()
    )]
    Link(PathBuf),
    /// A folder or file.
    #[error("{what}: {error}")]
    File {
        /// Sentence that names the failed step.
        what: &'static str,
        /// Error of the system.
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
    /// The process's exit code: 2 for a fault that only the operator can repair, so that no supervisor restarts it
    /// again and again, 3 for a folder in use, 4 for a schema that does not fit, else 1.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::InUse(_) => 3,
            Self::Store(fault) | Self::Recovery(RecoveryFault::Store(fault)) => code_of_store(fault),
            Self::Keys(fault) | Self::Recovery(RecoveryFault::Keys(fault)) => code_of_keys(fault),
            Self::Recovery(RecoveryFault::Journal(fault)) => code_of_journal(fault),
            Self::OtherKeys
            | Self::OtherEngine { .. }
            | Self::OtherCopy
            | Self::OlderKeys
            | Self::KeysLost
            | Self::DataLost => 2,
            Self::RestoreBrokeOff | Self::Link(_) => 2,
            Self::Recovery(_) | Self::File { .. } => 1,
        }
    }

    /// Returns true if PostgreSQL cannot be reached, or takes no writes yet, as while another server takes its place.
    #[must_use]
    pub fn is_of_connection(&self) -> bool {
        let (Self::Store(fault) | Self::Recovery(RecoveryFault::Store(fault))) = self else { return false };
        match fault {
            StoreFault::Disconnected => true,
            StoreFault::Postgres(fault) => {
                fault.is_passing() || matches!(fault, PostgresFault::ReadOnly { .. })
            }
            _ => false,
        }
    }

    /// Returns true if the start may have failed for want of room on the disk of the ballast: an engine that cannot
    /// make its files does not say why.
    pub(super) fn may_lack_room(&self, ballast: &Ballast) -> bool {
        match self {
            Self::InUse(_) => false,
            Self::Store(StoreFault::DiskFull) => true,
            _ => ballast.is_disk_full(),
        }
    }
}

/// Refuses folders on which nothing may be opened: a restore broke off in them, a mirror that was in use is not named,
/// or a link leads out of them.
pub(super) fn check_folders(config: &Config) -> Result<(), StartFault> {
    if config.data_dir.join(RESTORING).exists() {
        return Err(StartFault::RestoreBrokeOff);
    }
    check_mirror(config)?;
    let roots: Vec<PathBuf> = config.places().into_iter().map(|(_, root)| root).collect();
    match disk::link_below(&roots).map_err(file("the folders cannot be looked through"))? {
        Some(link) => Err(StartFault::Link(link)),
        None => Ok(()),
    }
}

fn code_of_store(fault: &StoreFault) -> u8 {
    match fault {
        StoreFault::NewerSchema { .. } | StoreFault::OtherSchema { .. } => 4,
        StoreFault::Postgres(fault) if !fault.is_passing() => 2,
        _ => 1,
    }
}

fn code_of_keys(fault: &KeyFault) -> u8 {
    match fault {
        KeyFault::InUse => 3,
        KeyFault::Mirror { fault } => code_of_keys(fault),
        // Faults of the disk, or of the library: another try may go well.
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

/// Returns true if a key folder holds keys of a store.
pub(super) fn has_keys(key_dir: &Path) -> bool {
    std::fs::metadata(key_dir.join("slots.key")).is_ok_and(|slots| slots.len() > 64)
}

/// Returns true if a key folder is empty of keys, and no mirror is named that may have them.
pub(super) fn has_no_keys(config: &Config) -> bool {
    let files = ["slots.key", "epoch.key", "static.key"];
    config.key_mirror.is_none() && !files.iter().any(|file| config.key_dir.join(file).exists())
}

/// An engine as people call it.
#[must_use]
pub fn engine_in_words(engine: &str) -> &'static str {
    if engine == StoreOptions::POSTGRES { "PostgreSQL" } else { "SQLite" }
}

/// Example of `--store` for a store on an engine.
fn example_of(engine: &str) -> &'static str {
    if engine == StoreOptions::POSTGRES { "postgres://…" } else { "sqlite: (also the default)" }
}

/// Refuses a store on another engine than that of the keys, before any part is opened or made: slots that its list
/// does not name would be destroyed.
pub(super) fn check_engine(store: &StoreOptions, key_dir: &Path) -> Result<(), StartFault> {
    let Some(mark) = StoreMark::load(key_dir)? else { return Ok(()) };
    if mark.engine == store.engine() || !has_keys(key_dir) {
        return Ok(());
    }
    // If another process is at work there, that is the better answer.
    KeyFolder::claim(key_dir)?;
    Err(StartFault::OtherEngine { belongs: mark.engine, named: store.engine() })
}

/// Refuses to make a database for existing keys, before any part is there: a restore wants an empty folder. A fresh
/// database on a server of its own is recognised by its rows.
pub(super) fn check_database(store: &StoreOptions, key_dir: &Path) -> Result<(), StartFault> {
    match store {
        StoreOptions::Sqlite(file) if has_keys(key_dir) && !file.exists() => {
            // If another process is at work there, that is the better answer.
            KeyFolder::claim(key_dir)?;
            Err(StartFault::DataLost)
        }
        _ => Ok(()),
    }
}

pub(super) fn file(what: &'static str) -> impl FnOnce(io::Error) -> StartFault {
    move |error| StartFault::File { what, error }
}

/// The data folder, locked for this process.
#[derive(Clone)]
pub struct FolderLock(Lock);

impl FolderLock {
    /// Makes the folder if need be (0700) and locks it.
    ///
    /// # Errors
    /// [`StartFault::InUse`] when another process has locked it; [`StartFault::File`] when the system
    /// refuses.
    pub fn acquire(folder: &Path) -> Result<Self, StartFault> {
        let made = disk::make_folder(folder).and_then(|()| disk::close_folder(folder));
        made.map_err(file("the data folder cannot be made"))?;
        let lock = disk::lock(folder).map_err(file("the data folder cannot be locked"))?;
        lock.map(Self).ok_or(StartFault::InUse(
            "another lethe runs on this data folder; stop it, or choose another with --data-dir",
        ))
    }
}

impl std::ops::Deref for FolderLock {
    type Target = Lock;

    fn deref(&self) -> &Lock {
        &self.0
    }
}

/// Frees the jobs of the server before this one, and notes the first start since log-ins are noted.
///
/// # Errors
/// When the store fails.
pub async fn note_start(store: &Store, now: Millis) -> Result<(), StoreFault> {
    let note = move |tx: &mut Tx<'_>| {
        tx.exec(&sql::job_void_all, args![])?;
        tx.exec(&sql::node_browsers_begin, args![now])?;
        Ok(())
    };
    store.write(Owner::STORE, note).await
}

#[cfg(test)]
#[path = "start_tests.rs"]
mod start_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_whose_server_changes_is_waited_for_and_a_wrong_one_is_not() {
        let server = "db.test:5432".to_owned();
        let database = "shops".to_owned();
        let user = "lethe".to_owned();
        let waits = |fault: PostgresFault| StartFault::from(StoreFault::from(fault)).is_of_connection();
        let reason = "Connection refused".to_owned();
        assert!(waits(PostgresFault::Unreachable { server: server.clone(), reason }));
        assert!(waits(PostgresFault::ReadOnly { server: server.clone(), database: database.clone() }));
        assert!(StartFault::from(StoreFault::Disconnected).is_of_connection());
        assert!(!waits(PostgresFault::Missing { server, database, user }));
        assert!(!StartFault::from(StoreFault::Damaged).is_of_connection());
    }
}
