//! `lethe restore`: a backup becomes the data folder and the database again, after it was checked completely.
//!
//! A marker stands in the data folder from before the first byte is written until the last one is on the disk. With it
//! no server starts, and a restore may be repeated: the present content is its own.

use std::path::{Path, PathBuf};

use super::bundle::{BUNDLE, RecoveryKey};
use super::fault::{RecoveryFault, while_doing};
use super::journal::{self, JOURNAL, Journal, JournalCopies};
use super::layout::{DATABASE, RESTORED};
use super::manifest::{Manifest, ManifestFault};
use super::progress::{RecoveryProgress, ReportProgress};
use super::{content, start};
use crate::config::Config;
use crate::disk::{self, LOCK, Lock};
use crate::keys::{KeyFolder, Keys, LookupKeys, StoreMark};
use crate::store::StoreOptions;

/// The marker of a restore that has not ended.
pub const RESTORING: &str = "restoring";
/// Content of the marker after a gap was accepted; otherwise it is empty.
const GAP: &[u8] = b"a gap in the journal of erasures was accepted\n";

/// Backup to restore, and the means to do it.
pub struct RestoreRequest {
    /// Folder of the backup.
    pub backup: PathBuf,
    /// For a key folder that is lost.
    pub recovery_key: Option<RecoveryKey>,
    /// Folder with a newer copy of the journal: its mirror.
    pub journal: Option<PathBuf>,
    /// True to go on with a journal that is damaged, or as old as the backup.
    pub accept_gap: bool,
    /// True to let the keys leave a store on the other engine for this one.
    pub change_engine: bool,
}

/// Restores into the locked data folder of `config` and into its database, after the whole backup was checked. The next
/// start of a server replays the erasures since. Blocks.
///
/// # Errors
/// When the data folder or the database is not empty, unless an earlier restore broke off. When the backup is damaged
/// or sealed by other keys, or the keys belong to a store on another engine and the change was not requested. When the
/// keys or the journal are lost and nothing replaces them. When a folder or the database cannot be read or written.
pub fn restore_backup(
    config: &Config,
    lock: &Lock,
    asked: &RestoreRequest,
    tell: &mut ReportProgress<'_>,
) -> Result<Manifest, RecoveryFault> {
    // The start at the end would refuse it too, after the work is done.
    start::check_mirror(config)?;
    if let Some(mirror) = &config.key_mirror
        && LookupKeys::load(&config.key_dir)?.is_none()
        && LookupKeys::load(mirror)?.is_some()
    {
        // Nothing is lost: the second copy of the keys lives.
        Keys::restore(&config.key_dir, mirror)?;
    }
    let keys = KeyFolder::claim(&config.key_dir)?;
    let own = keys.recognition()?;
    let has_lost_keys = own.is_none();
    if !has_lost_keys {
        check_engine(config, keys.path(), asked)?;
    }
    let recognition = own.map_or_else(|| from_bundle(asked), Ok)?;
    let manifest = check(&asked.backup, &recognition, tell)?;
    let has_gap = is_journal_lost(keys.path(), asked)?;
    copy_in(config, lock, &asked.backup, &manifest, tell)?;
    if has_lost_keys {
        keys.give_back(&recognition)?;
        asked.recovery_key.as_ref().map_or(Ok(()), |key| key.adopt(keys.path()))?;
    }
    if has_gap {
        note_gap(&config.data_dir)?;
    }
    let mirror = asked.journal.as_ref().map(|folder| folder.join(JOURNAL));
    let copies = mirror.into_iter().chain([asked.backup.join(JOURNAL)]).collect();
    let elsewhere = JournalCopies { mirror: None, copies };
    let is_cut = Journal::open(keys.path(), &elsewhere, &recognition, asked.accept_gap)?.is_cut();
    if is_cut {
        note_gap(&config.data_dir)?;
    }
    if asked.change_engine {
        let engine = config.store_options().engine().to_owned();
        let starts = StoreMark::load(keys.path())?.map_or(0, |found| found.starts);
        StoreMark { engine, history: 0, starts }.write(keys.path(), config.key_mirror.as_deref())?;
    }
    end(&config.data_dir)?;
    Ok(manifest)
}

/// Refuses to make a store next to the keys of one on the other engine: its start would overwrite the keys of all
/// people that came after the backup, although that other store is not lost at all.
fn check_engine(config: &Config, keys: &Path, asked: &RestoreRequest) -> Result<(), RecoveryFault> {
    let mark = StoreMark::load(keys)?;
    let named = config.store_options().engine();
    let Some(mark) = mark.filter(|mark| mark.engine != named) else { return Ok(()) };
    if asked.change_engine {
        return Ok(());
    }
    let is_postgres = mark.engine == StoreOptions::POSTGRES;
    let (belongs, store) = if is_postgres { ("PostgreSQL", "postgres://…") } else { ("SQLite", "sqlite:") };
    Err(RecoveryFault::Refused(format!(
        "the key folder belongs to a store on {belongs}, which --store does not name; name an empty one with --store \
         {store}, rehearse with a key folder of its own (--key-dir) and --recovery-key, or, to leave that store for ever \
         and lose who came after the backup, add --change-engine; nothing was changed"
    )))
}

