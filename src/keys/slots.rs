//! The slot file (`slots.key`): one wrapped key for each subject and job, overwritten in place.
//!
//! Behind the header block, slot `n` is block `n + 1`: epoch u32 (4) | version u64 (8) | wrapped key (32 + tag
//! 16) | CRC-32 of the first 60 bytes (4). The wrap is AES-256-GCM-SIV under the key of that epoch, with the
//! nonce `slot | version` and the slot's number in the associated data, so a block copied to another slot does
//! not open. Each write of a slot counts its version up: of two copies of a slot the higher version is the
//! newer. A slot whose key was destroyed keeps its version; epoch and wrapped key are zeros. 64 zero bytes are
//! a slot that never had a key. The file is never renamed and never rewritten whole: a rename leaves the old
//! keys on the disk, an overwrite in place does not.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use aws_lc_rs::aead::{Aad, Nonce};
use aws_lc_rs::rand;
use zeroize::Zeroizing;

use super::epoch::EpochKeys;
use super::fault::{KeyFault, while_doing};
use super::key_file::{KEY_BYTES, KeyBlock, KeyBytes, KeyFile, SetId, crc_holds, is_zero, u32_at, with_crc};
use super::replicas::{KeyReplicas, UnsyncedWrite, WriteTurn};
use super::slot_number::{BLOCK_BYTES, SlotNumber, offset_of};
use crate::limits::{KEY_FILE_GROWTH_SLOTS, KEY_FILE_SLOTS};

const VERSION: Range<usize> = 4..12;
const WRAPPED: Range<usize> = 12..60;

/// Refuses copies of the file that both end before a slot that a row names, or are missing.
pub(super) fn check_reach(folder: &Path, mirror: Option<&Path>, last: SlotNumber) -> Result<(), KeyFault> {
    let mut reach = 0;
    for copy in [Some(folder), mirror].into_iter().flatten() {
        if KeyFile::Slots.exists(copy)? {
            let found = std::fs::metadata(KeyFile::Slots.path(copy));
            reach = reach.max(slots_in(found.map_err(while_doing("Measuring a key file"))?.len())?);
        }
    }
    let is_missing = !KeyFile::Slots.exists(folder)?;
    if reach > last.0 {
        Ok(())
    } else {
        Err(KeyFault::SlotsLost { how: if is_missing { "is missing" } else { "was cut short" } })
    }
}

/// The open file.
pub(super) struct SlotFile(KeyReplicas);

impl SlotFile {
    /// Makes the file without slots.
    pub(super) fn create(folder: &Path, set: SetId) -> Result<(), KeyFault> {
        KeyFile::Slots.create(folder, &KeyFile::Slots.header(set))
    }

    /// Checks that the copies belong to the set, and settles their differences.
    pub(super) fn open(copies: KeyReplicas, set: SetId) -> Result<Self, KeyFault> {
        copies.check_headers(set)?;
        let file = Self(copies);
        file.reconcile()?;
        Ok(file)
    }

    /// Number of slots in the file. A cut-off last block (a crash while growing) does not count.
    pub(super) fn count(&self) -> Result<u32, KeyFault> {
        slots_in(self.0.length()?)
    }

    /// Appends slots without keys, durably, and says which. Real zeros, so that keying them later needs
    /// no new space on the disk.
    pub(super) fn append_slots(&self) -> Result<Range<u32>, KeyFault> {
        let mut turn = self.0.lock_for_writing();
        let from = self.count()?;
        let to = from.saturating_add(KEY_FILE_GROWTH_SLOTS).min(KEY_FILE_SLOTS);
        let zeros = vec![0; (to.saturating_sub(from)) as usize * BLOCK_BYTES];
        turn.write(&zeros, offset_of(from))?;
        self.0.sync(turn.end())?;
        Ok(from..to)
    }

    /// The block of a slot.
    pub(super) fn read_block(&self, slot: SlotNumber) -> Result<KeyBlock, KeyFault> {
        let mut block = [0; BLOCK_BYTES];
        match self.0.read_own(&mut block, slot.offset()) {
            Err(KeyFault::Disk { source, .. }) if source.kind() == ErrorKind::UnexpectedEof => {
                Err(KeyFault::SlotUnknown { slot })
            }
            read => read.map(|()| self.sound(slot, block)),
        }
    }

