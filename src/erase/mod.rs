//! Erasure: its durable states, and what each of them means. The job in `work/user_forget` walks through them; `places`
//! is the list of everything that an erasure has to clear.
//!
//! accepted → fenced → shredded → deleted → unlearned → settled → verified. From `accepted` on every door drops the
//! person; `shredded` is the point of no return; only `verified` is done.

pub mod places;

use jiff::{Timestamp, ToSpan as _, tz::TimeZone};
use zeroize::Zeroizing;

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys, Sealer, SlotNumber};
use crate::sql;
use crate::store::{Row, StoreFault, Tx};
use crate::subjects::door;
use crate::subjects::identifier::Kind;
use crate::subjects::person::Person;
use crate::subjects::subject::SubjectFault;

pub use crate::subjects::subject::SubjectId;

/// An account's erasures share one job, so that what is slow is done once for all of them.
pub const JOB_SEQ: i64 = 0;

/// The public id of an erasure: random, says nothing about the person.
pub type ErasureId = uuid::Uuid;

/// How far an erasure is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum State {
    /// Stored; every door drops the person named in the request.
    Accepted,
    /// Every identifier linked to the person is suppressed as well.
    Fenced,
    /// The keys of the person's records are destroyed.
    Shredded,
    /// The records and what led to them are gone, and their address is in no text of the catalogue.
    Deleted,
    /// No model knows them.
    Unlearned,
    /// What the database overwrote is in none of its files.
    Settled,
    /// Every place was looked at again, and nothing was found.
    Verified,
}

impl State {
    /// All states, in order.
    pub const ALL: [Self; 7] = [
        Self::Accepted,
        Self::Fenced,
        Self::Shredded,
        Self::Deleted,
        Self::Unlearned,
        Self::Settled,
        Self::Verified,
    ];

    /// The state as it stands in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Fenced => "fenced",
            Self::Shredded => "shredded",
            Self::Deleted => "deleted",
            Self::Unlearned => "unlearned",
            Self::Settled => "settled",
            Self::Verified => "verified",
        }
    }

    fn read(row: &Row, column: usize) -> Result<Self, StoreFault> {
        let text = row.text(column)?;
        let state = Self::ALL.into_iter().find(|state| state.as_str() == text);
        state.ok_or(StoreFault::Shape { statement: "erasure", column })
    }
}

/// An erasure that is not verified, as its job needs it.
pub struct Open {
    /// Its place in its account.
    pub seq: i64,
    /// Its public id.
    pub id: ErasureId,
    /// How far it is.
    pub state: State,
    /// When it was asked for.
    pub asked_at: Millis,
    /// By when it has to be done.
    pub due_at: Millis,
    /// Key slot of the identifiers it keeps until it is done.
    pub slot: SlotNumber,
    /// Those identifiers.
    pub sealed: Vec<u8>,
    /// When the text of the catalogue was looked through for it.
    pub text_at: Option<Millis>,
}

impl Open {
    /// The identifiers that are looked for. A lost key says so: nobody can read them any more.
    pub fn person(&self, keys: &Keys, account: AccountId) -> Result<Person, KeyFault> {
        let json = keys.sealer(self.slot)?.open(&aad(account, self.seq), &self.sealed)?;
        Person::read(&json)
    }
}

/// An erasure as it is shown.
pub struct Shown {
    /// Its place in its account.
    pub seq: i64,
    /// Its public id.
    pub id: ErasureId,
    /// How far it is.
    pub state: State,
    /// When it was asked for.
    pub asked_at: Millis,
    /// By when it has to be done.
    pub due_at: Millis,
    /// When it was done.
    pub verified_at: Option<Millis>,
    /// What it waits for.
    pub waits_for: Option<String>,
    /// What failed when it was tried last.
    pub fault: Option<String>,
    /// How often it failed.
    pub faults: i64,
}

/// What an erasure did in one place.
pub struct Cleared {
    /// Name of the place.
    pub place: String,
    /// What was removed.
    pub removed: i64,
    /// What was found when it was looked at again.
    pub found: Option<i64>,
}

/// By when a person has to be told that it is done: one month (Article 12(3) GDPR).
#[must_use]
pub fn due(asked_at: Millis) -> Millis {
    let asked = Timestamp::from_millisecond(asked_at).map(|at| at.to_zoned(TimeZone::UTC));
    let due = asked.and_then(|at| at.checked_add(1.month()));
    due.map_or(asked_at, |at| at.timestamp().as_millisecond())
}

/// The identifiers of a person, as an erasure keeps them until it is done.
pub fn sealed(sealer: &Sealer, account: AccountId, seq: i64, person: &Person) -> Result<Vec<u8>, KeyFault> {
    sealer.seal(&aad(account, seq), &person.written())
}

fn aad(account: AccountId, seq: i64) -> Zeroizing<Vec<u8>> {
    let mut aad = Zeroizing::new(b"lethe/erasure/v1/".to_vec());
    aad.extend_from_slice(&account.0.to_be_bytes());
    aad.extend_from_slice(&seq.to_be_bytes());
    aad
}

