//! Disks in memory for tests of the key files: they lose unsynced bytes, and fail where they are told to.

use std::io;
use std::sync::{Arc, Mutex};

use super::epoch::EpochFile;
use super::fault::KeyFault;
use super::key_file::{KeyFile, SetId};
use super::key_pool::Pool;
use super::replicas::KeyReplicas;
use super::slot_number::BLOCK_BYTES;
use super::slots::SlotFile;
use super::storage::Medium;

pub(super) const SET: SetId = [7; 16];

/// State that all disks of a machine share: the numbers of writes and syncs, and which fail.
#[derive(Clone, Default)]
pub(super) struct Power(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    count: usize,
    fails_at: Option<usize>,
    is_cut: bool,
}

impl Power {
    /// The n-th call from now on fails, and with `is_cut` all later ones too.
    pub(super) fn fail_at(&self, call: usize, is_cut: bool) {
        *self.0.lock().unwrap() = Calls { count: 0, fails_at: Some(call), is_cut };
    }

    /// Nothing fails any more; how many calls there were.
    pub(super) fn heal(&self) -> usize {
        let count = self.0.lock().unwrap().count;
        *self.0.lock().unwrap() = Calls::default();
        count
    }

    fn call(&self) -> io::Result<()> {
        let mut calls = self.0.lock().unwrap();
        calls.count += 1;
        let fails = calls.fails_at.is_some_and(|at| calls.count == at || (calls.is_cut && calls.count > at));
        if fails { Err(io::Error::other("planted")) } else { Ok(()) }
    }
}

/// One file on such a disk. Cloning gives the same one.
#[derive(Clone)]
pub(super) struct Disk(Power, Arc<Mutex<DiskContent>>);

#[derive(Clone, Default)]
struct DiskContent {
    seen: Vec<u8>,
    durable: Vec<u8>,
    /// Written and not synced: places and blocks.
    unsynced: Vec<(usize, Vec<u8>)>,
    is_broken: bool,
}

impl Disk {
    pub(super) fn new(power: &Power, bytes: Vec<u8>) -> Self {
        let content =
            DiskContent { seen: bytes.clone(), durable: bytes, unsynced: Vec::new(), is_broken: false };
        Self(power.clone(), Arc::new(Mutex::new(content)))
    }

    /// The bytes that a reader sees.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.1.lock().unwrap().seen.clone()
    }

    /// The machine starts again. Of the blocks that were not synced those survive that `survives` names.
    pub(super) fn crash(&self, mut survives: impl FnMut() -> bool) {
        let mut content = self.1.lock().unwrap();
        for (at, block) in std::mem::take(&mut content.unsynced) {
            if survives() {
                write_block(&mut content.durable, at, &block);
            }
        }
        content.seen = content.durable.clone();
    }

    /// From now on nothing can be written, or it can again.
    pub(super) fn break_down(&self, is_broken: bool) {
        self.1.lock().unwrap().is_broken = is_broken;
    }

    /// Flips bits of a byte, on the disk too.
    pub(super) fn flip(&self, at: usize, bits: u8) {
        let mut content = self.1.lock().unwrap();
        content.seen[at] ^= bits;
        content.durable[at] ^= bits;
    }
}

fn write_block(bytes: &mut Vec<u8>, at: usize, block: &[u8]) {
    if bytes.len() < at + block.len() {
        bytes.resize(at + block.len(), 0);
    }
    bytes[at..at + block.len()].copy_from_slice(block);
}

impl Medium for Disk {
    fn length(&self) -> io::Result<u64> {
        Ok(self.1.lock().unwrap().seen.len() as u64)
    }

    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        let content = self.1.lock().unwrap();
        let at = usize::try_from(at).unwrap();
        let there = content.seen.get(at..at + into.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        into.copy_from_slice(there);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.0.call()?;
        let mut content = self.1.lock().unwrap();
        if content.is_broken {
            return Err(io::Error::other("broken"));
        }
        for (index, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
            let at = usize::try_from(at).unwrap() + index * BLOCK_BYTES;
            write_block(&mut content.seen, at, block);
            content.unsynced.push((at, block.to_vec()));
        }
        Ok(())
    }

    /// A sync that fails leaves nothing to be synced, as Linux does: the pages count as clean.
    fn sync(&self) -> io::Result<()> {
        let outcome = self.0.call();
        let mut content = self.1.lock().unwrap();
        let unsynced = std::mem::take(&mut content.unsynced);
        if outcome.is_ok() {
            unsynced.iter().for_each(|(at, block)| write_block(&mut content.durable, *at, block));
        }
        outcome
    }
}

/// The key files of one machine, with or without a mirror.
pub(super) struct Machine {
    pub(super) power: Power,
    pub(super) slots: Vec<Disk>,
    pub(super) epochs: Vec<Disk>,
}

impl Machine {
    /// Creates it with `places`: 1, or 2 with a mirror.
    pub(super) fn new(places: usize) -> Self {
        let power = Power::default();
        let folder = tempfile::tempdir().unwrap();
        EpochFile::create(folder.path(), SET, 0).unwrap();
        SlotFile::create(folder.path(), SET).unwrap();
        let disks = |file: KeyFile| {
            let bytes = std::fs::read(file.path(folder.path())).unwrap();
            (0..places).map(|_| Disk::new(&power, bytes.clone())).collect()
        };
        let slots = disks(KeyFile::Slots);
        let epochs = disks(KeyFile::Epochs);
        Self { power, slots, epochs }
    }

    /// Opens the pool without starting it.
    pub(super) fn open(&self) -> Result<Pool, KeyFault> {
        let copies = |file, disks: &[Disk]| {
            let mirror = disks.get(1).map(|disk| Box::new(disk.clone()) as Box<dyn Medium>);
            KeyReplicas::new(file, Box::new(disks[0].clone()), mirror)
        };
        let epochs = EpochFile::open(copies(KeyFile::Epochs, &self.epochs), SET)?;
        Ok(Pool::new(SlotFile::open(copies(KeyFile::Slots, &self.slots), SET)?, epochs))
    }

    /// The power goes and comes back.
    pub(super) fn crash(&self, mut survives: impl FnMut() -> bool) {
        self.power.heal();
        self.slots.iter().chain(&self.epochs).for_each(|disk| disk.crash(&mut survives));
    }
}
