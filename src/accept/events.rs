//! Accepting shoppers' events: they are stored in the request's own transaction, without a job.

use super::idempotency;
use crate::admission::VisitorReservation;
use crate::clock::{Millis, day_of, millis};
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{KeyFault, Keys, ReservedSlots};
use crate::people::consent::{self, Withdrawal};
use crate::people::event::{self, EventsRun, NewEvent};
use crate::people::log_in::{self, LogIn, LogInState};
use crate::people::order::{self, Order};
use crate::people::row_context::RowContext;
use crate::people::subject::{SubjectFault, SubjectId};
use crate::store::{StoreFault, Tx};
use crate::{accounts, limits};

/// Action of a shopper that may be stored.
pub enum AcceptedEvent {
    /// Something in a session.
    Event(NewEvent),
    /// An observation of the server in a browser: it is stored if the browser is still this subject's.
    Observed(NewEvent, SubjectId),
    /// An order.
    Order(Order),
    /// An order that names no person: it belongs to the person logged in in this browser.
    OrderAt(Order, Identifier),
    /// A person logged in.
    LoggedIn(LogIn),
    /// The person of this browser logged out.
    LoggedOut(Identifier),
    /// Data that this browser produced without a log-in may not be kept any longer.
    Withdrawn(Withdrawal),
}

/// Outcome of an accepted event.
pub enum AcceptedAs {
    /// Outcome of something in a session.
    Event(event::EventOutcome),
    /// Outcome of an order.
    Order(order::OrderOutcome),
    /// An order without a person: left out.
    OfNobody,
    /// The log-in was noted.
    Heard,
    /// Consent is withdrawn: no data about the visitor is kept, if there was any.
    Withdrawn,
}

static_assertions::assert_not_impl_any!(AcceptedEvent: std::fmt::Debug, std::fmt::Display, serde::Serialize);

impl AcceptedAs {
    /// Returns true if it was left out for now: its visitor would be new, and too many are.
    #[must_use]
    pub fn is_later(&self) -> bool {
        matches!(self, Self::Event(event::EventOutcome::Later))
    }

    /// Returns true if it was accepted: not put off, and no withdrawal.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        !self.is_later() && !matches!(self, Self::Withdrawn)
    }
}

/// Events that are sent together.
pub struct EventBatch {
    /// The events, in the order in which they happened.
    pub accepted: Vec<AcceptedEvent>,
    /// Key by which the shop knows the request.
    pub key: Option<String>,
}

impl From<Vec<AcceptedEvent>> for EventBatch {
    fn from(accepted: Vec<AcceptedEvent>) -> Self {
        Self { accepted, key: None }
    }
}

/// Reason why nothing of a request is stored.
#[derive(Debug, thiserror::Error)]
pub enum EventsFault {
    /// Fault of the store or a key.
    #[error(transparent)]
    Subject(#[from] SubjectFault),
    /// Some events of a request with a key could only be stored later: it is sent again as a whole.
    #[error("too many visitors of the shop are new just now")]
    TooManyNew,
}

impl From<StoreFault> for EventsFault {
    fn from(fault: StoreFault) -> Self {
        Self::Subject(fault.into())
    }
}

impl From<KeyFault> for EventsFault {
    fn from(fault: KeyFault) -> Self {
        Self::Subject(fault.into())
    }
}

impl EventsFault {
    /// Returns true if the outcome is unknown: something may have been stored.
    #[must_use]
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Subject(SubjectFault::Store(fault)) if fault.is_outcome_unknown())
    }
}

