//! Random addresses of what is kept in memory for an hour for the operator who sees it: people's pages, and what forms
//! answered. So nothing personal and no secret stands in an address, a title or a history.

use std::sync::{Mutex, PoisonError};

use uuid::Uuid;
use zeroize::Zeroizing;

use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::limits;
use crate::operators::OperatorId;

/// Who sees it: an operator, on the pages of one shop or on those of the server.
pub(super) type Seer = (OperatorId, Option<AccountId>);

struct Handle {
    id: Uuid,
    seer: Seer,
    text: Zeroizing<String>,
    until: Millis,
}

crate::unprintable::unprintable!(Handle);

/// All of them, oldest first.
#[derive(Default)]
pub(super) struct Handles(Mutex<Vec<Handle>>);

impl Handles {
    /// A new address for a text.
    pub fn make(&self, seer: Seer, text: String, now: Millis) -> Uuid {
        let id = Uuid::new_v4();
        let until = now + millis(limits::HANDLE_DURATION);
        let mut all = self.locked();
        all.retain(|handle| handle.until > now);
        all.push(Handle { id, seer, text: Zeroizing::new(text), until });
        while is_too_much(&all, seer.0) {
            let oldest = all.iter().position(|handle| handle.seer.0 == seer.0);
            oldest.map(|oldest| all.remove(oldest));
        }
        id
    }

    /// The text of an address.
    pub fn find(&self, seer: Seer, id: Uuid, now: Millis) -> Option<Zeroizing<String>> {
        let mut all = self.locked();
        all.retain(|handle| handle.until > now);
        let found = all.iter().find(|handle| handle.id == id)?;
        // red: it::console::sqlite::the_address_of_a_person_is_of_who_found_them_and_lives_an_hour
        let is_theirs = mutant!("a-persons-page-is-everybodys", found.seer == seer, true);
        is_theirs.then(|| found.text.clone())
    }

    /// The same, for the last time.
    pub fn take(&self, seer: Seer, id: Uuid, now: Millis) -> Option<Zeroizing<String>> {
        let found = self.find(seer, id, now);
        if found.is_some() {
            // red: it::console::sqlite::an_owner_sets_a_shop_and_a_secret_is_shown_once
            mutant!("a-secret-is-shown-twice", self.locked().retain(|handle| handle.id != id), ());
        }
        found
    }

    /// Forgets all that an operator sees in a shop: a person was just forgotten.
    pub fn forget(&self, seer: Seer) {
        // red: it::console::sqlite::an_officer_finds_exports_and_forgets_without_a_terminal
        let is_other = |handle: &Handle| handle.seer != seer;
        mutant!("a-page-remembers-who-was-forgotten", self.locked().retain(is_other), ());
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Vec<Handle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether more is kept for an operator than they may have; the newest stays, whatever it holds.
fn is_too_much(all: &[Handle], operator: OperatorId) -> bool {
    let theirs = || all.iter().filter(|handle| handle.seer.0 == operator);
    let bytes: usize = theirs().map(|handle| handle.text.len()).sum();
    let is_large = theirs().count() > 1 && bytes > limits::HANDLES_BYTES;
    // red: console::handles::tests::an_operator_fills_no_more_than_their_share
    theirs().count() > limits::HANDLES || mutant!("answers-fill-the-memory", is_large, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_fills_no_more_than_their_share() {
        let handles = Handles::default();
        let [one, other] = [[1; 16], [2; 16]].map(|id| (OperatorId(id), None));
        let make = |seer, bytes| handles.make(seer, "x".repeat(bytes), 0);
        let theirs = make(other, 1);
        let large: Vec<_> = (0..3).map(|_| make(one, limits::HANDLES_BYTES / 2)).collect();
        let is_kept = |seer, id| handles.find(seer, id, 0).is_some();
        assert_eq!([0, 1, 2].map(|number| is_kept(one, large[number])), [false, true, true]);
        for _ in 0..limits::HANDLES {
            make(one, 1);
        }
        assert!(is_kept(other, theirs) && !is_kept(one, large[2]));
    }
}
