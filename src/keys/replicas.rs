//! A key file in its one or two places: a write goes to both, and counts as durable when both have it.
//!
//! A writer holds the turn, so that both places see all writes in one order, and so that reading a block, changing it
//! and writing it is one step. Syncing needs no turn, and serves all writes made before it.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use super::fault::{KeyFault, while_doing};
use super::key_file::{KeyBlock, KeyFile, SetId};
use super::slot_number::BLOCK_BYTES;
use super::storage::Medium;
use crate::disk;

/// The open copies of one key file.
pub(super) struct KeyReplicas {
    file: KeyFile,
    ours: Box<dyn Medium>,
    mirror: Option<Box<dyn Medium>>,
    /// Held alone while our copy is overwritten: the system may show a reader half of a write.
    steady: RwLock<()>,
    turn: Mutex<()>,
    /// Held by the writer with the next turn: so a rotation, which takes one turn after the other, lets others in
    /// between.
    next: Mutex<()>,
    /// Turns that have written.
    written: AtomicU64,
    /// Syncs that failed. The system reports a failure to one of the waiting callers, and then calls the pages clean
    /// although they are not on the disk: every earlier writer must write again.
    faults: AtomicU64,
    /// Turns that are durable; held while syncing.
    synced: Mutex<u64>,
}

/// Write of a turn, not yet durable.
#[must_use = "what is written is durable only when it is synced"]
pub(super) struct UnsyncedWrite {
    number: u64,
    faults: u64,
}

impl UnsyncedWrite {
    /// This write and that of a later turn.
    pub(super) fn and(self, later: Self) -> Self {
        Self { number: later.number, faults: self.faults }
    }
}

/// The right to write, held until it is dropped or ended.
pub(super) struct WriteTurn<'a> {
    copies: &'a KeyReplicas,
    faults: u64,
    _alone: MutexGuard<'a, ()>,
}

impl KeyReplicas {
    /// Opens the file in the key folder, and in the mirror if there is one.
    pub(super) fn open(file: KeyFile, folder: &Path, mirror: Option<&Path>) -> Result<Self, KeyFault> {
        let open = |folder: &Path| -> Result<Box<dyn Medium>, KeyFault> {
            let opened = disk::open_existing(&file.path(folder));
            Ok(Box::new(opened.map_err(while_doing("Opening a key file"))?))
        };
        let mirror = mirror.map(|mirror| open(mirror).map_err(KeyFault::in_mirror)).transpose()?;
        Ok(Self::new(file, open(folder)?, mirror))
    }

    /// Copies that are open already.
    pub(super) fn new(file: KeyFile, ours: Box<dyn Medium>, mirror: Option<Box<dyn Medium>>) -> Self {
        let steady = RwLock::default();
        let turn = Mutex::default();
        let next = Mutex::default();
        let written = AtomicU64::new(0);
        let faults = AtomicU64::new(0);
        let synced = Mutex::default();
        Self { file, ours, mirror, steady, turn, next, written, faults, synced }
    }

    /// Both copies must be this file of this set.
    pub(super) fn check_headers(&self, set: SetId) -> Result<(), KeyFault> {
        self.check_header(&*self.ours, set)?;
        let Some(mirror) = &self.mirror else { return Ok(()) };
        self.check_header(&**mirror, set).map_err(KeyFault::in_mirror)
    }

    fn check_header(&self, medium: &dyn Medium, set: SetId) -> Result<(), KeyFault> {
        let mut header = [0; BLOCK_BYTES];
        medium.read_at(&mut header, 0).map_err(|_| self.file.damaged_fault())?;
        if self.file.check_header(&header)? != set {
            return Err(KeyFault::FileOfOtherSet { file: self.file.name() });
        }
        Ok(())
    }

    /// Bytes of our copy.
    pub(super) fn length(&self) -> Result<u64, KeyFault> {
        self.ours.length().map_err(while_doing("Measuring a key file"))
    }