/// Stores events in the order in which they were sent, and returns the outcome of each; `None` when a request with its
/// key was stored before. New visitors are counted by `visitors`.
///
/// # Errors
/// When the store or a key fails, when there are more new people than keys, or when a request with a key cannot be
/// stored as a whole.
pub fn accept(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    (spares, visitors): (&ReservedSlots, &VisitorReservation),
    EventBatch { accepted, key }: &EventBatch,
    now: Millis,
) -> Result<Option<Vec<AcceptedAs>>, EventsFault> {
    spares.begin();
    if let Some(key) = key
        && !idempotency::is_first(tx, keys, account, key, day_of(now))?
    {
        return Ok(None);
    }
    let seq = accounts::next_seq(tx, account)?;
    let desk = RowContext { keys, account, seq, now, spares };
    let events = accepted.iter().filter_map(|accepted| match accepted {
        AcceptedEvent::Event(event) => Some(event),
        _ => None,
    });
    event::prefetch(tx, &desk, events)?;
    let mut run = EventsRun::begin(visitors);
    let stored = accepted.iter().enumerate().map(|(number, accepted)| match accepted {
        AcceptedEvent::Event(event) => {
            event::store(tx, &desk, &mut run, event, number).map(AcceptedAs::Event)
        }
        AcceptedEvent::Observed(event, subject) => {
            store_observed(tx, &desk, &mut run, (event, subject), number)
        }
        AcceptedEvent::Order(order) => order::store(tx, &desk, order).map(AcceptedAs::Order),
        AcceptedEvent::OrderAt(order, visitor) => order_at(tx, &desk, order, visitor),
        AcceptedEvent::LoggedIn(log_in) => {
            log_in::store(tx, &desk, log_in, number).map(|()| AcceptedAs::Heard)
        }
        AcceptedEvent::LoggedOut(visitor) => Ok(log_in::end(tx, &desk, visitor).map(|()| AcceptedAs::Heard)?),
        AcceptedEvent::Withdrawn(withdrawal) => {
            Ok(consent::withdraw(tx, &desk, withdrawal).map(|()| AcceptedAs::Withdrawn)?)
        }
    });
    let became = stored.collect::<Result<Vec<_>, SubjectFault>>()?;
    let is_whole = key.is_none() || !became.iter().any(AcceptedAs::is_later);
    if is_whole { Ok(Some(became)) } else { Err(EventsFault::TooManyNew) }
}

/// Stores an observed event if the browser is still this subject's. If the person left, logged in or out or was
/// forgotten meanwhile, nothing is stored, neither for them nor for the browser's next user.
fn store_observed(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    run: &mut EventsRun<'_>,
    (event, subject): (&NewEvent, &SubjectId),
    number: usize,
) -> Result<AcceptedAs, SubjectFault> {
    // A late event counts as the visitor's, independent of the present log-in.
    let is_late = event.at < desk.now - millis(limits::CLOCKS_APART_DURATION);
    let is_theirs = match &event.who.visitor {
        Some(visitor) if !is_late => {
            log_in::subject_at(tx, desk.keys, desk.account, visitor, desk.now)? == Some(*subject)
        }
        _ => false,
    };
    if is_theirs {
        event::store(tx, desk, run, event, number).map(AcceptedAs::Event)
    } else {
        Ok(AcceptedAs::Event(event::EventOutcome::Nothing))
    }
}

fn order_at(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    order: &Order,
    visitor: &Identifier,
) -> Result<AcceptedAs, SubjectFault> {
    match log_in::who_at(tx, desk, visitor)? {
        LogInState::As(who) => order::store(tx, desk, &order.with_owner(who)).map(AcceptedAs::Order),
        LogInState::Nobody => Ok(AcceptedAs::OfNobody),
        LogInState::KeptOut => Ok(AcceptedAs::Order(order::OrderOutcome::Dropped)),
    }
}

#[cfg(test)]
mod tests {
    use super::event::EventOutcome::{In, Later, Nothing};
    use super::*;
    use crate::people::event_action::ShopperSession;
    use crate::people::order::OrderOutcome;

    #[test]
    fn an_event_is_taken_unless_it_is_put_off_or_withdraws_consent() {
        let visit = ShopperSession { id: 1, start: 2 };
        for (became, is_later, is_taken) in [
            (AcceptedAs::Event(In(visit)), false, true),
            (AcceptedAs::Event(Nothing), false, true),
            (AcceptedAs::Event(Later), true, false),
            (AcceptedAs::Order(OrderOutcome::Dropped), false, true),
            (AcceptedAs::OfNobody, false, true),
            (AcceptedAs::Heard, false, true),
            (AcceptedAs::Withdrawn, false, false),
        ] {
            assert_eq!((became.is_later(), became.is_taken()), (is_later, is_taken));
        }
    }

    #[test]
    fn the_outcome_is_unknown_after_a_commit_without_an_answer_alone() {
        assert!(EventsFault::from(StoreFault::UnknownOutcome).is_outcome_unknown());
        assert!(EventsFault::from(StoreFault::Closed).is_outcome_unknown());
        let others = [StoreFault::Busy.into(), KeyFault::PoolEmpty.into(), EventsFault::TooManyNew];
        assert_eq!(others.map(|fault: EventsFault| fault.is_outcome_unknown()), [false; 3]);
    }
}
