//! Accepting a request to forget a person.

use crate::accounts;
use crate::clock::Millis;
use crate::erase;
use crate::ids::AccountId;
use crate::jobs::{self, Lane};
use crate::keys::{Keys, SlotNumber};
use crate::store::{StoreFault, Tx};
use crate::subjects::door;
use crate::subjects::identifier::{Asked, Identifier, Kind};

/// A request to forget, with its identifier sealed for the job.
pub struct Forget<'a> {
    /// Who is meant.
    pub asked: &'a Asked,
    /// The key slot of the job.
    pub slot: SlotNumber,
    /// The identifier sealed under it.
    pub sealed: &'a [u8],
}

crate::keys::unprintable::unprintable!(Forget);

/// Shuts every door for the person in this one transaction, and stores the erasure and its job when anything is, or
/// in the text of a catalogue could be, held. `false`: nothing is held, or its erasure is open already, and the key slot
/// was not used.
pub fn accept(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    forget: &Forget<'_>,
    now: Millis,
) -> Result<bool, StoreFault> {
    let seq = accounts::next_seq(tx, account)?;
    let (id, subjects) = first_known(tx, keys, account, forget.asked)?;
    let is_new = door::shut(tx, keys, account, id, seq, now)?;
    let may_be_in_text = is_new && id.kind() == Kind::Email && erase::has_catalogue(tx, account)?;
    if subjects.is_empty() && !may_be_in_text {
        return Ok(false);
    }
    for subject in &subjects {
        erase::close(tx, subject, seq)?;
    }
    erase::open(tx, account, seq, forget.slot, forget.sealed, now)?;
    jobs::wake(tx, Lane::Erase, account, seq, now)?;
    Ok(true)
}

/// The first reading of the identifier that leads to somebody; if none does, the first reading.
fn first_known<'a>(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    asked: &'a Asked,
) -> Result<(&'a Identifier, Vec<erase::SubjectId>), StoreFault> {
    let candidates = asked.candidates();
    for id in candidates {
        let subjects = erase::live_subjects(tx, keys, account, id)?;
        if !subjects.is_empty() {
            return Ok((id, subjects));
        }
    }
    Ok((&candidates[0], Vec::new()))
}
