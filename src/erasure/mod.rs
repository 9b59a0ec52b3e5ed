//! Erasure: its durable states, and the meaning of each. The job in `work/erasure` walks through them; `places` is the
//! list of everything that an erasure has to clear.
//!
//! accepted → fenced → shredded → deleted → unlearned → settled → verified; no erasure is `settled` where the files of
//! the database are another program's. From `accepted` on every door drops the
//! person; `shredded` is the point of no return; only `verified` is done.
//!
//! Functions here without a section on errors fail only when the store does.

mod id;
pub mod orders_with_address;
pub mod places;
mod record;
pub mod reference;
mod state;

use jiff::{Timestamp, ToSpan as _, tz::TimeZone};
use zeroize::Zeroizing;

use crate::clock::Millis;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{KeyFault, Keys, Sealer, SlotNumber, Tag};
use crate::people::person::Person;
use crate::people::subject::{self, SubjectFault};
use crate::people::{erasure_scope, suppression_gate};
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

pub use self::id::{ErasureId, id_of};

pub use self::record::{
    Certificate, DueErasure, ErasureBacklog, ErasureFilter, ErasureSummary, RemovedCounts, certificate,
    count_removed, due_soon, list, list_cleared, load_by_id, note_found, steps, waiting, waiting_of,
};
pub use self::reference::CaseReference;
pub use self::state::ErasureState;
pub use crate::people::subject::SubjectId;

/// An account's erasures share one job, so that a slow step is done once for all.
pub const JOB_SEQ: i64 = 0;

/// An unverified erasure, as its job needs it.
pub struct OpenErasure {
    /// Its place in its account.
    pub seq: i64,
    /// Its public id.
    pub id: ErasureId,
    /// State of the erasure.
    pub state: ErasureState,
    /// Time of the request.
    pub asked_at: Millis,
    /// By when it has to be done.
    pub due_at: Millis,
    /// Key slot of the identifiers that it keeps until it is done.
    pub slot: SlotNumber,
    /// Those identifiers.
    pub sealed: Vec<u8>,
    /// Number of failed tries.
    pub faults: i64,
}

impl OpenErasure {
    /// The identifiers that are looked for.
    ///
    /// # Errors
    /// When their key cannot be read. If it is lost ([`KeyFault::is_lost`]), they can never be read again.
    pub fn person(&self, keys: &Keys, account: AccountId) -> Result<Person, KeyFault> {
        let json = keys.sealer(self.slot)?.open(&aad(account, self.seq), &self.sealed)?;
        Person::decode(&json)
    }
}

/// Legal deadline to tell a person that it is done: one month (Article 12(3) GDPR).
#[must_use]
pub fn legal_deadline(asked_at: Millis) -> Millis {
    let asked = Timestamp::from_millisecond(asked_at).map(|at| at.to_zoned(TimeZone::UTC));
    let due = asked.and_then(|at| at.checked_add(1.month()));
    due.map_or(asked_at, |at| at.timestamp().as_millisecond())
}

/// Seals the identifiers of a person, as an erasure keeps them until it is done.
///
/// # Errors
/// When the cryptographic library refuses.
pub fn seal_identifiers(
    sealer: &Sealer,
    account: AccountId,
    seq: i64,
    person: &Person,
) -> Result<Vec<u8>, KeyFault> {
    sealer.seal(&aad(account, seq), &person.encode())
}

fn aad(account: AccountId, seq: i64) -> Zeroizing<Vec<u8>> {
    let mut aad = Zeroizing::new(b"lethe/erasure/v1/".to_vec());
    aad.extend_from_slice(&account.0.to_be_bytes());
    aad.extend_from_slice(&seq.to_be_bytes());
    aad
}

/// A request to forget, as an erasure keeps it.
pub struct ForgetRequest<'a> {
    /// Its place in its account.
    pub seq: i64,
    /// The public id of its erasure.
    pub id: ErasureId,
    /// The key slot of the sealed data.
    pub slot: SlotNumber,
    /// The identifiers of the person, until it is done.
    pub sealed: &'a [u8],
    /// Keyed hash of the request as it was understood: an equal request gets the same erasure.
    pub asked: &'a Tag,
    /// The shop's own reference, if it has one.
    pub reference: Option<&'a CaseReference>,
}