    /// All blocks from a slot on, at most as many as the file grows at a time.
    pub(super) fn read_span(&self, from: u32) -> Result<Vec<(SlotNumber, KeyBlock)>, KeyFault> {
        let to = from.saturating_add(KEY_FILE_GROWTH_SLOTS).min(self.count()?);
        let mut bytes = vec![0; to.saturating_sub(from) as usize * BLOCK_BYTES];
        self.0.read_own(&mut bytes, offset_of(from))?;
        let blocks = SlotNumber::span(from..to).zip(bytes.as_chunks().0);
        Ok(blocks.map(|(slot, block)| (slot, self.sound(slot, *block))).collect())
    }

    /// Keeps other writers out until it is dropped.
    pub(super) fn lock_for_writing(&self) -> WriteTurn<'_> {
        self.0.lock_for_writing()
    }

    /// Overwrites slots in place, neighbours in one write: `change` gets each block and returns the new one, or `None`
    /// to leave it. No other writer comes in between. Durable after [`SlotFile::sync`].
    pub(super) fn update(
        &self,
        mut slots: Vec<SlotNumber>,
        mut change: impl FnMut(SlotNumber, &KeyBlock) -> Result<Option<KeyBlock>, KeyFault>,
    ) -> Result<UnsyncedWrite, KeyFault> {
        slots.sort_unstable();
        slots.dedup();
        let mut turn = self.0.lock_for_writing();
        for run in slots.chunk_by(|one, next| next.0 - one.0 == 1) {
            let mut bytes = vec![0; run.len() * BLOCK_BYTES];
            self.0.read_own(&mut bytes, run[0].offset())?;
            let mut is_changed = false;
            for (slot, block) in run.iter().zip(bytes.as_chunks_mut().0) {
                let old = self.sound(*slot, *block);
                let new = change(*slot, &old)?;
                is_changed |= new.is_some();
                *block = new.unwrap_or(old);
            }
            if is_changed {
                turn.write(&bytes, run[0].offset())?;
            }
        }
        Ok(turn.end())
    }

    /// Makes it durable. After a fault nothing is known about it; writing the same again is right.
    pub(super) fn sync(&self, written: UnsyncedWrite) -> Result<(), KeyFault> {
        self.0.sync(written)
    }

    /// A block that is damaged in our copy, from the mirror if it is whole there.
    fn sound(&self, slot: SlotNumber, block: KeyBlock) -> KeyBlock {
        if is_zero(&block) || crc_holds(&block) {
            return block;
        }
        self.0.mirror_block(slot.offset()).filter(crc_holds).unwrap_or(block)
    }

    /// Makes the two copies equal: of each slot the newer block wins, and of two of the same version the one
    /// without a key. So a copy that was lost for a while, or comes out of an old snapshot, brings back nothing.
    fn reconcile(&self) -> Result<(), KeyFault> {
        let Some(mirror) = self.0.mirror_length()? else { return Ok(()) };
        let ours = self.count()?;
        let theirs = slots_in(mirror)?;
        let mut turn = self.0.lock_for_writing();
        let mut from = 0;
        while from < ours.max(theirs) {
            let to = from.saturating_add(KEY_FILE_GROWTH_SLOTS).min(ours.max(theirs));
            let one = self.span_of(from..to, ours, |into, at| self.0.read_own(into, at))?;
            let other = self.span_of(from..to, theirs, |into, at| self.0.read_mirror(into, at).map(drop))?;
            if one != other || to > ours || to > theirs {
                let newer = one.as_chunks().0.iter().zip(other.as_chunks().0).flat_map(|two| *newer(two));
                turn.write(&newer.collect::<Vec<u8>>(), offset_of(from))?;
            }
            from = to;
        }
        self.0.sync(turn.end())
    }

    /// The blocks of a range of one copy of `count` blocks; zeros beyond its end.
    fn span_of(
        &self,
        range: Range<u32>,
        count: u32,
        read: impl FnOnce(&mut [u8], u64) -> Result<(), KeyFault>,
    ) -> Result<Vec<u8>, KeyFault> {
        let mut bytes = vec![0; range.len() * BLOCK_BYTES];
        let there = count.saturating_sub(range.start).min(range.end - range.start) as usize;
        read(&mut bytes[..there * BLOCK_BYTES], offset_of(range.start))?;
        Ok(bytes)
    }
}

