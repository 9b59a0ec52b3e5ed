//! Everything below a folder.

use std::fs::{self, FileType};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Kind of an entry in a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder, which is shown before its content.
    Folder,
    /// A symbolic link, which is not followed.
    Link,
}

/// Called with everything that is found.
type See<'a> = dyn FnMut(&Path, EntryKind) -> io::Result<()> + 'a;

/// Calls `see` for a folder and every regular file, folder and link below it, or for the file itself. The
/// folder itself may be reached by a link. Calls nothing when it does not exist.
///
/// # Errors
/// When a folder cannot be read, and the error of `see`.
pub fn walk(root: &Path, see: &mut See<'_>) -> io::Result<()> {
    match fs::metadata(root) {
        Ok(found) => visit(root, found.file_type(), see),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn visit(path: &Path, kind: FileType, see: &mut See<'_>) -> io::Result<()> {
    if kind.is_symlink() {
        return see(path, EntryKind::Link);
    }
    if kind.is_file() {
        return see(path, EntryKind::File);
    }
    if !kind.is_dir() {
        return Ok(());
    }
    see(path, EntryKind::Folder)?;
    let entries = match fs::read_dir(path) {
        // A file system's own, and root's: a mirror may be a whole volume.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && path.ends_with("lost+found") => {
            return Ok(());
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        match entry.file_type() {
            Ok(kind) => visit(&entry.path(), kind, see)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns a link below one of the folders, if there is any.
///
/// # Errors
/// When a folder cannot be read.
pub fn link_below(roots: &[PathBuf]) -> io::Result<Option<PathBuf>> {
    let mut link = None;
    for root in roots {
        walk(root, &mut |path, kind| {
            if kind == EntryKind::Link {
                link.get_or_insert_with(|| path.to_owned());
            }
            Ok(())
        })?;
    }
    Ok(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_below_a_folder_is_found_and_not_one_that_leads_to_it() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("folder");
        let link = above.path().join("link");
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        assert_eq!(link_below(&[folder.clone(), link]).unwrap(), None);
        std::os::unix::fs::symlink("nowhere", folder.join("inner")).unwrap();
        assert_eq!(link_below(std::slice::from_ref(&folder)).unwrap(), Some(folder.join("inner")));
    }
}
