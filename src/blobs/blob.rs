//! Blobs: files that are written once, named by their content, and read.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use super::blob_name::BlobName;
use super::hold_counts::BlobHolds;
use crate::disk;

pub(super) const UNPUBLISHED: &str = "new";

pub(super) const WRITE_BUFFER_BYTES: usize = 64 * 1024;

/// The folder of blobs. Cloning gives the same folder.
#[derive(Clone)]
pub struct Blobs {
    pub(super) dir: Arc<Path>,
    pub(super) holds: Arc<BlobHolds>,
}

impl Blobs {
    /// Opens the folder `dir`, making it when it is missing.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(dir: &Path) -> io::Result<Self> {
        disk::make_folder(&dir.join(UNPUBLISHED))?;
        disk::sync_folder(dir)?;
        Ok(Self { dir: dir.into(), holds: Arc::default() })
    }

    /// Makes a new unpublished blob.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(&self) -> io::Result<BlobWriter> {
        let path = self.dir.join(UNPUBLISHED).join(uuid::Uuid::new_v4().simple().to_string());
        let file = disk::create(&path)?;
        Ok(BlobWriter {
            blobs: self.clone(),
            path,
            file: BufWriter::with_capacity(WRITE_BUFFER_BYTES, file),
            bytes: 0,
        })
    }

    /// Opens a published blob; only through a [`super::sweep::Hold`].
    pub(super) fn open_blob(&self, name: &BlobName) -> io::Result<Blob> {
        Blob::new(File::open(self.path(name))?)
    }

    /// Removes the blobs that a crash left unpublished; returns the number of files. Only at the start of the
    /// program: later it would take the file from under a writer.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn sweep_unfinished(&self) -> io::Result<u64> {
        let mut removed = 0;
        for entry in fs::read_dir(self.dir.join(UNPUBLISHED))? {
            disk::remove(&entry?.path())?;
            removed += 1;
        }
        Ok(removed)
    }

    /// The names of all published blobs, in no order; passes over files of another kind.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> io::Result<impl Iterator<Item = io::Result<BlobName>> + use<>> {
        let shelves = fs::read_dir(&self.dir)?.filter_map(|shelf| match shelf {
            Ok(shelf) if is_shelf(&shelf) => Some(fs::read_dir(shelf.path())),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        });
        Ok(shelves.flat_map(|shelf| -> Box<dyn Iterator<Item = io::Result<BlobName>>> {
            match shelf {
                Ok(files) => Box::new(files.filter_map(|file| file.map(|file| name_of(&file)).transpose())),
                Err(error) => Box::new(std::iter::once(Err(error))),
            }
        }))
    }

    /// The folder that holds the blob: 256 folders keep each small.
    pub(super) fn shard_folder(&self, name: &BlobName) -> PathBuf {
        self.dir.join(&name.to_string()[..2])
    }

    /// Path of a blob of this name.
    #[must_use]
    pub fn path(&self, name: &BlobName) -> PathBuf {
        self.shard_folder(name).join(name.to_string())
    }
}

pub(super) fn is_shelf(entry: &fs::DirEntry) -> bool {
    entry.file_name().len() == 2 && entry.file_type().is_ok_and(|kind| kind.is_dir())
}

pub(super) fn name_of(file: &fs::DirEntry) -> Option<BlobName> {
    BlobName::parse(file.file_name().to_str()?)
}

/// An unpublished blob being written through [`Write`]. Dropped unfinished, it leaves no file.
pub struct BlobWriter {
    pub(super) blobs: Blobs,
    pub(super) path: PathBuf,
    pub(super) file: BufWriter<File>,
    pub(super) bytes: u64,
}

impl BlobWriter {
    /// Bytes written so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The bytes written so far, for reading; they stay readable whatever becomes of the writer.
    ///
    /// # Errors
    /// When the buffered rest cannot be written.
    pub fn read_back(&mut self) -> io::Result<Blob> {
        self.file.flush()?;
        Blob::new(self.file.get_ref().try_clone()?)
    }
}

impl Write for BlobWriter {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buf)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for BlobWriter {
    fn drop(&mut self) {
        // Once published there is nothing at this path; what cannot be removed, the next start sweeps.
        let _ = disk::remove(&self.path);
    }
}

/// A blob open for reading at any position. Cloning shares it; there is no position to fight over.
#[derive(Clone)]
pub struct Blob {
    file: Arc<File>,
    bytes: u64,
}

impl Blob {
    fn new(file: File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), bytes })
    }

    /// Size in bytes when it was opened.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fills `buf` with the bytes from `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` when the blob ends before; or when the disk refuses.
    pub fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buf, offset)
    }

    /// Reads it from the start, one piece after the other.
    #[must_use]
    pub fn reader(&self) -> impl Read + use<> {
        BlobReader { blob: self.clone(), offset: 0 }
    }
}

