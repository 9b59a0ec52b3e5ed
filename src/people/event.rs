//! Events: actions of a person in the shop, sealed under the key of their subject. Events that follow each other
//! closely are a session, which has a random id: it is stored with each event and never drawn again.

use std::collections::HashMap;

use super::actor::Actor;
use super::event_action::{EventAction, ShopperSession, StoredEvent};
use crate::admission::VisitorReservation;
use crate::clock::{Day, Millis, day_of, millis};
use crate::people::event_text::encode;
use crate::people::identifier_links::{self, LinkKind};
use crate::people::record_kind::EVENT;
use crate::people::row_context::RowContext;
use crate::people::subject::{SubjectFault, SubjectId};
use crate::people::subject_row::{RowKind, SubjectRow};
use crate::people::writable_subject::{Admission, Lookup, WritableSubject, admit, lookup_of};
use crate::store::Tx;
use crate::{limits, sql};

pub use crate::people::event_text::decode;

/// An event to be stored. Cannot be printed.
pub struct NewEvent {
    /// The actor.
    pub who: Actor,
    /// Time of the action.
    pub at: Millis,
    /// The action.
    pub what: EventAction,
    /// True if a page sent it, which has no secret.
    pub is_of_page: bool,
}

/// State of one run of a unit of work, outside the store.
pub struct EventsRun<'a> {
    /// The newest stored event of each subject.
    newest: HashMap<SubjectId, (Millis, ShopperSession, u32)>,
    /// Number of new visitors that may still be stored.
    visitors: &'a VisitorReservation,
}

impl<'a> EventsRun<'a> {
    /// A run begins.
    #[must_use]
    pub fn begin(visitors: &'a VisitorReservation) -> Self {
        visitors.begin();
        Self { newest: HashMap::new(), visitors }
    }
}

/// Outcome of storing an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventOutcome {
    /// It is in this session.
    In(ShopperSession),
    /// Nothing is stored: the person is forgotten.
    Nothing,
    /// The visitor would be new, and there are too many new visitors now.
    Later,
}

/// Prefetches, in one query, the rows that [`store`] needs for each of many events.
///
/// # Errors
/// When the store fails.
pub fn prefetch<'e>(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    events: impl Iterator<Item = &'e NewEvent>,
) -> Result<(), SubjectFault> {
    if !tx.asks_ahead() {
        return Ok(());
    }
    let keys = desk.keys;
    let account = desk.account;
    let mut shut = Vec::new();
    let mut browsers = Vec::new();
    let mut leading = Vec::new();
    for event in events {
        let held = event.who.addresses_in_ids();
        let named = event.who.collect_identifiers(&held);
        shut.extend(named.leading().map(|(_, id)| keys.suppression_tag(account, id)));
        match lookup_of(keys, account, &named) {
            Some(Lookup::User(tag)) => leading.push((tag, 1)),
            Some(Lookup::Visitor(tag)) => {
                leading.push((tag, i64::MAX));
                let visitor = event.who.visitor.as_ref();
                browsers.extend(visitor.map(|id| (keys.suppression_tag(account, id), event.at)));
            }
            Some(Lookup::Alone(..)) | None => {}
        }
    }
    tx.prefetch(&sql::suppression_get, &shut, |tag| vec![account.0.into(), tag.into()])?;
    tx.prefetch(&sql::shut_browser_get, &browsers, |(tag, _)| vec![account.0.into(), tag.into()])?;
    tx.prefetch(&sql::browser_past_at, &browsers, |(tag, at)| {
        vec![account.0.into(), tag.into(), (*at).into()]
    })?;
    tx.prefetch(&sql::node_browsers_since, &[1], |id| vec![(*id).into()])?;
    tx.prefetch(&sql::identifier_by_tag, &leading, |(tag, limit)| {
        vec![account.0.into(), tag.into(), (*limit).into()]
    })?;
    let mut known = Vec::new();
    for (tag, limit) in &leading {
        known.extend(identifier_links::list_linked(tx, account, tag, *limit)?.iter().map(|led| led.subject));
    }
    let newest = |subject| vec![account.0.into(), subject, EVENT.name().into()];
    Ok(tx.prefetch(&sql::record_newest, &known, |subject| newest(subject.into()))?)
}

