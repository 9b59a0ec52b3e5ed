//! Accepting a request to forget a person.

use lethe_verify::Entry;

use crate::clock::Millis;
use crate::erasure::{self, CaseReference, ErasureId};
use crate::ids::AccountId;
use crate::ids::identifier::ForgetTarget;
use crate::jobs::{self, Lane};
use crate::keys::{Keys, Sealer, SlotNumber};
use crate::people::subject::SubjectFault;
use crate::people::{browser, erasure_scope, suppression_gate};
use crate::store::Tx;
use crate::{accounts, ledger};

/// A request to forget, with the key under which its identifiers are kept until it is done.
pub struct Forget<'a> {
    /// The person to forget.
    pub asked: &'a ForgetTarget,
    /// The key slot of the erasure.
    pub slot: SlotNumber,
    /// Seals under it.
    pub sealer: &'a Sealer,
    /// The public id of the erasure, should it be a new one.
    pub id: ErasureId,
    /// The shop's own reference of the request.
    pub reference: Option<&'a CaseReference>,
}

static_assertions::assert_not_impl_any!(Forget: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Outcome of a request to forget.
pub struct Forgotten {
    /// The erasure for the request: a new one, or an earlier one.
    pub id: ErasureId,
    /// True if it is new, and has taken the key slot.
    pub is_new: bool,
}

/// Shuts every door for the person in this one transaction, stores the erasure and wakes its job. It does so too when
/// the identifier is unknown: that nothing is held about the person is proven the same way. If the same request was
/// made before and nothing was stored under it since, returns the existing erasure, which gets the reference too.
///
/// # Errors
/// When the store or a key fails.
pub fn accept(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    forget: &Forget<'_>,
    now: Millis,
) -> Result<Forgotten, SubjectFault> {
    let understood = erasure_scope::decide_scope(tx, keys, account, forget.asked)?;
    if let Some(id) = understood.before {
        let id = ErasureId::from_bytes(id);
        if let Some(reference) = forget.reference {
            erasure::reference::add(tx, account, id, reference)?;
        }
        return Ok(Forgotten { id, is_new: false });
    }
    let seq = accounts::next_seq(tx, account)?;
    let person = erasure_scope::begin(tx, keys, account, &understood, seq)?;
    let shut: Vec<_> = person.own_identifiers().collect();
    for id in shut {
        suppression_gate::suppress(tx, keys, account, id, seq, now)?;
    }
    // Where the person is logged in no one else is, until the log-out.
    for browser in person.browsers() {
        browser::shut_until_log_out(tx, keys, account, browser, now)?;
    }
    let sealed = erasure::seal_identifiers(forget.sealer, account, seq, &person)?;
    let asked = keys.suppression_tag(account, &person.asked);
    let request = erasure::ForgetRequest {
        seq,
        id: forget.id,
        slot: forget.slot,
        sealed: &sealed,
        asked: &asked,
        reference: forget.reference,
    };
    erasure::open(tx, account, &request, now)?;
    jobs::wake(tx, Lane::ERASE, account, erasure::JOB_SEQ, now)?;
    Ok(Forgotten { id: forget.id, is_new: true })
}

/// Outcome for a person who comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReturnOutcome {
    /// The identifier is let in again.
    LetIn,
    /// It was not forgotten.
    NotForgotten,
    /// Data of the person is still being erased: new data would be mixed with it.
    StillErased,
}

/// Checks whether a person may come back now.
///
/// # Errors
/// When the store fails or a key cannot be read.
pub fn may_return(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &ForgetTarget,
) -> Result<ReturnOutcome, SubjectFault> {
    let mut returned = ReturnOutcome::NotForgotten;
    for id in asked.candidates() {
        let Some(shut) = suppression_gate::find_suppression(tx, keys, account, id)?
            .filter(|shut| shut.lifted_seq.is_none())
        else {
            continue;
        };
        // `shut.seq` does not always name the erasure at work: a row may have shut the door, or an earlier erasure.
        let is_about = erasure::is_about(tx, keys, account, id)?;
        if is_about || erasure::is_open(tx, account, shut.seq)? {
            return Ok(ReturnOutcome::StillErased);
        }
        returned = ReturnOutcome::LetIn;
    }
    Ok(returned)
}

/// Lets a person in again who came back of their own will. Nothing from before returns; submissions accepted
/// earlier still cannot store them.
///
/// # Errors
/// When the store fails or a key cannot be read.
pub fn accept_return(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &ForgetTarget,
    now: Millis,
) -> Result<ReturnOutcome, SubjectFault> {
    let returned = may_return(tx, keys, account, asked)?;
    if returned == ReturnOutcome::LetIn {
        let seq = accounts::next_seq(tx, account)?;
        for id in asked.candidates() {
            suppression_gate::lift_suppression(tx, keys, account, id, seq, now)?;
        }
        let consent = uuid::Uuid::new_v4();
        let day = lethe_verify::day(now);
        ledger::append(tx, account, |ledger| Entry::Consent { ledger, consent, day })?;
    }
    Ok(returned)
}
