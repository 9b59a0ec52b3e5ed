//! Actions of people as reports count them: read one person after the other, each record opened with the key of its
//! person.

use std::collections::HashMap;

use rust_decimal::Decimal;

use crate::clock::{Day, days};
use crate::ids::AccountId;
use crate::keys::{Keys, Sealer};
use crate::people::event_action::{EventAction, EventItem};
use crate::people::record_kind::{EVENT, ORDER};
use crate::people::subject::{SubjectFault, SubjectId, record_aad, sealer_of};
use crate::people::{event, event_action, order};
use crate::reports::{ReportFact, ReportOrderLine, ReportedAction};
use crate::store::{Row, StoreFault, Tx};
use crate::{args, limits, sql};

/// Position after a record, at which reading continues.
#[derive(Clone, Default)]
pub struct TimelineCursor {
    subject: Vec<u8>,
    kind: String,
    n: i64,
}

/// Some actions of people. Cannot be printed.
pub struct TimelinePage {
    /// Each with its subject; a subject's facts stand together. Products of orders have the shop's names.
    pub facts: Vec<(SubjectId, ReportFact)>,
    /// Position at which reading continues; `None` after the last record.
    pub next: Option<TimelineCursor>,
}

static_assertions::assert_not_impl_any!(TimelinePage: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Reads the actions of some days, from the first to the last, after a position; also some from shortly before and
/// after.
///
/// # Errors
/// When the store or a key fails.
pub fn page(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    (first, last): (Day, Day),
    after: &TimelineCursor,
) -> Result<TimelinePage, SubjectFault> {
    // Outside of its seal an event has only the day on which it goes: a fixed time after its session began.
    let of_day = |kept| (first - 1 + days(kept), last + days(kept));
    let [visits, events] = [limits::VISITS_KEPT_DURATION, limits::EVENTS_KEPT_DURATION].map(of_day);
    let most = limits::REPORT_PAGE_RECORDS;
    let place = (after.subject.as_slice(), after.kind.as_str(), after.n);
    let args = args![account.0, place.0, place.1, place.2, visits.0, visits.1, events.0, events.1, most];
    let rows = tx.run(&sql::record_timeline, args)?;
    let mut facts = Vec::with_capacity(rows.len());
    let mut open: Option<(SubjectId, Option<Sealer>)> = None;
    for row in &rows {
        let subject: SubjectId = row.bytes("subject_id")?;
        if open.as_ref().is_none_or(|(known, _)| *known != subject) {
            open = Some((subject, sealer_of(keys, row)?));
        }
        let Some((_, Some(sealer))) = &open else { continue };
        match fact(account, subject, sealer, row) {
            Ok(fact) => facts.extend(fact.map(|fact| (subject, fact))),
            // Damaged: unreadable.
            Err(SubjectFault::Keys(fault)) if fault.is_lost() => {}
            Err(fault) => return Err(fault),
        }
    }
    let is_last = (rows.len() as i64) < most;
    let next = rows.last().filter(|_| !is_last).map(|row| {
        let subject = row.blob("subject_id")?.to_vec();
        Ok::<_, StoreFault>(TimelineCursor { subject, kind: row.text("kind")?.to_owned(), n: row.int("n")? })
    });
    Ok(TimelinePage { facts, next: next.transpose()? })
}

/// Reads the fact that a record states, if a report counts it.
fn fact(
    account: AccountId,
    subject: SubjectId,
    sealer: &Sealer,
    row: &Row,
) -> Result<Option<ReportFact>, SubjectFault> {
    let kind = row.text("kind")?;
    let content = sealer.open(&record_aad(account, &subject, kind, row.int("n")?), row.blob("sealed")?)?;
    if kind == ORDER.name() {
        let (_, bought) = order::decode(&content)?;
        if bought.lines.is_empty() {
            return Ok(None);
        }
        let lines = bought.lines.into_iter().map(|line| ReportOrderLine {
            amount: line.unit_price.map(|price| price.checked_mul(line.quantity).unwrap_or(Decimal::MAX)),
            product: line.product,
            source: line.source,
        });
        return Ok(Some(ReportFact { at: bought.ordered_at, did: ReportedAction::Ordered(lines.collect()) }));
    }
    debug_assert_eq!(kind, EVENT.name());
    let noted = event::decode(&content)?;
    let did = match noted.what {
        EventAction::ProductViewed(EventItem { product, variant }) => {
            ReportedAction::Viewed { product, variant }
        }
        EventAction::ZonesSeen(sources) => ReportedAction::Saw(sources),
        EventAction::Clicked(item, source) => ReportedAction::Clicked { product: item.product, source },
        EventAction::Searched(event_action::CountedSearch { query, found, is_corrected }) => {
            ReportedAction::Searched { query, found, is_corrected }
        }
        // Ordered products are read from the order itself.
        EventAction::BasketSet(_) | EventAction::Ordered(_) => return Ok(None),
    };
    Ok(Some(ReportFact { at: noted.at, did }))
}

/// Maps visitors to the people logged in in their browsers. Earlier actions in a browser count for that person.
///
/// # Errors
/// When the store fails.
pub fn logged_in(tx: &mut Tx<'_>, account: AccountId) -> Result<HashMap<SubjectId, SubjectId>, StoreFault> {
    let rows = tx.run(&sql::identifier_logged_in, args![account.0])?;
    rows.iter().map(|row| Ok((row.bytes("visitor")?, row.bytes("person")?))).collect()
}
