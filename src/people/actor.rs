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
