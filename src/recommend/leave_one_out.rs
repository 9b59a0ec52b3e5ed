//! A history as seen by the asking session, or by a person with all their sessions: without their own actions. These
//! are the request; counted as others' actions, they would recommend themselves.

use std::sync::OnceLock;

use super::history::{ClickHistory, ClickPlace, SessionKey, SessionSlot};
use super::items::ItemNumber;
use super::repeats::RepeatCounts;
use super::row_cache::RowsOfItem;

/// Most clicks on an item that are read of one session, its newest: one that repeats an item leaves room for others.
const CLICKS_ON_ITEM_OF_SESSION: usize = 4;

/// The history without the asking sessions (leave-one-out).
#[derive(Debug)]
pub struct OtherSessions<'h> {
    history: &'h ClickHistory,
    /// Sorted, each once.
    asking: Vec<SessionSlot>,
    /// Items of all clicks in the asking sessions, sorted.
    own: Vec<ItemNumber>,
}

impl<'h> OtherSessions<'h> {
    /// All sessions: the caller's is not in the history.
    #[must_use]
    pub fn including_all(history: &'h ClickHistory) -> Self {
        Self::than_all(history, &[])
    }

    /// All sessions but this one.
    #[must_use]
    pub fn than(history: &'h ClickHistory, key: SessionKey) -> Self {
        Self::than_all(history, &[key])
    }

    /// All sessions but these.
    #[must_use]
    pub fn than_all(history: &'h ClickHistory, keys: &[SessionKey]) -> Self {
        let mut asking: Vec<_> = keys.iter().filter_map(|key| history.slot_of(*key)).collect();
        asking.sort_unstable();
        asking.dedup();
        let mut own: Vec<_> = asking.iter().flat_map(|session| history.clicks(*session)).copied().collect();
        own.sort_unstable();
        Self { history, asking, own }
    }

    /// The history with all sessions.
    #[must_use]
    pub fn history(&self) -> &'h ClickHistory {
        self.history
    }

    /// Repeats of items in the sessions of others.
    #[must_use]
    pub fn repeats(&self) -> RepeatCounts {
        let mut repeats = *self.history.repeats();
        for session in &self.asking {
            repeats.subtract(&RepeatCounts::of_session(self.history.clicks(*session)));
        }
        repeats
    }

    /// Number of times that others clicked an item.
    #[must_use]
    pub fn clicks_of(&self, item: ItemNumber) -> usize {
        let from = self.own.partition_point(|own| *own < item);
        let own = self.own[from..].partition_point(|own| *own == item);
        self.history.places(item).len() - own
    }

    /// Number of times that others clicked an item in sessions from this one on.
    #[must_use]
    pub fn clicks_since(&self, item: ItemNumber, key: SessionKey) -> usize {
        let places = self.history.places(item);
        // Most items have no such click, and the newest click shows that.
        if places.last().is_none_or(|place| self.history.key(place.session) < Some(key)) {
            return 0;
        }
        let from = places.partition_point(|place| self.history.key(place.session) < Some(key));
        let is_own = |place: &&ClickPlace| self.asking.binary_search(&place.session).is_ok();
        let has_own = self.own.binary_search(&item).is_ok();
        let own = if has_own { places[from..].iter().filter(is_own).count() } else { 0 };
        places.len() - from - own
    }

    /// The item with this catalogue id, if others clicked it.
    #[must_use]
    pub fn item(&self, id: &str) -> Option<ItemNumber> {
        self.history.item(id).filter(|item| self.clicks_of(*item) > 0)
    }

    /// A row of an item that has more than a few clicks: cached, or computed now. `None` if an asking session has the
    /// item, because a row does not leave it out, or if there is no room.
    pub fn row<T>(
        &self,
        item: ItemNumber,
        few: usize,
        row: impl Fn(&RowsOfItem) -> &OnceLock<Box<[T]>>,
        make: impl FnOnce() -> Box<[T]>,
    ) -> Option<&'h [T]> {
        let is_own = self.own.binary_search(&item).is_ok();
        if is_own || self.history.places(item).len() <= few {
            return None;
        }
        self.history.row(item, row, make)
    }

    /// An item's newest clicks, up to a maximum, the newest session first, and the newest few of each session.
    pub fn newest(&self, item: ItemNumber, most: usize) -> impl Iterator<Item = ClickPlace> + '_ {
        self.newest_of_each(item, CLICKS_ON_ITEM_OF_SESSION).take(most)
    }

    /// Last click on an item in each session that holds it, the newest session first.
    pub fn newest_sessions(&self, item: ItemNumber) -> impl Iterator<Item = ClickPlace> + '_ {
        self.newest_of_each(item, 1)
    }

    /// An item's clicks, the newest first, at most so many of a session.
    fn newest_of_each(&self, item: ItemNumber, most: usize) -> impl Iterator<Item = ClickPlace> + '_ {
        let mut places = self.history.places(item);
        let mut session = None;
        let mut left = 0;
        std::iter::from_fn(move || {
            loop {
                let (place, older) = places.split_last()?;
                if session.replace(place.session) != Some(place.session) {
                    left = if self.asking.binary_search(&place.session).is_ok() { 0 } else { most };
                }
                if left > 0 {
                    left -= 1;
                    places = older;
                    return Some(*place);
                }
                // The session has as many places here as it has clicks, at most.
                let from = places.len().saturating_sub(self.history.clicks(place.session).len());
                let count = places[from..].partition_point(|other| other.session != place.session);
                places = &places[..from + count];
            }
        })
    }
}
