//! The model of a shop's recommendations: the sessions of the last days, and their owners.
//!
//! A model depends on the stored events and on the day, and on nothing else: a model rebuilt from the events that an
//! erasure leaves has the same bytes and gives the same answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::history::{ClickHistory, SessionKey};
pub use super::interaction::{Interaction, Person, PersonAction};
use super::own_events::OwnEvents;
use super::searches::SearchHistory;
use super::viewed_variants::ViewedVariants;
use crate::limits;

/// A session of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ending {
    session: SessionKey,
    ends: i64,
}

/// Approximate bytes of a click in memory; the same bytes of searches count as one click.
const CLICK_BYTES: usize = 100;

/// The sessions of a shop that count today. If there are more clicks than a model may have, those go first that would
/// expire first: whole days, by their end. Clicks that count for their person alone have a limit of their own, half as
/// high: clicks sent without a secret push out none that influences other shoppers.
#[derive(Debug)]
pub struct Model {
    views: ClickHistory,
    /// Variants of these views.
    variants: ViewedVariants,
    /// Basket of each session, as it was changed last.
    baskets: ClickHistory,
    /// Each order is a session.
    orders: ClickHistory,
    alone: OwnEvents,
    searches: SearchHistory,
    people: FxHashMap<Person, Vec<Ending>>,
    /// Owner of each session, by its id.
    owners: FxHashMap<u128, Person>,
    /// People whose sessions end on a day.
    ending: BTreeMap<i64, FxHashSet<Person>>,
    day: i64,
    /// Most clicks that influence other shoppers.
    most: usize,
    /// Sessions that end on this day or before are left out, because there are too many clicks.
    cut: i64,
}

impl Default for Model {
    fn default() -> Self {
        Self::of_most(limits::MODEL_EVENTS)
    }
}

impl Model {
    /// An empty model, which never has more clicks than this.
    #[must_use]
    pub fn of_most(most: usize) -> Self {
        Self {
            views: ClickHistory::default(),
            variants: ViewedVariants::default(),
            baskets: ClickHistory::default(),
            orders: ClickHistory::default(),
            alone: OwnEvents::default(),
            searches: SearchHistory::default(),
            people: FxHashMap::default(),
            owners: FxHashMap::default(),
            ending: BTreeMap::new(),
            day: 0,
            most,
            cut: 0,
        }
    }

    /// Views of all people.
    #[must_use]
    pub fn views(&self) -> &ClickHistory {
        &self.views
    }

    /// The basket of each session.
    #[must_use]
    pub fn baskets(&self) -> &ClickHistory {
        &self.baskets
    }

    /// Orders: products that were ordered together.
    #[must_use]
    pub fn orders(&self) -> &ClickHistory {
        &self.orders
    }

    /// The session with this id, if it has a view or a basket.
    #[must_use]
    pub fn session(&self, id: u128) -> Option<SessionKey> {
        let mut histories = [&self.views, &self.baskets].into_iter().chain(self.alone.histories());
        histories.find_map(|history| history.session(id))
    }

    /// The products viewed in a session, in the order in which the views were sent.
    #[must_use]
    pub fn views_of(&self, session: SessionKey) -> Vec<Arc<str>> {
        self.alone.views_among(session, self.views.ids_of(session))
    }

    /// The variant of each product that a session viewed last, where its views name variants. Sessions that began
    /// before yesterday have none.
    #[must_use]
    pub fn variants_of(&self, session: SessionKey) -> FxHashMap<Arc<str>, Arc<str>> {
        if self.variants.is_without(session) && self.alone.variants.is_without(session) {
            return FxHashMap::default();
        }
        let views = self.alone.variants_among(session, self.variants.of_views(&self.views, session));
        views.into_iter().filter_map(|(item, variant)| Some((item, variant?))).collect()
    }

    /// The products in the basket of a session.
    #[must_use]
    pub fn basket_of(&self, session: SessionKey) -> Vec<String> {
        if self.alone.is_emptied(session) {
            return Vec::new();
        }
        let newest = [self.alone.baskets(), &self.baskets];
        let of = |history: &ClickHistory| {
            let clicks = history.clicks(history.slot_of(session)?);
            Some(clicks.iter().map(|item| history.id(*item).to_owned()).collect())
        };
        newest.into_iter().find_map(of).unwrap_or_default()
    }

