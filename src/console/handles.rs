//! The addresses of people's pages: random, so that nothing personal stands in an address, a title or a history. Kept
//! in memory for an hour, each for the operator who found the person.

use std::sync::{Mutex, PoisonError};

use zeroize::Zeroizing;

use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::limits;
use crate::operators::OperatorId;

struct Handle {
    id: uuid::Uuid,
    operator: OperatorId,
    shop: AccountId,
    identifier: Zeroizing<String>,
    until: Millis,
}

crate::unprintable::unprintable!(Handle);

/// All of them, oldest first.
#[derive(Default)]
pub(super) struct Handles(Mutex<Vec<Handle>>);

impl Handles {
    /// A new address for a person of a shop.
    pub fn make(&self, operator: OperatorId, shop: AccountId, identifier: &str, now: Millis) -> uuid::Uuid {
        let id = uuid::Uuid::new_v4();
        let until = now + millis(limits::PERSON_PAGE_DURATION);
        let mut all = self.locked();
        all.retain(|handle| handle.until > now);
        if all.iter().filter(|handle| handle.operator == operator).count() >= limits::PERSON_PAGES {
            let oldest = all.iter().position(|handle| handle.operator == operator);
            oldest.map(|oldest| all.remove(oldest));
        }
        all.push(Handle { id, operator, shop, identifier: Zeroizing::new(identifier.to_owned()), until });
        id
    }

    /// By what the person of an address was found.
    pub fn find(
        &self,
        operator: OperatorId,
        shop: AccountId,
        id: uuid::Uuid,
        now: Millis,
    ) -> Option<Zeroizing<String>> {
        let mut all = self.locked();
        all.retain(|handle| handle.until > now);
        let found = all.iter().find(|handle| handle.id == id)?;
        // red: it::console::sqlite::the_address_of_a_person_is_of_who_found_them_and_lives_an_hour
        let is_theirs =
            mutant!("a-persons-page-is-everybodys", found.operator == operator && found.shop == shop, true);
        is_theirs.then(|| found.identifier.clone())
    }

    /// Forgets whom an operator found in a shop: one of them was just forgotten.
    pub fn forget(&self, operator: OperatorId, shop: AccountId) {
        // red: it::console::sqlite::an_officer_finds_exports_and_forgets_without_a_terminal
        let is_other = |handle: &Handle| handle.operator != operator || handle.shop != shop;
        mutant!("a-page-remembers-who-was-forgotten", self.locked().retain(is_other), ());
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Vec<Handle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
