//! Common format of the key files: a folder that only we may enter, 64-byte blocks with a CRC each, the first a
//! header, and a creation that leaves either the whole file or none.
//!
//! Header block: magic `LETHEKEY` (8) | format version u32 (4) | kind u32 (4) | set id (16) | zero (28) |
//! CRC-32 of the first 60 bytes (4). Key block: number u32 (4) | key (32) | zero (24) | CRC-32 (4).
//! Integers are little-endian.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use aws_lc_rs::rand;
use zeroize::Zeroizing;

use super::fault::{KeyFault, while_doing};
use super::slot_number::BLOCK_BYTES;
use crate::disk::{self, Lock};

/// Bytes of every key in these files.
pub(super) const KEY_BYTES: usize = 32;
/// The checksum follows these bytes of a block.
pub(super) const CHECKED_BYTES: usize = 60;

const MAGIC: &[u8; 8] = b"LETHEKEY";
const FORMAT_VERSION: u32 = 1;

/// One block of a key file.
pub(super) type KeyBlock = [u8; BLOCK_BYTES];
/// Random number that the files of one key folder share, so that files of two folders cannot be mixed.
pub(super) type SetId = [u8; 16];
/// 32 bytes of key, on the heap so that moving it leaves no copy, wiped when dropped.
pub(super) type KeyBytes = Zeroizing<Vec<u8>>;

/// Kind of a key file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeyFile {
    /// One key for each subject and job.
    Slots = 1,
    /// The keys that wrap those.
    Epochs = 2,
    /// The keys of the keyed hashes.
    Statics = 3,
}

impl KeyFile {
    /// Its name in the key folder.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Slots => "slots.key",
            Self::Epochs => "epoch.key",
            Self::Statics => "static.key",
        }
    }

    /// Its path.
    pub(super) fn path(self, folder: &Path) -> PathBuf {
        folder.join(self.name())
    }

    /// Returns true if the file exists.
    pub(super) fn exists(self, folder: &Path) -> Result<bool, KeyFault> {
        self.path(folder).try_exists().map_err(while_doing("Looking for a key file"))
    }

    /// The header block of this file in the set.
    pub(super) fn header(self, set: SetId) -> KeyBlock {
        let mut block = [0; BLOCK_BYTES];
        block[..8].copy_from_slice(MAGIC);
        block[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        block[12..16].copy_from_slice(&(self as u32).to_le_bytes());
        block[16..32].copy_from_slice(&set);
        with_crc(block)
    }

    /// Checks a header block and gives its set id.
    pub(super) fn check_header(self, block: &KeyBlock) -> Result<SetId, KeyFault> {
        let version = u32_at(block, 8);
        if &block[..8] != MAGIC || !crc_holds(block) {
            return Err(self.damaged_fault());
        }
        if version != FORMAT_VERSION {
            return Err(KeyFault::FileVersion { file: self.name(), version });
        }
        let mut set = [0; 16];
        set.copy_from_slice(&block[16..32]);
        if *block != self.header(set) {
            return Err(self.damaged_fault());
        }
        Ok(set)
    }

    /// Checks that the file in the folder is this file of this set.
    pub(super) fn check_set(self, folder: &Path, set: SetId) -> Result<(), KeyFault> {
        let mut header = [0; BLOCK_BYTES];
        let file = File::open(self.path(folder)).map_err(while_doing("Opening a key file"))?;
        file.read_exact_at(&mut header, 0).map_err(|_| self.damaged_fault())?;
        if self.check_header(&header)? == set {
            Ok(())
        } else {
            Err(KeyFault::FileOfOtherSet { file: self.name() })
        }
    }

    /// Returns true if two folders have the same bytes in this (small) file.
    pub(super) fn is_equal(self, one: &Path, other: &Path) -> Result<bool, KeyFault> {
        let read = |folder: &Path| std::fs::read(self.path(folder)).map(Zeroizing::new);
        let both = read(one).and_then(|one| Ok((one, read(other)?)));
        let (one, other) = both.map_err(while_doing("Reading a key file"))?;
        Ok(one == other)
    }

    /// The fault that says this file is damaged.
    pub(super) fn damaged_fault(self) -> KeyFault {
        KeyFault::FileDamaged { file: self.name() }
    }

    /// Creates the file whole or not at all: next to its place, synced, then renamed, then the folder synced. Only for
    /// a file that has sealed nothing yet: a rename leaves the old blocks on the disk.
    pub(super) fn create(self, folder: &Path, bytes: &[u8]) -> Result<(), KeyFault> {
        disk::write_atomically(&self.path(folder), bytes).map_err(while_doing("Creating a key file"))
    }

    /// Creates a file of fresh random keys with these numbers.
    pub(super) fn create_keys(self, folder: &Path, set: SetId, numbers: &[u32]) -> Result<(), KeyFault> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(BLOCK_BYTES * (numbers.len() + 1)));
        bytes.extend_from_slice(&self.header(set));
        for number in numbers {
            let mut block = Zeroizing::new([0; BLOCK_BYTES]);
            block[..4].copy_from_slice(&number.to_le_bytes());
            rand::fill(&mut block[4..4 + KEY_BYTES])?;
            let crc = crc32fast::hash(&block[..CHECKED_BYTES]).to_le_bytes();
            block[CHECKED_BYTES..].copy_from_slice(&crc);
            bytes.extend_from_slice(&*block);
        }
        self.create(folder, &bytes)
    }

    /// Reads a file of keys: the set it belongs to, and each number with its key. A block of zeros is a
    /// destroyed key and is left out.
    pub(super) fn read_keys(self, folder: &Path) -> Result<(SetId, Vec<(u32, KeyBytes)>), KeyFault> {
        let bytes = std::fs::read(self.path(folder)).map_err(while_doing("Reading a key file"))?;
        self.parse_keys(&Zeroizing::new(bytes))
    }

    /// The same of the file's bytes.
    pub(super) fn parse_keys(self, bytes: &[u8]) -> Result<(SetId, Vec<(u32, KeyBytes)>), KeyFault> {
        let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
        let (header, blocks) = blocks.split_first().ok_or_else(|| self.damaged_fault())?;
        let set = self.check_header(header)?;
        if !rest.is_empty() || blocks.iter().any(|block| !is_zero(block) && !crc_holds(block)) {
            return Err(self.damaged_fault());
        }
        let keys = blocks.iter().filter(|block| !is_zero(block));
        let keys = keys.map(|block| (u32_at(block, 0), Zeroizing::new(block[4..4 + KEY_BYTES].to_vec())));
        Ok((set, keys.collect()))
    }
}

