//! The journal of erasures: the records to repeat on any older state of the store, and a copy of its ledgers.
//!
//! It lives in the key folder, apart from the data, and with `--journal-mirror` in a second place, which gets the same
//! bytes before an erasure goes on. The longer of the two counts; they may not contradict each other.

mod fault;
mod frames;
#[cfg(test)]
mod tests;

pub use self::fault::{JournalFault, MIRRORED};
pub use self::frames::{JournalItem, JournalPosition, JournalRecordKind, Record, TagEntry};

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::frames::{Header, JournalTail};
use crate::disk;
use crate::ids::AccountId;
use crate::keys::{LookupKeys, Sealer};

/// Name of the file, in the key folder, on the mirror and in a backup.
pub const JOURNAL: &str = "journal.log";

/// The open journal. Cloning gives the same one.
#[derive(Clone)]
pub struct Journal(Arc<JournalInner>);

struct JournalInner {
    sealer: Sealer,
    set: [u8; 16],
    own: Copy,
    mirror: Option<Copy>,
    own_records: u64,
    is_cut: bool,
    state: Mutex<JournalState>,
}

struct JournalState {
    end: JournalPosition,
    /// The place after the last record of a person.
    last: JournalPosition,
    /// Number of bytes that the mirror has for certain.
    mirrored: u64,
    known: JournalIndex,
}

/// Index of the journal's content, so that each item is stored once.
#[derive(Default)]
struct JournalIndex {
    records: HashSet<(JournalRecordKind, [u8; 16])>,
    /// Number of entries of each account's ledger.
    entries: BTreeMap<AccountId, u64>,
}

impl JournalIndex {
    fn has(&self, item: &JournalItem) -> bool {
        match item {
            JournalItem::Record(record) => self.records.contains(&(record.kind, record.id)),
            JournalItem::Entry { account, number, .. } => *number < self.entries(AccountId(*account)),
        }
    }

    fn add(&mut self, item: &JournalItem) {
        match item {
            JournalItem::Record(record) => drop(self.records.insert((record.kind, record.id))),
            // An entry of a ledger that all accounts shared.
            JournalItem::Entry { account: 0, .. } => {}
            JournalItem::Entry { account, number, .. } => {
                self.entries.insert(AccountId(*account), *number + 1);
            }
        }
    }

    fn entries(&self, account: AccountId) -> u64 {
        self.entries.get(&account).copied().unwrap_or(0)
    }
}

static_assertions::assert_not_impl_any!(Journal: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// One of the two files.
struct Copy {
    which: &'static str,
    path: PathBuf,
    file: File,
}

/// Content of a file when it was read.
struct JournalScan {
    bytes: Vec<u8>,
    end: JournalPosition,
    rest: JournalTail,
    /// Bytes of the file that stay as they are.
    kept: u64,
}

/// Further places of a journal: the mirror, which is written, and copies that are only read.
#[derive(Default)]
pub struct JournalCopies<'a> {
    /// Folder of the mirror.
    pub mirror: Option<&'a Path>,
    /// Files of copies.
    pub copies: Vec<PathBuf>,
}

impl Journal {
    /// Opens the journal of a key folder, makes it if it is missing, and brings it and its mirror to one state. With
    /// `accept_gap`, gives up the records after a damaged one.
    ///
    /// # Errors
    /// When a copy is damaged and `accept_gap` is false, when two copies contradict each other, when the mirror is
    /// gone, or when the disk refuses.
    pub fn open(
        key_dir: &Path,
        elsewhere: &JournalCopies<'_>,
        recognition: &LookupKeys,
        accept_gap: bool,
    ) -> Result<Self, JournalFault> {
        let sealer = recognition.journal_sealer()?;
        let set = recognition.set_id();
        let is_new = !is_begun(key_dir);
        let own = Copy::open("the journal", key_dir)?;
        let mirror = elsewhere.mirror.map(|folder| Copy::open_mirror(key_dir, folder)).transpose()?;
        let mut found = vec![own.scan(set, &sealer, accept_gap)?];
        if let Some(mirror) = &mirror {
            found.push(mirror.scan(set, &sealer, accept_gap)?);
        }
        for path in &elsewhere.copies {
            found.push(Copy::read_only("a copy of the journal", path)?.scan(set, &sealer, accept_gap)?);
        }
        let longest = longest(&found)?;
        for (copy, found) in [Some(&own), mirror.as_ref()].into_iter().flatten().zip(&found) {
            copy.bring_to(found, longest)?;
        }
        if mirror.is_some() {
            let marked = disk::mark(&key_dir.join(MIRRORED));
            marked.map_err(|error| JournalFault::Disk { which: "the journal", error })?;
        }
        let own_records = if is_new { longest.end.records } else { found[0].end.records };
        let is_cut = found.iter().any(|found| found.rest == JournalTail::Damaged);
        let mut known = JournalIndex::default();
        let mut last = frames::start(set);
        let each = &mut |at, item| {
            known.add(&item);
            if matches!(item, JournalItem::Record(_)) {
                last = at;
            }
        };
        let (end, _) = frames::read_records(&longest.bytes, frames::start(set), &sealer, each);
        let state = Mutex::new(JournalState { end, last, mirrored: end.bytes, known });
        Ok(Self(Arc::new(JournalInner { sealer, set, own, mirror, own_records, is_cut, state })))
    }