/// Stores an event that was accepted with a request, as number `number`.
///
/// # Errors
/// As [`admit`].
pub fn store(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    run: &mut EventsRun<'_>,
    event: &NewEvent,
    number: usize,
) -> Result<EventOutcome, SubjectFault> {
    let held = event.who.addresses_in_ids();
    let named = event.who.collect_identifiers(&held);
    let row = SubjectRow { named: named.clone(), about: RowKind::Interaction(event.at) };
    let admitted = admit(tx, desk, &row)?;
    let is_new_visitor = matches!(admitted, Admission::New(_)) && event.who.is_visitor();
    if is_new_visitor && !run.visitors.try_take(desk.now) {
        return Ok(EventOutcome::Later);
    }
    let Some(subject) = admitted.into_subject(tx, desk)? else { return Ok(EventOutcome::Nothing) };
    subject.lead_first(tx, desk, &named)?;
    let before = match run.newest.get(subject.id()) {
        Some(before) => Some(*before),
        None => newest_of(tx, desk, &subject)?,
    };
    let (visit, place) = match before {
        Some((at, visit, place)) if goes_on(event.at, at, visit, place) => (visit, place + 1),
        _ => (ShopperSession { id: uuid::Uuid::new_v4().as_u128(), start: event.at }, 0),
    };
    let is_logged_in = subject.link() == Some(LinkKind::LoggedIn);
    // Events of a forgotten person are not stored there: an event of a page must not show others who that is.
    let is_for_person_alone = is_logged_in && event.is_of_page;
    let what = event.what.clone();
    let noted = StoredEvent { at: event.at, visit, number: place, what, is_for_person_alone };
    // The whole session goes on one day: that of its first event.
    let until = if is_logged_in { known_until(visit.start) } else { event.who.last_day(visit.start) };
    subject.add(tx, (desk.account, desk.seq), (EVENT, place_of(desk.seq, number), until), &encode(&noted))?;
    run.newest.insert(*subject.id(), (event.at, visit, place));
    Ok(EventOutcome::In(visit))
}

/// The day on which a known person's events go.
pub(super) fn known_until(start: Millis) -> Day {
    day_of(start + millis(limits::EVENTS_KEPT_DURATION))
}

/// The number of a record: events are in the order in which they were accepted.
pub(super) fn place_of(seq: i64, number: usize) -> i64 {
    const REQUEST_EVENTS: i64 = 1 << 16;
    seq * REQUEST_EVENTS + number as i64
}

/// Returns true if an event continues the session of the event before it.
fn goes_on(at: Millis, before: Millis, visit: ShopperSession, place: u32) -> bool {
    let is_near = (at - before).abs() <= millis(limits::SESSION_PAUSE_DURATION);
    let is_of_visit = (at - visit.start).abs() <= millis(limits::SESSION_DURATION);
    is_near && is_of_visit && place + 1 < limits::SESSION_EVENTS
}

/// The newest event that is stored of a subject.
fn newest_of(
    tx: &mut Tx<'_>,
    desk: &RowContext<'_>,
    subject: &WritableSubject,
) -> Result<Option<(Millis, ShopperSession, u32)>, SubjectFault> {
    let newest = match subject.newest(tx, desk, EVENT) {
        // Damaged: a new session begins.
        Err(SubjectFault::Keys(fault)) if fault.is_lost() => None,
        newest => newest?,
    };
    // An order is in a session of its own: a new session begins after it.
    let noted = newest.and_then(|newest| decode(&newest).ok());
    let noted = noted.filter(|noted| !matches!(noted.what, EventAction::Ordered(_)));
    Ok(noted.map(|StoredEvent { at, visit, number, .. }| (at, visit, number)))
}

static_assertions::assert_not_impl_any!(NewEvent: std::fmt::Debug, std::fmt::Display, serde::Serialize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_by_a_pause_a_duration_and_a_number() {
        const MINUTE: Millis = 60_000;
        let visit = ShopperSession { id: 1, start: 0 };
        assert!(goes_on(30 * MINUTE, 0, visit, 0));
        assert!(!goes_on(30 * MINUTE + 1, 0, visit, 0));
        assert!(goes_on(12 * 60 * MINUTE, 12 * 60 * MINUTE - 1, visit, 0));
        assert!(!goes_on(12 * 60 * MINUTE + 1, 12 * 60 * MINUTE, visit, 0));
        assert!(goes_on(1, 0, visit, limits::SESSION_EVENTS - 2));
        assert!(!goes_on(1, 0, visit, limits::SESSION_EVENTS - 1));
    }

    #[test]
    fn a_session_is_measured_from_its_start_in_both_directions() {
        const HALF: Millis = 12 * 60 * 60_000;
        const START: Millis = 1_795_262_400_000;
        let goes_on_at = |at: Millis| goes_on(at, at, ShopperSession { id: 1, start: START }, 0);
        let around = [START - HALF - 1, START - HALF, START, START + HALF, START + HALF + 1];
        assert_eq!(around.map(goes_on_at), [false, true, true, true, false]);
        let visit = ShopperSession { id: 1, start: START };
        let late = [1_800_000, 1_800_001].map(|ago| goes_on(START, START + ago, visit, 0));
        assert_eq!(late, [true, false]);
    }

    #[test]
    fn events_have_places_in_the_order_of_their_requests_and_go_on_their_day() {
        const DAY: Millis = 24 * 60 * 60_000;
        let places = [(0, 0), (0, 65_535), (1, 0), (3, 7)].map(|(seq, number)| place_of(seq, number));
        assert_eq!(places, [0, 65_535, 65_536, 196_615]);
        assert_eq!([5 * DAY - 1, 5 * DAY].map(known_until), [399, 400]);
    }
}
