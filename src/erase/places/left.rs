//! What is counted and exported of places that are more than rows of a subject.

use serde_json::{Value, json};

use super::Walk;
use crate::args;
use crate::erase::came_with;
use crate::ids::AccountId;
use crate::ids::identifier::{Asked, Identifier, Kind};
use crate::keys::{Keys, SlotNumber};
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::door::{self, Shut};
use crate::subjects::person::Person;
use crate::subjects::subject::SubjectFault;

/// The slots in which a key still lies.
pub fn keys(keys: &Keys, slots: &[SlotNumber]) -> u64 {
    slots.iter().filter(|slot| keys.sealer(**slot).is_ok()).count() as u64
}

/// How many sealed payloads that may hold people were accepted before a place and have not ended.
pub fn payloads_before(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<u64, StoreFault> {
    let row = tx.row(&sql::payload_count_people, args![account.0, seq])?;
    row.map_or(Ok(0), |row| row.int(0).map(i64::unsigned_abs))
}

pub fn payloads(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    payloads_before(tx, walk.account, walk.seq)
}

/// Whatever else the identifier leads to that was asked for.
pub fn still_led_to(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    Ok(came_with::others(tx, walk)?.len() as u64)
}

/// The orders of others that came with the address that was asked for.
pub fn came_with(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    came_with::count(tx, walk)
}

pub fn removals(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    let mut all = 0;
    for id in walk.person.own().filter(|id| id.kind() == Kind::UserId) {
        let tag = walk.keys.lookup_tag(walk.account, id);
        all += u64::from(tx.row(&sql::user_removal_get, args![walk.account.0, &tag])?.is_some());
    }
    Ok(all)
}

/// Whether the erasure at the place of the walk still keeps whom it is about.
pub fn requests(tx: &mut Tx<'_>, walk: &Walk<'_>) -> Result<u64, StoreFault> {
    let Some(id) = crate::erase::id_of(tx, walk.account, walk.seq)? else { return Ok(0) };
    let row = tx.row(&sql::erasure_by_id, args![id.as_bytes()])?;
    row.map_or(Ok(0), |row| Ok(u64::from(row.opt_int(3)?.is_some() || row.opt_blob(4)?.is_some())))
}

/// Fingerprints by which a forgotten person is recognised.
pub fn suppressed(person: &Person) -> u64 {
    person.own().count() as u64
}

/// Companies whose prices name them.
pub fn companies(person: &Person) -> u64 {
    person.identifiers().filter(|id| id.kind() == Kind::AccountId).count() as u64
}

/// The identifiers under which somebody is held.
pub fn known_as(person: &Person) -> Value {
    let identifier = |id: &Identifier| json!({"Kind": id.kind().as_str(), "Value": id.normal()});
    match person.subjects.is_empty() {
        true => json!([]),
        false => person.identifiers().map(identifier).collect(),
    }
}

/// What is kept of somebody who was forgotten, by the first reading of the identifier that is suppressed.
pub fn suppression(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &Asked,
) -> Result<Value, StoreFault> {
    for id in asked.candidates() {
        if let Some(Shut { lifted_seq, since, version, .. }) = door::find(tx, keys, account, id)? {
            return Ok(
                json!({"Suppressed": lifted_seq.is_none(), "Since": since, "Kind": id.kind().as_str(),
                             "RulesOfSpelling": version, "CameBack": lifted_seq.is_some()}),
            );
        }
    }
    Ok(json!({"Suppressed": false}))
}

/// How it stands in an export.
pub fn suppression_of(tx: &mut Tx<'_>, walk: &Walk<'_>, asked: &Asked) -> Result<Value, SubjectFault> {
    Ok(suppression(tx, walk.keys, walk.account, asked)?)
}
