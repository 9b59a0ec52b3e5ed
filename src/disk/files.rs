//! Files: created, written durably, renamed and removed.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use rustix::fs::{FallocateFlags, fallocate};
use zeroize::Zeroizing;

pub(super) const PIECE_BYTES: usize = 1 << 20;

/// Folder that the file system itself puts into the top folder of a volume.
pub(super) const OF_FILE_SYSTEM: &str = "lost+found";

/// The file in a folder that is locked for one process.
pub const LOCK: &str = "lock";

/// Returns true if an error says that there is no room: on the disk, or in the user's disk quota.
#[must_use]
pub fn is_full(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Makes a new file, for reading and writing.
///
/// # Errors
/// `AlreadyExists` when it is there already; or when the system refuses.
pub fn create(path: &Path) -> io::Result<File> {
    options().read(true).write(true).create_new(true).open(path)
}

/// Opens a regular file for reading: no link, and no pipe, at which one would wait.
///
/// # Errors
/// When it is none, or the system refuses.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Opens a file to be read and overwritten in place; makes an empty one when there is none.
///
/// # Errors
/// When the system refuses.
pub fn open(path: &Path) -> io::Result<File> {
    options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Opens an existing file, to be read and overwritten in place.
///
/// # Errors
/// `NotFound` when there is none; or when the system refuses.
pub fn open_existing(path: &Path) -> io::Result<File> {
    options().read(true).write(true).open(path)
}

/// Opens a file of the user's for output that the program does not need again; the user decides about its
/// folder and mode.
///
/// # Errors
/// When the system refuses.
pub fn output(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Creates a file of the user's for output, which must not exist yet.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], or when the system refuses.
pub fn new_output(path: &Path) -> io::Result<File> {
    File::create_new(path)
}

/// Opens a file of the user's for output; what it holds stays until [`write_output`].
///
/// # Errors
/// When the system refuses.
pub fn open_output(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).open(path)
}

/// Writes complete content into an output file, in the place of what it held. Returns the number of bytes.
///
/// # Errors
/// When the content cannot be read, or the system refuses.
pub fn write_output(mut output: &File, content: &mut (impl Read + ?Sized)) -> io::Result<u64> {
    // Devices and pipes have no length.
    let is_file = output.metadata()?.is_file();
    if is_file {
        output.set_len(0)?;
    }
    let bytes = io::copy(content, &mut output)?;
    if is_file {
        output.sync_data()?;
    }
    Ok(bytes)
}

/// Writes a file of the user's that only they may read. An existing file is closed to others before anything
/// is written.
///
/// # Errors
/// When the system refuses.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.set_len(0)?;
    file.write_all(bytes)
}

/// Overwrites a part of a file in place, or appends at its end. Never by a new file and a rename: those leave the old
/// bytes on the disk. Durable after [`sync`].
///
/// # Errors
/// When the system refuses.
pub fn overwrite(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

/// Makes the bytes written to a file durable, and its length; not its times.
///
/// # Errors
/// When the system refuses.
pub fn sync(file: &File) -> io::Result<()> {
    file.sync_data()
}

/// Writes from `at` on, so that nothing stands after it, and makes the file and its length and times durable.
///
/// # Errors
/// When the system refuses; then the bytes from `at` on are unknown.
pub fn write_end(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    // Bytes of an earlier write that failed.
    if file.metadata()?.len() > at {
        file.set_len(at)?;
    }
    file.write_all_at(bytes, at)?;
    file.set_len(at + bytes.len() as u64)?;
    file.sync_all()
}

/// Puts a file in place durably, whole or not at all: written next to its place, synced, then renamed.
///
/// # Errors
/// When the system refuses.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (beside, file) = write_beside(path, bytes)?;
    file.sync_all()?;
    rename(&beside, path)
}

/// Writes the bytes that are to replace a file.
pub(super) fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<(PathBuf, File)> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = options().write(true).create(true).truncate(true).open(&beside)?;
    file.write_all(bytes)?;
    Ok((beside.into(), file))
}

