//! Model of the rules about people, as plain as it can be.
//!
//! It has no keys, no tags, no jobs and no payloads. A shop is a set of people, each a set of identifiers with a
//! profile and orders; a set of identifiers whose door is shut; and texts with an address in them. A forgotten person
//! goes at once. A row counts when it is applied, by the time of its acceptance. A restored backup is the model at the
//! time of the backup, to which is added what other records know of the time since.

use std::collections::{BTreeMap, BTreeSet};

use super::operations::{Id, Row};

/// The order of acceptance in one shop.
pub type Place = u32;

/// A person's number in one shop.
pub type Number = u32;

/// One person: a user id, an email of a guest, or a company that ordered.
#[derive(Clone)]
struct Person {
    number: Number,
    id: Id,
    /// The email of the newest profile, and those of earlier ones.
    now: Option<Id>,
    former: BTreeSet<Id>,
    /// Two marks: the newest profile has an email; any profile had one.
    has_one: bool,
    had_one: bool,
    profile: Option<(Place, String)>,
    /// Each with the email that it came with, if only orders name it.
    orders: BTreeMap<String, Option<Id>>,
    /// Number of their views.
    views: usize,
}

impl Person {
    fn typed(&self) -> BTreeSet<Id> {
        self.orders.values().flatten().copied().collect()
    }

    /// The emails that a profile has or had.
    fn said(&self) -> impl Iterator<Item = Id> {
        self.now.into_iter().chain(self.former.iter().copied())
    }

    fn ids(&self) -> BTreeSet<Id> {
        self.said().chain(self.typed()).chain([self.id]).collect()
    }
}

/// One shop.
#[derive(Default, Clone)]
pub struct Model {
    people: Vec<Person>,
    /// Number of people there ever were.
    seen: Number,
    /// Identifiers whose door is or was shut; after a place, and for purchases from a time on, it is open again.
    shut: BTreeMap<Id, Option<(Place, i64)>>,
    /// Products with an address in their title, which is blanked.
    texts: BTreeSet<u8>,
    /// Users whose profile was removed, and when that was accepted.
    removed: BTreeMap<u8, Place>,
    accepted: Place,
}

/// Facts that outlive the data folder: in the journal, or because a key is gone.
#[derive(Clone)]
pub enum Told {
    /// This was asked for; those identifiers were shut, and those people went.
    Forgotten(Id, BTreeSet<Id>, BTreeSet<Number>),
    /// A person came back under an identifier.
    CameBack(Id),
    /// A person who had only a profile left lost it.
    Removed(Number),
}

/// Data under one identifier.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord, Clone, Debug)]
pub struct Held {
    pub ids: BTreeSet<String>,
    pub profiles: BTreeSet<String>,
    pub orders: BTreeSet<String>,
    pub views: usize,
}

impl Model {
    /// Something is accepted.
    pub fn accept(&mut self) -> Place {
        self.accepted += 1;
        self.accepted
    }

    /// A user's row is stored.
    pub fn apply_profile(&mut self, row: &Row, accepted: Place) {
        let Some(user) = row.user else { return };
        let email = row.email.map(Id::Email);
        if let Some(out) = email.filter(|email| self.is_out(*email, accepted)) {
            let is_nobody_elses = self.person(Id::User(user)).is_none_or(|person| !person.had_one);
            if is_nobody_elses && !self.is_out(Id::User(user), accepted) && self.is_shut(out) {
                self.shut.insert(Id::User(user), None);
            }
            return;
        }
        let is_removed = self.removed.get(&user).is_some_and(|at| *at > accepted);
        if self.is_out(Id::User(user), accepted) || is_removed {
            return;
        }
        let person = self.made(Id::User(user));
        if person.profile.as_ref().is_some_and(|(newer, _)| *newer > accepted) {
            return;
        }
        person.profile = Some((accepted, row.mark.clone()));
        person.former.extend(person.now.filter(|now| Some(*now) != email));
        (person.now, person.has_one) = (email, email.is_some());
        if let Some(email) = email {
            person.had_one = true;
            person.orders.values_mut().for_each(|came_with| *came_with = None);
            for person in &mut self.people {
                person.former.remove(&email);
                // A profile that was removed had it until now.
                person.now.take_if(|now| person.profile.is_none() && *now == email);
            }
        }
    }

