//! Accepting what shoppers did: it is stored in the request's own transaction, and there is no job.

use crate::accounts;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{Keys, Spares};
use crate::store::Tx;
use crate::subjects::admit::Desk;
use crate::subjects::event::{self, Event, Newest, Visit};
use crate::subjects::order::{self, Order, Stored};
use crate::subjects::subject::SubjectFault;

/// What somebody did, that may be stored.
pub enum Accepted {
    /// Something in a session.
    Event(Event),
    /// An order.
    Order(Order),
}

/// What became of it.
pub enum Became {
    /// Stored in this session; none of somebody who is forgotten.
    OfSession(Option<Visit>),
    /// An order that was stored or was not.
    Order(Stored),
}

crate::unprintable::unprintable!(Accepted);

/// Stores what was done, in the order in which it was sent.
///
/// # Errors
/// When the store or a key fails, or when more people are new than keys were set aside for.
pub fn accept(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    spares: &Spares,
    accepted: &[Accepted],
    now: Millis,
) -> Result<Vec<Became>, SubjectFault> {
    spares.begin();
    let seq = accounts::next_seq(tx, account)?;
    let desk = Desk { keys, account, seq, now, spares };
    let events = accepted.iter().filter_map(|accepted| match accepted {
        Accepted::Event(event) => Some(event),
        Accepted::Order(_) => None,
    });
    event::ask_ahead(tx, &desk, events)?;
    let mut newest = Newest::default();
    let stored = accepted.iter().enumerate().map(|(number, accepted)| match accepted {
        Accepted::Event(event) => event::store(tx, &desk, &mut newest, event, number).map(Became::OfSession),
        Accepted::Order(order) => order::store(tx, &desk, order).map(Became::Order),
    });
    stored.collect()
}
