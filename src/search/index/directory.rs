//! The folder of an index. Its files are made from the store and can be made again, so nothing waits for the disk: a
//! file that a power cut tears fails its checksum at opening and the index is rebuilt (docs/decisions/0030). tantivy
//! puts one at the end of its data; the lists that are written whole get theirs here.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use xxhash_rust::xxh3::xxh3_64;

use crate::disk;

/// At the end of a file that is written whole.
const CHECKSUM_BYTES: usize = 8;

/// tantivy's list of its files: it verifies no checksum of a file that is missing there.
pub const LIST_FILE: &str = ".managed.json";
/// Name of the file that describes a commit.
const COMMIT_FILE: &str = "meta.json";
/// tantivy names the files of a segment by its number.
const SEGMENT_LETTERS: usize = 32;

/// A mapped folder whose writes are not synced.
#[derive(Debug, Clone)]
pub struct UnsyncedDirectory {
    mapped: MmapDirectory,
    folder: PathBuf,
    /// The list of files as it is, until a commit needs it: tantivy rewrites it for each file.
    list: Arc<Mutex<Option<Vec<u8>>>>,
}

impl UnsyncedDirectory {
    /// Opens a folder, which exists.
    ///
    /// # Errors
    ///
    /// If it does not, or cannot be read.
    pub fn open(folder: &Path) -> Result<Self, OpenDirectoryError> {
        Ok(Self { mapped: MmapDirectory::open(folder)?, folder: folder.to_owned(), list: Arc::default() })
    }

    /// Removes files of segments that the last commit does not name: their writer ended before the next one, which may
    /// give a file the same name.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read, or a file cannot be removed.
    pub fn remove_others(&self, named: &HashSet<PathBuf>) -> io::Result<()> {
        for name in disk::names(&self.folder)? {
            let segment = name.split('.').next().unwrap_or_default();
            let is_of_segment =
                segment.len() == SEGMENT_LETTERS && segment.bytes().all(|byte| byte.is_ascii_hexdigit());
            let is_left = !named.contains(Path::new(&name));
            if is_of_segment && is_left {
                disk::remove(&self.folder.join(name))?;
            }
        }
        Ok(())
    }

    fn list(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        disk::replace(&self.folder.join(path), &[data, &checksum(data)].concat())
    }
}

struct UnsyncedFile(File);

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for UnsyncedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let full = self.folder.join(path);
        let file = disk::create(&full).map_err(|fault| {
            if fault.kind() == io::ErrorKind::AlreadyExists {
                OpenWriteError::FileAlreadyExists(path.to_owned())
            } else {
                OpenWriteError::wrap_io_error(fault, path.to_owned())
            }
        })?;
        Ok(BufWriter::with_capacity(1 << 16, Box::new(UnsyncedFile(file))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if let Some(list) = self.list().as_ref().filter(|_| path == Path::new(LIST_FILE)) {
            return Ok(list.clone());
        }
        let mut data = self.mapped.atomic_read(path)?;
        let end = data.len().saturating_sub(CHECKSUM_BYTES);
        let is_whole = data[end..] == checksum(&data[..end]);
        if !is_whole {
            let torn = io::Error::new(io::ErrorKind::InvalidData, "it is torn");
            return Err(OpenReadError::wrap_io_error(torn, path.to_owned()));
        }
        data.truncate(end);
        Ok(data)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if path == Path::new(LIST_FILE) {
            *self.list() = Some(data.to_owned());
            return Ok(());
        }
        let list = if path == Path::new(COMMIT_FILE) { self.list().take() } else { None };
        // Before the commit that names the files.
        if let Some(list) = list {
            let written = self.write(Path::new(LIST_FILE), &list);
            written.inspect_err(|_| {
                self.list().get_or_insert(list);
            })?;
        }
        self.write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

fn checksum(data: &[u8]) -> [u8; CHECKSUM_BYTES] {
    xxh3_64(data).to_le_bytes()
}
