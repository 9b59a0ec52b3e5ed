//! The rotation of the key-encryption epoch: a new one is made, every living key is wrapped under it, the old
//! one is destroyed. From then on no older copy of `slots.key` opens anything.
//!
//! Each step is durable before the next begins, and each may be repeated. A rotation that broke off leaves two
//! epochs; the next one begins by ending it. Keys are taken, destroyed and used meanwhile.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::constant_time::constant_time_eq;
use super::fault::KeyFault;
use super::key_file::KeyBlock;
use super::key_pool::Pool;
use super::slot_number::SlotNumber;
use super::slots::{is_keyless, unwrap_key, wrap_key};
use crate::clock::{Millis, millis};
use crate::limits::KEY_EPOCH_DURATION;

/// Slots that one turn wraps again: about a millisecond, for which a destruction waits.
const TURN_SLOTS: u32 = 256;

/// The key-encryption epoch in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Epoch {
    /// Counted from 1.
    pub number: u32,
    /// When it was made, by the wall clock of that time.
    pub made_at: Millis,
    /// True if the epoch before it still lives, because a rotation has not ended.
    pub is_rotating: bool,
}

impl Epoch {
    /// When the next one is due.
    #[must_use]
    pub fn due_at(&self) -> Millis {
        self.made_at.saturating_add(millis(KEY_EPOCH_DURATION))
    }

    /// Also when it seems to be made in the future: the clock was wrong then or is now, and waiting for it could
    /// take for ever.
    fn is_due(&self, now: Millis) -> bool {
        now < self.made_at || now >= self.due_at()
    }
}

/// Result of a rotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rotation {
    /// The new epoch.
    pub number: u32,
    /// Keys that live on, of people, of jobs and ready ones.
    pub survivors: usize,
    /// Slots whose key could not be opened any more; they are lost with the old epoch.
    pub damaged: usize,
    /// Time that it took.
    pub duration: Duration,
}

impl Pool {
    /// The epoch in force.
    pub(super) fn epoch(&self) -> Epoch {
        let (number, made_at) = self.epochs.newest();
        Epoch { number, made_at, is_rotating: self.epochs.is_rotating() }
    }

    /// Rotates now: earlier copies open nothing afterwards.
    pub(super) fn rotate(&self, now: Millis) -> Result<Rotation, KeyFault> {
        let _alone = self.rotating.lock().unwrap_or_else(PoisonError::into_inner);
        let began = Instant::now();
        if self.epochs.is_rotating() {
            self.end_rotation(began)?;
        }
        let epoch = self.epochs.create_next(now)?;
        self.epochs.adopt(epoch, &self.file.lock_for_writing());
        self.end_rotation(began)
    }

    /// Rotates if it is time, or if a rotation has not ended.
    pub(super) fn rotate_if_due(&self, now: Millis) -> Result<Option<Rotation>, KeyFault> {
        if self.epoch().is_due(now) {
            return self.rotate(now).map(Some);
        }
        if !self.epochs.is_rotating() {
            return Ok(None);
        }
        let _alone = self.rotating.lock().unwrap_or_else(PoisonError::into_inner);
        let began = Instant::now();
        self.end_rotation(began).map(Some)
    }

    /// Number of slots that hold a key.
    pub(super) fn living(&self) -> Result<usize, KeyFault> {
        let mut living = 0;
        let mut from = 0;
        let count = self.file.count()?;
        while from < count {
            let span = self.file.read_span(from)?;
            from += u32::try_from(span.len()).unwrap_or(count);
            living += span.iter().filter(|(_, block)| !is_keyless(block)).count();
        }
        Ok(living)
    }

    /// Wraps every key under the newest epoch, also those that seem to be: the writes of an earlier, failed try may be
    /// in the system's memory only. Then destroys the older epochs.
    fn end_rotation(&self, began: Instant) -> Result<Rotation, KeyFault> {
        let mut rotation = Rotation::default();
        let count = self.file.count()?;
        // A turn that writes nothing, so that a sync that fails from here on is noticed.
        let mut written = self.file.lock_for_writing().end();
        let mut from = 0;
        // Slots that the file gains meanwhile are keyed under the newest epoch.
        while from < count {
            let to = from.saturating_add(TURN_SLOTS).min(count);
            let slots = SlotNumber::span(from..to).collect();
            let turn = self.file.update(slots, |slot, old| self.wrap_anew(slot, old, &mut rotation))?;
            written = written.and(turn);
            from = to;
        }
        self.file.sync(written)?;
        self.epochs.end_older()?;
        (rotation.number, rotation.duration) = (self.epochs.newest().0, began.elapsed());
        let Rotation { number, survivors, damaged, duration } = rotation;
        tracing::info!(number, survivors, damaged, ?duration, "the key epoch was rotated");
        Ok(rotation)
    }

    fn wrap_anew(
        &self,
        slot: SlotNumber,
        old: &KeyBlock,
        rotation: &mut Rotation,
    ) -> Result<Option<KeyBlock>, KeyFault> {
        let is_done = is_keyless(old);
        if is_done {
            return Ok(None);
        }
        let epochs = self.epochs.keys();
        let Ok(key) = unwrap_key(&epochs, slot, old) else {
            rotation.damaged += 1;
            return Ok(None);
        };
        let new = wrap_key(&epochs, slot, old, &key)?;
        // When the old epoch is gone a mistake cannot be mended any more.
        if !constant_time_eq(&key, &unwrap_key(&epochs, slot, &new)?) {
            return Err(KeyFault::Cryptography);
        }
        rotation.survivors += 1;
        Ok(Some(new))
    }
}

#[cfg(test)]
#[path = "rotation_tests.rs"]
mod tests;
