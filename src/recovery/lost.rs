//! Clearing up after a restore: people whose keys are gone can never be read again, and leave nothing behind.

use crate::args;
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys, SlotNumber};
use crate::sql;
use crate::store::{Owner, Store, StoreFault, Tx};
use crate::subjects::rows;
use crate::subjects::subject::{SubjectFault, SubjectId, identifier_aad};

/// People looked at in one unit of work.
const PEOPLE: i64 = 200;

/// Deletes what is stored of people whose keys are gone; gives how many there were.
pub async fn clear(store: &Store, keys: &Keys) -> Result<u64, SubjectFault> {
    let (mut after, mut cleared) = ((AccountId(0), SubjectId::default()), 0);
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
    (account, id): (AccountId, SubjectId),
) -> Result<(Option<(AccountId, SubjectId)>, u64), SubjectFault> {
    let (mut last, mut gone) = (None, 0);
    for row in tx.run(&sql::subject_page, args![account.0, &id, PEOPLE])? {
        let (account, id) = (AccountId(row.int(0)?), row.bytes(1)?);
        last = Some((account, id));
        let slot = SlotNumber::from_row(row.int(2)?);
        let slot = slot.ok_or(StoreFault::Shape { statement: "subject_page", column: 2 })?;
        if is_lost(tx, keys, account, &id, slot)? {
            // red: it::recovery::sqlite::a_lost_key_folder_loses_people_and_nothing_else
            mutant!("who-is-lost-stays", rows::delete(tx, account, &id)?, ());
            gone += 1;
        }
    }
    Ok((last, gone))
}

/// Whether the key is gone, or the slot has somebody else's by now.
fn is_lost(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &SubjectId,
    slot: SlotNumber,
) -> Result<bool, SubjectFault> {
    let lost = |fault: KeyFault| if fault.is_lost() { Ok(true) } else { Err(fault.into()) };
    let sealer = match keys.sealer(slot) {
        Ok(sealer) => sealer,
        Err(fault) => return lost(fault),
    };
    let Some(row) = tx.row(&sql::identifier_of_subject, args![account.0, id])? else { return Ok(false) };
    match sealer.open(&identifier_aad(account, id, row.blob(0)?), row.blob(2)?) {
        Ok(_) => Ok(false),
        Err(fault) => lost(fault),
    }
}
