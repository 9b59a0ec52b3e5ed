//! What a shop's recommendations are made of: the sessions of the last days, and whose they are.
//!
//! A model is a function of the events that are stored and of the day, and of nothing else: whoever makes it anew from
//! what is left after an erasure gets the same bytes and the same answers.

use rustc_hash::FxHashMap;

use super::history::{History, SessionKey};

/// The random number under which a person is kept.
pub type Person = [u8; 16];

/// Something that somebody did.
#[derive(Debug, Clone)]
pub struct Deed {
    /// Who.
    pub person: Person,
    /// In which session; an order is one of its own.
    pub session: SessionKey,
    /// The day from which on the session does not count any longer.
    pub ends: i64,
    /// What, by catalogue ids.
    pub act: Act,
}

/// What somebody did, by catalogue ids.
#[derive(Debug, Clone)]
pub enum Act {
    /// Looked at a product.
    Viewed(String),
    /// Changed their basket: what is in it now.
    Basket(Vec<String>),
    /// Ordered: all that is in the order.
    Ordered(Vec<String>),
}

/// A session of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ending {
    session: SessionKey,
    ends: i64,
}

/// The sessions of a shop that count today.
#[derive(Debug, Default)]
pub struct Model {
    views: History,
    /// What was in the basket of each session when it was changed last.
    baskets: History,
    /// Each order is a session.
    orders: History,
    people: FxHashMap<Person, Vec<Ending>>,
    /// Whose each session is, by its id.
    owners: FxHashMap<u128, Person>,
    day: i64,
}

impl Model {
    /// What everybody looked at.
    #[must_use]
    pub fn views(&self) -> &History {
        &self.views
    }

    /// The basket of each session.
    #[must_use]
    pub fn baskets(&self) -> &History {
        &self.baskets
    }

    /// What was ordered together.
    #[must_use]
    pub fn orders(&self) -> &History {
        &self.orders
    }

    /// All of them.
    pub(super) fn histories(&self) -> [&History; 3] {
        [&self.views, &self.baskets, &self.orders]
    }

    /// The day of which it is.
    #[must_use]
    pub fn day(&self) -> i64 {
        self.day
    }

    /// A day begins: whole sessions that do not count any longer go. An earlier one changes nothing: what went does not
    /// come back before it is made anew.
    pub fn begin_day(&mut self, day: i64) {
        if day <= self.day {
            return;
        }
        self.day = day;
        let owners = &mut self.owners;
        let mut histories = [&mut self.views, &mut self.baskets, &mut self.orders];
        self.people.retain(|_, sessions| {
            sessions.retain(|of_person| {
                // red: recommend::tests::sessions_go_at_midnight_as_if_they_had_never_been
                let stays = mutant!("sessions-never-end", of_person.ends > day, true);
                if !stays {
                    owners.remove(&of_person.session.id);
                    remove(&mut histories, of_person.session);
                }
                stays
            });
            !sessions.is_empty()
        });
    }

    /// Adds what somebody did: a view at the end of its session, a basket or an order in the place of what it was
    /// before.
    pub fn add(&mut self, deed: &Deed) {
        // red: recommend::tests::sessions_go_at_midnight_as_if_they_had_never_been
        if mutant!("a-session-that-ended-is-added", deed.ends <= self.day, false) {
            return;
        }
        let Deed { person, session, ends, act } = deed;
        if self.owners.insert(session.id, *person).is_none() {
            self.people.entry(*person).or_default().push(Ending { session: *session, ends: *ends });
        }
        match act {
            Act::Viewed(item) => self.views.add(*session, item),
            Act::Basket(items) => self.baskets.set(*session, items),
            Act::Ordered(items) => self.orders.set(*session, items),
        }
    }

    /// Leaves a person out, as if they had never been. Gives how many clicks that were.
    pub fn forget(&mut self, person: &Person) -> usize {
        // red: it::unlearning::sqlite::after_each_forget_the_model_is_that_of_a_shop_without_the_person
        mutant!("a-forgotten-person-stays-in-the-model", return 0);
        let sessions = self.people.remove(person).unwrap_or_default();
        let mut histories = [&mut self.views, &mut self.baskets, &mut self.orders];
        let removed = sessions.iter().map(|of_person| {
            self.owners.remove(&of_person.session.id);
            remove(&mut histories, of_person.session)
        });
        removed.sum()
    }

    /// Leaves a session out, as if it had never been; whoever did it stays.
    pub fn leave_out(&mut self, session: u128) {
        let Some(person) = self.owners.remove(&session) else { return };
        let Some(sessions) = self.people.get_mut(&person) else { return };
        let mut histories = [&mut self.views, &mut self.baskets, &mut self.orders];
        for gone in sessions.extract_if(.., |of_person| of_person.session.id == session) {
            remove(&mut histories, gone.session);
        }
        if sessions.is_empty() {
            self.people.remove(&person);
        }
    }

    /// Whose a session is.
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

    /// Whether it knows somebody.
    #[must_use]
    pub fn knows(&self, person: &Person) -> bool {
        self.people.contains_key(person)
    }

    /// How many people it knows.
    #[must_use]
    pub fn people(&self) -> usize {
        self.people.len()
    }

    /// All of it as bytes: the same for equal models, however they came about.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for history in self.histories() {
            let history = history.canonical();
            bytes.extend((history.len() as u64).to_be_bytes());
            bytes.extend(history);
        }
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
        bytes
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        const PERSON_BYTES: usize = 64;
        const SESSION_BYTES: usize = 128;
        let histories: usize = self.histories().iter().map(|history| history.bytes()).sum();
        histories + self.people.len() * PERSON_BYTES + self.owners.len() * SESSION_BYTES
    }
}

/// Takes a session out of each, and gives how many items that were.
fn remove(histories: &mut [&mut History; 3], session: SessionKey) -> usize {
    histories.iter_mut().map(|history| history.remove(session)).sum()
}
