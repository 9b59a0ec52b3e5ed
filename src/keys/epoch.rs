//! The key-encryption epochs (`epoch.key`): the keys that wrap the keys of subjects and jobs.
//!
//! An old copy of `slots.key` stays readable as long as the epoch key that wrapped it lives. So a new epoch is
//! made every day, everything that lives is wrapped under it, and the block of the old one is overwritten.
//!
//! Behind the header block are two blocks; epoch `n` is in block `n mod 2`: number u32 (4) | key (32) | made at,
//! in ms, i64 (8) | zero (16) | CRC-32 (4). Two epochs at once are a rotation that has not ended.

use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use aws_lc_rs::aead::{AES_256_GCM_SIV, LessSafeKey, UnboundKey};
use aws_lc_rs::rand;
use zeroize::Zeroizing;

use super::fault::KeyFault;
use super::key_file::{CHECKED_BYTES, KEY_BYTES, KeyBlock, KeyFile, SetId, crc_holds, is_zero, u32_at};
use super::replicas::{KeyReplicas, WriteTurn};
use super::slot_number::BLOCK_BYTES;
use crate::clock::Millis;

const FIRST_EPOCH: u32 = 1;
const MADE_AT: std::ops::Range<usize> = 36..44;
const FILE_BYTES: usize = 3 * BLOCK_BYTES;

/// A block on the heap, wiped when dropped.
type EpochBlock = Box<Zeroizing<KeyBlock>>;

/// The live key-encryption keys, the newest last.
pub(super) struct EpochKeys(Vec<EpochKey>);

struct EpochKey {
    number: u32,
    made_at: Millis,
    key: LessSafeKey,
}

/// The open file and its content.
pub(super) struct EpochFile {
    copies: KeyReplicas,
    keys: RwLock<EpochKeys>,
}

/// An epoch that is durable but wraps nothing yet.
pub(super) struct NewEpoch(EpochKey);

