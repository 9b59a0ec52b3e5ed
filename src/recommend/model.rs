//! What a shop's recommendations are made of: the sessions of the last days, and whose they are.
//!
//! A model is a function of the events that are stored and of the day, and of nothing else: whoever makes it anew from
//! what is left after an erasure gets the same bytes and the same answers.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::history::{History, SessionKey};
use crate::limits;

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

/// The sessions of a shop that count today. Of more clicks than a model may have those go first that would go first
/// anyway: whole days, from the earliest end on.
#[derive(Debug)]
pub struct Model {
    history: History,
    people: FxHashMap<Person, Vec<Ending>>,
    /// Whose sessions end on a day.
    ending: BTreeMap<i64, FxHashSet<Person>>,
    day: i64,
    /// Most clicks.
    most: usize,
    clicks: usize,
    /// Sessions that end on this day or before are not in it, because there are too many clicks.
    cut: i64,
}

impl Default for Model {
    fn default() -> Self {
        Self::of_most(limits::MODEL_EVENTS)
    }
}

impl Model {
    /// An empty one, that is never of more clicks than this.
    #[must_use]
    pub fn of_most(most: usize) -> Self {
        Self {
            history: History::default(),
            people: FxHashMap::default(),
            ending: BTreeMap::new(),
            day: 0,
            most,
            clicks: 0,
            cut: 0,
        }
    }

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

    /// Whether there are stored sessions that count today and are not in it. Without somebody they may have room again:
    /// then it has to be made anew.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut > self.day
    }

    /// A day begins: whole sessions that do not count any longer go. An earlier one changes nothing: what went does not
    /// come back before it is made anew.
    pub fn begin_day(&mut self, day: i64) {
        if day <= self.day {
            return;
        }
        self.day = day;
        // red: recommend::tests::sessions_go_at_midnight_as_if_they_had_never_been
        mutant!("sessions-never-end", self.end_until(day), ());
    }

    /// Sessions that end on a day or before go, and what is done for it grows with them alone.
    fn end_until(&mut self, day: i64) {
        let later = self.ending.split_off(&(day + 1));
        let ended = std::mem::replace(&mut self.ending, later);
        for person in ended.into_values().flatten() {
            let Some(sessions) = self.people.get_mut(&person) else { continue };
            for ended in sessions.extract_if(.., |of_person| of_person.ends <= day) {
                self.clicks -= self.history.remove(ended.session);
            }
            if sessions.is_empty() {
                self.people.remove(&person);
            }
        }
    }

    /// Adds a click at the end of its session.
    pub fn add(&mut self, click: &Click) {
        // red: recommend::tests::sessions_go_at_midnight_as_if_they_had_never_been
        if mutant!("a-session-that-ended-is-added", click.ends <= self.day, false) {
            return;
        }
        // red: recommend::tests::a_model_of_too_many_clicks_is_one_of_the_last_days
        if mutant!("a-session-that-was-cut-off-is-added", click.ends <= self.cut, false) {
            return;
        }
        let Click { person, session, ends, item } = click;
        // A session is one person's: it is new to them when it is new.
        if self.history.slot_of(*session).is_none() {
            self.people.entry(*person).or_default().push(Ending { session: *session, ends: *ends });
            self.ending.entry(*ends).or_default().insert(*person);
        }
        self.history.add(*session, item);
        self.clicks += 1;
        while self.clicks > self.most {
            let Some(first) = self.ending.keys().next().copied() else { return };
            self.cut = first;
            self.end_until(first);
        }
    }

    /// Leaves a person out, as if they had never been. Gives how many clicks that were.
    pub fn forget(&mut self, person: &Person) -> usize {
        // red: it::unlearning::sqlite::after_each_forget_the_model_is_that_of_a_shop_without_the_person
        mutant!("a-forgotten-person-stays-in-the-model", return 0);
        let sessions = self.people.remove(person).unwrap_or_default();
        let mut clicks = 0;
        for Ending { session, ends } in sessions {
            clicks += self.history.remove(session);
            if let Some(people) = self.ending.get_mut(&ends) {
                // red: recommend::tests::who_is_forgotten_stands_nowhere_in_memory
                mutant!("who-is-forgotten-still-has-an-end", people.remove(person), false);
                if people.is_empty() {
                    self.ending.remove(&ends);
                }
            }
        }
        self.clicks -= clicks;
        clicks
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
        // In the list of its person, half as much again for what grows, and in that of its day.
        const SESSION_BYTES: usize = 104;
        let of_people = self.people.len() * PERSON_BYTES;
        // red: recommend::tests::what_is_kept_of_people_counts_as_memory
        of_people
            + self.history.bytes()
            + mutant!("sessions-take-no-memory", self.history.sessions() * SESSION_BYTES, 0)
    }
}