    /// Makes records durable, each once, here and on the mirror, before it returns. Returns the place after the last
    /// record of a person. Blocks; async code uses [`Journal::append_async`].
    ///
    /// # Errors
    /// When the journal or its mirror cannot be written.
    pub fn append(&self, items: &[JournalItem]) -> Result<JournalPosition, JournalFault> {
        let journal = &self.0;
        let mut state = journal.lock();
        let mut bytes = Vec::new();
        let mut end = state.end;
        let mut last = state.last;
        for item in items.iter().filter(|item| !state.known.has(item)) {
            let (frame, behind) = frames::frame(&end, &journal.sealer, item)?;
            bytes.extend_from_slice(&frame);
            end = behind;
            if matches!(item, JournalItem::Record(_)) {
                last = end;
            }
        }
        if !bytes.is_empty() {
            journal.own.write(state.end.bytes, &bytes)?;
            (state.end, state.last) = (end, last);
            items.iter().for_each(|item| state.known.add(item));
        }
        if let Some(mirror) = &journal.mirror {
            mirror.catch_up(&journal.own, state.mirrored, state.end.bytes)?;
            state.mirrored = state.end.bytes;
        }
        Ok(state.last)
    }

    /// Does the work of [`Journal::append`] without holding up a thread that serves others.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub async fn append_async(&self, items: Vec<JournalItem>) -> Result<JournalPosition, JournalFault> {
        let journal = self.clone();
        let appending = tokio::task::spawn_blocking(move || journal.append(&items));
        appending.await.unwrap_or(Err(JournalFault::BrokeOff))
    }

    /// The place after the last record of a person. Copies of the ledger's entries may follow it.
    #[must_use]
    pub fn last(&self) -> JournalPosition {
        self.0.lock().last
    }

    /// Number of entries of an account's ledger in its copy.
    #[must_use]
    pub fn entries(&self, account: AccountId) -> u64 {
        self.0.lock().known.entries(account)
    }

    /// The accounts whose ledgers it copies, each with the number of entries.
    #[must_use]
    pub fn ledgers(&self) -> BTreeMap<AccountId, u64> {
        self.0.lock().known.entries.clone()
    }

    /// Restarts the copy of an account's ledger, for a ledger other than the copied one.
    pub fn give_entries_up(&self, account: AccountId) {
        self.0.lock().known.entries.remove(&account);
    }

    /// Number of records that the key folder itself had when it was opened: later ones came from the mirror, so the
    /// keys went back to an older state as well. A folder that had lost its journal counts as having had all.
    #[must_use]
    pub fn own_records(&self) -> u64 {
        self.0.own_records
    }

    /// True if records after a damaged one were given up when it was opened.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.0.is_cut
    }

    /// True if it has a mirror.
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        self.0.mirror.is_some()
    }

    /// Returns true if the files on the disk hold the bytes that were written to them.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn is_equal(&self) -> Result<bool, JournalFault> {
        let state = self.0.lock();
        let own = self.0.own.read_bytes()?;
        let mirror = self.0.mirror.as_ref().map(Copy::read_bytes).transpose()?;
        Ok(own.len() as u64 == state.end.bytes && mirror.is_none_or(|mirror| mirror == own))
    }

    /// Copies it as it is now into a new file, synced.
    ///
    /// # Errors
    /// When the journal cannot be read or the copy cannot be written.
    pub fn copy_to(&self, path: &Path) -> Result<(), JournalFault> {
        let mut bytes = self.0.own.read_bytes()?;
        bytes.truncate(usize::try_from(self.0.lock().end.bytes).unwrap_or(0));
        disk::write_atomically(path, &bytes)
            .map_err(|error| JournalFault::Disk { which: "a copy of the journal", error })
    }

    /// Reads all items, each with the place after it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_items(&self) -> Result<Vec<(JournalPosition, JournalItem)>, JournalFault> {
        let journal = &self.0;
        let bytes = journal.own.read_bytes()?;
        let mut items = Vec::new();
        let each = &mut |at, item| items.push((at, item));
        frames::read_records(&bytes, frames::start(journal.set), &journal.sealer, each);
        Ok(items)
    }
}

