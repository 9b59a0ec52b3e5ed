//! Room on the disk that is kept for erasures: a database on a full disk can delete nothing, because it has to write first.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FallocateFlags, fallocate};

use crate::limits::BALLAST_BYTES;
use crate::store::StoreOptions;

/// Name of the file in the data folder; beside a database elsewhere, what its name ends with.
const NAME: &str = "ballast";
/// A disk with less room than this is full: the embedded database writes its log in pieces of about this size.
const ROOM_BYTES: u64 = 1 << 20;

/// A file that holds room until an erasure needs it.
pub struct Ballast {
    path: PathBuf,
    is_held: AtomicBool,
}

impl Ballast {
    /// The room for a store, on the disk that its database writes to; held if an earlier process took it.
    #[must_use]
    pub fn of(store: &StoreOptions, data_dir: &Path) -> Self {
        let path = match store {
            StoreOptions::Sqlite(file) if !file.starts_with(data_dir) => {
                let mut beside = file.clone().into_os_string();
                beside.push(format!("-{NAME}"));
                beside.into()
            }
            StoreOptions::Sqlite(_) | StoreOptions::Postgres(_) => data_dir.join(NAME),
        };
        let is_held = path.metadata().is_ok_and(|file| file.len() >= BALLAST_BYTES);
        Self { path, is_held: AtomicBool::new(is_held) }
    }

    /// Whether its disk has no room for anybody else.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        let room = self.path.parent().and_then(|folder| rustix::fs::statvfs(folder).ok());
        room.is_some_and(|room| room.f_bavail.saturating_mul(room.f_frsize) < ROOM_BYTES)
    }

    /// Takes the room again, if there is enough; nothing otherwise.
    pub fn take(&self) {
        if self.is_held.load(Ordering::SeqCst) {
            return;
        }
        match self.fill() {
            Ok(()) => self.is_held.store(true, Ordering::SeqCst),
            Err(error) => {
                tracing::warn!(kind = ?error.kind(), "no room is left that could be kept for erasures");
                // Half of it helps nobody, and may be what others lack.
                let _ = std::fs::remove_file(&self.path);
            }
        }
    }

    fn fill(&self) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let file: File = options.create(true).truncate(false).write(true).mode(0o600).open(&self.path)?;
        // Real blocks: a length alone would take no room.
        Ok(fallocate(&file, FallocateFlags::empty(), 0, BALLAST_BYTES)?)
    }

    /// Gives the room to whoever writes next; false when it was given before.
    pub fn release(&self) -> bool {
        let was_held = self.is_held.swap(false, Ordering::SeqCst);
        if was_held {
            // If it cannot be removed, the erasure waits as it would without.
            let _ = std::fs::remove_file(&self.path);
        }
        was_held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_room_is_real_and_is_given_once_and_taken_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(NAME);
        let ballast = Ballast::of(&StoreOptions::Sqlite(folder.path().join("lethe.db")), folder.path());
        ballast.take();
        assert!(file.metadata().unwrap().blocks() * 512 >= BALLAST_BYTES);
        assert!(ballast.release() && !file.exists() && !ballast.release());
        ballast.take();
        assert_eq!(file.metadata().unwrap().len(), BALLAST_BYTES);
        // A server that ended hard left it.
        let store = StoreOptions::Postgres(String::new());
        assert!(Ballast::of(&store, folder.path()).release());
    }

    #[test]
    fn the_room_is_on_the_disk_of_the_database() {
        let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let ballast = Ballast::of(&StoreOptions::Sqlite(other.path().join("x.db")), data.path());
        ballast.take();
        assert!(other.path().join("x.db-ballast").exists() && !data.path().join(NAME).exists());
    }
}