/// Makes the folder if it is missing (0700), closes one that others may enter, and locks it: two processes on one
/// folder would give the same slot to two people. The lock lives as long as the file.
pub(super) fn claim_folder(folder: &Path) -> Result<Lock, KeyFault> {
    let doing = "Opening the key folder";
    if !folder.try_exists().map_err(while_doing(doing))? {
        disk::make_folder(folder).map_err(while_doing(doing))?;
        disk::sync_folder(disk::parent_folder(folder)).map_err(while_doing(doing))?;
    }
    if disk::close_folder(folder).map_err(|_| KeyFault::FolderOpen)? {
        tracing::warn!("a folder of keys was open to other users of this machine; it is closed to them now");
    }
    disk::lock(folder).map_err(while_doing("Locking the key folder"))?.ok_or(KeyFault::InUse)
}

/// The block with its checksum in place.
pub(super) fn with_crc(mut block: KeyBlock) -> KeyBlock {
    let crc = crc32fast::hash(&block[..CHECKED_BYTES]).to_le_bytes();
    block[CHECKED_BYTES..].copy_from_slice(&crc);
    block
}

/// True if the block's checksum is right. Never true for a block of zeros.
pub(super) fn crc_holds(block: &KeyBlock) -> bool {
    crc32fast::hash(&block[..CHECKED_BYTES]) == u32_at(block, CHECKED_BYTES)
}

/// True if all 64 bytes are zero.
pub(super) fn is_zero(block: &KeyBlock) -> bool {
    block.iter().all(|byte| *byte == 0)
}

/// The little-endian number at this place of a block.
pub(super) fn u32_at(block: &KeyBlock, at: usize) -> u32 {
    u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
}
