//! Requests with events that a shop sends again because it did not see the answer: a request with a key of the shop's
//! own is taken once.

use crate::args;
use crate::clock::Day;
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::limits;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// The key of a request, as it is stored: its keyed hash.
pub struct ExpiredRequestKey {
    /// Account of the shop.
    pub account: AccountId,
    tag: [u8; 16],
}

/// Records that a request came; false when one with the same key came before.
///
/// # Errors
/// When the store fails.
pub fn is_first(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    key: &str,
    today: Day,
) -> Result<bool, StoreFault> {
    let tag = keys.content_tag(account, "events", key.as_bytes());
    let noted = tx.exec(&sql::event_request_put, args![account.0, &tag, today])?;
    Ok(noted == 1)
}

/// Some keys of all accounts from before a day.
///
/// # Errors
/// When the store fails.
pub fn list_expired(tx: &mut Tx<'_>, before: Day) -> Result<Vec<ExpiredRequestKey>, StoreFault> {
    let rows = tx.run(&sql::event_request_ended, args![before, limits::UNIT_ROWS as i64])?;
    let ended = rows.iter().map(|row| {
        Ok(ExpiredRequestKey { account: AccountId(row.int("account_id")?), tag: row.bytes("tag")? })
    });
    ended.collect()
}

/// Removes the request keys of an account.
///
/// # Errors
/// When the store fails.
pub fn end(tx: &mut Tx<'_>, account: AccountId, ended: &[ExpiredRequestKey]) -> Result<(), StoreFault> {
    for one in ended.iter().filter(|one| one.account == account) {
        tx.exec(&sql::event_request_delete, args![account.0, &one.tag])?;
    }
    Ok(())
}
