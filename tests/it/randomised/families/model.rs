//! Model of the ownership of identifiers, as plain as it can be (`docs/decisions/0022-whose-is-an-identifier.md`).

use std::collections::{BTreeMap, BTreeSet};

pub type User = u8;
pub type Email = u8;

#[derive(Default, Clone)]
struct Known {
    profile: Option<String>,
    now: Option<Email>,
    former: BTreeSet<Email>,
    has_one: bool,
    had_one: bool,
    /// Each with the address that it came with, if only orders name it.
    orders: BTreeMap<String, Option<Email>>,
}

impl Known {
    fn typed(&self) -> BTreeSet<Email> {
        self.orders.values().flatten().copied().collect()
    }
}

#[derive(Default, Clone)]
pub struct Model {
    users: BTreeMap<User, Known>,
    guests: BTreeMap<Email, BTreeSet<String>>,
    pub shut_users: BTreeSet<User>,
    pub shut_emails: BTreeSet<Email>,
}

impl Model {
    pub fn profile(&mut self, user: User, email: Option<Email>, mark: &str) {
        let is_shut = email.is_some_and(|email| self.shut_emails.contains(&email));
        if is_shut && self.users.get(&user).is_none_or(|known| !known.had_one) {
            self.shut_users.insert(user);
        }
        if is_shut || self.shut_users.contains(&user) {
            return;
        }
        for other in self.users.values_mut() {
            other.former.retain(|former| Some(*former) != email);
            // A profile that was removed had it until now.
            other.now = other.now.filter(|now| other.profile.is_some() || Some(*now) != email);
        }
        let known = self.users.entry(user).or_default();
        known.former.extend(known.now.filter(|now| Some(*now) != email));
        known.profile = Some(mark.to_owned());
        (known.now, known.has_one) = (email, email.is_some());
        if email.is_some() {
            known.had_one = true;
            known.orders.values_mut().for_each(|came_with| *came_with = None);
        }
    }

    pub fn order(&mut self, user: Option<User>, email: Option<Email>, id: &str) {
        let has = |orders: &BTreeSet<String>| orders.contains(id);
        if self.guests.values().any(has) || self.users.values().any(|known| known.orders.contains_key(id)) {
            return;
        }
        let is_shut = email.is_some_and(|email| self.shut_emails.contains(&email));
        let Some(user) = user else {
            if let Some(email) = email.filter(|_| !is_shut) {
                self.guests.entry(email).or_default().insert(id.to_owned());
            }
            return;
        };
        let has_one = self.users.get(&user).is_some_and(|known| known.has_one);
        if self.shut_users.contains(&user) || is_shut && !has_one {
            return;
        }
        let known = self.users.entry(user).or_default();
        let came_with = email.filter(|email| !has_one && !known.former.contains(email));
        known.orders.insert(id.to_owned(), came_with);
    }

    pub fn remove(&mut self, user: User) {
        self.users.entry(user).and_modify(|known| known.profile = None);
        self.users.retain(|has, known| *has != user || !known.orders.is_empty());
    }

    fn owns(&self, known: &Known, email: Email) -> bool {
        let is_sole = || !known.had_one && known.typed() == [email].into();
        known.now == Some(email) || is_sole() && self.users.values().all(|other| other.now != Some(email))
    }

    pub fn forget_email(&mut self, email: Email) {
        let who = |is: &dyn Fn(&Known) -> bool| -> BTreeSet<User> {
            self.users.iter().filter(|(_, known)| is(known)).map(|(user, _)| *user).collect()
        };
        let mut whole = who(&|known| self.owns(known, email));
        if whole.is_empty() && !self.guests.contains_key(&email) {
            whole = who(&|known| known.former.contains(&email));
        }
        self.erase(&whole);
        self.guests.remove(&email);
        self.shut_emails.insert(email);
        for known in self.users.values_mut() {
            known.former.remove(&email);
            known.orders.retain(|_, came_with| *came_with != Some(email));
        }
    }

    pub fn forget_user(&mut self, user: User) {
        let whole = self.users.contains_key(&user).then_some(user).into_iter().collect();
        self.erase(&whole);
        self.shut_users.insert(user);
    }

    fn erase(&mut self, whole: &BTreeSet<User>) {
        let before = self.clone();
        self.users.retain(|user, _| !whole.contains(user));
        let gone = || before.users.iter().filter(|(user, _)| whole.contains(user)).map(|(_, known)| known);
        for email in gone().flat_map(|known| known.now.iter().chain(&known.former)) {
            if !self.users.values().any(|other| before.owns(other, *email)) {
                self.guests.remove(email);
            }
            if self.users.values().all(|other| other.now != Some(*email)) {
                self.shut_emails.insert(*email);
            }
        }
        for email in gone().flat_map(Known::typed) {
            let has = |other: &Known| {
                other.now == Some(email) || other.former.contains(&email) || other.typed().contains(&email)
            };
            if !self.guests.contains_key(&email) && !self.users.values().any(has) {
                self.shut_emails.insert(email);
            }
        }
        self.shut_users.extend(whole);
    }

    /// Every record, as `rows::contents` tells it.
    pub fn contents(&self) -> BTreeSet<String> {
        let profiles = self.users.values().filter_map(|known| known.profile.as_ref());
        let orders = self.users.values().flat_map(|known| known.orders.keys());
        let guests = self.guests.values().flatten();
        let orders = orders.chain(guests).map(|order| format!("order {order}"));
        profiles.map(|mark| format!("profile {mark}")).chain(orders).collect()
    }
}
