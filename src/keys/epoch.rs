//! The key-encryption epochs (`epoch.key`): the keys that wrap the keys of subjects and jobs.
//!
//! An old copy of `slots.key` stays readable as long as the epoch key that wrapped it lives. There is one
//! epoch so far; a rotation will append a block, rewrap what lives and overwrite the old block with zeros.

use super::fault::KeyFault;
use super::key_file::{KeyFile, SetId};
use aws_lc_rs::aead::{AES_256_GCM_SIV, LessSafeKey, UnboundKey};
use std::path::Path;

const FIRST_EPOCH: u32 = 1;

/// The live key-encryption keys.
pub(super) struct EpochKeys {
    current: u32,
    keys: Vec<(u32, LessSafeKey)>,
}

super::unprintable::unprintable!(EpochKeys);

impl EpochKeys {
    /// Makes the file with its first epoch.
    pub(super) fn create(folder: &Path, set: SetId) -> Result<(), KeyFault> {
        KeyFile::Epochs.create_keys(folder, set, &[FIRST_EPOCH])
    }

    /// Reads the file; it must belong to the set.
    pub(super) fn open(folder: &Path, set: SetId) -> Result<Self, KeyFault> {
        let file = KeyFile::Epochs;
        let (found, records) = file.read_keys(folder)?;
        if found != set {
            return Err(KeyFault::FileOfOtherSet { file: file.name() });
        }
        let current = records.iter().map(|(epoch, _)| *epoch).max().ok_or_else(|| file.damaged())?;
        let mut keys = Vec::with_capacity(records.len());
        for (epoch, key) in records {
            keys.push((epoch, LessSafeKey::new(UnboundKey::new(&AES_256_GCM_SIV, &key)?)));
        }
        Ok(Self { current, keys })
    }

    /// The newest epoch and its key: new keys are wrapped under it.
    pub(super) fn current(&self) -> Result<(u32, &LessSafeKey), KeyFault> {
        let key = self.of(self.current).ok_or_else(|| KeyFile::Epochs.damaged())?;
        Ok((self.current, key))
    }

    /// The key of an epoch; `None` when it was destroyed or never was.
    pub(super) fn of(&self, epoch: u32) -> Option<&LessSafeKey> {
        self.keys.iter().find(|(number, _)| *number == epoch).map(|(_, key)| key)
    }
}
