//! The orders of others that came with the address that an erasure is about: they go, and the rest of those people stays.

use std::collections::HashSet;

use serde_json::Value;

use super::count_removed;
use super::places::{Walk, exported};
use crate::args;
use crate::ids::AccountId;
use crate::keys::{Keys, Tag};
use crate::limits;
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::came_with::{self, Removed};
use crate::subjects::person::Person;
use crate::subjects::subject::{self, SubjectFault, SubjectId, record_aad};
use crate::subjects::{links, order};

/// How many there are.
pub(super) fn count(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    let tag = walk.keys.lookup_tag(walk.account, &walk.person.asked);
    let mut all = 0;
    for subject in others(tx, walk)? {
        all += came_with::count(tx, &subject, &tag)?;
    }
    Ok(all)
}

/// The subjects that the identifier leads to that was asked for, beside the person's.
pub(super) fn others(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<Vec<SubjectId>, StoreFault> {
    let tag = walk.keys.lookup_tag(walk.account, &walk.person.asked);
    let whole: HashSet<&SubjectId> = walk.person.subjects.iter().collect();
    let led = links::led(tx, walk.account, &tag, i64::MAX)?;
    Ok(led.into_iter().map(|led| led.subject).filter(|subject| !whole.contains(subject)).collect())
}

/// Those orders, opened; of one whose key is lost there is nothing to be read.
///
/// # Errors
/// When the store or a key fails.
pub fn records(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    person: &Person,
) -> Result<Vec<Value>, SubjectFault> {
    let tag = keys.lookup_tag(account, &person.asked);
    let mut found = Vec::new();
    for id in others(tx, &Walk { keys, account, seq: 0, person })? {
        let open = match subject::open(tx, keys, &id) {
            Ok(Some(open)) => open,
            Ok(None) => continue,
            Err(SubjectFault::Keys(fault)) if fault.is_lost() => continue,
            Err(fault) => return Err(fault),
        };
        for n in came_with::records(tx, &id, &tag)? {
            let Some(row) = tx.row(&sql::record_get, args![&id, order::KIND, n])? else { continue };
            let content = open.sealer.open(&record_aad(account, &id, order::KIND, n), row.blob(0)?)?;
            found.push(exported(order::KIND, &content)?);
        }
    }
    Ok(found)
}

/// Deletes them, up to a unit of work's rows, and counts them. True: none is left.
///
/// # Errors
/// When the store fails.
pub fn delete_some(tx: &mut Tx<'_>, account: AccountId, seq: i64, asked: &Tag) -> Result<bool, StoreFault> {
    let Removed { orders, links, is_more } =
        came_with::delete_some(tx, account, asked, limits::UNIT_ROWS as u64 / 2)?;
    for (place, removed) in [("records", orders), ("order-numbers", orders), ("identifiers", links)] {
        if removed > 0 {
            count_removed(tx, account, seq, place, removed)?;
        }
    }
    Ok(!is_more)
}
