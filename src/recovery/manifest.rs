//! `manifest.json`: the content of a backup, under a seal that only its own set of keys can make.
//!
//! It is written last, and its bytes have one form: a file that does not read back into exactly the same bytes is
//! refused.

use std::collections::BTreeMap;
use std::path::Path;

use lethe_verify::hex;
use serde::{Deserialize, Serialize};

use super::layout::{BLOBS, DATABASE};
use crate::blobs::BlobName;
use crate::disk::{self, ContentSum};
use crate::keys::{LookupKeys, constant_time_eq};

/// Name of the file.
pub const MANIFEST: &str = "manifest.json";
/// Format this program writes and reads.
const FORMAT: u32 = 1;
/// Far more than a manifest of a million files.
const MANIFEST_BYTES: u64 = 1 << 28;

/// A whole backup.
#[derive(Serialize, Deserialize, Clone)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Manifest {
    /// Format of this file and of the folder.
    pub format: u32,
    /// Version of the program that made it.
    pub lethe: String,
    /// Set of keys it belongs to.
    pub key_set: String,
    /// Engine it was made on; it can be restored to either.
    pub engine: String,
    /// Version of the schema.
    pub schema: i32,
    /// Time at which its state was the newest, as text in UTC.
    pub made_at: String,
    /// Rows of each table.
    pub rows: BTreeMap<String, u64>,
    /// Every other file of the backup, by its path.
    pub files: BTreeMap<String, FileSum>,
    /// HMAC-SHA-256 of this document with an empty seal.
    pub seal: String,
}

/// Length and hash that a file must have.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct FileSum {
    /// Length.
    pub bytes: u64,
    /// SHA-256 in hexadecimal digits.
    pub sha256: String,
}

impl From<ContentSum> for FileSum {
    fn from(sum: ContentSum) -> Self {
        Self { bytes: sum.bytes, sha256: hex::encode(&sum.sha256) }
    }
}

/// Fault of a backup.
#[derive(Debug, thiserror::Error)]
pub enum ManifestFault {
    /// No manifest.
    #[error("it has no manifest.json, so it is no backup, or one that was broken off")]
    Missing,
    /// The manifest differs from the written one.
    #[error("its manifest.json is damaged")]
    Damaged,
    /// A format that this program does not know.
    #[error("its format is {0}, which this program does not know; take a newer one")]
    Format(u32),
    /// A backup of another set of keys.
    #[error("it belongs to another set of keys")]
    Foreign,
    /// Not sealed with these keys.
    #[error("its manifest.json was changed, or was not made with these keys")]
    SealBroken,
    /// A file has changed.
    #[error("{0} is missing, cut off or damaged")]
    File(String),
    /// The database of the backup.
    #[error("its database is damaged")]
    Database,
}

impl Manifest {
    /// A manifest of this program's format, without files and unsealed.
    #[must_use]
    pub fn new(recognition: &LookupKeys, engine: &str, made_at: String) -> Self {
        Self {
            format: FORMAT,
            lethe: env!("CARGO_PKG_VERSION").to_owned(),
            key_set: hex::encode(&recognition.set_id()),
            engine: engine.to_owned(),
            schema: 0,
            made_at,
            rows: BTreeMap::new(),
            files: BTreeMap::new(),
            seal: String::new(),
        }
    }

    /// Its bytes; sealed when `recognition` is given.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    fn seal_with(&self, recognition: &LookupKeys) -> String {
        let unsealed = Self { seal: String::new(), ..self.clone() };
        hex::encode(&recognition.mac("backup", &unsealed.bytes()))
    }

    /// Seals it and returns its bytes.
    #[must_use]
    pub fn into_sealed_bytes(mut self, recognition: &LookupKeys) -> Vec<u8> {
        self.seal = self.seal_with(recognition);
        self.bytes()
    }

    /// Reads the manifest of a backup. Its content cannot be trusted before [`Manifest::check`].
    ///
    /// # Errors
    /// [`ManifestFault::Missing`] when it cannot be read, [`ManifestFault::Damaged`] when it differs from the written
    /// one, [`ManifestFault::Format`] when its format is another.
    pub fn load(folder: &Path) -> Result<Self, ManifestFault> {
        let path = folder.join(MANIFEST);
        let found = std::fs::metadata(&path).map_err(|_| ManifestFault::Missing)?;
        if found.len() > MANIFEST_BYTES {
            return Err(ManifestFault::Damaged);
        }
        let bytes = std::fs::read(&path).map_err(|_| ManifestFault::Missing)?;
        let read: Self = serde_json::from_slice(&bytes).map_err(|_| ManifestFault::Damaged)?;
        match read.format {
            FORMAT if read.bytes() == bytes => Ok(read),
            FORMAT => Err(ManifestFault::Damaged),
            other => Err(ManifestFault::Format(other)),
        }
    }

    /// Checks that these keys sealed it.
    ///
    /// # Errors
    /// [`ManifestFault::Foreign`] for other keys, [`ManifestFault::SealBroken`] when it was changed.
    pub fn check(&self, recognition: &LookupKeys) -> Result<(), ManifestFault> {
        if self.key_set != hex::encode(&recognition.set_id()) {
            return Err(ManifestFault::Foreign);
        }
        if constant_time_eq(self.seal.as_bytes(), self.seal_with(recognition).as_bytes()) {
            Ok(())
        } else {
            Err(ManifestFault::SealBroken)
        }
    }

    /// Checks that a file of the backup is unchanged.
    ///
    /// # Errors
    /// [`ManifestFault::File`] when it is missing, changed, or not in the manifest.
    pub fn check_file(&self, folder: &Path, name: &str) -> Result<(), ManifestFault> {
        let wrong = || ManifestFault::File(name.to_owned());
        let wanted = self.files.get(name).ok_or_else(wrong)?;
        let found = disk::sum(&folder.join(name)).map_err(|_| wrong())?;
        if FileSum::from(found) == *wanted { Ok(()) } else { Err(wrong()) }
    }

    /// The catalogue files among them.
    pub fn blobs(&self) -> impl Iterator<Item = (&str, BlobName)> {
        self.files.keys().filter_map(|path| Some((path.as_str(), blob_of(path)?)))
    }

    /// Bytes of all files.
    #[must_use]
    pub fn bytes_total(&self) -> u64 {
        self.files.values().map(|file| file.bytes).sum()
    }

    /// True if the database is among the files, and every path is allowed in a backup.
    #[must_use]
    pub fn has_known_files_only(&self, others: &[&str]) -> bool {
        self.files.contains_key(DATABASE)
            && self
                .files
                .keys()
                .all(|path| path == DATABASE || others.contains(&path.as_str()) || blob_of(path).is_some())
    }
}

/// Path of a catalogue file, in a backup as in the data folder.
pub fn blob_path(name: &BlobName) -> String {
    let name = name.to_string();
    format!("{BLOBS}/{}/{name}", &name[..2])
}

fn blob_of(path: &str) -> Option<BlobName> {
    let name = BlobName::parse(path.rsplit('/').next()?)?;
    (blob_path(&name) == path).then_some(name)
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
