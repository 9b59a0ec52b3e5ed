//! Room on the disk that is kept for erasures: a database on a full disk can delete nothing, because it has
//! to write first.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::files::{open, remove, reserve};
use crate::limits::BALLAST_BYTES;

/// A disk with less room than this is full: the embedded database writes its log in pieces of about this size.
const ROOM_BYTES: u64 = 1 << 20;

/// A file that holds room until an erasure needs it.
pub struct Ballast {
    path: PathBuf,
    is_held: AtomicBool,
}

impl Ballast {
    /// The room in a file, on the disk that the database writes to; held if an earlier process took it.
    #[must_use]
    pub fn open(path: PathBuf) -> Self {
        let is_held = path.metadata().is_ok_and(|file| file.len() >= BALLAST_BYTES);
        Self { path, is_held: AtomicBool::new(is_held) }
    }

    /// Returns true if its disk has no room for anybody else.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        let room = self.path.parent().and_then(|folder| rustix::fs::statvfs(folder).ok());
        room.is_some_and(|room| room.f_bavail.saturating_mul(room.f_frsize) < ROOM_BYTES)
    }

    /// Takes the room again, if there is enough; nothing otherwise.
    pub fn reserve(&self) {
        if self.is_held.load(Ordering::SeqCst) {
            return;
        }
        match self.fill() {
            Ok(()) => self.is_held.store(true, Ordering::SeqCst),
            Err(error) => {
                tracing::warn!(kind = ?error.kind(), "no room is left that could be kept for erasures");
                // Half a file helps no erasure, and may take room that others need.
                let _ = remove(&self.path);
            }
        }
    }

    fn fill(&self) -> io::Result<()> {
        reserve(&open(&self.path)?, BALLAST_BYTES)
    }

    /// Gives the room to the next writer; false when it was given before.
    pub fn release(&self) -> bool {
        let was_held = self.is_held.swap(false, Ordering::SeqCst);
        if was_held {
            // If it cannot be removed, the erasure waits as it would without.
            let _ = remove(&self.path);
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
        let file = folder.path().join("ballast");
        let ballast = Ballast::open(file.clone());
        ballast.reserve();
        assert!(file.metadata().unwrap().blocks() * 512 >= BALLAST_BYTES);
        assert!(ballast.release() && !file.exists() && !ballast.release());
        ballast.reserve();
        assert_eq!(file.metadata().unwrap().len(), BALLAST_BYTES);
        // A server that ended hard left it.
        assert!(Ballast::open(file).release());
    }

    #[test]
    fn half_of_the_room_is_none_and_room_that_is_held_is_not_taken_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ballast");
        let file = std::fs::File::create(&path).unwrap();
        let is_held = |bytes| {
            file.set_len(bytes).unwrap();
            Ballast::open(path.clone()).is_held.load(Ordering::SeqCst)
        };
        assert_eq!([0, BALLAST_BYTES - 1, BALLAST_BYTES].map(is_held), [false, false, true]);
        let ballast = Ballast::open(path.clone());
        std::fs::remove_file(&path).unwrap();
        ballast.reserve();
        assert!(!path.exists(), "as far as it knows it holds the room");
        assert!(ballast.release() && !ballast.release());
    }

    #[test]
    fn room_that_cannot_be_had_is_not_held() {
        let folder = tempfile::tempdir().unwrap();
        let away = Ballast::open(folder.path().join("away").join("ballast"));
        away.reserve();
        assert!(!away.release() && !away.is_disk_full(), "nobody knows that disk");
        assert!(!Ballast::open(folder.path().join("ballast")).is_disk_full());
    }
}
