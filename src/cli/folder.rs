//! A private folder that is gone when the command ends.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::fault::CliFault;
use crate::clock::{Clock, millis};
use crate::disk;

/// Folders of this process that are there now.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Locked while the process of the folder lives.
const LOCK_NAME: &str = "in-use";

/// Age from which on a folder is not one that another process makes at this moment.
const MAKING_DURATION: Duration = Duration::from_secs(60);

/// Removed with everything in it when dropped.
pub struct TemporaryFolder {
    path: PathBuf,
    /// Held until the folder is gone.
    _lock: File,
}

impl TemporaryFolder {
    /// A new folder that only this user may open, named after the command.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn create(command: &str) -> Result<Self, CliFault> {
        let path = std::env::temp_dir().join(format!("{}{}", prefix(command), uuid::Uuid::new_v4()));
        let made = disk::create_folder(&path).and_then(|()| {
            let lock = disk::create(&path.join(LOCK_NAME))?;
            lock.try_lock()?;
            Ok(lock)
        });
        let lock =
            made.map_err(|error| CliFault::Failed(format!("no temporary folder can be made: {error}")))?;
        folders().push(path.clone());
        Ok(Self { path, _lock: lock })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folders of a command whose process was killed. What cannot be removed stays.
    pub fn remove_abandoned(command: &str) {
        let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return };
        let prefix = prefix(command);
        for entry in entries.flatten() {
            if !entry.file_name().to_string_lossy().starts_with(&prefix) {
                continue;
            }
            // Held until the folder is gone.
            if let Some(_lock) = lock_abandoned(&entry.path()) {
                let _ = disk::remove_folder(&entry.path());
            }
        }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        folders().retain(|path| *path != self.path);
        // There is no caller left to report a fault to.
        let _ = disk::remove_folder(&self.path);
    }
}

/// Removes all folders of this process, before it exits without dropping them.
pub fn remove_all() {
    for path in folders().drain(..) {
        let _ = disk::remove_folder(&path);
    }
}

fn folders() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn prefix(command: &str) -> String {
    format!("lethe-{command}-")
}

/// Lock of a folder of this user whose process is gone; `None` for any other. A folder that is new may be one whose
/// process has not locked it yet.
fn lock_abandoned(folder: &Path) -> Option<File> {
    let own = std::fs::symlink_metadata(folder).ok()?;
    let is_own = own.is_dir() && own.uid() == rustix::process::getuid().as_raw();
    let changed = own.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    if !is_own || Clock::system().now() - millis(changed) <= millis(MAKING_DURATION) {
        return None;
    }
    let lock = disk::open_regular(&folder.join(LOCK_NAME)).ok()?;
    lock.try_lock().is_ok().then_some(lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a folder that looks as if it was made long ago.
    fn make_old(path: &Path) {
        disk::create_folder(path).expect("a folder");
        std::fs::write(path.join(LOCK_NAME), "").expect("written");
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        File::open(path).and_then(|folder| folder.set_modified(old)).expect("an old folder");
    }

    #[test]
    fn a_folder_whose_process_is_gone_is_removed_and_one_in_use_or_new_is_not() {
        let command = format!("test-{}", uuid::Uuid::new_v4());
        let used = TemporaryFolder::create(&command).expect("a folder");
        let [abandoned, new, pipe] = ["gone", "new", "pipe"]
            .map(|name| std::env::temp_dir().join(format!("{}{name}", prefix(&command))));
        make_old(&abandoned);
        disk::create_folder(&new).expect("a folder");
        make_old(&pipe);
        disk::remove(&pipe.join(LOCK_NAME)).expect("removed");
        // Nobody writes into it: who opens it for reading alone would wait for ever.
        let made = std::process::Command::new("mkfifo").arg(pipe.join(LOCK_NAME)).status();
        assert!(made.expect("mkfifo").success());
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        File::open(&pipe).and_then(|folder| folder.set_modified(old)).expect("an old folder");
        TemporaryFolder::remove_abandoned(&command);
        let left = [used.path(), &abandoned, &new, &pipe].map(Path::exists);
        assert_eq!(left, [true, false, true, true]);
        for folder in [&new, &pipe] {
            disk::remove_folder(folder).expect("removed");
        }
        let path = used.path().to_owned();
        assert!(folders().contains(&path));
        drop(used);
        assert!(!path.exists() && !folders().contains(&path));
    }
}