pub(super) struct BlobReader {
    blob: Blob,
    offset: u64,
}

impl Read for BlobReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.blob.file.read_at(buf, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    fn write(blobs: &Blobs, content: &[u8], name: &BlobName) -> u64 {
        let mut writer = blobs.create().unwrap();
        writer.write_all(content).unwrap();
        writer.finish(name, &blobs.hold_files()).unwrap()
    }

    fn files_in(dir: &Path) -> usize {
        fs::read_dir(dir).unwrap().count()
    }

    #[test]
    fn a_finished_blob_reads_back_and_leaves_nothing_unpublished() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(dir.path()).unwrap();
        let name = BlobName::from_hash([0xab; 32]);
        assert!(blobs.hold_files().open_blob(&name).is_err_and(|error| error.kind() == ErrorKind::NotFound));
        assert_eq!(write(&blobs, b"some rows", &name), 9);
        let blob = Blobs::open(dir.path()).unwrap().hold_files().open_blob(&name).unwrap();
        let mut all = String::new();
        blob.reader().read_to_string(&mut all).unwrap();
        let mut part = [0; 4];
        blob.read_exact_at(&mut part, 5).unwrap();
        assert_eq!((all.as_str(), &part, blob.bytes()), ("some rows", b"rows", 9));
        assert!(dir.path().join("ab").join(name.to_string()).exists());
        assert_eq!(files_in(&dir.path().join(UNPUBLISHED)), 0);
    }

    #[test]
    fn a_dropped_writer_leaves_nothing_and_a_crashed_one_is_swept() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(dir.path()).unwrap();
        let unpublished = dir.path().join(UNPUBLISHED);
        let mut writer = blobs.create().unwrap();
        writer.write_all(b"half").unwrap();
        assert_eq!(files_in(&unpublished), 1);
        drop(writer);
        assert_eq!(files_in(&unpublished), 0);
        std::mem::forget(blobs.create().unwrap());
        std::mem::forget(blobs.create().unwrap());
        let kept = BlobName::from_hash([1; 32]);
        write(&blobs, b"whole", &kept);
        assert_eq!(blobs.sweep_unfinished().unwrap(), 2);
        assert_eq!(files_in(&unpublished), 0);
        assert!(blobs.hold_files().open_blob(&kept).is_ok());
    }

    #[test]
    fn the_same_content_twice_is_one_blob_and_heals_a_damaged_one() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(dir.path()).unwrap();
        let name = BlobName::from_hash([7; 32]);
        write(&blobs, b"same", &name);
        fs::write(blobs.path(&name), b"sXme").unwrap();
        write(&blobs, b"same", &name);
        assert_eq!(fs::read(blobs.path(&name)).unwrap(), b"same");
        assert_eq!(files_in(&dir.path().join("07")) + files_in(&dir.path().join(UNPUBLISHED)), 1);
    }

    #[test]
    fn list_gives_every_published_name_and_passes_over_other_files() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(dir.path()).unwrap();
        let mut names = [BlobName::from_hash([3; 32]), BlobName::from_hash([9; 32])];
        assert_eq!(names.each_ref().map(|name| write(&blobs, b"x", name)), [1, 1]);
        fs::write(dir.path().join("03").join("notes.txt"), b"").unwrap();
        fs::write(dir.path().join("xx"), b"").unwrap();
        let _unfinished = blobs.create().unwrap();
        let mut listed = blobs.list().unwrap().collect::<io::Result<Vec<_>>>().unwrap();
        listed.sort_unstable();
        names.sort_unstable();
        assert_eq!(listed, names);
        fs::remove_file(blobs.path(&names[0])).unwrap();
        assert_eq!(blobs.list().unwrap().count(), 1);
        assert_eq!(
            blobs.hold_files().open_blob(&names[0]).err().map(|error| error.kind()),
            Some(ErrorKind::NotFound)
        );
    }

    #[test]
    fn a_name_is_64_lower_case_hex_digits_and_nothing_else() {
        let text = "0123456789abcdef".repeat(4);
        assert_eq!(BlobName::parse(&text).unwrap().to_string(), text);
        for wrong in ["", "ab", "../../etc/passwd", &text.to_uppercase(), &text.replace('0', "é"), &text[1..]]
        {
            assert!(BlobName::parse(wrong).is_none());
        }
    }

    #[test]
    fn flushed_bytes_stand_in_the_file_before_it_is_published() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Blobs::open(dir.path()).unwrap().create().unwrap();
        writer.write_all(b"half").unwrap();
        let path = writer.path.clone();
        let written = || fs::metadata(&path).unwrap().len();
        assert_eq!(written(), 0, "buffered");
        writer.flush().unwrap();
        assert_eq!((written(), writer.bytes()), (4, 4));
    }
}
