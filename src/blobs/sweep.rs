//! The sweep of files that no row names, and the hold that keeps files from it while a caller is about to read them by
//! a name, or to write their name into a row.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write as _};

use super::blob::{Blob, BlobWriter, Blobs};
use super::blob_name::BlobName;
use crate::disk;

/// While it is there, the sweep removes no file that a row named when it was taken, nor one that is published with it.
/// Take it before the row is read or the file is published; drop it when the file is open or its name stands in a row.
/// It makes no other caller wait.
#[must_use]
pub struct Hold {
    blobs: Blobs,
    number: u64,
}

impl Hold {
    /// Opens a published blob for reading.
    ///
    /// # Errors
    /// `NotFound` when there is no such blob; or when the disk refuses.
    pub fn open_blob(&self, name: &BlobName) -> io::Result<Blob> {
        self.blobs.open_blob(name)
    }
}

impl Hold {
    /// The file of this name is about to be put in its place.
    pub(super) fn note_published(&self, name: &BlobName) {
        self.blobs.holds.note_published(name);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.blobs.holds.lock().live.remove(&self.number);
    }
}

/// A sweep that goes on. Dropped, it has removed nothing.
pub struct BlobSweep {
    blobs: Blobs,
    unneeded: Vec<BlobName>,
    /// Earlier holds may know names of files that are not needed any more.
    before: u64,
}

impl Blobs {
    /// Keeps the files that rows name now, and those published meanwhile, from the sweep.
    pub fn hold_files(&self) -> Hold {
        let mut state = self.holds.lock();
        let number = state.next;
        state.next += 1;
        state.live.insert(number);
        Hold { blobs: self.clone(), number }
    }

    /// Begins a sweep of every file that is there; `None` while another goes on.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn begin_sweep(&self) -> io::Result<Option<BlobSweep>> {
        let mut state = self.holds.lock();
        if state.published.is_some() {
            return Ok(None);
        }
        state.published = Some(HashSet::new());
        let before = state.next;
        drop(state);
        let mut sweep = BlobSweep { blobs: self.clone(), unneeded: Vec::new(), before };
        sweep.unneeded = self.list()?.collect::<io::Result<_>>()?;
        Ok(Some(sweep))
    }
}

impl BlobSweep {
    /// Leaves the files that rows need. Call it twice: once to find the unneeded ones, and again when
    /// [`BlobSweep::is_free`], for those named meanwhile.
    pub fn leave(&mut self, needed: &HashSet<BlobName>) {
        self.unneeded.retain(|name| !needed.contains(name));
        self.before = self.blobs.holds.lock().next;
    }

    /// Returns true if no hold is left that may know the name of a file that is not needed.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.blobs.holds.lock().live.first().is_none_or(|oldest| *oldest >= self.before)
    }

    /// Removes the files that are not needed, except those published meanwhile.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        let mut shelves = BTreeSet::new();
        for name in &self.unneeded {
            // Under the lock: another publication of the same content comes before or after this.
            let state = self.blobs.holds.lock();
            if state.published.as_ref().is_some_and(|published| !published.contains(name))
                && disk::remove(&self.blobs.path(name))?
            {
                shelves.insert(self.blobs.shard_folder(name));
            }
        }
        // Once for all files of a folder, and outside the lock.
        shelves.iter().try_for_each(|shelf| disk::sync_folder(shelf))
    }
}

impl Drop for BlobSweep {
    fn drop(&mut self) {
        self.blobs.holds.lock().published = None;
    }
}

impl BlobWriter {
    /// Publishes the blob under `name`, the hash of its content, and gives its size in bytes. Afterwards it
    /// survives a power cut, and the sweep too as long as the `hold` is there or a row names it.
    ///
    /// A blob already there under that name is replaced: it has the same bytes, unless the disk has damaged it
    /// since, and then a feed sent again heals it.
    ///
    /// # Errors
    /// When the disk refuses; the blob is then unpublished and removed, or (a failing sync of a folder)
    /// published without proof that it would survive a power cut.
    pub fn finish(mut self, name: &BlobName, hold: &Hold) -> io::Result<u64> {
        self.file.flush()?;
        disk::make_folder(&self.blobs.shard_folder(name))?;
        hold.note_published(name);
        disk::publish(self.file.get_ref(), &self.path, &self.blobs.path(name))?;
        disk::sync_folder(&self.blobs.dir)?;
        Ok(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn write(blobs: &Blobs, hold: &Hold, name: &BlobName) {
        let mut writer = blobs.create().unwrap();
        writer.write_all(&name.hash()).unwrap();
        writer.finish(name, hold).unwrap();
    }

    fn names<const N: usize>() -> [BlobName; N] {
        std::array::from_fn(|n| BlobName::from_hash([n as u8 + 1; 32]))
    }

    #[test]
    fn a_sweep_waits_for_who_came_before_it_and_for_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(folder.path()).unwrap();
        let [kept, old] = names();
        [kept, old].iter().for_each(|name| write(&blobs, &blobs.hold_files(), name));
        let reader = blobs.hold_files();
        let mut sweep = blobs.begin_sweep().unwrap().unwrap();
        assert!(blobs.begin_sweep().unwrap().is_none(), "one at a time");
        let during = blobs.hold_files();
        sweep.leave(&HashSet::from([kept]));
        let later = blobs.hold_files();
        assert!(!sweep.is_free() && reader.open_blob(&old).is_ok());
        drop(reader);
        assert!(!sweep.is_free(), "a name may have been read before it was known to be needless");
        drop(during);
        assert!(sweep.is_free());
        sweep.leave(&HashSet::from([kept]));
        sweep.remove().unwrap();
        assert!(later.open_blob(&kept).is_ok() && later.open_blob(&old).is_err());
    }

    #[test]
    fn what_is_published_or_named_while_a_sweep_goes_on_stays() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(folder.path()).unwrap();
        let [again, named, fresh] = names();
        let writer = blobs.hold_files();
        [again, named].iter().for_each(|name| write(&blobs, &writer, name));
        let mut sweep = blobs.begin_sweep().unwrap().unwrap();
        sweep.leave(&HashSet::new());
        let later = blobs.hold_files();
        // The same content comes again, and something new, before the sweep removes anything.
        [again, fresh].iter().for_each(|name| write(&blobs, &later, name));
        drop(writer);
        assert!(sweep.is_free());
        sweep.leave(&HashSet::from([named]));
        sweep.remove().unwrap();
        assert!([again, named, fresh].iter().all(|name| later.open_blob(name).is_ok()));
        drop(later);
        let mut sweep = blobs.begin_sweep().unwrap().unwrap();
        sweep.leave(&HashSet::from([named]));
        sweep.remove().unwrap();
        assert_eq!(blobs.list().unwrap().count(), 1);
    }

    #[test]
    fn a_sweep_that_cannot_go_on_says_so_and_another_may_begin() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("blobs");
        let blobs = Blobs::open(&dir).unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(blobs.begin_sweep().is_err());
        Blobs::open(&dir).unwrap();
        let [stuck] = names();
        // A folder in the place of a file is not removed as one.
        std::fs::create_dir_all(blobs.path(&stuck)).unwrap();
        let mut sweep = blobs.begin_sweep().unwrap().unwrap();
        sweep.leave(&HashSet::new());
        assert!(sweep.remove().is_err());
        assert!(blobs.begin_sweep().unwrap().is_some());
    }
}
