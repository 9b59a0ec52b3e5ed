//! `lethe backup`: the database as one file and the files it names, in a new folder, while the server goes on.
//!
//! The manifest is written last, after the backup was opened and checked as a restore would: a folder without one is
//! no backup.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::config::canonical_path;
use crate::disk;
use crate::node::Node;
use crate::recovery::bundle::{self, BUNDLE};
use crate::recovery::content::{blobs_needed, check};
use crate::recovery::journal::JOURNAL;
use crate::recovery::{
    DATABASE, MANIFEST, Manifest, RecoveryFault, RecoveryProgress, ReportProgress, blob_path, while_doing,
};
use crate::store::{Owner, StoreFault, check_copy};
use crate::{args, sql};

/// Makes a backup of `node` in `target`, which has to be new or empty. On failure its files are removed, unless they
/// are a whole backup of which only the time could not be recorded.
///
/// # Errors
/// When `target` is not empty or lies in a folder of this server; when a catalogue file is missing or
/// damaged; when the store or the journal cannot be read; or when the disk refuses.
pub async fn make(
    node: &Arc<Node>,
    target: PathBuf,
    mut tell: impl FnMut(RecoveryProgress) + Send + 'static,
) -> Result<Manifest, RecoveryFault> {
    refuse_target(node, &target)?;
    // The sweep takes a file away that no row names any more; the copy of the database may still name it.
    let unswept = node.blobs.hold_files();
    let worker = node.clone();
    let now = node.clock.now();
    let making = tokio::task::spawn_blocking(move || {
        let _unswept = unswept;
        let ready = disk::make_folder(&target).map_err(while_doing("the target cannot be made"));
        // Again, now that it is there: nothing is written into a folder that is not empty, and nothing removed from
        // it.
        ready.and_then(|()| refuse_target(&worker, &target))?;
        let made = write(&worker, &target, now, &mut tell);
        if made.is_err() {
            // The fault is reported; the rest has no manifest.
            let _ = disk::empty(&target, &[]);
        }
        made
    });
    let made = making.await.unwrap_or(Err(RecoveryFault::BrokeOff))?;
    if let Some(mirror) = &node.config.journal_mirror
        && let Err(fault) = bundle::refresh(&node.recognition, &node.config.key_dir, mirror)
    {
        // The backup is good, and has the bundle itself.
        tracing::error!(%fault, "the bundle beside the mirror of the journal may be an old one");
    }
    node.store.write(Owner::STORE, move |tx| tx.exec(&sql::node_backed_up, args![now])).await?;
    let files = made.files.len() + 1;
    let bytes = made.bytes_total();
    let ms = node.clock.now() - now;
    tracing::info!(files, bytes, ms, "a backup was made");
    Ok(made)
}

/// A backup inside one of the folders would be lost with it, and one in a folder in use would overwrite things.
fn refuse_target(node: &Node, target: &Path) -> Result<(), RecoveryFault> {
    let refused = |sentence: &str| Err(RecoveryFault::Refused(sentence.to_owned()));
    // A missing folder cannot be followed back: it may lead into a folder of the server once it is made.
    let climbs = target.components().any(|part| part == Component::ParentDir);
    if climbs {
        return refused("the target has .. in it; name the folder itself");
    }
    if !disk::names(target).map_err(while_doing("the target cannot be read"))?.is_empty() {
        return refused("the target is not empty; name a new folder for each backup");
    }
    let target = canonical_path(target);
    let inside = |(_, place): &(_, PathBuf)| {
        let folder = if place.is_dir() { place } else { place.parent().unwrap_or(place) };
        target.starts_with(canonical_path(folder))
    };
    match node.config.places().iter().find(|place| inside(place)) {
        Some((name, _)) => refused(&format!(
            "the target lies in a folder of this server ({name}); a backup belongs in a folder of its own on another disk"
        )),
        None => Ok(()),
    }
}