/// From here on nothing is stored for the subject.
pub fn close(tx: &mut Tx<'_>, subject: &SubjectId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::subject_close, args![subject, seq])?;
    Ok(())
}

/// Stores an erasure with its sealed identifiers.
pub fn open(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    id: ErasureId,
    slot: SlotNumber,
    sealed: &[u8],
    now: Millis,
) -> Result<(), StoreFault> {
    let id = id.as_bytes();
    tx.exec(&sql::erasure_insert, args![account.0, seq, id, now, due(now), slot.row(), sealed])?;
    reached(tx, account, seq, State::Accepted, now)
}

/// The public id of the erasure at a place; `None` when no erasure is there.
pub fn id_of(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Option<ErasureId>, StoreFault> {
    let row = tx.row(&sql::erasure_id, args![account.0, seq])?;
    row.map(|row| Ok(ErasureId::from_bytes(row.bytes(0)?))).transpose()
}

/// The erasures of an account that are not verified, oldest first.
pub fn working(tx: &mut Tx<'_>, account: AccountId, limit: i64) -> Result<Vec<Open>, StoreFault> {
    tx.run(&sql::erasure_working, args![account.0, limit])?
        .iter()
        .map(|row| {
            let slot = row.opt_int(5)?.and_then(SlotNumber::from_row);
            Ok(Open {
                seq: row.int(0)?,
                id: ErasureId::from_bytes(row.bytes(1)?),
                state: State::read(row, 2)?,
                asked_at: row.int(3)?,
                due_at: row.int(4)?,
                slot: slot.ok_or(StoreFault::Shape { statement: "erasure_working", column: 5 })?,
                sealed: row.opt_blob(6)?.unwrap_or_default().to_vec(),
                text_at: row.opt_int(7)?,
            })
        })
        .collect()
}

/// Records that a state was reached.
pub fn advance(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    state: State,
    now: Millis,
) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_advance, args![account.0, seq, state.as_str()])?;
    reached(tx, account, seq, state, now)
}

fn reached(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    state: State,
    now: Millis,
) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_step_insert, args![account.0, seq, state.as_str(), now])?;
    Ok(())
}

/// Notes what an erasure waits for.
pub fn wait(tx: &mut Tx<'_>, account: AccountId, seq: i64, reason: &str) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_wait, args![account.0, seq, reason])?;
    Ok(())
}

/// Notes that an erasure could not go on.
pub fn fail(tx: &mut Tx<'_>, account: AccountId, seq: i64, fault: &str) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_fault, args![account.0, seq, fault])?;
    Ok(())
}

/// Notes that the text of the catalogue was looked through.
pub fn looked_through(tx: &mut Tx<'_>, account: AccountId, seq: i64, now: Millis) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_looked, args![account.0, seq, now])?;
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
            let slot = SlotNumber::from_row(row.int(1)?);
            Ok((row.bytes(0)?, slot.ok_or(StoreFault::Shape { statement: "subject_of_erasure", column: 1 })?))
        })
        .collect()
}

/// Fences: suppresses every identifier linked to the person's subjects while they can still be read, takes along what
/// was ordered as a guest under their emails, and keeps all of it, sealed, to be looked for at the end. An account id
/// is shared by colleagues and stays.
pub fn fence(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    erasure: &Open,
    now: Millis,
) -> Result<(), SubjectFault> {
    let mut person = erasure.person(keys, account)?;
    person.link(tx, keys, account)?;
    for subject in &person.subjects {
        close(tx, subject, erasure.seq)?;
    }
    for id in &person.linked {
        if id.kind() != Kind::AccountId {
            door::shut(tx, keys, account, id, erasure.seq, now)?;
        }
    }
    let sealed = sealed(&keys.sealer(erasure.slot)?, account, erasure.seq, &person)?;
    tx.exec(&sql::erasure_seal, args![account.0, erasure.seq, sealed.as_slice()])?;
    advance(tx, account, erasure.seq, State::Fenced, now)?;
    Ok(())
}

/// Whether an account has a catalogue, in whose text anybody's address may stand.
pub fn has_catalogue(tx: &mut Tx<'_>, account: AccountId) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::catalogue_any, args![account.0])?.is_some())
}

/// Whether the text of a restored catalogue has to be looked through for everybody forgotten.
pub fn is_text_due(tx: &mut Tx<'_>, account: AccountId) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::account_text_due, args![account.0])?.is_some())
}

/// Notes that it has to be, or that it was.
pub fn set_text_due(tx: &mut Tx<'_>, account: AccountId, is_due: bool) -> Result<(), StoreFault> {
    tx.exec(&sql::account_text_due_set, args![account.0, i64::from(is_due)])?;
    Ok(())
}

