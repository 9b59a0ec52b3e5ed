//! Progress of a key folder: the store and the folder advance together, and each records the other's progress, so that
//! an older copy of either is noticed at the start.

use super::fault::RecoveryFault;
use crate::config::Config;
use crate::keys::{Keys, StoreMark};
use crate::store::{Owner, Store, StoreFault, Tx};
use crate::{args, sql};

/// Progress of a key folder.
#[derive(Clone, Copy, Default)]
pub struct KeysReached {
    /// Its epoch.
    pub epoch: i64,
    /// Number of times that a node had started with it.
    pub starts: i64,
}

impl KeysReached {
    /// Reads the progress of the folder with which the store last went on; nothing before its first start.
    ///
    /// # Errors
    /// When the store fails.
    pub fn load(tx: &mut Tx<'_>) -> Result<Self, StoreFault> {
        let Some(row) = tx.row(&sql::node_keys_reached, args![])? else { return Ok(Self::default()) };
        let epoch = row.opt_int("key_epoch")?.unwrap_or(0);
        Ok(Self { epoch, starts: row.opt_int("key_starts")?.unwrap_or(0) })
    }
}

/// Counts a start in the key folder, its mirror and the store, in this order: after a crash in between a folder is
/// ahead, which is no older copy.
///
/// # Errors
/// When a folder cannot be read or written, or the store fails.
pub async fn count_start(
    store: &Store,
    keys: &Keys,
    config: &Config,
    mark: StoreMark,
) -> Result<(), RecoveryFault> {
    let reached = store.read(KeysReached::load).await?;
    let starts = mark.starts.max(reached.starts) + 1;
    StoreMark { starts, ..mark }.write(&config.key_dir, config.key_mirror.as_deref())?;
    let epoch = i64::from(keys.epoch().number);
    store.write(Owner::STORE, move |tx| tx.exec(&sql::node_keys_reach, args![epoch, starts])).await?;
    Ok(())
}

/// Records in the store the epoch that the key folder has reached. If this fails the next start does it.
///
/// # Errors
/// When the store fails.
pub async fn note_epoch(store: &Store, keys: &Keys) -> Result<(), StoreFault> {
    let epoch = i64::from(keys.epoch().number);
    store.write(Owner::STORE, move |tx| tx.exec(&sql::node_epoch_reach, args![epoch])).await.map(drop)
}
