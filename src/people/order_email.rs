//! The address that an order came with, if the profile of its user id has none: kept as a keyed hash with the order, so
//! that the owner of the address can have that order forgotten without the rest of its customer.

use crate::ids::AccountId;
use crate::keys::Tag;
use crate::people::order_event;
use crate::people::record_kind::{EVENT, ORDER};
use crate::people::subject::SubjectId;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Numbers of removed rows, from one go.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct RemovedRows {
    /// Orders.
    pub orders: u64,
    /// Sessions of those orders that were recorded as events.
    pub sessions: Vec<u128>,
    /// Links from the address.
    pub links: u64,
    /// True if more are left.
    pub is_more: bool,
}

/// Counts the orders of a subject that came with an address.
///
/// # Errors
/// When the store fails.
pub fn count(tx: &mut Tx<'_>, account: AccountId, subject: &SubjectId, tag: &Tag) -> Result<u64, StoreFault> {
    let row = tx.row(&sql::order_known_count_email, args![account.0, subject, tag])?;
    row.map_or(Ok(0), |row| row.int("counted").map(i64::unsigned_abs))
}

/// The numbers of the records of those orders, and of their events.
///
/// # Errors
/// When the store fails.
pub fn records(
    tx: &mut Tx<'_>,
    account: AccountId,
    subject: &SubjectId,
    tag: &Tag,
) -> Result<Vec<(i64, Option<i64>)>, StoreFault> {
    let rows = tx.run(&sql::order_known_of_email, args![account.0, subject, tag, i64::MAX])?;
    rows.iter().map(|row| Ok((row.int("n")?, row.opt_int("event_n")?))).collect()
}

/// Marks the links of an address that go, to tell them from those that stay; links that led to the owners are marked
/// too.
///
/// # Errors
/// When the store fails.
pub fn leave(tx: &mut Tx<'_>, account: AccountId, tag: &Tag) -> Result<(), StoreFault> {
    tx.exec(&sql::identifier_leave, args![account.0, tag])?;
    Ok(())
}

/// Removes orders that came with an address, up to `limit`, and the links from it that go.
///
/// # Errors
/// When the store fails.
pub fn delete_some(
    tx: &mut Tx<'_>,
    account: AccountId,
    tag: &Tag,
    limit: u64,
) -> Result<RemovedRows, StoreFault> {
    let mut removed = RemovedRows::default();
    while removed.orders + removed.links < limit {
        let Some(row) = tx.row(&sql::identifier_leaving, args![account.0, tag])? else { return Ok(removed) };
        let subject: SubjectId = row.bytes("subject_id")?;
        let room = i64::try_from(limit - removed.orders - removed.links).unwrap_or(i64::MAX);
        for row in tx.run(&sql::order_known_of_email, args![account.0, &subject, tag, room])? {
            tx.exec(&sql::record_drop, args![account.0, &subject, ORDER.name(), row.int("n")?])?;
            if let Some(event) = row.opt_int("event_n")? {
                tx.exec(&sql::record_drop, args![account.0, &subject, EVENT.name(), event])?;
                removed.sessions.push(order_event::session_of(row.blob("tag")?));
            }
            tx.exec(&sql::order_known_drop, args![account.0, row.blob("tag")?])?;
            removed.orders += 1;
        }
        if count(tx, account, &subject, tag)? == 0 {
            tx.exec(&sql::identifier_drop, args![account.0, tag, &subject])?;
            removed.links += 1;
        }
    }
    Ok(RemovedRows { is_more: true, ..removed })
}