/// Returns true if nothing records the erasures since the backup: the key folder has no journal, and no newer one was
/// named. Refused unless it is accepted. The marker of a restore that broke off still says so if that one accepted it.
fn is_journal_lost(keys: &Path, asked: &RestoreRequest) -> Result<bool, RecoveryFault> {
    let is_lost = asked.journal.is_none() && !journal::is_begun(keys);
    if is_lost && !asked.accept_gap {
        return Err(RecoveryFault::Refused(
            "the key folder has no journal of erasures, and the one in the backup ends with it: everybody forgotten \
             since would come back. Name a newer one with --journal FOLDER (the mirror of the journal); there is none: \
             --accept-journal-gap, and the ledger will say so"
                .to_owned(),
        ));
    }
    Ok(is_lost)
}

/// The ledger has to report that a gap was accepted, also when this restore breaks off and is repeated.
fn note_gap(data: &Path) -> Result<(), RecoveryFault> {
    disk::write_atomically(&data.join(RESTORING), GAP)
        .map_err(while_doing("the data folder cannot be written"))
}

/// The keys that recognise, when the key folder has none.
fn from_bundle(asked: &RestoreRequest) -> Result<LookupKeys, RecoveryFault> {
    let refused = |sentence: &str| RecoveryFault::Refused(sentence.to_owned());
    let key = asked.recovery_key.as_ref().ok_or_else(|| {
        refused(
            "the key folder has no static.key: name the right one with --key-dir or, when it is lost, give the \
             recovery key with --recovery-key FILE",
        )
    })?;
    let folders = [Some(&asked.backup), asked.journal.as_ref()].into_iter().flatten();
    let bundle = folders.map(|folder| folder.join(BUNDLE)).find(|path| path.exists());
    let bundle = bundle.ok_or_else(|| {
        refused(
            "the backup has no recognition.bundle; the mirror of the journal may have one (--journal FOLDER)",
        )
    })?;
    key.open(&std::fs::read(bundle).map_err(while_doing("the recognition bundle cannot be read"))?)
}

/// Reads the manifest of a backup and checks all of the backup, with the keys it was sealed with. Changes nothing.
fn check(
    backup: &Path,
    recognition: &LookupKeys,
    tell: &mut ReportProgress<'_>,
) -> Result<Manifest, RecoveryFault> {
    let manifest = Manifest::load(backup)?;
    manifest.check(recognition)?;
    if !manifest.has_known_files_only(&[JOURNAL, BUNDLE]) {
        return Err(ManifestFault::Damaged.into());
    }
    content::check(backup, &manifest, tell)?;
    Ok(manifest)
}

/// Copies a checked backup into the locked data folder of `config`, and into its database. Both have to be
/// empty, unless an earlier restore broke off in them.
fn copy_in(
    config: &Config,
    _lock: &Lock,
    backup: &Path,
    manifest: &Manifest,
    tell: &mut ReportProgress<'_>,
) -> Result<(), RecoveryFault> {
    let data = &config.data_dir;
    let store = config.store_options();
    let found = disk::names(data).map_err(while_doing("the data folder cannot be read"))?;
    let broke_off = found.iter().any(|name| name == RESTORING);
    if !broke_off {
        if found.iter().any(|name| name != LOCK) {
            let sentence = "the data folder is not empty; move it away, or name another with --data-dir";
            return Err(RecoveryFault::Refused(sentence.to_owned()));
        }
        if !store.is_unused()? {
            let sentence = "the database is not empty; name an empty one with --store";
            return Err(RecoveryFault::Refused(sentence.to_owned()));
        }
        disk::mark(&data.join(RESTORING)).map_err(while_doing("the data folder cannot be written"))?;
    }
    disk::empty(data, &[LOCK, RESTORING]).map_err(while_doing("the data folder cannot be emptied"))?;
    store.load(&backup.join(DATABASE), &mut |done, total| {
        tell(RecoveryProgress { step: "restoring the database", done, total });
    })?;
    let mut shelves = std::collections::BTreeSet::new();
    let blobs: Vec<_> = manifest.blobs().collect();
    for (done, (path, name)) in (0..).zip(&blobs) {
        tell(RecoveryProgress { step: "restoring files", done, total: blobs.len() as u64 });
        let to = data.join(path);
        if let Some(shelf) = to.parent().filter(|shelf| shelves.insert(shelf.to_path_buf())) {
            disk::make_folder(shelf).map_err(while_doing("a folder cannot be made"))?;
        }
        let sum = disk::copy(&backup.join(path), &to).map_err(while_doing("a file cannot be copied"))?;
        if sum.sha256 != name.hash() {
            return Err(ManifestFault::File((*path).to_owned()).into());
        }
    }
    let above = shelves.iter().filter_map(|shelf| shelf.parent()).take(1).map(Path::to_path_buf);
    let folders: Vec<PathBuf> = shelves.iter().cloned().chain(above).collect();
    for folder in folders.iter().map(PathBuf::as_path).chain([data.as_path()]) {
        disk::sync_folder(folder).map_err(while_doing("a folder cannot be synced"))?;
    }
    Ok(())
}

/// From here on a server may start.
fn end(data: &Path) -> Result<(), RecoveryFault> {
    disk::rename(&data.join(RESTORING), &data.join(RESTORED))
        .map_err(while_doing("the data folder cannot be written"))
}

#[cfg(test)]
#[path = "restore_tests.rs"]
mod tests;
