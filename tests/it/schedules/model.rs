//! What must remain: the rules about people, said again as plainly as they can be.
//!
//! Here are no keys, no tags, no jobs and no payloads. A shop is a set of people, each a set of identifiers with a
//! profile and orders; a set of identifiers whose door is shut; and texts with an address in them. What is forgotten
//! goes at once, and a row counts when it is applied, by when it was accepted. A restored backup is the model as it was
//! when the backup was made, which is then told what is known elsewhere of the time since.

use std::collections::{BTreeMap, BTreeSet};

use super::operations::{Id, Row};

/// The order of acceptance in one shop.
pub type Place = u32;

/// A person's number in one shop.
pub type Number = u32;

/// One person.
#[derive(Default, Clone)]
struct Person {
    number: Number,
    ids: BTreeSet<Id>,
    profile: Option<(Place, String)>,
    orders: BTreeMap<String, Place>,
}

impl Person {
    /// Somebody of whom only an email is known.
    fn is_guest(&self, email: Id) -> bool {
        self.ids.contains(&email) && !self.ids.iter().any(|id| matches!(id, Id::User(_)))
    }
}

/// One shop.
#[derive(Default, Clone)]
pub struct Model {
    people: Vec<Person>,
    /// How many people there ever were.
    seen: Number,
    /// Whose door is or was shut; behind a place, and for what was bought from a time on, it is open again.
    shut: BTreeMap<Id, Option<(Place, i64)>>,
    /// Products with an address in their title, which is blanked.
    texts: BTreeSet<u8>,
    /// Users whose profile was removed, and when that was accepted.
    removed: BTreeMap<u8, Place>,
    accepted: Place,
}

/// What outlives the data folder: in the journal, or because a key is gone.
#[derive(Clone)]
pub enum Told {
    /// Those identifiers were shut, and those people went.
    Forgotten(BTreeSet<Id>, BTreeSet<Number>),
    /// A person came back under an identifier.
    CameBack(Id),
    /// A person of whom nothing was left but a profile lost that.
    Removed(Number),
}

/// What is held under one identifier.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord, Clone, Debug)]
pub struct Held {
    pub ids: BTreeSet<String>,
    pub profiles: BTreeSet<String>,
    pub orders: BTreeSet<String>,
}

impl Model {
    /// Something is accepted.
    pub fn accept(&mut self) -> Place {
        self.accepted += 1;
        self.accepted
    }

    /// A user's row is stored.
    pub fn apply_profile(&mut self, row: &Row, accepted: Place) {
        let is_removed = |user: &u8| self.removed.get(user).is_some_and(|at| *at > accepted);
        let is_removed = row.user.as_ref().is_some_and(is_removed);
        if !self.admits(row, accepted) || is_removed {
            return;
        }
        let person = self.whose(row);
        if person.profile.as_ref().is_none_or(|(newer, _)| *newer <= accepted) {
            person.profile = Some((accepted, row.mark.clone()));
            person.ids.extend(leading(row));
        }
    }

    /// An order is stored, each number once, and none from before its person came back.
    pub fn apply_order(&mut self, row: &Row, accepted: Place) {
        let is_known = self.people.iter().any(|person| person.orders.contains_key(&row.mark));
        let came_back_at =
            leading(row).filter_map(|id| self.shut.get(&id).copied().flatten()).map(|(_, at)| at);
        let is_of_before = came_back_at.max().is_some_and(|at| row.ordered_at < at);
        if self.admits(row, accepted) && !is_known && !is_of_before {
            let person = self.whose(row);
            person.orders.insert(row.mark.clone(), accepted);
            person.ids.extend(leading(row));
        }
    }

    /// A user's profile goes, unless it is newer; who has orders stays. Gives who went as a whole. What was sent before
    /// does not bring the profile back.
    pub fn apply_removal(&mut self, user: u8, accepted: Place) -> Option<Number> {
        self.removed.insert(user, accepted);
        let at = self.people.iter().position(|person| person.ids.contains(&Id::User(user)))?;
        let person = &mut self.people[at];
        person.profile.take_if(|(newer, _)| *newer <= accepted);
        let is_empty = person.profile.is_none() && person.orders.is_empty();
        is_empty.then(|| self.people.remove(at).number)
    }

    /// A product is shown, without the address in its title.
    pub fn apply_text(&mut self, product: u8) {
        self.texts.insert(product);
    }

    /// A person goes, with everything that is theirs alone, and with what they ordered as a guest.
    pub fn forget(&mut self, asked: Id) -> Told {
        let mut ids: BTreeSet<Id> = [asked].into();
        for person in self.people.iter().filter(|person| person.ids.contains(&asked)) {
            ids.extend(person.ids.iter().filter(|id| !matches!(id, Id::Company(_))));
        }
        let is_taken = |person: &Person| {
            person.ids.contains(&asked)
                || ids.iter().any(|id| matches!(id, Id::Email(_)) && person.is_guest(*id))
        };
        let taken =
            self.people.iter().filter(|person| is_taken(person)).map(|person| person.number).collect();
        let told = Told::Forgotten(ids, taken);
        self.hear(&told, 0);
        told
    }

