//! Large immutable files named by the hash of their content: one small interface over a local folder.
//!
//! A blob is written under `new/` with a random name, and stands in `<first two hex digits>/<name>` once it is whole
//! and on the disk. After a restart the files under `new/` have no owner.

mod hashed;
mod hold;

pub use hashed::HashedBlob;
pub use hold::{BlobSweep, Hold};

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lethe_verify::Hex;

use crate::disk;

const UNPUBLISHED: &str = "new";
const WRITE_BUFFER_BYTES: usize = 64 * 1024;

/// Name of a blob: the 32-byte hash of its content, written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlobName(Hex<32>);

impl BlobName {
    /// The name for a content of this hash.
    #[must_use]
    pub fn from_hash(hash: [u8; 32]) -> Self {
        Self(Hex(hash))
    }

    /// Reads 64 lower-case hex digits; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hash = text.parse::<Hex<32>>().ok()?;
        Some(Self(hash))
    }

    /// The hash itself.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.0.0
    }
}

impl std::fmt::Display for BlobName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl serde::Serialize for BlobName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for BlobName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("no name of a blob"))
    }
}

/// The folder of blobs. Cloning gives the same folder.
#[derive(Clone)]
pub struct Blobs {
    dir: Arc<Path>,
    holds: Arc<hold::BlobHolds>,
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

    /// Opens a published blob; only through a [`Hold`].
    fn open_blob(&self, name: &BlobName) -> io::Result<Blob> {
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
    fn shelf(&self, name: &BlobName) -> PathBuf {
        self.dir.join(&name.to_string()[..2])
    }

    /// Path of a blob of this name.
    #[must_use]
    pub fn path(&self, name: &BlobName) -> PathBuf {
        self.shelf(name).join(name.to_string())
    }
}

fn is_shelf(entry: &fs::DirEntry) -> bool {
    entry.file_name().len() == 2 && entry.file_type().is_ok_and(|kind| kind.is_dir())
}

fn name_of(file: &fs::DirEntry) -> Option<BlobName> {
    BlobName::parse(file.file_name().to_str()?)
}

/// An unpublished blob being written through [`Write`]. Dropped unfinished, it leaves no file.
pub struct BlobWriter {
    blobs: Blobs,
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
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
        disk::make_folder(&self.blobs.shelf(name))?;
        hold.note_published(name);
        disk::publish(self.file.get_ref(), &self.path, &self.blobs.path(name))?;
        disk::sync_folder(&self.blobs.dir)?;
        Ok(self.bytes)
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

struct BlobReader {
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
}
