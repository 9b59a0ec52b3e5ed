//! Files that are whole and on the disk, or not there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use aws_lc_rs::digest::{Context, SHA256};

const BUFFER_BYTES: usize = 256 * 1024;

/// Length and SHA-256 of a file's content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sum {
    /// Length.
    pub bytes: u64,
    /// SHA-256.
    pub sha256: [u8; 32],
}

/// Copies a file into a new one, synced; gives the sum of what was read.
pub fn copy(from: &Path, to: &Path) -> io::Result<Sum> {
    let mut new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let sum = read_through(from, |piece| new.write_all(piece))?;
    new.sync_all()?;
    Ok(sum)
}

/// The sum of a file.
pub fn sum(path: &Path) -> io::Result<Sum> {
    read_through(path, |_| Ok(()))
}

fn read_through(path: &Path, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<Sum> {
    let (mut file, mut context) = (File::open(path)?, Context::new(&SHA256));
    let (mut buffer, mut bytes) = (vec![0; BUFFER_BYTES], 0);
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        context.update(&buffer[..read]);
        take(&buffer[..read])?;
        bytes += read as u64;
    }
    let mut sha256 = [0; 32];
    sha256.copy_from_slice(context.finish().as_ref());
    Ok(Sum { bytes, sha256 })
}

/// Puts a file in place, whole: beside it, synced, then renamed.
pub fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes an empty file that says something by being there.
pub fn mark(path: &Path) -> io::Result<()> {
    File::create(path)?.sync_all()?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes a folder and those above it that only the owner may enter.
pub fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// What stands in a folder survives a power cut from here on.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// What the file system itself puts into the top folder of a volume.
const OF_FILE_SYSTEM: &str = "lost+found";

/// Removes what stands in a folder, except `kept`.
pub fn empty(folder: &Path, kept: &[&str]) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == OF_FILE_SYSTEM || kept.iter().any(|kept| entry.file_name() == *kept) {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false => fs::remove_file(entry.path())?,
        }
    }
    sync_folder(folder)
}

/// Names in a folder; none when it is not there.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => {
            let mut names = Vec::new();
            for entry in listed? {
                names.push(entry?.file_name().to_string_lossy().into_owned());
            }
            names.retain(|name| name != OF_FILE_SYSTEM);
            Ok(names)
        }
    }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
