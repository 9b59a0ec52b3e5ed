//! Key slots, and ids, set aside for people who may turn out to be new in one unit of work.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_lc_rs::rand;

use super::fault::KeyFault;
use super::key_set::Keys;
use super::slot_number::SlotNumber;
use crate::limits::KEY_POOL_WAIT_DURATION;

/// Random bytes at the beginning of the ids of one unit of work; a number follows them.
const SHARED_ID_BYTES: usize = 10;

/// Id and key slot of a new person.
pub struct ReservedSlot {
    /// A random id. Those of one unit of work stand together in every index, so that storing many people at once
    /// writes few pages; an id says nothing of when it was made.
    pub id: [u8; 16],
    /// A slot with a fresh, durable key.
    pub slot: SlotNumber,
}

/// Room for a number of new keys. Each slot is taken when its person turns out to be new; unneeded ones go back.
///
/// A unit of work may run several times before it is committed: each run begins with [`ReservedSlots::begin`] and takes
/// the same slots again. After the commit call [`ReservedSlots::release_unused`]: without it no slot is used again
/// before the next start, which sweeps them.
pub struct ReservedSlots {
    keys: Keys,
    /// The beginning of all ids.
    shared: [u8; SHARED_ID_BYTES],
    state: Mutex<SparesState>,
}

struct SparesState {
    /// Number of reserved slots that may still be taken out of the pool; `None` without a reservation: then each is
    /// taken if the pool has one above the half that requests keep.
    room: Option<usize>,
    /// True if there was no slot for a new person.
    is_short: bool,
    /// Slots taken, by all runs.
    taken: Vec<SlotNumber>,
    /// Number of slots that this run has used.
    used: usize,
    /// The subjects of this run whose keys turned out to be lost.
    lost: Vec<[u8; 16]>,
}

impl ReservedSlots {
    /// Sets room aside for up to `count` keys, so that at least half of the pool stays for requests. Blocks up to
    /// `wait`.
    ///
    /// # Errors
    /// [`KeyFault::PoolEmpty`] when there is no such room in time.
    pub(super) fn reserve(keys: &Keys, count: usize, wait: Duration) -> Result<Self, KeyFault> {
        let spares = Self::without_reservation(keys)?;
        spares.lock().room = Some(keys.0.pool.reserve(count, wait)?);
        Ok(spares)
    }

    /// Sets nothing aside: for work on people who are nearly all known.
    fn without_reservation(keys: &Keys) -> Result<Self, KeyFault> {
        let mut shared = [0; SHARED_ID_BYTES];
        rand::fill(&mut shared)?;
        let state = SparesState { room: None, is_short: false, taken: Vec::new(), used: 0, lost: Vec::new() };
        Ok(Self { keys: keys.clone(), shared, state: Mutex::new(state) })
    }

    /// A run of the unit of work begins.
    pub fn begin(&self) {
        let mut state = self.lock();
        state.used = 0;
        state.is_short = false;
        state.lost.clear();
    }

    /// Gives up a subject whose key is lost: everything that knows the subject has to be told after the commit.
    pub fn note_lost(&self, subject: [u8; 16]) {
        self.lock().lost.push(subject);
    }

    /// The subjects that the last run gave up.
    #[must_use]
    pub fn lost_subjects(&self) -> Vec<[u8; 16]> {
        self.lock().lost.clone()
    }

    /// An id and a slot for a new person. Never waits.
    ///
    /// # Errors
    /// [`KeyFault::PoolEmpty`] when more people are new than room was set aside for, or than there are keys ready.
    pub fn take_newcomer(&self) -> Result<ReservedSlot, KeyFault> {
        let mut state = self.lock();
        if state.used == state.taken.len() {
            let room = state.room;
            let slot = match room {
                Some(0) => Err(KeyFault::PoolEmpty),
                Some(room) => self.keys.0.pool.take_reserved().inspect(|_| state.room = Some(room - 1)),
                None => self.keys.0.pool.take_above_half(),
            };
            state.is_short = slot.is_err();
            let slot = slot?;
            state.taken.push(slot);
        }
        state.used += 1;
        Ok(ReservedSlot { id: self.id(state.used), slot: state.taken[state.used - 1] })
    }

    fn id(&self, number: usize) -> [u8; 16] {
        let mut id = [0; 16];
        id[8..].copy_from_slice(&(number as u64).to_be_bytes());
        id[..SHARED_ID_BYTES].copy_from_slice(&self.shared);
        id
    }

