//! The pool of keys made and synced ahead, so that accepting a request only names a free slot.
//!
//! A slot is *held* (a row names it, or will), *ready* (a fresh key in it is durable) or *spare* (its content is not
//! needed any more). It goes spare -> ready -> held -> spare; only a refill, which overwrites it with a fresh key,
//! leads from spare to ready.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::epoch::EpochFile;
use super::fault::KeyFault;
use super::key_file::{KeyBytes, crc_holds};
use super::slot_number::SlotNumber;
use super::slots::{SlotFile, destroyed_block, fresh_key, is_keyless, unwrap_key};
use crate::limits::{KEY_POOL_SLOTS, KEY_REFILL_PAUSE_DURATION};

/// The pool refills when fewer keys than this are ready. Bulk work leaves as many to requests.
pub(super) const LOW_SLOTS: usize = KEY_POOL_SLOTS / 2;

/// Result of the sweep of the slot file in [`super::key_set::Keys::start`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SlotSweep {
    /// Slots that held a key no row names; their keys are overwritten.
    pub orphans: usize,
    /// Slots that a row names although their key is destroyed: erasures under way, or a lost key file.
    pub keyless: usize,
    /// Slots that a row names but whose checksum is wrong: their records are lost.
    pub damaged: usize,
}

impl SlotSweep {
    /// True if a row names something that cannot be opened.
    #[must_use]
    pub fn has_losses(&self) -> bool {
        self.keyless + self.damaged > 0
    }
}

/// The slot file and the holders of its slots.
pub(super) struct Pool {
    pub(super) file: SlotFile,
    pub(super) epochs: EpochFile,
    /// Held while the epoch is rotated: one rotation at a time.
    pub(super) rotating: Mutex<()>,
    begun: AtomicBool,
    state: Mutex<PoolState>,
    filled: Condvar,
    wanted: Condvar,
}

#[derive(Default)]
struct PoolState {
    running: bool,
    stopping: bool,
    ready: Vec<SlotNumber>,
    /// Number of ready slots that bulk work has set aside and not taken.
    reserved: usize,
    /// Number of reservations that wait for room.
    waiting: usize,
    spare: Vec<SlotNumber>,
    held: Vec<bool>,
}

impl PoolState {
    /// True if bulk work may set `count` more aside.
    fn has_room(&self, count: usize) -> bool {
        self.ready.len() >= LOW_SLOTS + self.reserved + count
    }

    /// True if no refill is needed: the pool is full, or half full with nothing waiting for room.
    fn is_filled(&self) -> bool {
        self.ready.len() >= KEY_POOL_SLOTS || self.ready.len() >= LOW_SLOTS && self.waiting == 0
    }

    fn holds(&self, slot: SlotNumber) -> bool {
        self.held.get(slot.index()).copied().unwrap_or(false)
    }

    fn set_held(&mut self, slot: SlotNumber, held: bool) {
        if self.held.len() <= slot.index() {
            self.held.resize(slot.index() + 1, false);
        }
        self.held[slot.index()] = held;
    }

    fn check_held(&self, slots: &[SlotNumber]) -> Result<(), KeyFault> {
        if !self.running {
            return Err(KeyFault::NotStarted);
        }
        match slots.iter().find(|slot| !self.holds(**slot)) {
            Some(&slot) => Err(KeyFault::SlotNotHeld { slot }),
            None => Ok(()),
        }
    }
}

impl Pool {
    /// A pool that hands out nothing until it is started.
    pub(super) fn new(file: SlotFile, epochs: EpochFile) -> Self {
        let state = Mutex::default();
        let begun = AtomicBool::new(false);
        let rotating = Mutex::default();
        Self { file, epochs, rotating, begun, state, filled: Condvar::new(), wanted: Condvar::new() }
    }

    /// Overwrites the keys of all slots not in `used`, then makes the first keys ready. `take` is refused
    /// until this has succeeded.
    pub(super) fn start(&self, used: impl IntoIterator<Item = SlotNumber>) -> Result<SlotSweep, KeyFault> {
        if self.begun.swap(true, Ordering::SeqCst) {
            return Err(KeyFault::StartedBefore);
        }
        let mut state = PoolState::default();
        used.into_iter().for_each(|slot| state.set_held(slot, true));
        while (self.file.count()? as usize) < state.held.len() {
            self.file.append_slots()?;
        }
        let sweep = self.sweep(&mut state)?;
        *self.lock() = state;
        self.refill()?;
        self.lock().running = true;
        Ok(sweep)
    }