static_assertions::assert_not_impl_any!(EpochKeys: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(EpochFile: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(NewEpoch: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl EpochKeys {
    /// The newest epoch and its key: new keys are wrapped under it.
    pub(super) fn current(&self) -> Result<(u32, &LessSafeKey), KeyFault> {
        let newest = self.0.last().ok_or_else(|| KeyFile::Epochs.damaged_fault())?;
        Ok((newest.number, &newest.key))
    }

    /// The key of an epoch; `None` when it was destroyed or never was.
    pub(super) fn find_key(&self, number: u32) -> Option<&LessSafeKey> {
        self.0.iter().find(|epoch| epoch.number == number).map(|epoch| &epoch.key)
    }
}

impl EpochFile {
    /// Makes the file with its first epoch.
    pub(super) fn create(folder: &Path, set: SetId, now: Millis) -> Result<(), KeyFault> {
        let mut bytes = Zeroizing::new(vec![0; FILE_BYTES]);
        bytes[..BLOCK_BYTES].copy_from_slice(&KeyFile::Epochs.header(set));
        let first = fresh_block(FIRST_EPOCH, now)?;
        bytes[place(FIRST_EPOCH)..][..BLOCK_BYTES].copy_from_slice(&first[..]);
        KeyFile::Epochs.create(folder, &bytes)
    }

    /// Reads the file, settles the differences of its two copies, and writes it again: bytes that the last process
    /// left unsynced, or half synced, must be durable before anything is wrapped.
    pub(super) fn open(copies: KeyReplicas, set: SetId) -> Result<Self, KeyFault> {
        copies.check_headers(set)?;
        let ours = blocks_of(copies.length()?, |into| copies.read_own(into, 0))?;
        let mirror = match copies.mirror_length()? {
            Some(length) => Some(
                blocks_of(length, |into| copies.read_mirror(into, 0).map(drop))
                    .map_err(KeyFault::in_mirror)?,
            ),
            None => None,
        };
        let living = living([Some(ours), mirror])?;
        let mut turn = copies.lock_for_writing();
        for index in 0..2 {
            let block = living.iter().find(|block| number(block) % 2 == index);
            let block = block.map_or([0; BLOCK_BYTES].as_slice(), |block| &block[..]);
            turn.write(block, place(index) as u64)?;
        }
        let written = turn.end();
        copies.sync(written)?;
        let keys = living.iter().map(parse).collect::<Result<_, _>>()?;
        Ok(Self { copies, keys: RwLock::new(EpochKeys(keys)) })
    }

    /// The live keys. Held while a block is read and unwrapped, so that its epoch cannot end in between.
    pub(super) fn keys(&self) -> RwLockReadGuard<'_, EpochKeys> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of the newest epoch, and when it was made.
    pub(super) fn newest(&self) -> (u32, Millis) {
        self.keys().0.last().map_or((0, 0), |epoch| (epoch.number, epoch.made_at))
    }

    /// True if an older epoch still lives: a rotation has not ended.
    pub(super) fn is_rotating(&self) -> bool {
        self.keys().0.len() > 1
    }

    /// Makes the next epoch durable. Nothing may be wrapped under it before [`EpochFile::adopt`].
    pub(super) fn create_next(&self, now: Millis) -> Result<NewEpoch, KeyFault> {
        let next = self.newest().0.checked_add(1).ok_or_else(|| KeyFile::Epochs.damaged_fault())?;
        let block = fresh_block(next, now)?;
        let mut turn = self.copies.lock_for_writing();
        turn.write(&block[..], place(next) as u64)?;
        self.copies.sync(turn.end())?;
        parse(&block).map(NewEpoch)
    }

    /// From now on new keys are wrapped under this epoch. A caller that wraps keys and writes them has the turn of the
    /// slot file, which is required here: so keys wrapped under the old epoch are written before.
    pub(super) fn adopt(&self, epoch: NewEpoch, _slots: &WriteTurn<'_>) {
        self.keys.write().unwrap_or_else(PoisonError::into_inner).0.push(epoch.0);
    }

    /// Overwrites every epoch but the newest, durably, and forgets them.
    pub(super) fn end_older(&self) -> Result<(), KeyFault> {
        let newest = self.newest().0;
        let mut turn = self.copies.lock_for_writing();
        turn.write(&[0; BLOCK_BYTES], place(newest.wrapping_add(1)) as u64)?;
        self.copies.sync(turn.end())?;
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.0.retain(|epoch| epoch.number == newest);
        Ok(())
    }
}

/// Living epochs, the newest last. An older one is dead if one copy has the newest without it: there its rotation had
/// ended, so nothing is wrapped under it any more in either copy.
fn living(copies: [Option<Vec<EpochBlock>>; 2]) -> Result<Vec<EpochBlock>, KeyFault> {
    let mut all: Vec<&EpochBlock> = copies.iter().flatten().flatten().collect();
    all.sort_by_key(|block| number(block));
    let newest = all.last().map(|block| number(block)).ok_or_else(|| KeyFile::Epochs.damaged_fault())?;
    if all.windows(2).any(|two| number(two[0]) == number(two[1]) && two[0][..] != two[1][..]) {
        return Err(KeyFault::MirrorApart { file: KeyFile::Epochs.name() });
    }
    all.dedup_by_key(|block| number(block));
    let has = |copy: &Vec<EpochBlock>, wanted| copy.iter().any(|block| number(block) == wanted);
    let lives = |wanted| copies.iter().flatten().all(|copy| !has(copy, newest) || has(copy, wanted));
    all.retain(|block| lives(number(block)));
    Ok(all.into_iter().cloned().collect())
}

/// The blocks of one copy that are not zeros.
fn blocks_of(
    length: u64,
    read: impl FnOnce(&mut [u8]) -> Result<(), KeyFault>,
) -> Result<Vec<EpochBlock>, KeyFault> {
    let mut bytes = Zeroizing::new([0; FILE_BYTES]);
    if length != FILE_BYTES as u64 {
        return Err(KeyFile::Epochs.damaged_fault());
    }
    read(&mut bytes[..])?;
    let mut blocks = Vec::new();
    for (index, block) in bytes.as_chunks::<BLOCK_BYTES>().0.iter().enumerate().skip(1) {
        let is_sound = crc_holds(block) && place(u32_at(block, 0)) == index * BLOCK_BYTES;
        match (is_zero(block), is_sound) {
            (true, _) => {}
            (false, true) => blocks.push(Box::new(Zeroizing::new(*block))),
            (false, false) => return Err(KeyFile::Epochs.damaged_fault()),
        }
    }
    Ok(blocks)
}

fn fresh_block(number: u32, now: Millis) -> Result<EpochBlock, KeyFault> {
    let mut block = Box::new(Zeroizing::new([0; BLOCK_BYTES]));
    block[..4].copy_from_slice(&number.to_le_bytes());
    rand::fill(&mut block[4..4 + KEY_BYTES])?;
    block[MADE_AT].copy_from_slice(&now.to_le_bytes());
    let crc = crc32fast::hash(&block[..CHECKED_BYTES]).to_le_bytes();
    block[CHECKED_BYTES..].copy_from_slice(&crc);
    Ok(block)
}

fn parse(block: &EpochBlock) -> Result<EpochKey, KeyFault> {
    let mut made_at = [0; 8];
    made_at.copy_from_slice(&block[MADE_AT]);
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM_SIV, &block[4..4 + KEY_BYTES])?);
    Ok(EpochKey { number: number(block), made_at: Millis::from_le_bytes(made_at), key })
}

fn number(block: &EpochBlock) -> u32 {
    u32_at(block, 0)
}

/// Offset of the block of an epoch.
fn place(number: u32) -> usize {
    BLOCK_BYTES * (1 + (number % 2) as usize)
}