/// Stores an erasure with its sealed identifiers.
///
/// # Errors
/// When the store fails.
pub fn open(
    tx: &mut Tx<'_>,
    account: AccountId,
    request: &ForgetRequest<'_>,
    now: Millis,
) -> Result<(), StoreFault> {
    let ForgetRequest { seq, id, slot, sealed, asked, reference } = *request;
    let id = id.as_bytes();
    let reference = reference.and_then(|one| CaseReference::join(std::slice::from_ref(one)));
    tx.exec(
        &sql::erasure_insert,
        args![account.0, seq, id, now, legal_deadline(now), slot.row(), sealed, asked, reference.as_deref()],
    )?;
    record_step(tx, account, seq, ErasureState::Accepted, now)
}

/// Returns true if the store knows the erasure with this public id.
pub fn is_known(tx: &mut Tx<'_>, id: ErasureId) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::erasure_by_id, args![id.as_bytes()])?.is_some())
}

/// Returns true if the erasure with this public id is fenced and its job can end it. The job cannot if the store came
/// out of a backup and the key of the identifiers is gone.
///
/// # Errors
/// When the store fails or a key cannot be read.
pub fn goes_on(tx: &mut Tx<'_>, keys: &Keys, id: ErasureId) -> Result<bool, SubjectFault> {
    let Some(row) = tx.row(&sql::erasure_by_id, args![id.as_bytes()])? else { return Ok(false) };
    let state = ErasureState::from_row(&row)?;
    let slot = row.opt_int("slot")?.and_then(SlotNumber::from_row);
    let (Some(slot), Some(sealed)) = (slot, row.opt_blob("sealed")?) else { return Ok(false) };
    let aad = aad(AccountId(row.int("account_id")?), row.int("seq")?);
    match keys.sealer(slot).and_then(|sealer| sealer.open(&aad, sealed)) {
        Ok(_) => Ok(state > ErasureState::Accepted),
        Err(fault) if fault.is_lost() => Ok(false),
        Err(fault) => Err(fault.into()),
    }
}

/// Returns true if an unverified erasure is about a person with this identifier.
///
/// # Errors
/// When the store fails or a key cannot be read.
pub fn is_about(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
) -> Result<bool, SubjectFault> {
    for open in working(tx, account, i64::MAX)? {
        match open.person(keys, account) {
            Ok(person) if person.own_identifiers().any(|own| own == id) => return Ok(true),
            Err(fault) if !fault.is_lost() => return Err(fault.into()),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(false)
}

/// Returns true if the erasure at a place is not verified yet.
pub fn is_open(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::erasure_is_open, args![account.0, seq])?.is_some())
}

/// The unverified erasures of an account, oldest first.
///
/// # Errors
/// When the store fails.
pub fn working(tx: &mut Tx<'_>, account: AccountId, limit: i64) -> Result<Vec<OpenErasure>, StoreFault> {
    tx.run(&sql::erasure_working, args![account.0, limit])?
        .iter()
        .map(|row| {
            let slot = row.opt_int("slot")?.and_then(SlotNumber::from_row);
            Ok(OpenErasure {
                seq: row.int("seq")?,
                id: ErasureId::from_bytes(row.bytes("id")?),
                state: ErasureState::from_row(row)?,
                asked_at: row.int("asked_at")?,
                due_at: row.int("due_at")?,
                slot: slot.ok_or(StoreFault::Shape { statement: "erasure_working", column: "slot" })?,
                sealed: row.opt_blob("sealed")?.unwrap_or_default().to_vec(),
                faults: row.int("faults")?,
            })
        })
        .collect()
}

/// Records that a state was reached.
///
/// # Errors
/// When the store fails.
pub fn advance(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    state: ErasureState,
    now: Millis,
) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_advance, args![account.0, seq, state.as_str()])?;
    record_step(tx, account, seq, state, now)
}

fn record_step(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    state: ErasureState,
    now: Millis,
) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_step_insert, args![account.0, seq, state.as_str(), now])?;
    Ok(())
}