    /// Searches that begin with a text and that at least this many people made, the most frequent first: each with its
    /// number of people.
    #[must_use]
    pub fn popular_searches<'m>(&'m self, begin: &'m str, people: usize) -> Vec<(usize, &'m str)> {
        let of = |session: &u128| self.owners.get(session).copied();
        let mut found: Vec<_> = self.searches.beginning_with(begin, of).collect();
        found.retain(|(count, _)| *count >= people);
        found.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        found
    }

    /// All histories: three that influence other shoppers, then two that count for their own person alone.
    pub(super) fn histories(&self) -> [&ClickHistory; 5] {
        let [views_alone, baskets_alone] = self.alone.histories();
        [&self.views, &self.baskets, &self.orders, views_alone, baskets_alone]
    }

    /// The day of the model.
    #[must_use]
    pub fn day(&self) -> i64 {
        self.day
    }

    /// Returns true if stored sessions that count today are missing. After a person is removed they may have room
    /// again: the model then has to be rebuilt.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut.max(self.alone.cut) > self.day
    }

    /// Begins a day: whole sessions that do not count any longer go. An earlier day changes nothing: a session that
    /// went comes back only when the model is rebuilt.
    pub fn begin_day(&mut self, day: i64) {
        if day <= self.day {
            return;
        }
        self.day = day;
        self.variants.begin_day(day);
        self.alone.variants.begin_day(day);
        self.end_until(day);
    }

    /// Drops the sessions that end on a day or before, in time proportional to them.
    fn end_until(&mut self, day: i64) {
        let later = self.ending.split_off(&(day + 1));
        let ended = std::mem::replace(&mut self.ending, later);
        for person in ended.into_values().flatten() {
            let Some(sessions) = self.people.get_mut(&person) else { continue };
            let ended: Vec<_> = sessions.extract_if(.., |of_person| of_person.ends <= day).collect();
            if sessions.is_empty() {
                self.people.remove(&person);
            }
            for ended in ended {
                self.remove(ended.session);
            }
        }
    }

    /// Adds an action: a view goes to the end of its session, a basket or an order replaces its earlier state.
    pub fn add(&mut self, deed: &Interaction) {
        if deed.ends <= self.day {
            return;
        }
        let is_alone = deed.act.is_alone();
        let cut = if is_alone { self.cut.max(self.alone.cut) } else { self.cut };
        if deed.ends <= cut {
            return;
        }
        let Interaction { person, session, ends, act } = deed;
        if self.owners.insert(session.id, *person).is_none() {
            self.people.entry(*person).or_default().push(Ending { session: *session, ends: *ends });
            self.ending.entry(*ends).or_default().insert(*person);
            self.alone.note_new(session.id);
        }
        if !is_alone {
            self.alone.note_other(session.id);
        }
        match act {
            PersonAction::Viewed(item) => self.views.add(*session, item),
            PersonAction::VariantViewed { item, variant, is_alone: false } => {
                self.variants.add(*session, &self.views, variant, self.day);
                self.views.add(*session, item);
            }
            PersonAction::VariantViewed { item, variant, is_alone: true } => {
                self.alone.add_variant(*session, variant, self.day);
                self.alone.add_view(*session, item, self.views.clicks_in(*session).len());
            }
            PersonAction::Basket(items) => {
                self.alone.drop_basket(*session);
                self.baskets.set_session(*session, items);
            }
            PersonAction::ViewedAlone(item) => {
                self.alone.add_view(*session, item, self.views.clicks_in(*session).len());
            }
            PersonAction::BasketAlone(items) => self.alone.set_basket(*session, items),
            PersonAction::Ordered(items) => self.orders.set_session(*session, items),
            PersonAction::Searched(query) => self.searches.add(session.id, query),
        }
        self.cut_off();
    }

    /// Drops whole days while there are too many clicks.
    fn cut_off(&mut self) {
        while self.clicks() > self.most {
            let Some(first) = self.ending.keys().next().copied() else { return };
            self.cut = first;
            self.end_until(first);
        }
        while self.alone.clicks() > self.most / 2 {
            let Some(first) = self.ending.range(self.alone.cut + 1..).next().map(|(first, _)| *first) else {
                return;
            };
            self.alone.cut = first;
            self.end_alone(first);
        }
    }

    /// Removes, from the sessions that end on a day, the clicks that count for their person alone.
    fn end_alone(&mut self, day: i64) {
        let people = self.ending.get(&day).into_iter().flatten();
        let sessions = people.filter_map(|person| self.people.get(person)).flatten();
        let ending: Vec<_> = sessions.filter(|of_person| of_person.ends == day).copied().collect();
        for Ending { session, .. } in ending {
            if self.alone.is_only_here(session.id) {
                self.leave_out(session.id);
            } else {
                self.alone.remove(session);
            }
        }
    }

    /// Number of clicks that influence other shoppers, products in baskets and orders included.
    fn clicks(&self) -> usize {
        // The ones that influence others come first.
        let clicks: usize = self.histories()[..3].iter().map(|history| history.all_clicks()).sum();
        clicks + self.searches.bytes() / CLICK_BYTES
    }

    /// Takes a session out, and returns its number of clicks.
    fn remove(&mut self, session: SessionKey) -> usize {
        self.owners.remove(&session.id);
        self.variants.remove(session);
        let histories = [&mut self.views, &mut self.baskets, &mut self.orders];
        let clicks: usize = histories.into_iter().map(|history| history.remove(session)).sum();
        clicks + self.alone.remove(session) + self.searches.remove(session.id)
    }

    /// Leaves a person out, as if they had never been. Returns the number of their clicks.
    pub fn forget(&mut self, person: &Person) -> usize {
        let sessions = self.people.remove(person).unwrap_or_default();
        let mut clicks = 0;
        for Ending { session, ends } in sessions {
            clicks += self.remove(session);
            if let Some(people) = self.ending.get_mut(&ends) {
                people.remove(person);
                if people.is_empty() {
                    self.ending.remove(&ends);
                }
            }
        }
        clicks
    }

    /// Leaves a session out, as if it had never been; its owner stays.
    pub fn leave_out(&mut self, session: u128) {
        let Some(person) = self.owners.remove(&session) else { return };
        let sessions = self.people.get_mut(&person).map(std::mem::take).unwrap_or_default();
        let (gone, stay): (Vec<_>, Vec<_>) =
            sessions.into_iter().partition(|of_person| of_person.session.id == session);
        if stay.is_empty() {
            self.people.remove(&person);
        }
        for Ending { session, ends } in gone {
            self.remove(session);
            let has_others = stay.iter().any(|of_person| of_person.ends == ends);
            if let Some(people) = self.ending.get_mut(&ends).filter(|_| !has_others) {
                people.remove(&person);
                if people.is_empty() {
                    self.ending.remove(&ends);
                }
            }
        }
        if !stay.is_empty() {
            self.people.insert(person, stay);
        }
    }

    /// Owner of a session.
    #[must_use]
    pub fn owner(&self, session: u128) -> Option<&Person> {
        self.owners.get(&session)
    }

    /// The sessions of a person, and their orders among them, the oldest first.
    #[must_use]
    pub fn sessions_of(&self, person: &Person) -> Vec<SessionKey> {
        let sessions = self.people.get(person).into_iter().flatten();
        let mut keys: Vec<_> = sessions.map(|of_person| of_person.session).collect();
        keys.sort_unstable();
        keys
    }

    /// Returns true if it knows a person.
    #[must_use]
    pub fn knows(&self, person: &Person) -> bool {
        self.people.contains_key(person)
    }

    /// Number of people that it knows.
    #[must_use]
    pub fn people(&self) -> usize {
        self.people.len()
    }

    /// The whole model as bytes: the same for equal models, however they came about.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for history in self.histories() {
            let history = history.canonical();
            bytes.extend((history.len() as u64).to_be_bytes());
            bytes.extend(history);
        }
        bytes.extend(self.alone.canonical());
        bytes.extend(self.searches.canonical());
        let mut people: Vec<_> = self.people.iter().collect();
        people.sort_unstable();
        for (person, sessions) in people {
            let mut sessions = sessions.clone();
            sessions.sort_unstable();
            bytes.extend(person);
            bytes.extend((sessions.len() as u64).to_be_bytes());
            for Ending { session, ends } in sessions {
                bytes.extend(session.start.to_be_bytes());
                bytes.extend(session.id.to_be_bytes());
                bytes.extend(ends.to_be_bytes());
            }
        }
        for variants in [&self.variants, &self.alone.variants] {
            let variants = variants.canonical();
            bytes.extend((variants.len() as u64).to_be_bytes());
            bytes.extend(variants);
        }
        bytes
    }

    /// Approximate bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        const PERSON_BYTES: usize = 64;
        // In the list of its person, half as much again for growth, in that of its day, and its owner.
        const SESSION_BYTES: usize = 170;
        let of_people = self.people.len() * PERSON_BYTES;
        let histories: usize = self.histories().iter().map(|history| history.bytes()).sum();
        let of_sessions = self.owners.len() * SESSION_BYTES + self.variants.bytes();
        of_people + histories + self.alone.bytes() + self.searches.bytes() + of_sessions
    }
}
