//! The slot file (`slots.key`): one wrapped key for each subject and job, overwritten in place.
//!
//! Behind the header block, slot `n` is block `n + 1`: epoch u32 (4) | salt (8) | wrapped key (32 + tag 16) |
//! CRC-32 of the first 60 bytes (4). The wrap is AES-256-GCM-SIV under the key of that epoch, with the nonce
//! `salt | epoch` and the slot's number in the associated data, so a block copied to another slot does not
//! open. 64 zero bytes are a slot without a key. The file is never renamed and never rewritten whole: a
//! rename leaves the old keys on the disk, an overwrite in place does not.

use super::epoch::EpochKeys;
use super::fault::{KeyFault, while_doing};
use super::key_file::{
    BLOCK_BYTES, Block, KEY_BYTES, KeyBytes, KeyFile, SetId, crc_holds, is_zero, owner_only, u32_at, with_crc,
};
use crate::limits::{KEY_FILE_GROWTH_SLOTS, KEY_FILE_SLOTS};
use aws_lc_rs::aead::{Aad, Nonce};
use aws_lc_rs::rand;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use zeroize::Zeroizing;

/// A slot without a key.
pub(super) const NO_KEY: Block = [0; BLOCK_BYTES];
const WRAPPED: Range<usize> = 12..60;

/// Number of a slot of the key file; rows name it. Says nothing about whose it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SlotNumber(u32);

impl SlotNumber {
    /// As it stands in a row.
    #[must_use]
    pub fn row(self) -> i64 {
        i64::from(self.0)
    }

    /// From a row; `None` for a number that no key file can hold.
    #[must_use]
    pub fn from_row(number: i64) -> Option<Self> {
        u32::try_from(number).ok().filter(|number| *number < KEY_FILE_SLOTS).map(Self)
    }

    /// As an index, counted from 0.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    /// The slots in a range of indices.
    pub(super) fn span(range: Range<u32>) -> impl DoubleEndedIterator<Item = Self> {
        range.map(Self)
    }

    fn offset(self) -> u64 {
        offset_of(self.0)
    }
}

impl std::fmt::Display for SlotNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The open file.
pub(super) struct SlotFile(pub(super) File);

impl SlotFile {
    /// Makes the file without slots.
    pub(super) fn create(folder: &Path, set: SetId) -> Result<(), KeyFault> {
        KeyFile::Slots.create(folder, &KeyFile::Slots.header(set))
    }

    /// Opens the file; it must belong to the set.
    pub(super) fn open(folder: &Path, set: SetId) -> Result<Self, KeyFault> {
        let file = KeyFile::Slots;
        let opened = owner_only().read(true).write(true).open(file.path(folder));
        let opened = opened.map_err(while_doing("Opening the slot file"))?;
        let mut header = NO_KEY;
        opened.read_exact_at(&mut header, 0).map_err(|_| file.damaged())?;
        if file.check_header(&header)? != set {
            return Err(KeyFault::FileOfOtherSet { file: file.name() });
        }
        Ok(Self(opened))
    }

    /// How many slots the file has. A cut-off last block (a crash while growing) does not count.
    pub(super) fn count(&self) -> Result<u32, KeyFault> {
        let bytes = self.0.metadata().map_err(while_doing("Measuring the slot file"))?.len();
        let blocks = bytes / BLOCK_BYTES as u64;
        u32::try_from(blocks.saturating_sub(1)).map_err(|_| KeyFile::Slots.damaged())
    }

    /// Appends slots without keys, durably, and says which. Real zeros, so that keying them later needs
    /// no new space on the disk.
    pub(super) fn grow(&self) -> Result<Range<u32>, KeyFault> {
        let from = self.count()?;
        let to = from.saturating_add(KEY_FILE_GROWTH_SLOTS).min(KEY_FILE_SLOTS);
        let zeros = vec![0; (to.saturating_sub(from)) as usize * BLOCK_BYTES];
        self.0
            .write_all_at(&zeros, offset_of(from))
            .and_then(|()| self.0.sync_all())
            .map_err(while_doing("Growing the slot file"))?;
        Ok(from..to)
    }

