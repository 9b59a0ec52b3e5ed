//! Room on the disk that is kept for erasures: a database on a full disk can delete nothing, because it has to write first.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FallocateFlags, fallocate};

use crate::limits::BALLAST_BYTES;

/// Name of the file in the data folder.
const NAME: &str = "ballast";

/// A file that holds room until an erasure needs it.
pub struct Ballast {
    path: PathBuf,
    is_held: AtomicBool,
}

impl Ballast {
    /// Takes the room in a data folder, as far as there is any.
    #[must_use]
    pub fn open(data_dir: &Path) -> Self {
        let ballast = Self { path: data_dir.join(NAME), is_held: AtomicBool::new(false) };
        ballast.take();
        ballast
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
        let ballast = Ballast::open(folder.path());
        assert!(file.metadata().unwrap().blocks() * 512 >= BALLAST_BYTES);
        assert!(ballast.release() && !file.exists() && !ballast.release());
        ballast.take();
        assert_eq!(file.metadata().unwrap().len(), BALLAST_BYTES);
        // A server that ended hard left it.
        assert!(Ballast::open(folder.path()).release());
    }
}