    /// Bytes of the mirror's copy, if there is a mirror.
    pub(super) fn mirror_length(&self) -> Result<Option<u64>, KeyFault> {
        let length = self.mirror.as_ref().map(|mirror| mirror.length()).transpose();
        length.map_err(while_doing("Measuring the key mirror"))
    }

    /// Reads our copy.
    pub(super) fn read_own(&self, into: &mut [u8], at: u64) -> Result<(), KeyFault> {
        let _steady = self.steady.read().unwrap_or_else(PoisonError::into_inner);
        self.ours.read_at(into, at).map_err(while_doing("Reading a key file"))
    }

    /// Reads the mirror's copy; false without a mirror.
    pub(super) fn read_mirror(&self, into: &mut [u8], at: u64) -> Result<bool, KeyFault> {
        let Some(mirror) = &self.mirror else { return Ok(false) };
        mirror.read_at(into, at).map_err(while_doing("Reading the key mirror"))?;
        Ok(true)
    }

    /// The block at a place of the mirror's copy; `None` without a mirror, or when it cannot be read.
    pub(super) fn mirror_block(&self, at: u64) -> Option<KeyBlock> {
        let mut block = [0; BLOCK_BYTES];
        self.read_mirror(&mut block, at).is_ok_and(|read| read).then_some(block)
    }

