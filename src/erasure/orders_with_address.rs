//! The orders of others that came with the address of an erasure: they go, and the rest of those people stays.

use std::collections::HashSet;

use super::places::PlaceContext;
use super::record::count_removed;
use crate::ids::AccountId;
use crate::keys::Tag;
use crate::people::order_email::{self, RemovedRows};
use crate::people::record_kind::{EVENT, ORDER};
use crate::people::subject::{self, SubjectFault, SubjectId, record_aad};
use crate::people::{identifier_links, records};
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// Counts the orders of others that came with the address.
pub(super) fn count(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<u64, StoreFault> {
    let tag = walk.keys.lookup_tag(walk.account, &walk.person.asked);
    let mut all = 0;
    for subject in list_other_subjects(tx, walk)? {
        all += order_email::count(tx, walk.account, &subject, &tag)?;
    }
    Ok(all)
}

/// Subjects, other than the person's, that the requested identifier leads to.
pub(super) fn list_other_subjects(
    tx: &mut Tx<'_>,
    walk: &PlaceContext<'_>,
) -> Result<Vec<SubjectId>, StoreFault> {
    let tag = walk.keys.lookup_tag(walk.account, &walk.person.asked);
    let whole: HashSet<&SubjectId> = walk.person.subjects.iter().collect();
    let led = identifier_links::list_linked(tx, walk.account, &tag, i64::MAX)?;
    Ok(led.into_iter().map(|led| led.subject).filter(|subject| !whole.contains(subject)).collect())
}

/// The records of a person after a mark, opened; after the last one, those orders. A subject whose key is lost has none
/// that can be read.
///
/// # Errors
/// When the store or a key fails.
pub(super) fn page(
    tx: &mut Tx<'_>,
    walk: &PlaceContext<'_>,
    after: &records::RecordCursor,
) -> Result<records::RecordPage, SubjectFault> {
    let PlaceContext { keys, account, person, .. } = *walk;
    let (mut found, next) = records::page(tx, keys, account, &person.subjects, after)?;
    if next.is_some() {
        return Ok((found, next));
    }
    let tag = keys.lookup_tag(account, &person.asked);
    for id in list_other_subjects(tx, walk)? {
        let open = match subject::open(tx, keys, account, &id) {
            Ok(Some(open)) => open,
            Ok(None) => continue,
            Err(SubjectFault::Keys(fault)) if fault.is_lost() => continue,
            Err(fault) => return Err(fault),
        };
        for (order, event) in order_email::records(tx, account, &id, &tag)? {
            for (kind, n) in [(ORDER, Some(order)), (EVENT, event)] {
                let Some(n) = n else { continue };
                let stored = tx.row(&sql::record_get, args![account.0, &id, kind.name(), n])?;
                let Some(row) = stored else { continue };
                let aad = record_aad(account, &id, kind.name(), n);
                let content = open.sealer.open(&aad, row.blob("sealed")?)?;
                found.push((kind.list(), records::export(kind, &content)?));
            }
        }
    }
    Ok((found, None))
}

/// Deletes them, up to a unit of work's rows, and counts them.
///
/// # Errors
/// When the store fails.
pub fn delete_some(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    asked: &Tag,
) -> Result<RemovedRows, StoreFault> {
    let removed = order_email::delete_some(tx, account, asked, limits::UNIT_ROWS as u64 / 2)?;
    let records = removed.orders + removed.sessions.len() as u64;
    let counts = [("records", records), ("order-numbers", removed.orders), ("identifiers", removed.links)];
    for (place, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        count_removed(tx, account, seq, place, count)?;
    }
    Ok(removed)
}