/// Records the reason why an erasure waits.
pub fn wait(tx: &mut Tx<'_>, account: AccountId, seq: i64, reason: &str) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_wait, args![account.0, seq, reason])?;
    Ok(())
}

/// Records that an erasure could not go on.
pub fn fail(tx: &mut Tx<'_>, account: AccountId, seq: i64, fault: &str) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_fault, args![account.0, seq, fault])?;
    Ok(())
}

/// The subjects of an erasure with their key slots.
pub fn subjects(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
) -> Result<Vec<(SubjectId, SlotNumber)>, StoreFault> {
    tx.run(&sql::subject_of_erasure, args![account.0, seq])?
        .iter()
        .map(|row| {
            let slot = SlotNumber::from_row(row.int("slot")?);
            Ok((
                row.bytes("id")?,
                slot.ok_or(StoreFault::Shape { statement: "subject_of_erasure", column: "slot" })?,
            ))
        })
        .collect()
}

/// Opens all people of an erasure that were too many when it was accepted: the identifiers that lead to them, and those
/// that are theirs alone.
///
/// # Errors
/// When the store fails or a key cannot be read.
pub fn open_person(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    (seq, begun): (i64, &Person),
) -> Result<Person, SubjectFault> {
    let subjects = subjects(tx, account, seq)?.into_iter().map(|(subject, _)| subject).collect();
    erasure_scope::complete(tx, keys, account, begun, subjects)
}

/// Shuts the door for some of a person's identifiers and closes some of the subjects: a small part of [`fence`], for
/// people whose address thousands share.
///
/// # Errors
/// When the store fails.
pub fn fence_part(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    (seq, now): (i64, Millis),
    (subjects, ids): (&[SubjectId], &[Identifier]),
) -> Result<(), StoreFault> {
    subjects.iter().try_for_each(|id| subject::close(tx, account, id, seq))?;
    ids.iter().try_for_each(|id| suppression_gate::suppress(tx, keys, account, id, seq, now).map(drop))
}

/// Records that from now on nothing about the person is stored. Seals all identifiers, to be looked for at the
/// end, and returns the sealed form.
///
/// # Errors
/// When the store fails or the key of the erasure cannot be read.
pub fn fence(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    erasure: &OpenErasure,
    (person, now): (&Person, Millis),
) -> Result<Vec<u8>, SubjectFault> {
    let sealed = seal_identifiers(&keys.sealer(erasure.slot)?, account, erasure.seq, person)?;
    tx.exec(&sql::erasure_seal, args![account.0, erasure.seq, sealed.as_slice()])?;
    advance(tx, account, erasure.seq, ErasureState::Fenced, now)?;
    Ok(sealed)
}

/// Ends an erasure whose person can no longer be read.
pub fn mark_key_lost(tx: &mut Tx<'_>, account: AccountId, seq: i64, now: Millis) -> Result<(), StoreFault> {
    advance(tx, account, seq, ErasureState::Lost, now)?;
    tx.exec(&sql::erasure_lose, args![account.0, seq, now])?;
    Ok(())
}

/// Ends an erasure: it is verified, has its certificate, and its own traces of the person are gone.
///
/// # Errors
/// When the store fails.
pub fn end(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    issued: &Certificate,
    now: Millis,
) -> Result<(), StoreFault> {
    advance(tx, account, seq, ErasureState::Verified, now)?;
    let Certificate { index, body, signature } = issued;
    tx.exec(&sql::erasure_verify, args![account.0, seq, now, body.as_str(), signature, *index])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_due_a_month_later() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap().as_millisecond();
        assert_eq!(legal_deadline(at("2026-11-21T10:00:00Z")), at("2026-12-21T10:00:00Z"));
        assert_eq!(legal_deadline(at("2027-01-31T10:00:00Z")), at("2027-02-28T10:00:00Z"));
    }

    #[test]
    fn sealed_identifiers_are_bound_to_their_account_and_erasure() {
        let [account, seq] = [7, 258_i64].map(i64::to_be_bytes);
        let bound = [b"lethe/erasure/v1/".as_slice(), &account, &seq].concat();
        assert_eq!(*aad(AccountId(7), 258), bound);
    }
}