/// Puts a file in place, whole or not at all unless the power fails: for files that can be made again, and are checked
/// when they are read.
///
/// # Errors
/// When the system refuses.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (beside, _) = write_beside(path, bytes)?;
    fs::rename(beside, path)
}

/// Makes a file, that is whole, durable under its last name. The folder of the new name has to exist.
///
/// # Errors
/// When the system refuses.
pub fn publish(file: &File, from: &Path, to: &Path) -> io::Result<()> {
    file.sync_all()?;
    rename(from, to)
}

/// Renames a file durably, within a folder or into another one.
///
/// # Errors
/// When the system refuses.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_folder(parent_folder(to))
}

/// Makes an empty file, durably, whose presence is the message. An existing file keeps its content.
///
/// # Errors
/// When the system refuses.
pub fn mark(path: &Path) -> io::Result<()> {
    open(path)?.sync_all()?;
    sync_folder(parent_folder(path))
}

/// Copies a file over another one, in place and durably, so that no old byte stays; creates it if it is missing. The
/// pieces in memory are wiped. The name is durable once its folder is synced.
///
/// # Errors
/// When the system refuses.
pub fn copy_over(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = File::open(from)?;
    let mut to = open(to)?;
    let mut piece = Zeroizing::new(vec![0; PIECE_BYTES]);
    let mut copied = 0;
    loop {
        let length = from.read(&mut piece)?;
        if length == 0 {
            break;
        }
        to.write_all(&piece[..length])?;
        copied += length as u64;
    }
    to.set_len(copied)?;
    to.sync_all()
}

/// Removes a file; returns false when there was none. Durable once its folder is synced.
///
/// # Errors
/// When the system refuses.
pub fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Reserves room on the disk for a file: real blocks, because setting a length reserves none.
///
/// # Errors
/// `StorageFull` when there is not enough; or when the system refuses.
pub fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    Ok(fallocate(file, FallocateFlags::empty(), 0, bytes)?)
}

/// Size of the volume that a folder stands on, in bytes.
///
/// # Errors
/// When the system refuses.
pub fn volume_bytes(folder: &Path) -> io::Result<u64> {
    let volume = rustix::fs::statvfs(folder)?;
    Ok(volume.f_blocks.saturating_mul(volume.f_frsize))
}

/// Closes a file to other users of the machine.
///
/// # Errors
/// When the system refuses.
pub fn close_file(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// Closes a folder to other users of the machine; returns true when it was open to them.
///
/// # Errors
/// When the system refuses.
pub fn close_folder(path: &Path) -> io::Result<bool> {
    let is_open = fs::metadata(path)?.permissions().mode() & 0o077 != 0;
    if is_open {
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
    }
    Ok(is_open)
}

/// Makes a folder and those above it; does nothing if it exists.
///
/// # Errors
/// When the system refuses.
pub fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a new folder: no other process can have made it with other rights.
///
/// # Errors
/// `AlreadyExists` when it is there already; or when the system refuses.
pub fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Removes a folder with everything in it.
///
/// # Errors
/// When the system refuses; a part may be gone then.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path)
}

/// Makes the names in a folder durable.
///
/// # Errors
/// When the system refuses.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// The folder that a file or folder stands in.
#[must_use]
pub fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes, durably, everything in a folder except `kept`.
///
/// # Errors
/// When the system refuses; a part may be gone then.
pub fn empty(folder: &Path, kept: &[&str]) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == OF_FILE_SYSTEM || kept.iter().any(|kept| entry.file_name() == *kept) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    sync_folder(folder)
}

/// The names in a folder; none when the folder is missing.
///
/// # Errors
/// When the system refuses.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
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

/// A folder that is locked for this process. The lock dies with it, also by kill -9. Cloning gives the same lock.
#[derive(Clone)]
pub struct Lock(#[expect(dead_code, reason = "held open for its lock")] Arc<File>);

/// Locks an existing folder; `None` when another process has locked it.
///
/// # Errors
/// When the system refuses.
pub fn lock(folder: &Path) -> io::Result<Option<Lock>> {
    let file = open(&folder.join(LOCK))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock(Arc::new(file)))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
