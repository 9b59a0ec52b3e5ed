//! `lethe backup`: the database as one file and the files it names, in a new folder, while the server goes on.
//!
//! The manifest is written last, after the backup was opened and checked as a restore would: a folder without one is
//! no backup.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bundle::{self, BUNDLE};
use super::files::{self, hex};
use super::journal::JOURNAL;
use super::manifest::{FileSum, MANIFEST, Manifest, blob_path};
use super::{DATABASE, Progress, RecoveryFault, Tell, while_doing};
use crate::blobs::BlobName;
use crate::catalogue::base;
use crate::node::Node;
use crate::store::{StoreFault, check_copy, read_copy};
use crate::{args, sql};

/// Makes a backup of `node` in `target`, which has to be new or empty. What was written is removed when it fails.
pub async fn make(
    node: &Arc<Node>,
    target: PathBuf,
    mut tell: impl FnMut(Progress) + Send + 'static,
) -> Result<Manifest, RecoveryFault> {
    refuse_target(node, &target)?;
    // The sweep takes a file away that no row names any more; the copy of the database may still name it.
    let unswept = node.publishing.clone().read_owned().await;
    let (worker, now) = (node.clone(), node.clock.now());
    let making = tokio::task::spawn_blocking(move || {
        let _unswept = unswept;
        let made = write(&worker, &target, now, &mut tell);
        if made.is_err() {
            // The fault is told; what is left has no manifest.
            let _ = files::empty(&target, &[]);
        }
        made
    });
    let made = making.await.unwrap_or(Err(RecoveryFault::BrokeOff))?;
    node.store.write(move |tx| tx.exec(&sql::node_backed_up, args![now])).await?;
    Ok(made)
}

/// A backup inside one of the folders would be lost with it, and one in a folder in use would overwrite things.
fn refuse_target(node: &Node, target: &Path) -> Result<(), RecoveryFault> {
    let refused = |sentence: &str| Err(RecoveryFault::Refused(sentence.to_owned()));
    if !files::names(target).map_err(while_doing("the target cannot be read"))?.is_empty() {
        return refused("the target is not empty; name a new folder for each backup");
    }
    let real = |path: &Path| {
        let existing = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
        existing.map(|(above, real)| real.join(path.strip_prefix(above).unwrap_or(Path::new(""))))
    };
    let inside =
        |folder: &Path| real(target).zip(real(folder)).is_some_and(|(one, other)| one.starts_with(other));
    if inside(&node.config.data_dir) || inside(&node.config.key_dir) {
        return refused("the target lies inside the data or key folder; a backup belongs on another disk");
    }
    Ok(())
}

fn write(node: &Node, target: &Path, now: i64, tell: &mut Tell<'_>) -> Result<Manifest, RecoveryFault> {
    files::make_folder(target).map_err(while_doing("the target cannot be made"))?;
    let made_at = jiff::Timestamp::from_millisecond(now).map_or_else(|_| String::new(), |at| at.to_string());
    let mut manifest = Manifest::new(&node.recognition, node.store.engine(), made_at);
    let database = target.join(DATABASE);
    node.store.copy_to(&database, &mut |done, total| {
        tell(Progress { step: "copying the database", done, total });
    })?;
    let synced = std::fs::File::open(&database).and_then(|file| file.sync_all());
    synced.map_err(while_doing("the copy of the database cannot be synced"))?;
    tell(Progress { step: "checking the database", done: 0, total: 1 });
    let content = check_copy(&database)?;
    manifest.schema = content.schema;
    manifest.rows = content.rows.into_iter().collect();
    let sum = files::sum(&database).map_err(while_doing("the copy of the database cannot be read"))?;
    manifest.files.insert(DATABASE.to_owned(), sum.into());
    copy_blobs(node, target, &mut manifest, tell)?;
    // Behind the database: it may know more than that, never less.
    node.journal.copy_to(&target.join(JOURNAL))?;
    let mut small = vec![JOURNAL];
    if let Some(bundle) = bundle::sealed(&node.recognition, &node.config.key_dir)? {
        files::put(&target.join(BUNDLE), &bundle).map_err(while_doing("the bundle cannot be written"))?;
        small.push(BUNDLE);
    }
    for name in small {
        let sum =
            files::sum(&target.join(name)).map_err(while_doing("a file of the backup cannot be read"))?;
        manifest.files.insert(name.to_owned(), sum.into());
    }
    check(target, &manifest, tell)?;
    files::sync_folder(target).map_err(while_doing("the target cannot be synced"))?;
    let bytes = manifest.clone().sealed(&node.recognition);
    files::put(&target.join(MANIFEST), &bytes).map_err(while_doing("the manifest cannot be written"))?;
    let above = target.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    files::sync_folder(above).map_err(while_doing("the folder above the target cannot be synced"))?;
    Ok(manifest)
}

