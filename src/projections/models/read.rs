//! Reading events for a model: opened, each under the key of its person, in the order in which they were accepted.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::model_set::Models;
use super::stored_event_page::EventPage;
use crate::clock::{Day, day_of, days};
use crate::ids::AccountId;
use crate::keys::{Keys, Sealer};
use crate::people::event;
use crate::people::event_action::{EventAction, EventItem};
use crate::people::record_kind::EVENT;
use crate::people::subject::{SubjectFault, SubjectId, record_aad, sealer_of};
use crate::recommend::history::SessionKey;
use crate::recommend::model::{Interaction, PersonAction};
use crate::store::{Row, Tx};
use crate::{args, limits, sql};

impl Models {
    /// The events after a place that a model of `day` may hold.
    pub(super) async fn page(
        &self,
        account: AccountId,
        day: Day,
        after: i64,
    ) -> Result<EventPage, SubjectFault> {
        let keys = self.0.keys.clone();
        self.0.store.read(move |tx| page(tx, &keys, (account, day), after)).await
    }
}

fn page(
    tx: &mut Tx<'_>,
    keys: &Keys,
    (account, day): (AccountId, Day),
    after: i64,
) -> Result<EventPage, SubjectFault> {
    let rows = tx.run(&sql::event_after, args![account.0, after, limits::MODEL_PAGE_EVENTS])?;
    let is_last = (rows.len() as i64) < limits::MODEL_PAGE_EVENTS;
    let mut page = EventPage { deeds: Vec::new(), places: Vec::new(), upto: after, is_last };
    let mut sealers: FxHashMap<SubjectId, Option<Sealer>> = FxHashMap::default();
    for row in &rows {
        page.upto = row.int("n")?;
        if is_past(row.int("until")?, day) {
            continue;
        }
        let subject: SubjectId = row.bytes("subject_id")?;
        let sealer = match sealers.entry(subject) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(sealer_of(keys, row)?),
        };
        // The person is being erased: the row goes soon.
        let Some(sealer) = sealer else { continue };
        match read_interaction(account, subject, sealer, row) {
            Ok(Some(deed)) => {
                page.deeds.push(deed);
                page.places.push(page.upto);
            }
            Ok(None) => {}
            // Damaged: the events are unreadable, and those of the next person are read all the same.
            Err(SubjectFault::Keys(fault)) if fault.is_lost() => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(page)
}

/// Returns true if an event kept until a day is too old for a model of `day`, whether its person is known or not, so
/// that it is not opened. Most of the events kept of known people are such.
fn is_past(until: Day, day: Day) -> bool {
    // Midnight may have come since the day was read, and clocks may be apart.
    let may_be_of_visitor = until <= day + days(limits::VISITS_KEPT_DURATION) + 2;
    let since = until - days(limits::EVENTS_KEPT_DURATION);
    !may_be_of_visitor && since + days(limits::MODEL_DURATION) <= day
}

/// Catalogue ids of products; one with several variants repeats.
fn product_ids(items: Vec<EventItem>) -> Vec<String> {
    items.into_iter().map(|item| item.product).collect()
}

/// Reads the interaction in an event; `None` if the event is for reports alone.
fn read_interaction(
    account: AccountId,
    person: SubjectId,
    sealer: &Sealer,
    row: &Row,
) -> Result<Option<Interaction>, SubjectFault> {
    let aad = record_aad(account, &person, EVENT.name(), row.int("n")?);
    let noted = event::decode(&sealer.open(&aad, row.blob("sealed")?)?)?;
    let is_alone = noted.is_for_person_alone;
    let act = match noted.what {
        EventAction::ProductViewed(EventItem { product: item, variant: Some(variant) }) => {
            PersonAction::VariantViewed { item, variant, is_alone }
        }
        EventAction::ProductViewed(item) if is_alone => PersonAction::ViewedAlone(item.product),
        EventAction::BasketSet(items) if is_alone => PersonAction::BasketAlone(product_ids(items)),
        EventAction::Searched(_) if is_alone => return Ok(None),
        EventAction::ProductViewed(item) => PersonAction::Viewed(item.product),
        EventAction::BasketSet(items) => PersonAction::Basket(product_ids(items)),
        EventAction::Ordered(items) => PersonAction::Ordered(product_ids(items)),
        EventAction::Searched(search) => PersonAction::Searched(search.query),
        EventAction::Clicked(..) | EventAction::ZonesSeen(_) => return Ok(None),
    };
    let session = SessionKey { start: noted.visit.start, id: noted.visit.id };
    let of_model: Day = day_of(session.start) + days(limits::MODEL_DURATION);
    Ok(Some(Interaction { person, session, ends: of_model.min(row.int("until")?), act }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_model_holds_is_not_opened_and_all_else_is() {
        let day = 20_000;
        let begins = |ago: Day| day - ago;
        let known = |ago| begins(ago) + days(limits::EVENTS_KEPT_DURATION);
        let visitor = |ago| begins(ago) + days(limits::VISITS_KEPT_DURATION);
        for ago in -1..60 {
            assert!(!is_past(known(ago), day), "{ago} days ago");
        }
        for ago in 60..363 {
            assert!(is_past(known(ago), day), "{ago} days ago");
        }
        for ago in -2..30 {
            assert!(!is_past(visitor(ago), day), "{ago} days ago");
        }
    }
}
