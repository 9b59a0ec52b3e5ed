//! What a start does for the sake of recovery, before anybody can ask anything.

use super::journal::{Elsewhere, Journal};
use super::replay::{self, Before, Replayed};
use super::restore::RESTORED;
use super::{RecoveryFault, bundle, lost, while_doing};
use crate::clock::Millis;
use crate::config::Config;
use crate::keys::{Keys, Recognition};
use crate::store::Store;

/// What a start did.
#[derive(Clone, Copy, Default)]
pub struct Recovered {
    /// Of the journal of erasures.
    pub replayed: Replayed,
    /// People of a restored backup whose keys are gone, so that nothing is stored of them any more.
    pub lost: u64,
}

/// Opens the journal and its mirror, which also gets the bundle.
pub fn journal(config: &Config, recognition: &Recognition) -> Result<Journal, RecoveryFault> {
    let elsewhere = Elsewhere { mirror: config.journal_mirror.as_deref(), copies: Vec::new() };
    let journal = Journal::open(&config.key_dir, &elsewhere, recognition, config.accept_journal_gap)?;
    if let Some(mirror) = &config.journal_mirror {
        bundle::refresh(recognition, &config.key_dir, mirror)?;
    }
    Ok(journal)
}

/// Does again what was erased since this state of the store and, after a restore, clears up what cannot be read.
pub async fn recover(
    store: &Store,
    keys: &Keys,
    journal: &Journal,
    config: &Config,
    now: Millis,
) -> Result<Recovered, RecoveryFault> {
    let marker = config.data_dir.join(RESTORED);
    let before = Before { is_restored: marker.exists(), accept_gap: config.accept_journal_gap };
    let replayed = replay::run(store, keys, journal, before, now).await?;
    if replayed.gap_accepted {
        tracing::error!(
            "a part of the journal of erasures is missing; who was forgotten in it may come back"
        );
    }
    if replayed.records > 0 {
        let (records, people) = (replayed.records, replayed.subjects);
        tracing::warn!(records, people, "erasures that this state of the store had not seen were done again");
    }
    let mut lost = 0;
    if before.is_restored {
        lost = lost::clear(store, keys).await?;
        std::fs::remove_file(marker).map_err(while_doing("the marker of the restore cannot be removed"))?;
    }
    Ok(Recovered { replayed, lost })
}