    /// Call after the last run was committed: rows name the slots it used, and the others are given back.
    ///
    /// # Errors
    /// [`KeyFault::SlotNotHeld`] for a slot that another caller gave back.
    pub fn release_unused(&self) -> Result<(), KeyFault> {
        let used = self.lock().used;
        self.put_back_from(used)
    }

    /// Call when no run was committed: gives all slots back.
    ///
    /// # Errors
    /// As [`ReservedSlots::release_unused`].
    pub fn put_back(&self) -> Result<(), KeyFault> {
        self.put_back_from(0)
    }

    /// True if the last run found no key for a new person.
    fn is_short(&self) -> bool {
        self.lock().is_short
    }

    fn settle<T, E: From<KeyFault>>(
        &self,
        outcome: Result<T, E>,
        is_unknown: fn(&E) -> bool,
    ) -> Result<T, E> {
        match &outcome {
            // The keys may be in use: the sweep at the next start will tell.
            Err(fault) if is_unknown(fault) => {}
            Err(_) => self.put_back()?,
            Ok(_) => self.release_unused()?,
        }
        outcome
    }

    /// A run that was rolled back may have sealed something under the keys of these, so they are overwritten.
    fn put_back_from(&self, first: usize) -> Result<(), KeyFault> {
        let mut state = self.lock();
        let first = first.min(state.taken.len());
        let unused = state.taken.split_off(first);
        unused.into_iter().try_for_each(|slot| self.keys.put_back(slot))
    }

    /// A panic elsewhere leaves the list as it was between two lines, each of which is sound.
    fn lock(&self) -> MutexGuard<'_, SparesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keys {
    /// Runs `write`, a unit of work in which up to `people` people may turn out to be new: each takes a key slot.
    /// `is_unknown` recognises an error after which it is unknown whether `write` was committed.
    ///
    /// # Errors
    /// The error of `write`; [`KeyFault::PoolEmpty`] when there is no room for new keys in time.
    pub async fn with_spares<T, E: From<KeyFault>>(
        &self,
        people: usize,
        is_unknown: fn(&E) -> bool,
        write: impl AsyncFnOnce(Arc<ReservedSlots>) -> Result<T, E>,
    ) -> Result<T, E> {
        let spares = Arc::new(self.reserve_slots(people).await?);
        let outcome = write(spares.clone()).await;
        spares.settle(outcome, is_unknown)
    }

    /// Like [`Keys::with_spares`], for work on people who are nearly all known: sets nothing aside, so that known
    /// people wait for no key. If a new person finds none, it runs again, with keys set aside.
    ///
    /// # Errors
    /// As [`Keys::with_spares`].
    #[expect(
        clippy::redundant_closure,
        reason = "what a function returns that is handed in is no AsyncFnOnce"
    )]
    pub async fn with_spares_at_need<T, E: From<KeyFault>, W: Future<Output = Result<T, E>>>(
        &self,
        people: usize,
        is_unknown: fn(&E) -> bool,
        write: impl Fn(Arc<ReservedSlots>) -> W,
    ) -> Result<T, E> {
        let spares = Arc::new(ReservedSlots::without_reservation(self)?);
        let outcome = write(spares.clone()).await;
        match spares.settle(outcome, is_unknown) {
            Err(fault) if !is_unknown(&fault) && spares.is_short() => {
                self.with_spares(people, is_unknown, |spares| write(spares)).await
            }
            outcome => outcome,
        }
    }
}

impl Drop for ReservedSlots {
    fn drop(&mut self) {
        let room = self.lock().room;
        self.keys.0.pool.unreserve(room.unwrap_or_default());
    }
}

impl Keys {
    /// Sets keys aside for up to `count` people who may turn out to be new; half of the pool stays for requests. Waits
    /// up to 5 s, holding up no thread that serves others.
    ///
    /// # Errors
    /// [`KeyFault::PoolEmpty`] when there is no room in time.
    pub async fn reserve_slots(&self, count: usize) -> Result<ReservedSlots, KeyFault> {
        if let Ok(spares) = ReservedSlots::reserve(self, count, Duration::ZERO) {
            return Ok(spares);
        }
        let keys = self.clone();
        let reserving =
            tokio::task::spawn_blocking(move || ReservedSlots::reserve(&keys, count, KEY_POOL_WAIT_DURATION));
        reserving.await.unwrap_or(Err(KeyFault::PoolEmpty))
    }
}

static_assertions::assert_not_impl_any!(ReservedSlots: std::fmt::Debug, std::fmt::Display, serde::Serialize);

#[cfg(test)]
#[path = "reserved_slots_tests.rs"]
mod tests;
