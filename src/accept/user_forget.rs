//! Accepting a request to forget a person.

use lethe_verify::Entry;

use crate::accounts;
use crate::clock::Millis;
use crate::erase::{self, ErasureId};
use crate::ids::AccountId;
use crate::ids::identifier::Asked;
use crate::jobs::{self, Lane};
use crate::keys::{Keys, Sealer, SlotNumber};
use crate::ledger;
use crate::store::Tx;
use crate::subjects::door;
use crate::subjects::person;
use crate::subjects::subject::{self, SubjectFault};

/// A request to forget, with the key under which its identifiers are kept until it is done.
pub struct Forget<'a> {
    /// Who is meant.
    pub asked: &'a Asked,
    /// The key slot of the erasure.
    pub slot: SlotNumber,
    /// Seals under it.
    pub sealer: &'a Sealer,
    /// The public id of the erasure, should it be a new one.
    pub id: ErasureId,
}

crate::unprintable::unprintable!(Forget);

/// What became of a request to forget.
pub struct Forgotten {
    /// The erasure that does it: a new one, or the one that did it before.
    pub id: ErasureId,
    /// Whether it is new, and has taken the key slot.
    pub is_new: bool,
}

/// Shuts every door for the person in this one transaction, and stores the erasure and wakes its job. Nobody known
/// under the identifier makes no difference: that nothing is held of them is proven the same way. Only a repetition,
/// with nothing held since, is the erasure that was.
pub fn accept(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    forget: &Forget<'_>,
    now: Millis,
) -> Result<Forgotten, SubjectFault> {
    let found = person::find(tx, keys, account, forget.asked)?;
    let shut_by = door::find(tx, keys, account, &found.person.asked)?;
    let before =
        found.forgotten_seq.or(shut_by.filter(|shut| shut.lifted_seq.is_none()).map(|shut| shut.seq));
    if let (true, Some(seq)) = (found.person.subjects.is_empty(), before)
        && let Some(id) = erase::id_of(tx, account, seq)?
    {
        // Perhaps by another reading of the same text.
        let asked = &found.person.asked;
        door::shut(tx, keys, account, asked, seq, now)?;
        return Ok(Forgotten { id, is_new: false });
    }
    let seq = accounts::next_seq(tx, account)?;
    // red: it::people::sqlite::an_unknown_identifier_is_shut_all_the_same, it::erasures::sqlite::an_erasure_of_somebody_unknown_is_proven_too_and_answered_alike
    mutant!(
        "unknown-identifier-not-shut",
        if found.person.subjects.is_empty() {
            return Ok(Forgotten { id: forget.id, is_new: true });
        }
    );
    door::claim(tx, keys, account, &found.person.asked, seq, now)?;
    for subject in &found.person.subjects {
        subject::close(tx, subject, seq)?;
    }
    let sealed = erase::sealed(forget.sealer, account, seq, &found.person)?;
    erase::open(tx, account, seq, forget.id, forget.slot, &sealed, now)?;
    jobs::wake(tx, Lane::ERASE, account, erase::JOB_SEQ, now)?;
    Ok(Forgotten { id: forget.id, is_new: true })
}

/// What became of a person who comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returned {
    /// The identifier is let in again.
    LetIn,
    /// It was not forgotten.
    NotForgotten,
    /// What was stored of the person is still being erased: what came in now could not be told from it.
    StillErased,
}

/// Whether a person may come back now.
pub fn may_return(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &Asked,
) -> Result<Returned, SubjectFault> {
    let mut returned = Returned::NotForgotten;
    for id in asked.candidates() {
        let Some(shut) = door::find(tx, keys, account, id)?.filter(|shut| shut.lifted_seq.is_none()) else {
            continue;
        };
        if erase::is_open(tx, account, shut.seq)? || erase::is_about(tx, keys, account, id)? {
            return Ok(Returned::StillErased);
        }
        returned = Returned::LetIn;
    }
    Ok(returned)
}

/// Takes a person in again who came back of their own will. Nothing of before returns; what was accepted before this
/// stays out.
pub fn accept_return(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &Asked,
    now: Millis,
) -> Result<Returned, SubjectFault> {
    let returned = may_return(tx, keys, account, asked)?;
    if returned == Returned::LetIn {
        let seq = accounts::next_seq(tx, account)?;
        for id in asked.candidates() {
            door::lift(tx, keys, account, id, seq, now)?;
        }
        ledger::append(tx, &Entry::Consent { consent: uuid::Uuid::new_v4(), day: lethe_verify::day(now) })?;
    }
    Ok(returned)
}
