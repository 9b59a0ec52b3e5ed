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

    #[test]
    fn everything_below_a_folder_is_seen_once_with_its_kind_and_a_folder_before_its_content() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("folder");
        fs::create_dir_all(folder.join("inner/empty")).unwrap();
        fs::write(folder.join("inner/file"), "").unwrap();
        std::os::unix::fs::symlink("nowhere", folder.join("inner/link")).unwrap();
        let seen = |root: &Path| {
            let mut seen = Vec::new();
            walk(root, &mut |path, kind| {
                let kind = match kind {
                    EntryKind::File => "file",
                    EntryKind::Folder => "folder",
                    EntryKind::Link => "link",
                };
                seen.push((path.strip_prefix(above.path()).unwrap().display().to_string(), kind));
                Ok(())
            })
            .unwrap();
            seen
        };
        let mut all = seen(&folder);
        assert_eq!(all[..2], [("folder".to_owned(), "folder"), ("folder/inner".to_owned(), "folder")]);
        all[2..].sort();
        let below = [("empty", "folder"), ("file", "file"), ("link", "link")];
        assert_eq!(all[2..], below.map(|(name, kind)| (format!("folder/inner/{name}"), kind)));
        assert_eq!(seen(&folder.join("inner/file")), [("folder/inner/file".to_owned(), "file")]);
        assert!(seen(&folder.join("gone")).is_empty());
    }

    #[test]
    fn an_error_ends_the_walk_where_it_came_and_the_first_link_is_named() {
        let above = tempfile::tempdir().unwrap();
        let roots = ["one", "other"].map(|name| above.path().join(name));
        for root in &roots {
            fs::create_dir(root).unwrap();
            std::os::unix::fs::symlink("nowhere", root.join("link")).unwrap();
        }
        assert_eq!(link_below(&roots).unwrap(), Some(roots[0].join("link")));
        for last in [EntryKind::Folder, EntryKind::Link] {
            let mut seen = 0;
            let ended = walk(&roots[0], &mut |_, kind| {
                seen += 1;
                if kind == last { Err(ErrorKind::TimedOut.into()) } else { Ok(()) }
            });
            assert_eq!(ended.unwrap_err().kind(), ErrorKind::TimedOut);
            assert_eq!(seen, if last == EntryKind::Folder { 1 } else { 2 });
        }
        assert!(walk(&roots[0].join("link/below"), &mut |_, _| Ok(())).is_ok());
        fs::write(above.path().join("file"), "").unwrap();
        assert!(walk(&above.path().join("file/below"), &mut |_, _| Ok(())).is_err(), "no folder");
    }
}
