//! Identifiers of the person who acted.

use super::identifiers::{AddressesInIds, IdentifierRole, RowIdentifiers};
use crate::clock::{Day, Millis, day_of, millis};
use crate::ids::identifier::Identifier;
use crate::limits;

/// Identifiers of the person who acted. The strongest known one decides, the others only have to pass the door. Cannot
/// be printed.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Actor {
    /// The shop's id of the person.
    pub user_id: Option<Identifier>,
    /// Their email address.
    pub email: Option<Identifier>,
    /// Their company; a company that is named alone did it itself.
    pub company: Option<Identifier>,
    /// The number in their browser's cookie.
    pub visitor: Option<Identifier>,
}

impl Actor {
    /// The addresses that its ids hold.
    pub(super) fn addresses_in_ids(&self) -> AddressesInIds {
        AddressesInIds::from_ids(self.user_id.as_ref(), self.company.as_ref())
    }

    pub(super) fn collect_identifiers<'a>(&'a self, held: &'a AddressesInIds) -> RowIdentifiers<'a> {
        // Devices are shared: the number of one does not tell who is logged in there. A company is shared too: it owns
        // the event only when nothing else is named.
        let is_person = self.user_id.is_some() || self.email.is_some();
        RowIdentifiers::default()
            .with_identifier(IdentifierRole::UserId, self.user_id.as_ref())
            .with_identifier(IdentifierRole::OrderEmail, self.email.as_ref())
            .with_identifier(IdentifierRole::Visitor, self.visitor.as_ref().filter(|_| !is_person))
            .with_identifier(IdentifierRole::Company, self.company.as_ref())
            .with_addresses(held)
    }

    /// Returns true if only the number in their cookie is known.
    #[must_use]
    pub fn is_visitor(&self) -> bool {
        self.user_id.is_none() && self.email.is_none() && self.visitor.is_some()
    }

    /// Returns true if no identifier is known.
    #[must_use]
    pub fn is_nobody(&self) -> bool {
        let is_somebody = self.user_id.is_some() || self.email.is_some() || self.visitor.is_some();
        !is_somebody && self.company.is_none()
    }

    /// The day, counted from 1970, on which a session with this start goes.
    #[must_use]
    pub fn last_day(&self, start: Millis) -> Day {
        day_of(start + self.retention())
    }

    /// Time for which their actions are kept.
    fn retention(&self) -> Millis {
        millis(if self.is_visitor() { limits::VISITS_KEPT_DURATION } else { limits::EVENTS_KEPT_DURATION })
    }
}

static_assertions::assert_not_impl_any!(Actor: std::fmt::Debug, std::fmt::Display, serde::Serialize);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::identifier::IdentifierRefusal;

    const DAY: Millis = 24 * 60 * 60 * 1000;

    /// Somebody with a user id, an address, a company or a browser, by the first letters of these.
    fn actor(letters: &str) -> Actor {
        let named = |letter: char, id: Result<Identifier, IdentifierRefusal>| {
            id.ok().filter(|_| letters.contains(letter))
        };
        Actor {
            user_id: named('u', Identifier::user_id("anna")),
            email: named('a', Identifier::email("anna@shop.test")),
            company: named('c', Identifier::account_id("acme")),
            visitor: named('b', Identifier::visitor_id("5f2b8c1e77aa0001")),
        }
    }

    #[test]
    fn the_strongest_identifiers_say_who_acted_and_how_long_it_is_kept() {
        use IdentifierRole::{Company, OrderEmail, UserId, Visitor};
        for (letters, leading, is_visitor) in [
            ("", vec![], false),
            ("u", vec![UserId], false),
            ("a", vec![OrderEmail], false),
            ("c", vec![Company], false),
            ("b", vec![Visitor], true),
            ("ub", vec![UserId], false),
            ("ab", vec![OrderEmail], false),
            ("cb", vec![Visitor], true),
            ("uac", vec![UserId, OrderEmail], false),
            ("uacb", vec![UserId, OrderEmail], false),
        ] {
            let who = actor(letters);
            let held = who.addresses_in_ids();
            let roles: Vec<_> = who.collect_identifiers(&held).leading().map(|(role, _)| role).collect();
            assert_eq!(roles, leading, "{letters}");
            let is = (who.is_visitor(), who.is_nobody());
            assert_eq!(is, (is_visitor, letters.is_empty()), "{letters}");
            let kept = if is_visitor { 30 } else { 395 };
            let last_days = [5 * DAY - 1, 5 * DAY].map(|start| who.last_day(start));
            assert_eq!(last_days, [4 + kept, 5 + kept], "{letters}");
        }
    }
}
