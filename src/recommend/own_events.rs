//! Events that count only for the people who did them: they do not influence other shoppers.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::history::{ClickHistory, SessionKey};
use super::viewed_variants::{ViewedItem, ViewedVariants};

/// Views and baskets of a shop that count only for the people who did them.
#[derive(Debug, Default)]
pub struct OwnEvents {
    views: ClickHistory,
    /// Variants of these views.
    pub(super) variants: ViewedVariants,
    /// Products in the basket of each session when it was changed last.
    baskets: ClickHistory,
    /// Sessions whose basket was emptied last, whatever basket influences others.
    emptied: FxHashSet<u128>,
    /// Number of views that influence others before each view here, by session. Missing where there were none.
    before: FxHashMap<u128, Vec<u32>>,
    /// Sessions without an event that influences others.
    only: FxHashSet<u128>,
    /// Sessions that end on this day or before are not kept here, because there were too many clicks.
    pub(super) cut: i64,
}

impl OwnEvents {
    /// Records the begin of a session.
    pub(super) fn note_new(&mut self, session: u128) {
        self.only.insert(session);
    }

    /// Records that a session has an event that influences others.
    pub(super) fn note_other(&mut self, session: u128) {
        self.only.remove(&session);
    }

    /// Returns true if a session has no event that influences others.
    pub(super) fn is_only_here(&self, session: u128) -> bool {
        self.only.contains(&session)
    }

    /// Adds the variant of the next view of a session.
    pub(super) fn add_variant(&mut self, session: SessionKey, variant: &str, day: i64) {
        self.variants.add(session, &self.views, variant, day);
    }

    /// Adds a view at the end of its session, after `before` views that influence other sessions.
    pub(super) fn add_view(&mut self, session: SessionKey, item: &str, before: usize) {
        if before > 0 {
            let earlier = self.views.clicks_in(session).len();
            let places = self.before.entry(session.id).or_default();
            places.resize(earlier, 0);
            places.push(before as u32);
        }
        self.views.add(session, item);
    }

    /// Sets the basket of a session.
    pub(super) fn set_basket(&mut self, session: SessionKey, items: &[String]) {
        self.baskets.set_session(session, items);
        if items.is_empty() {
            self.emptied.insert(session.id);
        } else {
            self.emptied.remove(&session.id);
        }
    }

    /// Drops the basket of a session: a newer one influences others.
    pub(super) fn drop_basket(&mut self, session: SessionKey) {
        self.baskets.remove(session);
        self.emptied.remove(&session.id);
    }

    /// Returns true if the basket of a session was emptied here last.
    pub(super) fn is_emptied(&self, session: SessionKey) -> bool {
        self.emptied.contains(&session.id)
    }

    /// The baskets.
    pub(super) fn baskets(&self) -> &ClickHistory {
        &self.baskets
    }

    /// The views of a session among its views that influence `others`, in the order in which they were sent.
    pub(super) fn views_among(
        &self,
        session: SessionKey,
        others: impl Iterator<Item = Arc<str>>,
    ) -> Vec<Arc<str>> {
        self.merge_views(session, self.views.ids_of(session), others)
    }

    /// The same, each view with its variant.
    pub(super) fn variants_among(
        &self,
        session: SessionKey,
        others: impl Iterator<Item = ViewedItem>,
    ) -> Vec<ViewedItem> {
        self.merge_views(session, self.variants.of_views(&self.views, session), others)
    }

    fn merge_views<T>(
        &self,
        session: SessionKey,
        own: impl Iterator<Item = T>,
        mut others: impl Iterator<Item = T>,
    ) -> Vec<T> {
        let before = self.before.get(&session.id).map(Vec::as_slice).unwrap_or_default();
        let mut views = Vec::new();
        for (number, view) in own.enumerate() {
            let before = before.get(number).map_or(0, |before| *before as usize);
            views.extend(others.by_ref().take(before + number - views.len()));
            views.push(view);
        }
        views.extend(others);
        views
    }

    /// Takes a session out, and returns its number of clicks.
    pub(super) fn remove(&mut self, session: SessionKey) -> usize {
        self.before.remove(&session.id);
        self.only.remove(&session.id);
        self.variants.remove(session);
        let emptied = usize::from(self.emptied.remove(&session.id));
        self.views.remove(session) + self.baskets.remove(session) + emptied
    }

    /// The views, then the baskets.
    pub(super) fn histories(&self) -> [&ClickHistory; 2] {
        [&self.views, &self.baskets]
    }

    /// Number of views, of products in baskets, and of emptied baskets.
    pub(super) fn clicks(&self) -> usize {
        let clicks: usize = self.histories().iter().map(|history| history.all_clicks()).sum();
        clicks + self.emptied.len()
    }

    /// Positions of the views among those that influence others, and emptied baskets, as bytes: the same for equal
    /// models.
    pub(super) fn canonical(&self) -> Vec<u8> {
        let mut all: Vec<_> = self.before.iter().collect();
        all.sort_unstable();
        let mut bytes = Vec::new();
        for (session, places) in all {
            bytes.extend(session.to_be_bytes());
            bytes.extend((places.len() as u64).to_be_bytes());
            bytes.extend(places.iter().flat_map(|before| before.to_be_bytes()));
        }
        let mut emptied: Vec<_> = self.emptied.iter().collect();
        emptied.sort_unstable();
        bytes.extend((emptied.len() as u64).to_be_bytes());
        bytes.extend(emptied.into_iter().flat_map(|session| session.to_be_bytes()));
        bytes
    }

    /// Approximate bytes of memory, without its histories.
    pub(super) fn bytes(&self) -> usize {
        // A growing collection has room for half as much again.
        const PLACE_BYTES: usize = 6;
        const ORDER_BYTES: usize = 80;
        const SESSION_BYTES: usize = 32;
        let places = if self.before.is_empty() { 0 } else { self.views.all_clicks() * PLACE_BYTES };
        let sessions = self.only.len() + self.emptied.len();
        places + self.before.len() * ORDER_BYTES + sessions * SESSION_BYTES + self.variants.bytes()
    }
}