fn needed(database: &Path) -> Result<HashSet<BlobName>, RecoveryFault> {
    Ok(read_copy(database, base::blobs_needed)?)
}

fn copy_blobs(
    node: &Node,
    target: &Path,
    manifest: &mut Manifest,
    tell: &mut Tell<'_>,
) -> Result<(), RecoveryFault> {
    let needed = needed(&target.join(DATABASE))?;
    let mut shelves = HashSet::new();
    for (done, name) in (0..).zip(&needed) {
        tell(Progress { step: "copying files", done, total: needed.len() as u64 });
        let path = blob_path(name);
        let to = target.join(&path);
        if let Some(shelf) = to.parent().filter(|shelf| shelves.insert(shelf.to_path_buf())) {
            files::make_folder(shelf).map_err(while_doing("a folder of the backup cannot be made"))?;
        }
        let sum = match files::copy(&node.config.data_dir.join(&path), &to) {
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
        files::sync_folder(shelf).map_err(while_doing("a folder of the backup cannot be synced"))?;
    }
    Ok(())
}

/// Opens a backup and looks whether it is whole: every file what the manifest says, the database sound, every file that
/// a row names there and what its name says.
pub fn check(folder: &Path, manifest: &Manifest, tell: &mut Tell<'_>) -> Result<(), RecoveryFault> {
    use super::ManifestFault::{Database, File};
    for (done, name) in (0..).zip(manifest.files.keys()) {
        tell(Progress { step: "checking the backup", done, total: manifest.files.len() as u64 });
        manifest.check_file(folder, name)?;
    }
    let database = folder.join(DATABASE);
    let content = check_copy(&database).map_err(|fault| match fault {
        crate::store::StoreFault::NewerSchema { .. } => RecoveryFault::Store(fault),
        _ => Database.into(),
    })?;
    if content.schema != manifest.schema
        || content.rows.into_iter().collect::<BTreeMap<_, _>>() != manifest.rows
    {
        return Err(Database.into());
    }
    let needed = needed(&database)?;
    let there: HashSet<BlobName> = manifest.blobs().map(|(_, name)| name).collect();
    if let Some(name) = needed.iter().find(|name| !there.contains(name)) {
        return Err(File(blob_path(name)).into());
    }
    let is_named_right = |path: &str, name: &BlobName| {
        manifest.files.get(path).is_some_and(|file: &FileSum| file.sha256 == hex(&name.hash()))
    };
    match manifest.blobs().find(|(path, name)| !is_named_right(path, name)) {
        Some((path, _)) => Err(File(path.to_owned()).into()),
        None => Ok(()),
    }
}

/// A state that was restored has a backup: the one it came from. The copy in it was made before that was noted.
pub async fn note_restored(node: &Arc<Node>, manifest: &Manifest) -> Result<(), StoreFault> {
    let Ok(made_at) = manifest.made_at.parse::<jiff::Timestamp>() else { return Ok(()) };
    let made_at = made_at.as_millisecond();
    node.store.write(move |tx| tx.exec(&sql::node_backed_up, args![made_at])).await.map(drop)
}

/// What is told of a backup.
#[must_use]
pub fn summary(made: &Manifest) -> serde_json::Value {
    serde_json::json!({
        "MadeAt": made.made_at, "Bundle": made.files.contains_key(BUNDLE), "Files": made.files.len() + 1, "Bytes": made.bytes_total(), "Rows": made.rows,
    })
}
