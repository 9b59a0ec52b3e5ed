//! Erasure: its durable states and what each removes. The job in `work/user_forget` walks through them.
//!
//! accepted → fenced → shredded → deleted. From `accepted` on every door drops the person; `shredded` is the
//! point of no return.

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{Keys, SlotNumber};
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::door;
use crate::subjects::identifier::{Identifier, Kind};
use crate::subjects::subject::{self, SubjectFault, identifier_aad};

pub use crate::subjects::subject::SubjectId;

/// How far an erasure is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum State {
    /// Stored; every door drops the person named in the request.
    Accepted,
    /// Every identifier linked to the person is suppressed as well.
    Fenced,
    /// The keys of the person's records are destroyed.
    Shredded,
    /// The records and what led to them are gone.
    Deleted,
}

impl State {
    /// The state as it stands in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Fenced => "fenced",
            Self::Shredded => "shredded",
            Self::Deleted => "deleted",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Accepted, Self::Fenced, Self::Shredded, Self::Deleted].into_iter().find(|s| s.as_str() == text)
    }
}

/// An erasure as its job needs it.
pub struct Erasure {
    /// How far it is.
    pub state: State,
    /// Key slot of its own sealed identifier.
    pub slot: Option<SlotNumber>,
}

/// The subjects an identifier leads to that are not being forgotten.
pub fn live_subjects(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
) -> Result<Vec<SubjectId>, StoreFault> {
    let mut live = Vec::new();
    for row in tx.run(&sql::identifier_by_tag, args![account.0, &keys.lookup_tag(account, id)])? {
        if row.opt_int(2)?.is_none() {
            live.push(row.bytes(0)?);
        }
    }
    Ok(live)
}

/// Whether an account has a catalogue, in whose text anybody's address may stand.
pub fn has_catalogue(tx: &mut Tx<'_>, account: AccountId) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::catalogue_any, args![account.0])?.is_some())
}

/// From here on nothing is stored for the subject.
pub fn close(tx: &mut Tx<'_>, subject: &SubjectId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::subject_close, args![subject, seq])?;
    Ok(())
}

/// Stores an erasure with its sealed identifier.
pub fn open(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    slot: SlotNumber,
    sealed: &[u8],
    now: Millis,
) -> Result<(), StoreFault> {
    tx.exec(&sql::erasure_insert, args![account.0, seq, now, slot.row(), sealed])?;
    Ok(())
}

/// One erasure.
pub fn get(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Option<Erasure>, StoreFault> {
    let Some(row) = tx.row(&sql::erasure_get, args![account.0, seq])? else { return Ok(None) };
    let state =
        State::parse(row.text(0)?).ok_or(StoreFault::Shape { statement: "erasure_get", column: 0 })?;
    Ok(Some(Erasure { state, slot: row.opt_int(2)?.and_then(SlotNumber::from_row) }))
}

/// Records that a state was reached.
pub fn advance(
    tx: &mut Tx<'_>,
    account: AccountId,
    seq: i64,
    state: State,
    now: Millis,
) -> Result<(), StoreFault> {
    let shredded_at = (state == State::Shredded).then_some(now);
    tx.exec(&sql::erasure_advance, args![account.0, seq, state.as_str(), shredded_at])?;
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

/// Fences: suppresses every identifier linked to the subjects while they can still be read, and takes along what was
/// ordered as a guest under their emails. An account id is shared by colleagues and stays.
pub fn fence(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    seq: i64,
    now: Millis,
) -> Result<(), SubjectFault> {
    for (subject, slot) in subjects(tx, account, seq)? {
        let sealer = match keys.sealer(slot) {
            // Lost or damaged: nothing of the person can be read any more, so that nothing further is known to
            // suppress. The erasure goes on; it must not wait for ever for a key that never comes back.
            Err(fault) if fault.is_lost() => {
                tracing::warn!(account = account.0, seq, "a person's key was lost before the erasure");
                continue;
            }
            sealer => sealer?,
        };
        for row in tx.run(&sql::identifier_of_subject, args![&subject])? {
            let kind = u8::try_from(row.int(1)?).ok().and_then(Kind::from_code);
            let opened = match sealer.open(&identifier_aad(account, &subject, row.blob(0)?), row.blob(2)?) {
                Err(fault) if fault.is_lost() => {
                    tracing::warn!(
                        account = account.0,
                        seq,
                        "a person's identifier was damaged before the erasure"
                    );
                    continue;
                }
                opened => opened?,
            };
            let text = String::from_utf8_lossy(&opened);
            let linked = match kind {
                Some(Kind::Email) => Identifier::email(&text),
                Some(Kind::UserId) => Identifier::user_id(&text),
                Some(Kind::VisitorId) => Identifier::visitor_id(&text),
                Some(Kind::AccountId) | None => continue,
            };
            // It was in its normal form when it was stored, so it is accepted again.
            if let Ok(id) = linked {
                door::shut(tx, keys, account, &id, seq, now)?;
                if id.kind() == Kind::Email {
                    close_guests(tx, keys, account, &id, seq)?;
                }
            }
        }
    }
    advance(tx, account, seq, State::Fenced, now)?;
    Ok(())
}

/// Closes the subjects of which nothing but this email is known.
fn close_guests(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    email: &Identifier,
    seq: i64,
) -> Result<(), StoreFault> {
    for guest in subject::guests(tx, keys, account, email)? {
        close(tx, &guest.bytes(0)?, seq)?;
    }
    Ok(())
}

/// Whether sealed payloads accepted before the erasure still wait or run; they may hold the person.
pub fn is_held_up(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<bool, StoreFault> {
    let held = tx.row(&sql::submission_holding, args![account.0, seq])?.map_or(Ok(0), |row| row.int(0))?;
    Ok(held > 0)
}

/// Deletes what is stored of the subjects and ends the erasure.
pub fn delete(tx: &mut Tx<'_>, account: AccountId, seq: i64, now: Millis) -> Result<(), StoreFault> {
    for (subject, _) in subjects(tx, account, seq)? {
        subject::delete(tx, &subject)?;
    }
    tx.exec(&sql::erasure_finish, args![account.0, seq, now])?;
    Ok(())
}
