//! What a shop's recommendations are made of: the sessions of the last days, and whose they are.
//!
//! A model is a function of the events that are stored and of the day, and of nothing else: whoever makes it anew from
//! what is left after an erasure gets the same bytes and the same answers.

use rustc_hash::FxHashMap;

use super::history::{History, SessionKey};

/// The random number under which a person is kept.
pub type Person = [u8; 16];

/// A product that somebody looked at.
#[derive(Debug, Clone)]
pub struct Click {
    /// Who.
    pub person: Person,
    /// In which session.
    pub session: SessionKey,
    /// The day from which on the session does not count any longer.
    pub ends: i64,
    /// Its catalogue id.
    pub item: String,
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
    history: History,
    people: FxHashMap<Person, Vec<Ending>>,
    day: i64,
}

impl Model {
    /// What everybody did.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
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
        let history = &mut self.history;
        self.people.retain(|_, sessions| {
            sessions.retain(|of_person| {
                // red: recommend::tests::sessions_go_at_midnight_as_if_they_had_never_been
                let stays = mutant!("sessions-never-end", of_person.ends > day, true);
                if !stays {
                    history.remove(of_person.session);
                }
                stays
            });
            !sessions.is_empty()
        });
    }

    /// Adds a click at the end of its session.
    pub fn add(&mut self, click: &Click) {
        // red: recommend::tests::sessions_go_at_midnight_as_if_they_had_never_been
        if mutant!("a-session-that-ended-is-added", click.ends <= self.day, false) {
            return;
        }
        let Click { person, session, ends, item } = click;
        let sessions = self.people.entry(*person).or_default();
        if sessions.iter().rev().all(|known| known.session != *session) {
            sessions.push(Ending { session: *session, ends: *ends });
        }
        self.history.add(*session, item);
    }

    /// Leaves a person out, as if they had never been. Gives how many clicks that were.
    pub fn forget(&mut self, person: &Person) -> usize {
        // red: it::unlearning::sqlite::after_each_forget_the_model_is_that_of_a_shop_without_the_person
        mutant!("a-forgotten-person-stays-in-the-model", return 0);
        let sessions = self.people.remove(person).unwrap_or_default();
        sessions.iter().map(|of_person| self.history.remove(of_person.session)).sum()
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
        let mut bytes = self.history.canonical();
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
        self.history.bytes() + self.people.len() * PERSON_BYTES
    }
}