    /// A person looked at a shown product. An email in addition to a user id only says that it is not to be a
    /// forgotten one.
    pub fn apply_view(&mut self, row: &Row, accepted: Place) {
        let Some(id) = row.user.map(Id::User).or(row.email.map(Id::Email)).or(row.company.map(Id::Company))
        else {
            return;
        };
        let (now, has_one) = self.person(id).map_or((None, false), |person| (person.now, person.has_one));
        let beside = row.email.map(Id::Email).filter(|_| row.user.is_some());
        let is_lost = beside.is_some_and(|email| self.is_out(email, accepted)) && (!has_one || now == beside);
        if !self.is_out(id, accepted) && !is_lost {
            self.made(id).views += 1;
        }
    }

    /// An order is stored, each number once, and none from a second before that in which its person came back.
    pub fn apply_order(&mut self, row: &Row, accepted: Place) {
        let Some(id) = row.user.map(Id::User).or(row.email.map(Id::Email)).or(row.company.map(Id::Company))
        else {
            return;
        };
        let is_known = self.people.iter().any(|person| person.orders.contains_key(&row.mark));
        let (now, has_one) = self.person(id).map_or((None, false), |person| (person.now, person.has_one));
        // If the user's profile has an email, the order's says nothing.
        let typed = row.email.map(Id::Email).filter(|_| row.user.is_some());
        let is_lost = typed.is_some_and(|email| self.is_out(email, accepted)) && (!has_one || now == typed);
        let typed = typed.filter(|_| !has_one);
        let came_back_at = [Some(id), typed].into_iter().flatten();
        let came_back_at = came_back_at
            .filter_map(|id| self.shut.get(&id).copied().flatten())
            .map(|(_, at)| at / 1000 * 1000);
        let is_of_before = came_back_at.max().is_some_and(|at| row.ordered_at < at);
        if self.is_out(id, accepted) || is_lost || is_of_before || is_known {
            return;
        }
        let person = self.made(id);
        let came_with = typed.filter(|email| !person.former.contains(email));
        person.orders.insert(row.mark.clone(), came_with);
    }

    /// A user's profile goes, unless it is newer; a person with orders stays. Returns the people who went as a whole.
    /// Earlier rows do not bring the profile back.
    pub fn apply_removal(&mut self, user: u8, accepted: Place) -> Option<Number> {
        self.removed.insert(user, accepted);
        let at = self.people.iter().position(|person| person.id == Id::User(user))?;
        let person = &mut self.people[at];
        person.profile.take_if(|(newer, _)| *newer <= accepted);
        let is_empty = person.profile.is_none() && person.orders.is_empty() && person.views == 0;
        is_empty.then(|| self.people.remove(at).number)
    }

    /// A product is shown, without the address in its title.
    pub fn apply_text(&mut self, product: u8) {
        self.texts.insert(product);
    }

    /// The owner goes, with the guests under their emails, unless another user owns those as well. From others only
    /// the orders go that came with the identifier.
    pub fn forget(&mut self, asked: Id) -> Told {
        let whole = self.whole(asked);
        let gone = || self.people.iter().filter(|person| whole.contains(&person.number));
        let others = || self.people.iter().filter(|person| !whole.contains(&person.number));
        let mut shut: BTreeSet<Id> = gone().map(|person| person.id).collect();
        shut.extend(
            gone().flat_map(Person::said).filter(|email| others().all(|other| other.now != Some(*email))),
        );
        let typed = gone().flat_map(Person::typed);
        shut.extend(typed.filter(|email| others().all(|other| !other.ids().contains(email))));
        shut.retain(|id| !matches!(id, Id::Company(_)));
        shut.insert(asked);
        let told = Told::Forgotten(asked, shut, whole);
        self.hear(&told, 0);
        told
    }

    /// People who go whole.
    fn whole(&self, asked: Id) -> BTreeSet<Number> {
        let who = |is: &dyn Fn(&Person) -> bool| -> BTreeSet<Number> {
            self.people.iter().filter(|person| is(person)).map(|person| person.number).collect()
        };
        let mut whole = who(&|person| person.id == asked || self.owns(person, asked));
        if whole.is_empty() {
            whole = who(&|person| person.former.contains(&asked));
        }
        let found = whole.clone();
        for person in self.people.iter().filter(|person| found.contains(&person.number)) {
            for email in person.said() {
                let owns = |other: &Person| !found.contains(&other.number) && self.owns(other, email);
                if !self.people.iter().any(owns) {
                    whole.extend(self.person(email).map(|guest| guest.number));
                }
            }
        }
        whole
    }