/// The newer of two copies of a slot's block; a damaged one is older than any.
fn newer<'a>((ours, mirror): (&'a KeyBlock, &'a KeyBlock)) -> &'a KeyBlock {
    let rank = |block| (is_zero(block) || crc_holds(block)).then(|| (version(block), is_keyless(block)));
    if rank(mirror) > rank(ours) { mirror } else { ours }
}

/// True if the slot never had a key or its key was destroyed.
pub(super) fn is_keyless(block: &KeyBlock) -> bool {
    is_zero(block) || (u32_at(block, 0) == 0 && is_zero_from(&block[WRAPPED]) && crc_holds(block))
}

fn is_zero_from(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// Block for a slot whose key, in the block `old`, is destroyed.
pub(super) fn destroyed_block(old: &KeyBlock) -> KeyBlock {
    let mut block = [0; BLOCK_BYTES];
    block[VERSION].copy_from_slice(&next_version(old).to_le_bytes());
    with_crc(block)
}

/// A fresh random key for a slot, wrapped.
pub(super) fn fresh_key(epochs: &EpochKeys, slot: SlotNumber, old: &KeyBlock) -> Result<KeyBlock, KeyFault> {
    let mut key = Zeroizing::new(vec![0; KEY_BYTES]);
    rand::fill(&mut key)?;
    wrap_key(epochs, slot, old, &key)
}

/// A key for a slot, wrapped under the newest epoch, to be written over `old`.
pub(super) fn wrap_key(
    epochs: &EpochKeys,
    slot: SlotNumber,
    old: &KeyBlock,
    key: &KeyBytes,
) -> Result<KeyBlock, KeyFault> {
    let (epoch, wrapping) = epochs.current()?;
    let mut block = [0; BLOCK_BYTES];
    block[..4].copy_from_slice(&epoch.to_le_bytes());
    block[VERSION].copy_from_slice(&next_version(old).to_le_bytes());
    let mut key = key.clone();
    let tag = wrapping.seal_in_place_separate_tag(nonce(slot, &block), bound_to(slot), &mut key)?;
    block[12..44].copy_from_slice(&key);
    block[44..60].copy_from_slice(tag.as_ref());
    Ok(with_crc(block))
}

/// The key of a slot, from its block.
pub(super) fn unwrap_key(
    epochs: &EpochKeys,
    slot: SlotNumber,
    block: &KeyBlock,
) -> Result<KeyBytes, KeyFault> {
    if is_keyless(block) {
        return Err(KeyFault::KeyDestroyed { slot });
    }
    if !crc_holds(block) {
        return Err(KeyFault::SlotDamaged { slot });
    }
    // A destroyed epoch took its keys along: that is the purpose.
    let wrapping = epochs.find_key(u32_at(block, 0)).ok_or(KeyFault::KeyDestroyed { slot })?;
    let mut key = Zeroizing::new(block[WRAPPED].to_vec());
    wrapping
        .open_in_place(nonce(slot, block), bound_to(slot), &mut key)
        .map_err(|_| KeyFault::SlotDamaged { slot })?;
    key.truncate(KEY_BYTES);
    Ok(key)
}

/// Number of writes of a slot; 0 for a damaged block.
fn version(block: &KeyBlock) -> u64 {
    let mut version = [0; 8];
    version.copy_from_slice(&block[VERSION]);
    if crc_holds(block) { u64::from_le_bytes(version) } else { 0 }
}

fn next_version(old: &KeyBlock) -> u64 {
    version(old).saturating_add(1)
}

/// Slot, then version: under one epoch key it comes again only when a crash undid a write, which GCM-SIV forgives.
fn nonce(slot: SlotNumber, block: &KeyBlock) -> Nonce {
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&slot.0.to_le_bytes());
    nonce[4..].copy_from_slice(&block[VERSION]);
    Nonce::assume_unique_for_key(nonce)
}

fn bound_to(slot: SlotNumber) -> Aad<[u8; 17]> {
    let mut bytes = [0; 17];
    bytes[..13].copy_from_slice(b"lethe/slot/v1");
    bytes[13..].copy_from_slice(&slot.0.to_le_bytes());
    Aad::from(bytes)
}

fn slots_in(bytes: u64) -> Result<u32, KeyFault> {
    u32::try_from((bytes / BLOCK_BYTES as u64).saturating_sub(1)).map_err(|_| KeyFile::Slots.damaged_fault())
}

#[cfg(test)]
#[path = "slots_tests.rs"]
mod tests;