    /// A slot with a fresh, durable key. Blocks up to `wait` when none is ready.
    pub(super) fn take_slot(&self, wait: Duration) -> Result<SlotNumber, KeyFault> {
        let state = self.lock();
        if !state.running {
            return Err(KeyFault::NotStarted);
        }
        let empty = |state: &mut PoolState| state.ready.is_empty() && !state.stopping;
        let waited = self.filled.wait_timeout_while(state, wait, empty);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let slot = state.ready.pop().ok_or(KeyFault::PoolEmpty)?;
        state.set_held(slot, true);
        if state.ready.len() < LOW_SLOTS {
            self.wanted.notify_one();
        }
        Ok(slot)
    }

    /// A slot with a fresh, durable key if one is ready; never waits.
    pub(super) fn take_ready(&self) -> Result<Option<SlotNumber>, KeyFault> {
        match self.take_slot(Duration::ZERO) {
            Err(KeyFault::PoolEmpty) => Ok(None),
            taken => taken.map(Some),
        }
    }

    /// Reserves room for `count` slots, at most half of the pool, above the half that is left to requests; returns the
    /// number. Blocks up to `wait`.
    pub(super) fn reserve(&self, count: usize, wait: Duration) -> Result<usize, KeyFault> {
        let count = count.min(KEY_POOL_SLOTS - LOW_SLOTS);
        let mut state = self.lock();
        if !state.running {
            return Err(KeyFault::NotStarted);
        }
        state.waiting += 1;
        if !state.has_room(count) {
            self.wanted.notify_one();
        }
        let full = |state: &mut PoolState| !state.has_room(count) && !state.stopping;
        let waited = self.filled.wait_timeout_while(state, wait, full);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        if !state.has_room(count) {
            return Err(KeyFault::PoolEmpty);
        }
        state.reserved += count;
        Ok(count)
    }

    /// Gives room back that was not needed.
    pub(super) fn unreserve(&self, count: usize) {
        let mut state = self.lock();
        state.reserved = state.reserved.saturating_sub(count);
        self.filled.notify_all();
    }

    /// A slot for which room was set aside.
    pub(super) fn take_reserved(&self) -> Result<SlotNumber, KeyFault> {
        let slot = self.take_slot(Duration::ZERO)?;
        self.unreserve(1);
        Ok(slot)
    }

    /// A slot above the half that is left to requests, and above the reserved ones; never waits.
    pub(super) fn take_above_half(&self) -> Result<SlotNumber, KeyFault> {
        let mut state = self.lock();
        if !state.running {
            return Err(KeyFault::NotStarted);
        }
        let slot = if state.has_room(1) { state.ready.pop() } else { None };
        let slot = slot.ok_or(KeyFault::PoolEmpty)?;
        state.set_held(slot, true);
        Ok(slot)
    }

    /// Makes a slot spare that no row names.
    pub(super) fn put_back(&self, slot: SlotNumber) -> Result<(), KeyFault> {
        let mut state = self.lock();
        state.check_held(&[slot])?;
        state.set_held(slot, false);
        state.spare.push(slot);
        Ok(())
    }

    /// Makes a slot ready again whose key has sealed nothing.
    pub(super) fn return_unused(&self, slot: SlotNumber) -> Result<(), KeyFault> {
        let mut state = self.lock();
        state.check_held(&[slot])?;
        state.set_held(slot, false);
        state.ready.push(slot);
        Ok(())
    }

    /// Overwrites the keys of slots with zeros; durable when it returns. The slots stay held.
    pub(super) fn destroy(&self, slots: &[SlotNumber]) -> Result<(), KeyFault> {
        self.lock().check_held(slots)?;
        self.overwrite(slots.to_vec())
    }

    fn overwrite(&self, slots: Vec<SlotNumber>) -> Result<(), KeyFault> {
        let written = self.file.update(slots, |_, old| Ok(Some(destroyed_block(old))))?;
        self.file.sync(written)
    }