    /// Returns true if an email is a user's own: that of the newest profile, or, for a user who never had one there, the
    /// only one in their orders.
    fn owns(&self, person: &Person, email: Id) -> bool {
        let is_sole = || !person.had_one && person.typed() == [email].into();
        person.now == Some(email) || is_sole() && self.people.iter().all(|other| other.now != Some(email))
    }

    fn hear(&mut self, told: &Told, now: i64) {
        match told {
            Told::Forgotten(asked, ids, people) => {
                self.people.retain(|person| !people.contains(&person.number));
                for person in &mut self.people {
                    person.former.remove(asked);
                    person.orders.retain(|_, came_with| *came_with != Some(*asked));
                }
                self.shut.extend(ids.iter().map(|id| (*id, None)));
            }
            Told::CameBack(id) if self.is_shut(*id) => self.come_back(*id, now),
            Told::CameBack(_) => {}
            Told::Removed(number) => self.people.retain(|person| person.number != *number),
        }
    }

    /// Replays later facts on a restored shop.
    pub fn catch_up(&mut self, since: &[Told], now: i64) {
        since.iter().for_each(|told| self.hear(told, now));
    }

    /// A person comes back under one identifier.
    pub fn come_back(&mut self, id: Id, now: i64) {
        let place = self.accept();
        self.shut.insert(id, Some((place, now)));
    }

    /// Returns true if the door is shut for an identifier.
    pub fn is_shut(&self, id: Id) -> bool {
        self.shut.get(&id) == Some(&None)
    }

    /// Data under an identifier: everything that a request to forget it would erase.
    pub fn held(&self, id: Id, seed: u64) -> Held {
        let whole = self.whole(id);
        let mut held = Held::default();
        for person in &self.people {
            if !whole.contains(&person.number) {
                let came_with = person.orders.iter().filter(|(_, came_with)| **came_with == Some(id));
                held.orders.extend(came_with.map(|(order, _)| order.clone()));
                continue;
            }
            held.ids.extend(person.ids().iter().map(|id| id.text(seed)));
            held.profiles.extend(person.profile.iter().map(|(_, mark)| mark.clone()));
            held.orders.extend(person.orders.keys().cloned());
            held.views += person.views;
        }
        held
    }

    /// Products whose title had an address.
    pub fn texts(&self) -> impl Iterator<Item = u8> {
        self.texts.iter().copied()
    }

    /// People, profiles and orders, identifiers, order numbers, and views that are stored.
    pub fn counts(&self) -> [usize; 5] {
        let sum = |of: fn(&Person) -> usize| self.people.iter().map(of).sum();
        [
            self.people.len(),
            sum(|person| usize::from(person.profile.is_some()) + person.orders.len()),
            sum(|person| person.ids().len()),
            sum(|person| person.orders.len()),
            sum(|person| person.views),
        ]
    }

    /// True if the door is shut for a row accepted then under an identifier.
    fn is_out(&self, id: Id, accepted: Place) -> bool {
        self.shut.get(&id).is_some_and(|opened| opened.is_none_or(|(at, _)| accepted <= at))
    }

    fn person(&self, id: Id) -> Option<&Person> {
        self.people.iter().find(|person| person.id == id)
    }

    /// The person of a user id, a guest's email or a company that is all there is: no email joins two.
    fn made(&mut self, id: Id) -> &mut Person {
        let at = self.people.iter().position(|person| person.id == id).unwrap_or_else(|| {
            self.seen += 1;
            let now = None;
            let former = BTreeSet::new();
            let has_one = false;
            let had_one = false;
            let profile = None;
            let orders = BTreeMap::new();
            let views = 0;
            self.people.push(Person {
                number: self.seen,
                id,
                now,
                former,
                has_one,
                had_one,
                profile,
                orders,
                views,
            });
            self.people.len() - 1
        });
        &mut self.people[at]
    }
}
