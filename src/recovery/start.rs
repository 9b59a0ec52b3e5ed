//! Recovery steps of a start, before it serves any request.

use super::fault::{RecoveryFault, while_doing};
use super::journal::{Journal, JournalCopies, JournalFault, MIRRORED};
use super::layout::RESTORED;
use super::replay::{self, PendingReplay, Replayed, StoreBeforeStart};
use super::{bundle, folder_progress, ledger_copy, lost_keys};
use crate::accounts::about;
use crate::catalogue::position;
use crate::clock::Millis;
use crate::config::Config;
use crate::keys::{Keys, LookupKeys, StoreMark};
use crate::store::{Owner, Store};
use crate::{args, disk, operators, sql};

/// Result of the recovery at a start.
#[derive(Clone, Copy, Default)]
pub struct RecoveryResult {
    /// Result of replaying the journal of erasures.
    pub replayed: Replayed,
    /// People of a restored backup whose keys are gone, so that nothing is stored about them any more.
    pub lost: u64,
}

/// Checks that the settings still name the mirror of the journal if one was in use: it may have more records than the
/// key folder.
///
/// # Errors
/// [`JournalFault::MirrorUnnamed`] when they do not.
pub fn check_mirror(config: &Config) -> Result<(), RecoveryFault> {
    if config.journal_mirror.is_none() && config.key_dir.join(MIRRORED).exists() {
        Err(JournalFault::MirrorUnnamed.into())
    } else {
        Ok(())
    }
}

/// Opens the journal and its mirror, which also gets the recognition bundle.
///
/// # Errors
/// As [`Journal::open`]; or when the bundle cannot be written.
pub fn journal(config: &Config, recognition: &LookupKeys) -> Result<Journal, RecoveryFault> {
    let elsewhere = JournalCopies { mirror: config.journal_mirror.as_deref(), copies: Vec::new() };
    let journal = Journal::open(&config.key_dir, &elsewhere, recognition, config.accept_journal_gap)?;
    if let Some(mirror) = &config.journal_mirror {
        bundle::refresh(recognition, &config.key_dir, mirror)?;
    }
    Ok(journal)
}

/// A database that lost acknowledged writes is an older state of the store, as after a restore: it is marked as one
/// before anything is compared, so that the mark also holds when this start is broken off.
///
/// # Errors
/// When the mark cannot be written.
pub fn note_loss(store: &Store, config: &Config) -> Result<(), RecoveryFault> {
    let Some(lost) = store.lost_requests() else { return Ok(()) };
    let accounts = lost.accounts;
    let requests = lost.requests;
    tracing::error!(
        accounts,
        requests,
        "the database has lost requests that were acknowledged, as when a server takes the place of another that it lags \
         behind; who was erased is erased again, and what shops sent has to be sent again"
    );
    let marked = disk::write_atomically(&config.data_dir.join(RESTORED), b"");
    marked.map_err(while_doing("the mark of an older state of the store cannot be made"))
}

/// Compares the journal with the store, before keys that the store does not name are destroyed.
///
/// # Errors
/// When the store or the journal cannot be read, or they do not fit together.
pub async fn compare(
    store: &Store,
    journal: &Journal,
    config: &Config,
) -> Result<Option<PendingReplay>, RecoveryFault> {
    let found = std::fs::metadata(config.data_dir.join(RESTORED)).ok();
    let before = StoreBeforeStart {
        is_restored: found.is_some(),
        accept_gap: config.accept_journal_gap,
        has_gap: found.is_some_and(|marker| marker.len() > 0),
    };
    Ok(replay::compare(store, journal, before).await?)
}

/// Repeats the erasures since this state of the store. After a restore, also removes unreadable data.
///
/// # Errors
/// When the store fails, or the journal or a key cannot be read or written.
pub async fn recover(
    store: &Store,
    keys: &Keys,
    journal: &Journal,
    pending: Option<PendingReplay>,
    config: &Config,
    now: Millis,
) -> Result<RecoveryResult, RecoveryFault> {
    let recovered = match pending {
        Some(pending) => redo(store, keys, journal, pending, config, now).await?,
        None => RecoveryResult::default(),
    };
    ledger_copy::bring_back(store, journal).await?;
    ledger_copy::follow_all(store, journal).await?;
    Ok(recovered)
}

/// Takes contacts of shops away that no key opens.
async fn clear_contacts(store: &Store, keys: &Keys) -> Result<(), RecoveryFault> {
    let keys = keys.clone();
    let cleared = store.write(Owner::STORE, move |tx| about::clear_lost::<RecoveryFault>(tx, &keys)).await?;
    if cleared > 0 {
        tracing::warn!(
            cleared,
            "contacts of shops went with their keys; `lethe account set` sets them again"
        );
    }
    Ok(())
}

async fn redo(
    store: &Store,
    keys: &Keys,
    journal: &Journal,
    pending: PendingReplay,
    config: &Config,
    now: Millis,
) -> Result<RecoveryResult, RecoveryFault> {
    let is_restored = pending.is_restored;
    let replayed = replay::replay_pending(store, keys, journal, pending, now).await?;
    if replayed.gap_accepted {
        tracing::error!(
            "a part of the journal of erasures is missing; who was forgotten in it may come back"
        );
    }
    if replayed.records > 0 {
        let records = replayed.records;
        let people = replayed.subjects;
        tracing::warn!(records, people, "erasures that this state of the store had not seen were done again");
    }
    if replayed.unknown_accounts > 0 {
        let records = replayed.unknown_accounts;
        tracing::warn!(
            records,
            "the journal has erasures of accounts that this state of the store does not know"
        );
    }
    let mut lost = 0;
    if is_restored {
        lost = lost_keys::clear(store, keys).await?;
        clear_contacts(store, keys).await?;
        // People logged in then may have logged out since.
        store.write(Owner::STORE, |tx| tx.exec(&sql::identifier_log_out_all, args![])).await?;
        store.write(Owner::STORE, position::begin_history).await?;
        store.write(Owner::STORE, operators::lock_out_all).await?;
        let history = store.read(position::history).await?;
        let starts = StoreMark::load(&config.key_dir)?.map_or(0, |found| found.starts);
        let mark = StoreMark { engine: store.engine().to_owned(), history, starts };
        folder_progress::count_start(store, keys, config, mark).await?;
        let removed = disk::remove(&config.data_dir.join(RESTORED));
        // Durably: with it, an older copy of the data would be let in later.
        let removed = removed.and_then(|_| disk::sync_folder(&config.data_dir));
        removed.map_err(while_doing("the marker of the restore cannot be removed"))?;
        tracing::info!(erasures = replayed.erasures, lost, "the store was restored");
    }
    Ok(RecoveryResult { replayed, lost })
}
