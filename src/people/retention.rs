//! The end of retention: records go on their day, and with the last one every person who was known by nothing else.

use std::collections::BTreeMap;

use crate::args;
use crate::clock::Day;
use crate::ids::AccountId;
use crate::keys::SlotNumber;
use crate::limits;
use crate::people::rows;
use crate::people::subject::SubjectId;
use crate::sql;
use crate::store::{StoreFault, Tx};

/// Rows of a person that go with their last record: up to two identifiers, as nothing else is known of them, and the
/// subject.
const GOING_ROWS: usize = 3;

/// A record that is not kept any longer.
pub struct ExpiredRecord {
    /// Account of the shop.
    pub account: AccountId,
    subject: SubjectId,
    kind: String,
    n: i64,
}

/// Some of the records of all accounts whose day has come.
///
/// # Errors
/// When the store fails.
pub fn list_expired(tx: &mut Tx<'_>, today: Day) -> Result<Vec<ExpiredRecord>, StoreFault> {
    let rows = tx.run(&sql::record_ended, args![today, limits::UNIT_ROWS as i64])?;
    let ended = rows.iter().map(|row| {
        Ok(ExpiredRecord {
            account: AccountId(row.int("account_id")?),
            subject: row.bytes("subject_id")?,
            kind: row.text("kind")?.to_owned(),
            n: row.int("n")?,
        })
    });
    ended.collect()
}

/// A person with rows left and no identifier that leads to them.
pub struct UnreachablePerson {
    /// Account of the shop.
    pub account: AccountId,
    subject: SubjectId,
    /// Slot of their key, if it is not lost: put it back when the last row is gone.
    pub slot: Option<SlotNumber>,
}

/// A person who withdrew their consent, and whose key still exists.
pub struct WithdrawnPerson {
    /// Account of the shop.
    pub account: AccountId,
    subject: SubjectId,
    /// Slot of the key: destroy it, then report it with [`record_destroyed`].
    pub slot: SlotNumber,
}

/// Some people who withdrew their consent, of all accounts.
///
/// # Errors
/// When the store fails.
pub fn withdrawn(tx: &mut Tx<'_>) -> Result<Vec<WithdrawnPerson>, StoreFault> {
    let rows = tx.run(&sql::subject_withdrawn, args![rows::WITHDRAWN, limits::UNIT_ROWS as i64])?;
    let withdrawn = rows.iter().map(|row| {
        let slot = SlotNumber::from_row(row.int("slot")?);
        let slot = slot.ok_or(StoreFault::Shape { statement: "subject_withdrawn", column: "slot" })?;
        Ok(WithdrawnPerson { account: AccountId(row.int("account_id")?), subject: row.bytes("id")?, slot })
    });
    withdrawn.collect()
}

/// Records that the keys of these people of an account are destroyed.
///
/// # Errors
/// When the store fails.
pub fn record_destroyed(
    tx: &mut Tx<'_>,
    account: AccountId,
    withdrawn: &[WithdrawnPerson],
) -> Result<(), StoreFault> {
    for one in withdrawn.iter().filter(|one| one.account == account) {
        tx.exec(&sql::subject_destroyed, args![account.0, &one.subject, rows::DESTROYED])?;
    }
    Ok(())
}

/// Returns true if a person of an account is being removed without an erasure, and is not gone yet.
///
/// # Errors
/// When the store fails.
pub fn is_somebody_going(tx: &mut Tx<'_>, account: AccountId) -> Result<bool, StoreFault> {
    Ok(tx
        .row(&sql::subject_is_going, args![account.0, rows::GIVEN_UP, rows::WITHDRAWN, rows::DESTROYED])?
        .is_some())
}

/// Finds a person given up because their key is lost, or whose consent is withdrawn and whose key is destroyed.
///
/// # Errors
/// When the store fails.
pub fn given_up(tx: &mut Tx<'_>) -> Result<Option<UnreachablePerson>, StoreFault> {
    let row = tx.row(&sql::subject_given_up, args![rows::GIVEN_UP, rows::DESTROYED])?;
    let Some(row) = row else { return Ok(None) };
    let has_slot = row.int("forgotten_seq")? == rows::DESTROYED;
    let slot = SlotNumber::from_row(row.int("slot")?).filter(|_| has_slot);
    Ok(Some(UnreachablePerson {
        account: AccountId(row.int("account_id")?),
        subject: row.bytes("id")?,
        slot,
    }))
}

/// Removes rows of a person given up, as many as one unit of work may. Returns whether the last one went now.
///
/// # Errors
/// When the store fails.
pub fn remove(tx: &mut Tx<'_>, given_up: &UnreachablePerson) -> Result<bool, StoreFault> {
    let UnreachablePerson { account, subject, .. } = given_up;
    let is_there = tx.row(&sql::subject_get, args![account.0, subject])?.is_some();
    Ok(is_there && rows::delete_some(tx, *account, subject, limits::UNIT_ROWS as i64)?)
}

/// Removes records of an account, as many as one unit of work may: a subject goes with its last record, so the others
/// are found again. Returns the key slots of the removed subjects; destroy them after the commit.
///
/// # Errors
/// When the store fails.
pub fn end(
    tx: &mut Tx<'_>,
    account: AccountId,
    ended: &[ExpiredRecord],
) -> Result<Vec<SlotNumber>, StoreFault> {
    let mut of_people: BTreeMap<SubjectId, Vec<&ExpiredRecord>> = BTreeMap::new();
    for record in ended.iter().filter(|record| record.account == account) {
        of_people.entry(record.subject).or_default().push(record);
    }
    let mut freed = Vec::new();
    let mut count = 0;
    for (subject, records) in of_people {
        let going = records.len() + GOING_ROWS;
        if count > 0 && count + going > limits::UNIT_ROWS {
            break;
        }
        count += going;
        for ExpiredRecord { kind, n, .. } in records {
            tx.exec(&sql::record_drop, args![account.0, &subject, kind.as_str(), *n])?;
        }
        let Some(row) = tx.row(&sql::subject_get, args![account.0, &subject])? else { continue };
        let is_left = row.opt_int("forgotten_seq")?.is_some() || rows::is_anybody(tx, account, &subject)?;
        if !is_left {
            let slot = SlotNumber::from_row(row.int("slot")?);
            freed.push(slot.ok_or(StoreFault::Shape { statement: "subject_get", column: "slot" })?);
            rows::delete(tx, account, &subject)?;
        }
    }
    Ok(freed)
}