fn write(
    node: &Node,
    target: &Path,
    now: i64,
    tell: &mut ReportProgress<'_>,
) -> Result<Manifest, RecoveryFault> {
    let made_at = jiff::Timestamp::from_millisecond(now).map_or_else(|_| String::new(), |at| at.to_string());
    let mut manifest = Manifest::new(&node.recognition, node.store.engine(), made_at);
    let database = target.join(DATABASE);
    node.store.copy_to(&database, &mut |done, total| {
        tell(RecoveryProgress { step: "copying the database", done, total });
    })?;
    let synced = std::fs::File::open(&database).and_then(|file| disk::sync(&file));
    synced.map_err(while_doing("the copy of the database cannot be synced"))?;
    tell(RecoveryProgress { step: "checking the database", done: 0, total: 1 });
    let content = check_copy(&database)?;
    manifest.schema = content.schema;
    manifest.rows = content.rows.into_iter().collect();
    let sum = disk::sum(&database).map_err(while_doing("the copy of the database cannot be read"))?;
    manifest.files.insert(DATABASE.to_owned(), sum.into());
    copy_blobs(node, target, &mut manifest, tell)?;
    // Behind the database: it may know more than that, never less.
    node.journal.copy_to(&target.join(JOURNAL))?;
    let mut small = vec![JOURNAL];
    if let Some(bundle) = bundle::seal(&node.recognition, &node.config.key_dir)? {
        disk::write_atomically(&target.join(BUNDLE), &bundle)
            .map_err(while_doing("the bundle cannot be written"))?;
        small.push(BUNDLE);
    }
    for name in small {
        let sum =
            disk::sum(&target.join(name)).map_err(while_doing("a file of the backup cannot be read"))?;
        manifest.files.insert(name.to_owned(), sum.into());
    }
    check(target, &manifest, tell)?;
    disk::sync_folder(target).map_err(while_doing("the target cannot be synced"))?;
    let bytes = manifest.clone().into_sealed_bytes(&node.recognition);
    disk::write_atomically(&target.join(MANIFEST), &bytes)
        .map_err(while_doing("the manifest cannot be written"))?;
    disk::sync_folder(disk::parent_folder(target))
        .map_err(while_doing("the folder above the target cannot be synced"))?;
    Ok(manifest)
}

fn copy_blobs(
    node: &Node,
    target: &Path,
    manifest: &mut Manifest,
    tell: &mut ReportProgress<'_>,
) -> Result<(), RecoveryFault> {
    let needed = blobs_needed(&target.join(DATABASE))?;
    let mut shelves = HashSet::new();
    for (done, name) in (0..).zip(&needed) {
        tell(RecoveryProgress { step: "copying files", done, total: needed.len() as u64 });
        let path = blob_path(name);
        let to = target.join(&path);
        if let Some(shelf) = to.parent().filter(|shelf| shelves.insert(shelf.to_path_buf())) {
            disk::make_folder(shelf).map_err(while_doing("a folder of the backup cannot be made"))?;
        }
        let sum = match disk::copy(&node.config.data_dir.join(&path), &to) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(RecoveryFault::BlobDamaged(name.to_string()));
            }
            copied => copied.map_err(while_doing("a catalogue file cannot be copied"))?,
        };
        if sum.sha256 != name.hash() {
            return Err(RecoveryFault::BlobDamaged(name.to_string()));
        }
        manifest.files.insert(path, sum.into());
    }
    for shelf in
        shelves.iter().map(PathBuf::as_path).chain(shelves.iter().filter_map(|shelf| shelf.parent()).take(1))
    {
        disk::sync_folder(shelf).map_err(while_doing("a folder of the backup cannot be synced"))?;
    }
    Ok(())
}

/// Notes that the restored state has a backup: the one it came from, which was made before it was noted.
///
/// # Errors
/// When the store fails.
pub async fn note_restored(node: &Arc<Node>, manifest: &Manifest) -> Result<(), StoreFault> {
    let Ok(made_at) = manifest.made_at.parse::<jiff::Timestamp>() else { return Ok(()) };
    let made_at = made_at.as_millisecond();
    node.store.write(Owner::STORE, move |tx| tx.exec(&sql::node_backed_up, args![made_at])).await.map(drop)
}

/// Summary of a backup.
#[must_use]
pub fn summary(made: &Manifest) -> serde_json::Value {
    serde_json::json!({
        "MadeAt": made.made_at, "Bundle": made.files.contains_key(BUNDLE), "Files": made.files.len() + 1, "Bytes": made.bytes_total(), "Rows": made.rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Keys, LookupKeys};

    #[test]
    fn a_summary_counts_every_file_and_the_manifest_itself() {
        let folder = tempfile::tempdir().unwrap();
        drop(Keys::open(folder.path()).unwrap());
        let recognition = LookupKeys::load(folder.path()).unwrap().unwrap();
        let mut made = Manifest::new(&recognition, "sqlite", "2024-01-01T00:00:00Z".to_owned());
        made.rows.insert("account".to_owned(), 2);
        std::fs::write(folder.path().join("file"), "12345").unwrap();
        for (name, has_bundle, files, bytes) in [(DATABASE, false, 2, 5), (BUNDLE, true, 3, 10)] {
            made.files.insert(name.to_owned(), disk::sum(&folder.path().join("file")).unwrap().into());
            let expected = serde_json::json!({
                "MadeAt": "2024-01-01T00:00:00Z", "Bundle": has_bundle, "Files": files, "Bytes": bytes,
                "Rows": {"account": 2},
            });
            assert_eq!(summary(&made), expected);
        }
    }
}
