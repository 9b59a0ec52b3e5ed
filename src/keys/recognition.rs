//! What outlives a lost key folder: the keys of the keyed hashes (`static.key`), which recognise people and accounts
//! and open no record. The recovery bundle carries them; the journal of erasures and the seals of backups use one.

use super::fault::{KeyFault, while_doing};
use super::key_file::{KeyBytes, KeyFile, SetId, claim_folder};
use super::sealer::Sealer;
use super::static_keys::{full, journal_key};
use aws_lc_rs::hmac;
use std::path::Path;
use zeroize::Zeroizing;

/// `static.key`, whole.
pub struct Recognition {
    set: SetId,
    journal: hmac::Key,
    file: KeyBytes,
}

super::unprintable::unprintable!(Recognition);

impl Recognition {
    /// Of a key folder; `None` when it has none (yet, or any more).
    pub fn read(folder: &Path) -> Result<Option<Self>, KeyFault> {
        if !KeyFile::Statics.exists(folder)? {
            return Ok(None);
        }
        let file = std::fs::read(KeyFile::Statics.path(folder)).map_err(while_doing("Reading a key file"))?;
        Self::parse(Zeroizing::new(file)).map(Some)
    }

    /// From the bytes of the file.
    pub fn parse(file: Zeroizing<Vec<u8>>) -> Result<Self, KeyFault> {
        let (set, records) = KeyFile::Statics.parse_keys(&file)?;
        Ok(Self { set, journal: journal_key(&records)?, file })
    }

    /// The bytes of the file.
    #[must_use]
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// Which set of keys it belongs to.
    #[must_use]
    pub fn set_id(&self) -> [u8; 16] {
        self.set
    }

    /// Puts the file into a key folder that has lost it.
    pub fn put_into(&self, folder: &Path) -> Result<(), KeyFault> {
        let _lock = claim_folder(folder)?;
        if KeyFile::Statics.exists(folder)? {
            return Err(KeyFault::FileOfOtherSet { file: KeyFile::Statics.name() });
        }
        KeyFile::Statics.create(folder, &self.file)
    }

    /// Seals the records of the journal.
    pub fn journal_sealer(&self) -> Result<Sealer, KeyFault> {
        Sealer::new(Zeroizing::new(full(&self.journal, &[b"lethe/journal/seal/v1"]).to_vec()))
    }

    /// Shows that something was written by who has these keys; `purpose` says what.
    #[must_use]
    pub fn mac(&self, purpose: &str, bytes: &[u8]) -> [u8; 32] {
        full(&self.journal, &[b"lethe/mac/v1/", purpose.as_bytes(), b"/", bytes])
    }
}