/// Counts what was removed from a place.
pub fn count_removed(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    place: &str,
    removed: u64,
) -> Result<(), StoreFault> {
    let removed = i64::try_from(removed).unwrap_or(i64::MAX);
    tx.exec(&sql::erasure_place_add, args![account.0, seq, place, removed])?;
    Ok(())
}

/// Notes what was found in a place when it was looked at again.
pub fn note_found(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    place: &str,
    found: u64,
) -> Result<(), StoreFault> {
    let found = i64::try_from(found).unwrap_or(i64::MAX);
    tx.exec(&sql::erasure_place_found, args![account.0, seq, place, found])?;
    Ok(())
}

/// A certificate as it is kept: what cannot be made again.
pub struct Certificate {
    /// Number of its entry in the ledger, from 0.
    pub index: i64,
    /// The exact text that was signed.
    pub body: String,
    /// Its signature.
    pub signature: [u8; 64],
}

/// Ends an erasure: it is verified, has its certificate, and its own traces of the person are gone.
pub fn end(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    issued: &Certificate,
    now: Millis,
) -> Result<(), StoreFault> {
    advance(tx, account, seq, State::Verified, now)?;
    let Certificate { index, body, signature } = issued;
    tx.exec(&sql::erasure_verify, args![account.0, seq, now, body.as_str(), signature, *index])?;
    Ok(())
}

/// The certificate of a verified erasure.
pub fn certificate(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ErasureId,
) -> Result<Option<Certificate>, StoreFault> {
    let Some(row) = tx.row(&sql::erasure_certificate, args![account.0, id.as_bytes()])? else {
        return Ok(None);
    };
    Ok(Some(Certificate { index: row.int(0)?, body: row.text(1)?.to_owned(), signature: row.bytes(2)? }))
}

/// One erasure by its public id.
pub fn get(tx: &mut Tx<'_>, account: AccountId, id: ErasureId) -> Result<Option<Shown>, StoreFault> {
    tx.row(&sql::erasure_get, args![account.0, id.as_bytes()])?.map(|row| shown(&row)).transpose()
}

/// Erasures of an account before a place, newest first.
pub fn list(tx: &mut Tx<'_>, account: AccountId, before: i64, limit: i64) -> Result<Vec<Shown>, StoreFault> {
    tx.run(&sql::erasure_list, args![account.0, before, limit])?.iter().map(shown).collect()
}

fn shown(row: &Row) -> Result<Shown, StoreFault> {
    Ok(Shown {
        seq: row.int(0)?,
        id: ErasureId::from_bytes(row.bytes(1)?),
        state: State::read(row, 2)?,
        asked_at: row.int(3)?,
        due_at: row.int(4)?,
        verified_at: row.opt_int(5)?,
        waits_for: row.opt_text(6)?.map(str::to_owned),
        fault: row.opt_text(7)?.map(str::to_owned),
        faults: row.int(8)?,
    })
}

/// The states that an erasure has reached, with their times, in order.
pub fn steps(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Vec<(State, Millis)>, StoreFault> {
    let rows = tx.run(&sql::erasure_step_list, args![account.0, seq])?;
    let mut steps: Vec<_> =
        rows.iter().map(|row| Ok((State::read(row, 0)?, row.int(1)?))).collect::<Result<_, StoreFault>>()?;
    steps.sort_unstable();
    Ok(steps)
}

/// What an erasure did in each place, by name.
pub fn cleared(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Vec<Cleared>, StoreFault> {
    tx.run(&sql::erasure_place_list, args![account.0, seq])?
        .iter()
        .map(|row| {
            Ok(Cleared { place: row.text(0)?.to_owned(), removed: row.int(1)?, found: row.opt_int(2)? })
        })
        .collect()
}

/// How many identifiers an erasure keeps shut.
pub fn suppressed(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<i64, StoreFault> {
    tx.row(&sql::suppression_of_erasure, args![account.0, seq])?.map_or(Ok(0), |row| row.int(0))
}

/// The erasures of all accounts that are not verified.
#[derive(Clone, Copy, Default)]
pub struct Waiting {
    /// How many there are.
    pub open: i64,
    /// How many of them are past their date.
    pub overdue: i64,
    /// How many failed when they were tried last.
    pub failing: i64,
    /// When the oldest was asked for.
    pub oldest_at: Option<Millis>,
}

/// Counts the erasures that are not verified.
pub fn waiting(tx: &mut Tx<'_>, now: Millis) -> Result<Waiting, StoreFault> {
    let Some(row) = tx.row(&sql::erasure_count_open, args![now])? else { return Ok(Waiting::default()) };
    Ok(Waiting { open: row.int(0)?, overdue: row.int(1)?, failing: row.int(2)?, oldest_at: row.opt_int(3)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_due_a_month_later() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap().as_millisecond();
        assert_eq!(due(at("2026-11-21T10:00:00Z")), at("2026-12-21T10:00:00Z"));
        assert_eq!(due(at("2027-01-31T10:00:00Z")), at("2027-02-28T10:00:00Z"));
    }
}