impl JournalInner {
    /// A panic elsewhere leaves the known state as it was before the write: it is written again.
    fn lock(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Copy {
    fn open(which: &'static str, folder: &Path) -> Result<Self, JournalFault> {
        let failed = |error| JournalFault::Disk { which, error };
        let path = folder.join(JOURNAL);
        // The mirror's folder is not created: where a volume is not mounted it would be an ordinary folder of that
        // name.
        let file = disk::open(&path).map_err(failed)?;
        disk::sync_folder(folder).map_err(failed)?;
        Ok(Self { which, path, file })
    }

    /// The mirror; refused when it is empty although one was in use.
    fn open_mirror(key_dir: &Path, folder: &Path) -> Result<Self, JournalFault> {
        let was_emptied = key_dir.join(MIRRORED).exists() && !is_begun(folder);
        if was_emptied {
            return Err(JournalFault::MirrorEmpty);
        }
        Self::open("the mirror of the journal", folder)
    }

    fn read_only(which: &'static str, path: &Path) -> Result<Self, JournalFault> {
        let file = File::open(path).map_err(|error| JournalFault::Disk { which, error })?;
        Ok(Self { which, path: path.to_path_buf(), file })
    }

    fn disk_fault(&self) -> impl Fn(io::Error) -> JournalFault {
        let which = self.which;
        move |error| JournalFault::Disk { which, error }
    }

    fn read_bytes(&self) -> Result<Vec<u8>, JournalFault> {
        std::fs::read(&self.path).map_err(self.disk_fault())
    }

    fn scan(&self, set: [u8; 16], sealer: &Sealer, accept_gap: bool) -> Result<JournalScan, JournalFault> {
        let bytes = self.read_bytes()?;
        let end = frames::start(set);
        let nothing =
            JournalScan { bytes: frames::header(set).to_vec(), end, rest: JournalTail::Torn, kept: 0 };
        if bytes.len() < frames::HEADER_BYTES {
            // Never finished, so that nothing was recorded.
            return Ok(nothing);
        }
        match frames::read_header(&bytes, set) {
            Header::Fits => {}
            Header::Foreign => return Err(JournalFault::Foreign { which: self.which }),
            Header::Damaged if accept_gap => {
                return Ok(JournalScan { rest: JournalTail::Damaged, ..nothing });
            }
            Header::Damaged => return Err(JournalFault::Damaged { which: self.which, records: 0 }),
        }
        let (end, rest) = frames::read_records(&bytes, frames::start(set), sealer, &mut |_, _| ());
        match rest {
            JournalTail::Damaged if !accept_gap => {
                Err(JournalFault::Damaged { which: self.which, records: end.records })
            }
            _ => Ok(JournalScan { bytes, end, rest, kept: end.bytes }),
        }
    }

    /// Makes the file equal to the longest one; its correct part is not touched.
    fn bring_to(&self, found: &JournalScan, longest: &JournalScan) -> Result<(), JournalFault> {
        if found.end == longest.end && found.rest == JournalTail::Nothing {
            return Ok(());
        }
        let missing = usize::try_from(found.kept).ok().and_then(|kept| longest.valid().get(kept..));
        self.write(found.kept, missing.unwrap_or_default())
    }

    /// Writes from `at` on, with nothing after it; durable when it returns.
    fn write(&self, at: u64, bytes: &[u8]) -> Result<(), JournalFault> {
        disk::write_end(&self.file, bytes, at).map_err(self.disk_fault())
    }

    /// Copies the bytes of `own` from `from` to `to`.
    fn catch_up(&self, own: &Self, from: u64, to: u64) -> Result<(), JournalFault> {
        // A volume that was removed leaves an open file that cannot be found again.
        if !self.path.exists() {
            return Err(JournalFault::Gone { which: self.which });
        }
        if from == to {
            return Ok(());
        }
        let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(0)];
        own.file.read_exact_at(&mut bytes, from).map_err(own.disk_fault())?;
        self.write(from, &bytes)
    }
}

impl JournalScan {
    /// The header and whole records.
    fn valid(&self) -> &[u8] {
        usize::try_from(self.end.bytes).ok().and_then(|end| self.bytes.get(..end)).unwrap_or_default()
    }
}

/// Returns true if a folder holds a journal. A journal that was never finished has no records, and does not count.
pub fn is_begun(folder: &Path) -> bool {
    let found = std::fs::metadata(folder.join(JOURNAL));
    found.is_ok_and(|found| found.len() >= frames::HEADER_BYTES as u64)
}

/// The longest of the copies; the others have to be its beginning.
fn longest(found: &[JournalScan]) -> Result<&JournalScan, JournalFault> {
    let longest = found.iter().max_by_key(|found| found.end.records).ok_or(JournalFault::BrokeOff)?;
    if found.iter().all(|found| longest.valid().starts_with(found.valid())) {
        Ok(longest)
    } else {
        Err(JournalFault::Diverged)
    }
}