    /// The block of a slot.
    pub(super) fn read(&self, slot: SlotNumber) -> Result<Block, KeyFault> {
        if slot.0 >= self.count()? {
            return Err(KeyFault::SlotUnknown { slot });
        }
        let mut block = NO_KEY;
        self.0.read_exact_at(&mut block, slot.offset()).map_err(while_doing("Reading the slot file"))?;
        Ok(block)
    }

    /// All blocks from a slot on, at most as many as the file grows at a time.
    pub(super) fn read_span(&self, from: u32) -> Result<Vec<(SlotNumber, Block)>, KeyFault> {
        let to = from.saturating_add(KEY_FILE_GROWTH_SLOTS).min(self.count()?);
        let mut bytes = vec![0; to.saturating_sub(from) as usize * BLOCK_BYTES];
        self.0.read_exact_at(&mut bytes, offset_of(from)).map_err(while_doing("Reading the slot file"))?;
        Ok(SlotNumber::span(from..to).zip(bytes.as_chunks().0.iter().copied()).collect())
    }

    /// Overwrites slots in place, neighbours in one write, and syncs once: durable when it returns. After
    /// a fault nothing is known about them; writing the same again is right.
    pub(super) fn write(&self, mut blocks: Vec<(SlotNumber, Block)>) -> Result<(), KeyFault> {
        blocks.sort_unstable_by_key(|(slot, _)| *slot);
        blocks.dedup_by_key(|(slot, _)| *slot);
        for run in blocks.chunk_by(|(one, _), (next, _)| next.0 - one.0 == 1) {
            let bytes: Vec<u8> = run.iter().flat_map(|(_, block)| block).copied().collect();
            self.0.write_all_at(&bytes, run[0].0.offset()).map_err(while_doing("Writing the slot file"))?;
        }
        self.0.sync_data().map_err(while_doing("Syncing the slot file"))
    }
}

/// A fresh random key for a slot, wrapped.
pub(super) fn fresh_key(epochs: &EpochKeys, slot: SlotNumber) -> Result<Block, KeyFault> {
    let (epoch, wrapping) = epochs.current()?;
    let mut block = NO_KEY;
    block[..4].copy_from_slice(&epoch.to_le_bytes());
    rand::fill(&mut block[4..12])?;
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    rand::fill(&mut *key)?;
    let tag = wrapping.seal_in_place_separate_tag(nonce(&block), bound_to(slot), &mut *key)?;
    block[12..44].copy_from_slice(&*key);
    block[44..60].copy_from_slice(tag.as_ref());
    Ok(with_crc(block))
}

/// The key of a slot, from its block.
pub(super) fn unwrap_key(epochs: &EpochKeys, slot: SlotNumber, block: &Block) -> Result<KeyBytes, KeyFault> {
    if is_zero(block) {
        return Err(KeyFault::KeyDestroyed { slot });
    }
    if !crc_holds(block) {
        return Err(KeyFault::SlotDamaged { slot });
    }
    // An epoch that is gone took its keys along: that is what destroying it is for.
    let wrapping = epochs.of(u32_at(block, 0)).ok_or(KeyFault::KeyDestroyed { slot })?;
    let mut key = Zeroizing::new(block[WRAPPED].to_vec());
    wrapping
        .open_in_place(nonce(block), bound_to(slot), &mut key)
        .map_err(|_| KeyFault::SlotDamaged { slot })?;
    key.truncate(KEY_BYTES);
    Ok(key)
}

/// Salt, then epoch. GCM-SIV forgives the one repetition in 2^32 or so that a random salt allows.
fn nonce(block: &Block) -> Nonce {
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&block[4..12]);
    nonce[8..].copy_from_slice(&block[..4]);
    Nonce::assume_unique_for_key(nonce)
}

fn bound_to(slot: SlotNumber) -> Aad<[u8; 17]> {
    let mut bytes = [0; 17];
    bytes[..13].copy_from_slice(b"lethe/slot/v1");
    bytes[13..].copy_from_slice(&slot.0.to_le_bytes());
    Aad::from(bytes)
}

fn offset_of(index: u32) -> u64 {
    (u64::from(index) + 1) * BLOCK_BYTES as u64
}
