//! Copies of files, and the sums by which they are known again.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use aws_lc_rs::digest::{Context, SHA256};

const BUFFER_BYTES: usize = 256 * 1024;

/// Length and SHA-256 of a file's content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContentSum {
    /// Length.
    pub bytes: u64,
    /// SHA-256.
    pub sha256: [u8; 32],
}

/// Copies a file into a new one, synced, and returns the sum of the bytes read. The name is durable once its folder is
/// synced.
///
/// # Errors
/// `AlreadyExists` when it is there already; or when the system refuses.
pub fn copy(from: &Path, to: &Path) -> io::Result<ContentSum> {
    let mut new = super::files::create(to)?;
    let sum = read_through(from, |piece| new.write_all(piece))?;
    new.sync_all()?;
    Ok(sum)
}

/// The sum of a file.
///
/// # Errors
/// When the system refuses.
pub fn sum(path: &Path) -> io::Result<ContentSum> {
    read_through(path, |_| Ok(()))
}

fn read_through(path: &Path, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<ContentSum> {
    let mut file = File::open(path)?;
    let mut context = Context::new(&SHA256);
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut bytes = 0;
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
    Ok(ContentSum { bytes, sha256 })
}
