//! Accepting what shoppers did: it is stored in the request's own transaction, and there is no job.

use crate::accounts;
use crate::clock::Millis;
use crate::fairness::Entry;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{Keys, Spares};
use crate::store::Tx;
use crate::subjects::admit::Desk;
use crate::subjects::event::{self, Event, Run};
use crate::subjects::log_in::{self, LogIn, LoggedIn};
use crate::subjects::order::{self, Order};
use crate::subjects::subject::SubjectFault;

/// What somebody did, that may be stored.
pub enum Accepted {
    /// Something in a session.
    Event(Event),
    /// An order.
    Order(Order),
    /// An order that names nobody: it is of who is logged in in this browser.
    OrderAt(Order, Identifier),
    /// Somebody logged in.
    LoggedIn(LogIn),
    /// Nobody is logged in any more in this browser.
    LoggedOut(Identifier),
}

/// What became of it.
pub enum Became {
    /// Of something in a session.
    Event(event::Stored),
    /// Of an order.
    Order(order::Stored),
    /// It is an order of nobody, and left out.
    OfNobody,
    /// It was heard who is logged in.
    Heard,
}

crate::unprintable::unprintable!(Accepted);

impl Became {
    /// Whether it was left out for now: of a visitor who would be new, and there are too many of these.
    #[must_use]
    pub fn is_later(&self) -> bool {
        matches!(self, Self::Event(event::Stored::Later))
    }
}

/// Stores what was done, in the order in which it was sent, and says what became of each. New visitors are counted by
/// `visitors`.
///
/// # Errors
/// When the store or a key fails, or when more people are new than there are keys for.
pub fn accept(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    (spares, visitors): (&Spares, &Entry),
    accepted: &[Accepted],
    now: Millis,
) -> Result<Vec<Became>, SubjectFault> {
    spares.begin();
    let seq = accounts::next_seq(tx, account)?;
    let desk = Desk { keys, account, seq, now, spares };
    let events = accepted.iter().filter_map(|accepted| match accepted {
        Accepted::Event(event) => Some(event),
        _ => None,
    });
    event::ask_ahead(tx, &desk, events)?;
    let mut run = Run::begin(visitors);
    let stored = accepted.iter().enumerate().map(|(number, accepted)| match accepted {
        Accepted::Event(event) => event::store(tx, &desk, &mut run, event, number).map(Became::Event),
        Accepted::Order(order) => order::store(tx, &desk, order).map(Became::Order),
        Accepted::OrderAt(order, visitor) => order_at(tx, &desk, order, visitor),
        Accepted::LoggedIn(log_in) => log_in::store(tx, &desk, log_in, number).map(|()| Became::Heard),
        Accepted::LoggedOut(visitor) => Ok(log_in::end(tx, &desk, visitor).map(|()| Became::Heard)?),
    });
    stored.collect()
}

fn order_at(
    tx: &mut Tx<'_>,
    desk: &Desk<'_>,
    order: &Order,
    visitor: &Identifier,
) -> Result<Became, SubjectFault> {
    match log_in::who_at(tx, desk, visitor)? {
        LoggedIn::As(who) => order::store(tx, desk, &order.of(who)).map(Became::Order),
        LoggedIn::Nobody => Ok(Became::OfNobody),
        LoggedIn::KeptOut => Ok(Became::Order(order::Stored::Dropped)),
    }
}
