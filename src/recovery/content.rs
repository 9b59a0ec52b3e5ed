//! Content of a backup, checked before anything relies on it.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use lethe_verify::hex;

use super::fault::RecoveryFault;
use super::layout::DATABASE;
use super::manifest::{FileSum, Manifest, ManifestFault, blob_path};
use super::progress::{RecoveryProgress, ReportProgress};
use crate::blobs::BlobName;
use crate::catalogue::base;
use crate::store::{StoreFault, check_copy, read_copy};

/// The catalogue files that rows of a copied database name.
///
/// # Errors
/// When the copy cannot be read.
pub fn blobs_needed(database: &Path) -> Result<HashSet<BlobName>, RecoveryFault> {
    Ok(read_copy(database, base::blobs_needed)?)
}

/// Opens a backup and checks that it is whole: every file matches the manifest, the database is sound, and every file
/// that a row names is there with the content that its name requires.
///
/// # Errors
/// [`RecoveryFault::Unusable`] names the fault; [`RecoveryFault::Store`] when the schema is that of another build.
pub fn check(folder: &Path, manifest: &Manifest, tell: &mut ReportProgress<'_>) -> Result<(), RecoveryFault> {
    use ManifestFault::{Database, File};
    for (done, name) in (0..).zip(manifest.files.keys()) {
        tell(RecoveryProgress { step: "checking the backup", done, total: manifest.files.len() as u64 });
        manifest.check_file(folder, name)?;
    }
    let database = folder.join(DATABASE);
    let content = check_copy(&database).map_err(|fault| match fault {
        StoreFault::NewerSchema { .. } | StoreFault::OtherSchema { .. } => RecoveryFault::Store(fault),
        _ => Database.into(),
    })?;
    if content.schema != manifest.schema
        || content.rows.into_iter().collect::<BTreeMap<_, _>>() != manifest.rows
    {
        return Err(Database.into());
    }
    let needed = blobs_needed(&database)?;
    let there: HashSet<BlobName> = manifest.blobs().map(|(_, name)| name).collect();
    if let Some(name) = needed.iter().find(|name| !there.contains(name)) {
        return Err(File(blob_path(name)).into());
    }
    let is_named_right = |path: &str, name: &BlobName| {
        manifest.files.get(path).is_some_and(|file: &FileSum| file.sha256 == hex::encode(&name.hash()))
    };
    match manifest.blobs().find(|(path, name)| !is_named_right(path, name)) {
        Some((path, _)) => Err(File(path.to_owned()).into()),
        None => Ok(()),
    }
}
