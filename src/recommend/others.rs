//! A history as a session sees it that asks, or a person with all of theirs: without what they did themselves. It is
//! what they ask with; counted among what others did, it would recommend itself.

use std::sync::OnceLock;

use super::history::{History, Place, SessionKey, SessionSlot};
use super::items::Item;
use super::rows::RowsOfItem;

/// What all sessions did but those that ask, as far as they are among them.
#[derive(Debug)]
pub struct Others<'h> {
    history: &'h History,
    asking: Vec<SessionSlot>,
    /// Of each click of the sessions that ask its item, in order.
    own: Vec<Item>,
}

impl<'h> Others<'h> {
    /// All sessions: who asks is none of them.
    #[must_use]
    pub fn all(history: &'h History) -> Self {
        Self::than_all(history, &[])
    }

    /// All sessions but this one.
    #[must_use]
    pub fn than(history: &'h History, key: SessionKey) -> Self {
        Self::than_all(history, &[key])
    }

    /// All sessions but these.
    #[must_use]
    pub fn than_all(history: &'h History, keys: &[SessionKey]) -> Self {
        let asking: Vec<_> = keys.iter().filter_map(|key| history.slot_of(*key)).collect();
        let mut own: Vec<_> = asking.iter().flat_map(|session| history.clicks(*session)).copied().collect();
        own.sort_unstable();
        Self { history, asking, own }
    }

    /// The history with all sessions in it.
    #[must_use]
    pub fn history(&self) -> &'h History {
        self.history
    }

    /// How often others clicked an item.
    #[must_use]
    pub fn clicks_of(&self, item: Item) -> usize {
        let from = self.own.partition_point(|own| *own < item);
        let own = self.own[from..].iter().take_while(|own| **own == item).count();
        self.history.places(item).len() - own
    }

    /// How often others clicked an item in sessions from this one on.
    #[must_use]
    pub fn clicks_since(&self, item: Item, key: SessionKey) -> usize {
        let places = self.history.places(item);
        // Of most items there are none, and the newest click says so.
        if places.last().is_none_or(|place| self.history.key(place.session) < Some(key)) {
            return 0;
        }
        let from = places.partition_point(|place| self.history.key(place.session) < Some(key));
        let is_own = |place: &&Place| self.asking.contains(&place.session);
        let has_own = self.own.binary_search(&item).is_ok();
        let own = if has_own { places[from..].iter().filter(is_own).count() } else { 0 };
        places.len() - from - own
    }

    /// The item with this catalogue id, if others clicked it.
    #[must_use]
    pub fn item(&self, id: &str) -> Option<Item> {
        self.history.item(id).filter(|item| self.clicks_of(*item) > 0)
    }

    /// A row of an item that has more than a few clicks: kept, or made now. `None` if a session that asks has the
    /// item, for a row does not leave it out, or if there is no room.
    pub fn row<T>(
        &self,
        item: Item,
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

    /// An item's newest clicks, at most so many, the newest session first.
    pub fn newest(&self, item: Item, most: usize) -> impl Iterator<Item = Place> + '_ {
        let places = self.history.places(item).iter().rev().copied();
        let is_others = |place: &Place| !self.asking.contains(&place.session);
        places.filter(is_others).take(most)
    }

    /// For each session that holds an item its last click there, the newest session first.
    pub fn newest_sessions(&self, item: Item) -> impl Iterator<Item = Place> + '_ {
        let mut last = None;
        self.newest(item, usize::MAX).filter(move |place| last.replace(place.session) != Some(place.session))
    }
}
