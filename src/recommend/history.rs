//! Clicks of shoppers as recommenders read them: sessions, and each item's places in them.
//!
//! Nothing is cut when it is stored, and nothing is summed up but repeats, in whole numbers: after a removal the
//! history is as if the session had never been there.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::items::{ItemNumber, ItemTable};
use super::repeats::RepeatCounts;
use super::row_cache::{NeighbourCache, ROW_BYTES_OF_CLICK, RowsOfItem};

/// A session among all: when it began, then the random id that is stored with its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// In milliseconds since 1970, or any other number that grows.
    pub start: i64,
    /// Random, or any other number that no other session has.
    pub id: u128,
}

/// Position of a session in memory.
pub type SessionSlot = u32;

/// A click: a session, and the place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClickPlace {
    /// The session.
    pub session: SessionSlot,
    /// The click, from 0 on.
    pub position: u32,
}

/// The items of a session. Most have few clicks, stored inline: reading hundreds of sessions is one way to the memory
/// each, not two.
type Clicks = SmallVec<[ItemNumber; 6]>;

/// All sessions of a shop.
#[derive(Debug, Default)]
pub struct ClickHistory {
    items: ItemTable,
    /// By item: its clicks, ordered by session key and position.
    places: Vec<Vec<ClickPlace>>,
    /// By session.
    keys: Vec<Option<SessionKey>>,
    /// By session: its clicks, in their order.
    sessions: Vec<Clicks>,
    free: Vec<SessionSlot>,
    /// By the ids of sessions.
    slots: FxHashMap<u128, SessionSlot>,
    clicks: usize,
    repeats: RepeatCounts,
    rows: NeighbourCache,
}

/// Number of clicks before a click that see it as their neighbour.
pub const SEEN_FROM: usize = 10;

impl ClickHistory {
    /// Adds a click at the end of a session.
    pub fn add(&mut self, key: SessionKey, item: &str) {
        let item = self.items.number(item);
        if self.places.len() <= item as usize {
            self.places.resize_with(item as usize + 1, Vec::new);
        }
        let slot = self.slot(key);
        let clicks = &mut self.sessions[slot as usize];
        let place = ClickPlace { session: slot, position: clicks.len() as u32 };
        clicks.push(item);
        self.clicks += 1;
        self.repeats.add_last(clicks);
        self.rows.reserve_items(self.places.len());
        let first = clicks.len().saturating_sub(SEEN_FROM + 1);
        let changed = &clicks[first..];
        changed.iter().for_each(|item| self.rows.drop_of(*item));
        let places = &self.places[item as usize];
        let at = places.partition_point(|other| self.order(*other, place).is_lt());
        let places = &mut self.places[item as usize];
        places.insert(at, place);
    }

    /// Sets the items of a session, in this order, each once.
    pub fn set_session(&mut self, key: SessionKey, items: &[String]) {
        self.remove(key);
        let mut seen = FxHashSet::default();
        items.iter().filter(|item| seen.insert(item.as_str())).for_each(|item| self.add(key, item));
    }

    /// Takes a session out, and returns its number of clicks.
    pub fn remove(&mut self, key: SessionKey) -> usize {
        let Some(slot) = self.slot_of(key) else { return 0 };
        let mut items = self.clicks(slot).to_vec();
        let clicks = items.len();
        self.repeats.subtract(&RepeatCounts::of_session(&items));
        items.sort_unstable();
        items.dedup();
        for item in items {
            self.rows.drop_of(item);
            let first = ClickPlace { session: slot, position: 0 };
            let places = &self.places[item as usize];
            let from = places.partition_point(|other| self.order(*other, first).is_lt());
            let count = places[from..].iter().take_while(|place| place.session == slot).count();
            let places = &mut self.places[item as usize];
            places.drain(from..from + count);
            if places.is_empty() {
                // No remaining session clicked it: it is unknown again.
                *places = Vec::new();
                self.items.free(item);
            }
        }
        self.sessions[slot as usize] = Clicks::new();
        self.keys[slot as usize] = None;
        self.slots.remove(&key.id);
        self.clicks -= clicks;
        self.free.push(slot);
        clicks
    }

    /// The item with this catalogue id, if any session clicked it.
    #[must_use]
    pub fn item(&self, id: &str) -> Option<ItemNumber> {
        self.items.number_of(id)
    }

    /// The catalogue id of an item.
    #[must_use]
    pub fn id(&self, item: ItemNumber) -> &str {
        self.items.id(item)
    }