    fn hear(&mut self, told: &Told, now: i64) {
        match told {
            Told::Forgotten(ids, people) => {
                self.people.retain(|person| !people.contains(&person.number));
                self.shut.extend(ids.iter().map(|id| (*id, None)));
            }
            Told::CameBack(id) if self.is_shut(*id) => self.come_back(*id, now),
            Told::CameBack(_) => {}
            Told::Removed(number) => self.people.retain(|person| person.number != *number),
        }
    }

    /// What was restored is told what is known of the time since.
    pub fn catch_up(&mut self, since: &[Told], now: i64) {
        since.iter().for_each(|told| self.hear(told, now));
    }

    /// A person comes back under one identifier.
    pub fn come_back(&mut self, id: Id, now: i64) {
        let place = self.accept();
        self.shut.insert(id, Some((place, now)));
    }

    /// Whether the door is shut for an identifier.
    pub fn is_shut(&self, id: Id) -> bool {
        self.shut.get(&id) == Some(&None)
    }

    /// What is held under an identifier.
    pub fn held(&self, id: Id, seed: u64) -> Held {
        let direct: Vec<_> = self.people.iter().filter(|person| person.ids.contains(&id)).collect();
        let emails: BTreeSet<Id> = direct
            .iter()
            .flat_map(|person| person.ids.iter().copied().filter(|id| matches!(id, Id::Email(_))))
            .collect();
        let is_theirs =
            |person: &&Person| person.ids.contains(&id) || emails.iter().any(|email| person.is_guest(*email));
        let mut held = Held::default();
        for person in self.people.iter().filter(is_theirs) {
            held.ids.extend(person.ids.iter().map(|id| id.text(seed)));
            held.profiles.extend(person.profile.iter().map(|(_, mark)| mark.clone()));
            held.orders.extend(person.orders.keys().cloned());
        }
        held
    }

    /// Products whose title had an address.
    pub fn texts(&self) -> impl Iterator<Item = u8> {
        self.texts.iter().copied()
    }

    /// People, records, identifiers and order numbers that are stored.
    pub fn counts(&self) -> [usize; 4] {
        let sum = |of: fn(&Person) -> usize| self.people.iter().map(of).sum();
        [
            self.people.len(),
            sum(|person| usize::from(person.profile.is_some()) + person.orders.len()),
            sum(|person| person.ids.len()),
            sum(|person| person.orders.len()),
        ]
    }

    /// A row passes when none of its identifiers is shut for what was accepted then. One that ties a forgotten email to
    /// a number nobody has shuts that number too: the same person again.
    fn admits(&mut self, row: &Row, accepted: Place) -> bool {
        for id in leading(row) {
            let is_out = self.shut.get(&id).is_some_and(|opened| opened.is_none_or(|(at, _)| accepted <= at));
            if !is_out {
                continue;
            }
            if let (Id::Email(_), Some(user), true) = (id, row.user.map(Id::User), self.is_shut(id))
                && self.people.iter().all(|person| !person.ids.contains(&user))
            {
                self.shut.insert(user, None);
            }
            return false;
        }
        true
    }

    /// The person of a user id, else the guest of the email; of an email alone, the only one it leads to, else its guest.
    fn whose(&mut self, row: &Row) -> &mut Person {
        let has = |id: Id| move |person: &Person| person.ids.contains(&id);
        let position = |is: &dyn Fn(&Person) -> bool| self.people.iter().position(is);
        let guest = |email: u8| position(&|person: &Person| person.is_guest(Id::Email(email)));
        let found = match (row.user, row.email, row.company) {
            (Some(user), email, _) => position(&has(Id::User(user))).or_else(|| guest(email?)),
            (None, Some(email), _) => {
                let is_theirs = has(Id::Email(email));
                match self.people.iter().filter(|person| is_theirs(person)).count() {
                    1 => position(&is_theirs),
                    _ => guest(email),
                }
            }
            (None, None, Some(company)) => position(&has(Id::Company(company))),
            (None, None, None) => None,
        };
        let at = found.unwrap_or_else(|| {
            self.seen += 1;
            self.people.push(Person { number: self.seen, ..Person::default() });
            self.people.len() - 1
        });
        &mut self.people[at]
    }
}

/// The identifiers by which a row names a person: a company only when there is nothing else.
fn leading(row: &Row) -> impl Iterator<Item = Id> {
    let company = row.company.filter(|_| row.user.is_none() && row.email.is_none());
    row.user.map(Id::User).into_iter().chain(row.email.map(Id::Email)).chain(company.map(Id::Company))
}