    /// Waits for the turn to write.
    pub(super) fn lock_for_writing(&self) -> WriteTurn<'_> {
        let _next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let alone = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        WriteTurn { copies: self, faults: self.faults.load(Ordering::SeqCst), _alone: alone }
    }

    /// Makes a write durable in every place. After a fault its state is unknown; writing it again is right.
    pub(super) fn sync(&self, written: UnsyncedWrite) -> Result<(), KeyFault> {
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        if self.faults.load(Ordering::SeqCst) != written.faults {
            let source = std::io::Error::other("a sync that covered this write failed");
            return Err(KeyFault::Disk { doing: "Syncing a key file", source });
        }
        if *synced >= written.number {
            return Ok(());
        }
        let number = self.written.load(Ordering::SeqCst);
        match Self::count_fault(self.sync_both()) {
            Ok(()) => *synced = number,
            Err(fault) => {
                self.faults.fetch_add(1, Ordering::SeqCst);
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Counts a fault for the operator's alarm.
    fn count_fault<T>(outcome: Result<T, KeyFault>) -> Result<T, KeyFault> {
        outcome.inspect_err(|_| metrics::counter!("lethe_key_faults_total").increment(1))
    }

    fn sync_both(&self) -> Result<(), KeyFault> {
        self.ours.sync().map_err(while_doing("Syncing a key file"))?;
        let Some(mirror) = &self.mirror else { return Ok(()) };
        mirror.sync().map_err(while_doing("Syncing the key mirror"))
    }
}

impl WriteTurn<'_> {
    /// Overwrites bytes in both places.
    pub(super) fn write(&mut self, bytes: &[u8], at: u64) -> Result<(), KeyFault> {
        KeyReplicas::count_fault(self.write_both(bytes, at))
    }

    fn write_both(&self, bytes: &[u8], at: u64) -> Result<(), KeyFault> {
        {
            let _alone = self.copies.steady.write().unwrap_or_else(PoisonError::into_inner);
            self.copies.ours.write_at(bytes, at).map_err(while_doing("Writing a key file"))?;
        }
        let Some(mirror) = &self.copies.mirror else { return Ok(()) };
        mirror.write_at(bytes, at).map_err(while_doing("Writing the key mirror"))
    }

    /// Gives the turn to the next one.
    pub(super) fn end(self) -> UnsyncedWrite {
        let number = self.copies.written.fetch_add(1, Ordering::SeqCst) + 1;
        UnsyncedWrite { number, faults: self.faults }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::testing::{Disk, Power};

    /// Linux reports a failed sync to one of the waiting callers, and calls the pages clean.
    #[test]
    fn a_sync_that_failed_is_a_fault_for_everybody_who_wrote_before() {
        let power = Power::default();
        let disk = Disk::new(&power, vec![0; 256]);
        let copies = KeyReplicas::new(KeyFile::Slots, Box::new(disk.clone()), None);
        let write = |byte, at| {
            let mut turn = copies.lock_for_writing();
            turn.write(&[byte; 64], at).unwrap();
            turn.end()
        };
        let one = write(1, 64);
        let other = write(2, 128);
        power.fail_at(1, false);
        assert!(copies.sync(other).is_err());
        assert!(copies.sync(one).is_err(), "its bytes were lost with the other's");
        copies.sync(write(1, 64)).unwrap();
        disk.crash(|| false);
        assert_eq!((disk.bytes()[64], disk.bytes()[128]), (1, 0));
    }

    #[test]
    fn one_sync_serves_everybody_who_wrote_before_it() {
        let power = Power::default();
        let disk = Disk::new(&power, vec![0; 256]);
        let copies = KeyReplicas::new(KeyFile::Slots, Box::new(disk), None);
        let written: Vec<_> = (0..3).map(|_| copies.lock_for_writing().end()).collect();
        for written in written {
            copies.sync(written).unwrap();
        }
        assert_eq!(power.heal(), 1);
    }

    #[test]
    fn the_first_write_is_durable_in_both_places_once_it_is_synced() {
        let power = Power::default();
        let disks = [0; 2].map(|byte| Disk::new(&power, vec![byte; 128]));
        let mirror: Box<dyn Medium> = Box::new(disks[1].clone());
        let copies = KeyReplicas::new(KeyFile::Slots, Box::new(disks[0].clone()), Some(mirror));
        let mut turn = copies.lock_for_writing();
        turn.write(&[7; 64], 64).unwrap();
        copies.sync(turn.end()).unwrap();
        disks.iter().for_each(|disk| disk.crash(|| false));
        assert!(disks.iter().all(|disk| disk.bytes() == [[0; 64], [7; 64]].concat()));
        assert_eq!((copies.length().unwrap(), copies.mirror_length().unwrap()), (128, Some(128)));
        assert!(copies.mirror_block(64) == Some([7; 64]) && copies.mirror_block(65).is_none());
    }

    #[test]
    fn without_a_mirror_there_is_nothing_to_read_in_one() {
        let disk = Disk::new(&Power::default(), vec![7; 64]);
        let copies = KeyReplicas::new(KeyFile::Slots, Box::new(disk), None);
        assert_eq!(copies.mirror_length().unwrap(), None);
        assert!(!copies.read_mirror(&mut [0; 64], 0).unwrap());
        assert!(copies.mirror_block(0).is_none());
    }

    #[test]
    fn a_file_of_another_set_or_kind_is_refused_in_either_place() {
        let header = |file: KeyFile, byte| file.header([byte; 16]).to_vec();
        let damaged = "the key mirror: slots.key is damaged; restore it";
        let foreign = format!("the key mirror: {FOREIGN}");
        for (ours, mirror, said) in [
            (header(KeyFile::Slots, 7), header(KeyFile::Slots, 7), None),
            (header(KeyFile::Slots, 8), header(KeyFile::Slots, 7), Some(FOREIGN)),
            (header(KeyFile::Slots, 7), header(KeyFile::Slots, 8), Some(foreign.as_str())),
            (header(KeyFile::Slots, 7), header(KeyFile::Epochs, 7), Some(damaged)),
            (header(KeyFile::Slots, 7), vec![0; 63], Some(damaged)),
        ] {
            let disk = |bytes| -> Box<dyn Medium> { Box::new(Disk::new(&Power::default(), bytes)) };
            let copies = KeyReplicas::new(KeyFile::Slots, disk(ours), Some(disk(mirror)));
            let found = copies.check_headers([7; 16]).err().map(|fault| fault.to_string());
            assert_eq!(found.as_deref(), said);
        }
    }

    const FOREIGN: &str = "slots.key belongs to another set of keys than static.key";
}
