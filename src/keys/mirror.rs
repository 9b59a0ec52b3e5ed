//! The key mirror: a second live copy of the three key files, on another disk. It holds the same bytes and is
//! overwritten in the same step; a key is destroyed in both or in neither yet.

use super::fault::{KeyFault, while_doing};
use super::key_file::{KeyFile, claim_folder};
use super::static_keys::StaticKeys;
use super::store_binding::StoreMark;
use crate::disk;
use std::path::Path;

/// In the order in which they are copied: a folder without the last one holds no whole copy.
const FILES: [KeyFile; 3] = [KeyFile::Slots, KeyFile::Epochs, KeyFile::Statics];
/// In a key folder while a mirror is being restored into it.
const UNFINISHED: &str = "restoring";
/// In a key folder that has had a mirror: from then on an empty one is a disk that is not mounted.
const MIRRORED: &str = "mirrored";
const NOTING: &str = "Noting that there is a key mirror";

/// Returns true if the mirror has all that a copy needs.
pub(super) fn is_whole(mirror: &Path) -> Result<bool, KeyFault> {
    KeyFile::Statics.exists(mirror)
}

/// Refuses a key folder that lacks a file of the mirror, or into which a restore broke off: fresh keys would open
/// nothing. Also refuses a folder whose mirror is not named: the mirror would keep destroyed keys.
pub(super) fn check_folder(folder: &Path, mirror: Option<&Path>) -> Result<(), KeyFault> {
    if folder.join(UNFINISHED).exists() {
        return Err(KeyFault::RestoreUnfinished);
    }
    let Some(mirror) = mirror else {
        let is_noted = folder.join(MIRRORED).exists();
        return if is_noted { Err(KeyFault::MirrorUnnamed) } else { Ok(()) };
    };
    for file in FILES {
        if is_whole(mirror)? && !file.exists(folder)? {
            return Err(KeyFault::OnlyInMirror { file: file.name() });
        }
    }
    Ok(())
}

/// Notes it with an empty file, durable when it returns.
fn write_marker(folder: &Path, name: &str, doing: &'static str) -> Result<(), KeyFault> {
    disk::mark(&folder.join(name)).map_err(while_doing(doing))
}

/// Makes the first copy, or sees to it that the mirror belongs to these keys.
pub(super) fn prepare(folder: &Path, mirror: &Path) -> Result<(), KeyFault> {
    if !is_whole(mirror)? {
        if folder.join(MIRRORED).exists() {
            return Err(KeyFault::MirrorGone);
        }
        tracing::info!("the key mirror is empty; it gets its first copy of the keys");
        copy_all(folder, mirror)?;
        return write_marker(folder, MIRRORED, NOTING);
    }
    let ours = StaticKeys::open(folder)?.0;
    let theirs = StaticKeys::open(mirror).map_err(KeyFault::in_mirror)?.0;
    if ours != theirs {
        return Err(KeyFault::MirrorOfOtherSet);
    }
    if !KeyFile::Statics.is_equal(folder, mirror)? {
        return Err(KeyFault::MirrorApart { file: KeyFile::Statics.name() });
    }
    match FILES.into_iter().find(|file| !file.path(mirror).exists()) {
        Some(file) => Err(KeyFault::FileMissing { file: file.name() }.in_mirror()),
        None => write_marker(folder, MIRRORED, NOTING),
    }
}

/// Copies a mirror into an empty key folder. No process may use either.
pub(super) fn restore(folder: &Path, mirror: &Path) -> Result<(), KeyFault> {
    if !is_whole(mirror)? {
        return Err(KeyFault::MirrorEmpty);
    }
    let _ours = claim_folder(folder)?;
    let _theirs = claim_folder(mirror).map_err(KeyFault::in_mirror)?;
    let unfinished = folder.join(UNFINISHED);
    let is_in_use = FILES.iter().any(|file| file.path(folder).exists());
    if is_in_use && !unfinished.exists() {
        return Err(KeyFault::FolderInUse);
    }
    let (set, _) = StaticKeys::open(mirror).map_err(KeyFault::in_mirror)?;
    for file in FILES {
        file.check_set(mirror, set).map_err(KeyFault::in_mirror)?;
    }
    let doing = "Restoring the key folder";
    write_marker(folder, UNFINISHED, doing)?;
    copy_all(mirror, folder)?;
    let mark = StoreMark::load(mirror).map_err(KeyFault::in_mirror)?;
    mark.map_or(Ok(()), |mark| mark.write_into(folder))?;
    disk::remove(&unfinished).and_then(|_| disk::sync_folder(folder)).map_err(while_doing(doing))
}

/// Copies the three files over those of an earlier, unfinished copy: in place, so that no old block stays.
fn copy_all(from: &Path, to: &Path) -> Result<(), KeyFault> {
    for file in FILES {
        // Each name is durable before the next: the last one says that the copy is whole.
        disk::copy_over(&file.path(from), &file.path(to))
            .and_then(|()| disk::sync_folder(to))
            .map_err(while_doing("Copying the key files"))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "mirror_tests.rs"]
mod tests;
