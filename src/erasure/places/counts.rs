//! Counts and exports of places that are more than rows of a subject.

use serde_json::{Value, json};
use utoipa::ToSchema;

use super::place::PlaceContext;
use crate::erasure::orders_with_address;
use crate::ids::AccountId;
use crate::ids::identifier::{ForgetTarget, Identifier, IdentifierKind};
use crate::keys::{Keys, SlotNumber};
use crate::people::person::Person;
use crate::people::subject::SubjectFault;
use crate::people::suppression_gate::{self, SuppressionFacts};
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// The slots in which a key still lies.
pub fn keys(keys: &Keys, slots: &[SlotNumber]) -> u64 {
    slots.iter().filter(|slot| keys.sealer(**slot).is_ok()).count() as u64
}

/// Counts the sealed payloads accepted before a place that may hold people and have not ended.
///
/// # Errors
/// When the store fails.
pub fn payloads_before(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<u64, StoreFault> {
    let row = tx.row(&sql::payload_count_people, args![account.0, seq])?;
    row.map_or(Ok(0), |row| row.int("counted").map(i64::unsigned_abs))
}

/// Counts the sealed payloads that may hold the person and have not ended.
///
/// # Errors
/// When the store fails.
pub fn payloads(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<u64, StoreFault> {
    payloads_before(tx, walk.account, walk.seq)
}

/// Counts the further rows that the requested identifier leads to.
///
/// # Errors
/// When the store fails.
pub fn still_led_to(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<u64, StoreFault> {
    Ok(orders_with_address::list_other_subjects(tx, walk)?.len() as u64)
}

/// Counts the orders of others that came with the requested address.
///
/// # Errors
/// When the store fails.
pub fn came_with(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<u64, StoreFault> {
    orders_with_address::count(tx, walk)
}

/// Counts the person's ids that are recorded as removed by a delta.
///
/// # Errors
/// When the store fails.
pub fn removals(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<u64, StoreFault> {
    let mut all = 0;
    for id in walk.person.own_identifiers().filter(|id| id.kind() == IdentifierKind::UserId) {
        let tag = walk.keys.lookup_tag(walk.account, id);
        all += u64::from(tx.row(&sql::user_removal_get, args![walk.account.0, &tag])?.is_some());
    }
    Ok(all)
}

/// 1 if the erasure of this run still keeps the identifiers of its person, otherwise 0.
///
/// # Errors
/// When the store fails.
pub fn requests(tx: &mut Tx<'_>, walk: &PlaceContext<'_>) -> Result<u64, StoreFault> {
    let Some(id) = crate::erasure::id::id_of(tx, walk.account, walk.seq)? else { return Ok(0) };
    let row = tx.row(&sql::erasure_by_id, args![id.as_bytes()])?;
    row.map_or(Ok(0), |row| {
        Ok(u64::from(row.opt_int("slot")?.is_some() || row.opt_blob("sealed")?.is_some()))
    })
}

/// Fingerprints by which a forgotten person is recognised.
pub fn count_suppressed(person: &Person) -> u64 {
    person.own_identifiers().count() as u64
}

/// Companies whose prices name them.
pub fn count_companies(person: &Person) -> u64 {
    person.identifiers().filter(|id| id.kind() == IdentifierKind::AccountId).count() as u64
}

/// An identifier under which a person is stored, for the answer to a request about them.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct KnownAs {
    /// `Email`, `UserId`, `AccountId` or `VisitorId`.
    kind: &'static str,
    /// The identifier in its normal form.
    value: String,
}

/// The identifiers under which a person is stored.
pub fn known_as(person: &Person) -> Vec<KnownAs> {
    let identifier = |id: &Identifier| KnownAs { kind: id.kind().as_str(), value: id.normal().to_owned() };
    if person.subjects.is_empty() { Vec::new() } else { person.identifiers().map(identifier).collect() }
}

/// Suppression of an identifier. An identifier that was not forgotten has `Suppressed` alone.
#[derive(serde::Serialize, ToSchema, Clone, Default)]
#[serde(rename_all = "PascalCase")]
pub struct Suppression {
    /// True if the door is shut.
    suppressed: bool,
    /// Since when, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    since: Option<i64>,
    /// `Email`, `UserId`, `AccountId` or `VisitorId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    kind: Option<&'static str>,
    /// The version of the rules by which it is recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    rules_of_spelling: Option<i64>,
    /// True if the person came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = bool, required = false)]
    came_back: Option<bool>,
}

/// Suppression of a forgotten person, by the first reading of the identifier that is suppressed.
///
/// # Errors
/// When the store fails.
pub fn suppression(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &ForgetTarget,
) -> Result<Suppression, StoreFault> {
    for id in asked.candidates() {
        if let Some(SuppressionFacts { lifted_seq, since, version, .. }) =
            suppression_gate::find_suppression(tx, keys, account, id)?
        {
            return Ok(Suppression {
                suppressed: lifted_seq.is_none(),
                since: Some(since),
                kind: Some(id.kind().as_str()),
                rules_of_spelling: Some(version),
                came_back: Some(lifted_seq.is_some()),
            });
        }
    }
    Ok(Suppression::default())
}

/// Result of [`suppression`] as an export shows it.
///
/// # Errors
/// When the store fails.
pub fn suppression_of(
    tx: &mut Tx<'_>,
    walk: &PlaceContext<'_>,
    asked: &ForgetTarget,
) -> Result<Value, SubjectFault> {
    Ok(json!(suppression(tx, walk.keys, walk.account, asked)?))
}