    /// The key in a slot.
    pub(super) fn key(&self, slot: SlotNumber) -> Result<KeyBytes, KeyFault> {
        let epochs = self.epochs.keys();
        unwrap_key(&epochs, slot, &self.file.read_block(slot)?)
    }

    /// Refills the pool whenever it is low, until it is stopped: the loop of the background thread.
    pub(super) fn keep_filled(&self) {
        let mut failing = false;
        while self.wait_until_low(failing) {
            let outcome = self.refill();
            if let (Err(fault), false) = (&outcome, failing) {
                tracing::error!(%fault, "no new keys can be made; it is tried again every second");
            }
            failing = outcome.is_err();
        }
    }

    /// Ends [`Pool::keep_filled`].
    pub(super) fn stop(&self) {
        self.lock().stopping = true;
        self.wanted.notify_all();
        self.filled.notify_all();
    }

    /// Reads the whole file once: overwrites orphans, notes which slots are spare.
    fn sweep(&self, state: &mut PoolState) -> Result<SlotSweep, KeyFault> {
        let mut sweep = SlotSweep::default();
        let mut from = 0;
        let count = self.file.count()?;
        while from < count {
            let span = self.file.read_span(from)?;
            from += u32::try_from(span.len()).unwrap_or(count);
            let (held, free): (Vec<_>, Vec<_>) = span.into_iter().partition(|(slot, _)| state.holds(*slot));
            sweep.keyless += held.iter().filter(|(_, block)| is_keyless(block)).count();
            sweep.damaged += held.iter().filter(|(_, block)| !is_keyless(block) && !crc_holds(block)).count();
            state.spare.extend(free.iter().map(|(slot, _)| *slot));
            let orphans = free.into_iter().filter(|(_, block)| !is_keyless(block));
            let orphans: Vec<_> = orphans.map(|(slot, _)| slot).collect();
            sweep.orphans += orphans.len();
            if !orphans.is_empty() {
                self.overwrite(orphans)?;
            }
        }
        state.spare.reverse(); // the lowest numbers are taken first: neighbours share a write
        Ok(sweep)
    }

    /// Waits until keys are wanted (after a failure, for the pause); false when the pool is stopped.
    fn wait_until_low(&self, failing: bool) -> bool {
        let state = self.lock();
        let idle = |state: &mut PoolState| !state.stopping && (failing || state.is_filled());
        let state = if failing {
            let waited = self.wanted.wait_timeout_while(state, KEY_REFILL_PAUSE_DURATION, idle);
            waited.unwrap_or_else(PoisonError::into_inner).0
        } else {
            self.wanted.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner)
        };
        !state.stopping
    }

    /// Fills the pool up: fresh keys over spare slots, one sync, then they are ready.
    fn refill(&self) -> Result<(), KeyFault> {
        let batch = self.draw_spares()?;
        let outcome = self.key_afresh(batch.clone());
        let mut state = self.lock();
        match outcome {
            Ok(()) => state.ready.extend(batch.into_iter().rev()),
            Err(_) => state.spare.extend(batch),
        }
        self.filled.notify_all();
        outcome
    }

    /// Wraps under the epoch that is the newest while it has the turn to write.
    fn key_afresh(&self, batch: Vec<SlotNumber>) -> Result<(), KeyFault> {
        let fresh = |slot, old: &_| fresh_key(&self.epochs.keys(), slot, old).map(Some);
        let written = self.file.update(batch, fresh)?;
        self.file.sync(written)
    }

    /// Takes spare slots for one refill out of the list, after growing the file if there are too few.
    fn draw_spares(&self) -> Result<Vec<SlotNumber>, KeyFault> {
        if self.lock().spare.len() < KEY_POOL_SLOTS {
            let grown = self.file.append_slots()?;
            let mut state = self.lock();
            state.spare.splice(0..0, SlotNumber::span(grown).rev());
        }
        let mut state = self.lock();
        let missing = KEY_POOL_SLOTS.saturating_sub(state.ready.len());
        let keep = state.spare.len().saturating_sub(missing);
        let batch = state.spare.split_off(keep);
        if batch.is_empty() { Err(KeyFault::PoolEmpty) } else { Ok(batch) } // the file is as long as it may be
    }

    /// A panic elsewhere leaves the lists as they were between two lines, each of which is sound.
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "key_pool_tests.rs"]
mod tests;
