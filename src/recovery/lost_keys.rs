//! People whose keys are gone: they can never be read again. They are counted, and cleared up after a restore.

use std::collections::BTreeMap;

use crate::args;
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys, SlotNumber};
use crate::people::rows;
use crate::people::subject::{self, SubjectFault, SubjectId, identifier_aad};
use crate::sql;
use crate::store::{Owner, Store, StoreFault, Tx};

/// People looked at in one unit of work.
const PEOPLE: i64 = 200;

/// The place of a person among those of all accounts.
type AccountSubject = (AccountId, SubjectId);
const FIRST: AccountSubject = (AccountId(0), [0; 16]);

/// Deletes the stored data of people whose keys are gone; returns their number.
///
/// # Errors
/// When the store fails or the keys cannot be read.
pub async fn clear(store: &Store, keys: &Keys) -> Result<u64, SubjectFault> {
    let mut after = FIRST;
    let mut cleared = 0;
    loop {
        let keys = keys.clone();
        let (last, gone) = store.write(Owner::STORE, move |tx| clear_some(tx, &keys, after)).await?;
        cleared += gone;
        match last {
            Some(last) => after = last,
            None => return Ok(cleared),
        }
    }
}

fn clear_some(
    tx: &mut Tx<'_>,
    keys: &Keys,
    after: AccountSubject,
) -> Result<(Option<AccountSubject>, u64), SubjectFault> {
    let (last, lost) = lost_of_page(tx, keys, after)?;
    for (account, id) in &lost {
        rows::delete(tx, *account, id)?;
    }
    Ok((last, lost.len() as u64))
}

/// Counts the stored people whose keys are gone, for each account that has any. Opens one sealed identifier for each:
/// microseconds a person.
///
/// # Errors
/// When the store or the key folder cannot be read.
pub async fn count(store: &Store, keys: &Keys) -> Result<BTreeMap<AccountId, u64>, SubjectFault> {
    let mut after = FIRST;
    let mut counts = BTreeMap::new();
    loop {
        let keys = keys.clone();
        let (last, lost) = store.read(move |tx| lost_of_page(tx, &keys, after)).await?;
        for (account, _) in lost {
            *counts.entry(account).or_default() += 1;
        }
        match last {
            Some(last) => after = last,
            None => return Ok(counts),
        }
    }
}

/// Returns true if the key of one of these people of an account is gone.
///
/// # Errors
/// When the store or the key folder cannot be read.
pub fn has_any(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    people: &[SubjectId],
) -> Result<bool, SubjectFault> {
    for id in people {
        let Some(slot) = subject::slot(tx, account, id)? else { continue };
        let row = tx.row(&sql::identifier_of_subject, args![account.0, id])?;
        let sealed = row
            .as_ref()
            .map(|row| Ok::<_, StoreFault>((row.blob("tag")?, row.blob("sealed")?)))
            .transpose()?;
        if is_lost(keys, (account, *id), slot, sealed)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The people after `after` whose keys are gone, and the last one that was looked at; `None` when there are no more.
fn lost_of_page(
    tx: &mut Tx<'_>,
    keys: &Keys,
    after: AccountSubject,
) -> Result<(Option<AccountSubject>, Vec<AccountSubject>), SubjectFault> {
    let mut last = None;
    let mut lost = Vec::new();
    for row in tx.run(&sql::subject_page, args![after.0.0, &after.1, PEOPLE])? {
        let place = (AccountId(row.int("account_id")?), row.bytes("id")?);
        last = Some(place);
        let slot = SlotNumber::from_row(row.int("slot")?);
        let slot = slot.ok_or(StoreFault::Shape { statement: "subject_page", column: "slot" })?;
        let sealed = row.opt_blob("tag")?.zip(row.opt_blob("sealed")?);
        if is_lost(keys, place, slot, sealed)? {
            lost.push(place);
        }
    }
    Ok((last, lost))
}

/// Returns true if the key is gone, or the slot now has another person's key, which does not open a sealed identifier.
fn is_lost(
    keys: &Keys,
    (account, id): AccountSubject,
    slot: SlotNumber,
    sealed: Option<(&[u8], &[u8])>,
) -> Result<bool, SubjectFault> {
    let lost = |fault: KeyFault| if fault.is_lost() { Ok(true) } else { Err(fault.into()) };
    let sealer = match keys.sealer(slot) {
        Ok(sealer) => sealer,
        Err(fault) => return lost(fault),
    };
    let Some((tag, sealed)) = sealed else { return Ok(false) };
    match sealer.open(&identifier_aad(account, &id, tag), sealed) {
        Ok(_) => Ok(false),
        Err(fault) => lost(fault),
    }
}
