//! The folders of an account's indices: a complete one, and for a while the next.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::disk;
use crate::ids::AccountId;

/// The folder of an account below that of all indices.
pub(super) fn account_path(indices: &Path, account: AccountId) -> PathBuf {
    indices.join(account.0.to_string())
}

/// A folder for an index that is to be made.
pub(super) fn next(indices: &Path, account: AccountId) -> PathBuf {
    account_path(indices, account).join(uuid::Uuid::new_v4().simple().to_string())
}

/// The folders that an account has.
pub(super) fn list(indices: &Path, account: AccountId) -> Vec<PathBuf> {
    let found = std::fs::read_dir(account_path(indices, account)).into_iter().flatten();
    found.flatten().map(|entry| entry.path()).collect()
}

/// Time at which an index was last written; long ago, if its files do not say.
pub(super) fn written_at(folder: &Path) -> SystemTime {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let times = files.filter_map(|file| file.metadata().and_then(|about| about.modified()).ok());
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Removes a folder and its content: it can be made again.
pub(super) fn remove(folder: &Path) {
    if let Err(fault) = disk::remove_folder(folder)
        && fault.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(%fault, "the files of a search index that is no longer used could not be removed");
    }
}

/// Removes the folders of an account but this one.
pub(super) fn remove_others(indices: &Path, account: AccountId, kept: &Path) {
    list(indices, account).iter().filter(|folder| *folder != kept).for_each(|folder| remove(folder));
}

/// Removes a folder when it goes out of scope, unless it is to be kept.
pub(super) struct RemoveOnDrop(pub(super) Option<PathBuf>);

impl RemoveOnDrop {
    /// Keeps it.
    pub(super) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        self.0.iter().for_each(|folder| remove(folder));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_index_was_written_when_its_newest_file_was() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(written_at(folder.path()), SystemTime::UNIX_EPOCH);
        for (name, second) in [("a", 5), ("b", 9), ("c", 7)] {
            let file = std::fs::File::create(folder.path().join(name)).expect("a file");
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(second)).expect("a time");
        }
        assert_eq!(written_at(folder.path()), SystemTime::UNIX_EPOCH + Duration::from_secs(9));
    }

    #[test]
    fn one_folder_of_an_account_is_left_and_those_of_others_stay() {
        let indices = tempfile::tempdir().expect("a folder");
        let make = |account| {
            let folder = next(indices.path(), AccountId(account));
            std::fs::create_dir_all(&folder).expect("a folder");
            folder
        };
        let [first, kept, third, other] = [1, 1, 1, 2].map(make);
        drop(RemoveOnDrop(Some(third)));
        assert_eq!(list(indices.path(), AccountId(1)).len(), 2);
        RemoveOnDrop(Some(kept.clone())).disarm();
        remove_others(indices.path(), AccountId(1), &kept);
        assert!(!first.exists());
        assert_eq!([1, 2].map(|account| list(indices.path(), AccountId(account))), [[kept], [other]]);
    }
}