    /// The same, to be kept while the history changes.
    #[must_use]
    pub fn shared_id(&self, item: ItemNumber) -> Arc<str> {
        self.items.shared_id(item)
    }

    /// One more than the highest number of an item.
    #[must_use]
    pub fn items_end(&self) -> usize {
        self.places.len()
    }

    /// Number of clicks.
    #[must_use]
    pub fn all_clicks(&self) -> usize {
        self.clicks
    }

    /// Repeats of items in all sessions.
    #[must_use]
    pub fn repeats(&self) -> &RepeatCounts {
        &self.repeats
    }

    /// Number of sessions.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.slots.len()
    }

    /// Approximate bytes of memory: for each click its item and its place, half as much again for growth, and its share
    /// of the rows; for each session and item its share of the tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        const CLICK_BYTES: usize = 18;
        const SESSION_BYTES: usize = 112;
        const ITEM_BYTES: usize = 192;
        self.clicks * (CLICK_BYTES + ROW_BYTES_OF_CLICK)
            + self.sessions.len() * SESSION_BYTES
            + self.places.len() * ITEM_BYTES
    }

    /// An item's clicks, the oldest session first.
    #[must_use]
    pub fn places(&self, item: ItemNumber) -> &[ClickPlace] {
        self.places.get(item as usize).map_or(&[], Vec::as_slice)
    }

    /// The clicked items, in no order.
    pub fn items(&self) -> impl Iterator<Item = ItemNumber> + '_ {
        (0..self.places.len() as ItemNumber).filter(|item| !self.places(*item).is_empty())
    }

    /// The items of a session, in the order of its clicks.
    #[must_use]
    pub fn clicks(&self, session: SessionSlot) -> &[ItemNumber] {
        &self.sessions[session as usize]
    }

    /// The same by its key; empty for an unknown session.
    #[must_use]
    pub fn clicks_in(&self, key: SessionKey) -> &[ItemNumber] {
        self.slot_of(key).map(|slot| self.clicks(slot)).unwrap_or_default()
    }

    /// The same as catalogue ids.
    pub fn ids_of(&self, key: SessionKey) -> impl Iterator<Item = Arc<str>> + '_ {
        self.clicks_in(key).iter().map(|item| self.shared_id(*item))
    }

    /// Position of a session, if it is there.
    #[must_use]
    pub fn slot_of(&self, key: SessionKey) -> Option<SessionSlot> {
        self.slots.get(&key.id).copied()
    }

    /// The session with an id, if it is there.
    #[must_use]
    pub fn session(&self, id: u128) -> Option<SessionKey> {
        self.slots.get(&id).and_then(|slot| self.key(*slot))
    }

    /// A session's key; sessions are compared by it.
    #[must_use]
    pub fn key(&self, session: SessionSlot) -> Option<SessionKey> {
        self.keys[session as usize]
    }

    /// A row of an item: cached, or computed now. `None` if there is no room for it.
    pub fn row<T>(
        &self,
        item: ItemNumber,
        row: impl Fn(&RowsOfItem) -> &OnceLock<Box<[T]>>,
        make: impl FnOnce() -> Box<[T]>,
    ) -> Option<&[T]> {
        self.rows.get_or_make(item, self.clicks, row, make)
    }

    /// All sessions in the order of their keys, then the repeats, as bytes: the same for equal histories, however they
    /// came about.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let slots = self.slots.values();
        let mut keys: Vec<_> = slots.filter_map(|slot| Some((self.key(*slot)?, *slot))).collect();
        keys.sort_unstable();
        let mut bytes = Vec::new();
        for (key, slot) in keys {
            let clicks = self.clicks(slot);
            bytes.extend(key.start.to_be_bytes());
            bytes.extend(key.id.to_be_bytes());
            bytes.extend((clicks.len() as u64).to_be_bytes());
            for item in clicks {
                let id = self.id(*item);
                bytes.extend((id.len() as u64).to_be_bytes());
                bytes.extend(id.as_bytes());
            }
        }
        bytes.extend(self.repeats.to_bytes());
        bytes
    }

    fn slot(&mut self, key: SessionKey) -> SessionSlot {
        if let Some(slot) = self.slot_of(key) {
            return slot;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.sessions.push(Clicks::new());
            self.keys.push(None);
            self.keys.len() as SessionSlot - 1
        });
        self.keys[slot as usize] = Some(key);
        self.slots.insert(key.id, slot);
        slot
    }

    fn order(&self, a: ClickPlace, b: ClickPlace) -> Ordering {
        self.key(a.session).cmp(&self.key(b.session)).then(a.position.cmp(&b.position))
    }
}
