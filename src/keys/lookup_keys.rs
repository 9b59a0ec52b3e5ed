//! Keys that outlive a lost key folder: those of the keyed hashes (`static.key`), which recognise people and accounts
//! and open no record. The recovery bundle carries them; the journal of erasures and the seals of backups use one.

use super::fault::{KeyFault, while_doing};
use super::key_file::{KeyBytes, KeyFile, SetId, claim_folder};
use super::sealer::Sealer;
use super::static_keys::{full, journal_key};
use crate::disk::Lock;
use aws_lc_rs::hmac;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// `static.key`, whole.
pub struct LookupKeys {
    set: SetId,
    journal: hmac::Key,
    file: KeyBytes,
}

static_assertions::assert_not_impl_any!(LookupKeys: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl LookupKeys {
    /// Reads it from a key folder; `None` when the folder has none (yet, or any more).
    ///
    /// # Errors
    /// When the file cannot be read, is damaged or has a newer format.
    pub fn load(folder: &Path) -> Result<Option<Self>, KeyFault> {
        if !KeyFile::Statics.exists(folder)? {
            return Ok(None);
        }
        let file = std::fs::read(KeyFile::Statics.path(folder)).map_err(while_doing("Reading a key file"))?;
        Self::parse(Zeroizing::new(file)).map(Some)
    }

    /// Reads it from the bytes of the file.
    ///
    /// # Errors
    /// When they are damaged, have a newer format or lack a key.
    pub fn parse(file: Zeroizing<Vec<u8>>) -> Result<Self, KeyFault> {
        let (set, records) = KeyFile::Statics.parse_keys(&file)?;
        Ok(Self { set, journal: journal_key(&records)?, file })
    }

    /// The bytes of the file.
    #[must_use]
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// Id of the set of keys it belongs to.
    #[must_use]
    pub fn set_id(&self) -> [u8; 16] {
        self.set
    }

    /// Seals the records of the journal.
    ///
    /// # Errors
    /// When the cryptographic library refuses.
    pub fn journal_sealer(&self) -> Result<Sealer, KeyFault> {
        Sealer::new(Zeroizing::new(full(&self.journal, &[b"lethe/journal/seal/v1"]).to_vec()))
    }

    /// Authenticates a text by these keys; `purpose` names its use.
    #[must_use]
    pub fn mac(&self, purpose: &str, bytes: &[u8]) -> [u8; 32] {
        full(&self.journal, &[b"lethe/mac/v1/", purpose.as_bytes(), b"/", bytes])
    }
}

/// A key folder that this process has locked and no server uses: for work before a start.
pub struct KeyFolder {
    path: PathBuf,
    _lock: Lock,
}

impl KeyFolder {
    /// Locks the folder, and makes it when there is none.
    ///
    /// # Errors
    /// When another process holds the folder, others may enter it, or the disk refuses.
    pub fn claim(path: &Path) -> Result<Self, KeyFault> {
        Ok(Self { path: path.to_path_buf(), _lock: claim_folder(path)? })
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keys by which the folder recognises people; `None` if it has lost them, or never had them.
    ///
    /// # Errors
    /// As [`LookupKeys::load`].
    pub fn recognition(&self) -> Result<Option<LookupKeys>, KeyFault> {
        LookupKeys::load(&self.path)
    }

    /// Gives `static.key` back to a folder that has lost it.
    ///
    /// # Errors
    /// [`KeyFault::FileOfOtherSet`] when the folder has such a file already; or when the disk refuses.
    pub fn give_back(&self, recognition: &LookupKeys) -> Result<(), KeyFault> {
        if KeyFile::Statics.exists(&self.path)? {
            Err(KeyFault::FileOfOtherSet { file: KeyFile::Statics.name() })
        } else {
            KeyFile::Statics.create(&self.path, &recognition.file)
        }
    }
}
