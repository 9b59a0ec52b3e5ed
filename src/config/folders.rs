//! Paths of the folders.

use std::path::{Path, PathBuf};

/// A path by the name that all ways to it have in common, without links, as far as it is there.
#[must_use]
pub fn canonical_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let found = path.ancestors().find_map(|above| Some((above.canonicalize().ok()?, above)));
    match found.map(|(real, above)| (real, path.strip_prefix(above))) {
        Some((real, Ok(rest))) if !rest.as_os_str().is_empty() => real.join(rest),
        Some((real, _)) => real,
        None => path,
    }
}

/// `lethe-data` → `lethe-data-keys`, a sibling: a copy of the data folder does not take the keys along.
pub(super) fn default_key_folder(data_dir: &Path) -> PathBuf {
    let mut name = data_dir.file_name().unwrap_or("lethe-data".as_ref()).to_owned();
    name.push("-keys");
    data_dir.with_file_name(name)
}
