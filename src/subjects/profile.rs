//! Profiles: a person as a user feed or a delta describes one, sealed under the key of their subject.

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{Keys, SlotNumber};
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::door;
use crate::subjects::identifier::Identifier;
use crate::subjects::subject::{self, Named, SubjectFault, record_aad};
use zeroize::Zeroizing;

/// Kind of a profile record in the store.
pub const KIND: &str = "profile";

/// A profile with its identifiers in normal form. Cannot be printed.
pub struct Profile {
    /// The shop's id of the person.
    pub user_id: Identifier,
    /// Their email address, if it is one.
    pub email: Option<Identifier>,
    /// The profile as JSON, overwritten when dropped.
    pub json: Zeroizing<Vec<u8>>,
}

crate::keys::unprintable::unprintable!(Profile);

/// What became of a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// In a subject that was there.
    Known,
    /// In a new subject, whose key is the spare one.
    New,
    /// The person is forgotten, or was removed after this row was sent: dropped.
    Dropped,
}

/// Stores a profile that stands at place `seq`; an older one never replaces a newer one. A subject that is new
/// takes the key slot `spare`.
pub fn store(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    profile: &Profile,
    spare: SlotNumber,
    seq: i64,
    now: Millis,
) -> Result<Stored, SubjectFault> {
    let named = Named { user_id: Some(&profile.user_id), email: profile.email.as_ref(), company: None };
    if !door::admits(tx, keys, account, named, seq, now)? {
        return Ok(Stored::Dropped);
    }
    let removed =
        tx.row(&sql::user_removal_get, args![account.0, &keys.lookup_tag(account, &profile.user_id)])?;
    if removed.map_or(Ok(false), |row| row.int(0).map(|at| at > seq))? {
        return Ok(Stored::Dropped);
    }
    let subject = match subject::known(tx, keys, account, named)? {
        Some(subject) => subject,
        None => subject::make(tx, keys, account, spare, now)?,
    };
    let sealed = subject.sealer.seal(&record_aad(account, &subject.id, KIND, 0), &profile.json)?;
    if tx.exec(&sql::record_put, args![&subject.id, KIND, 0, seq, sealed.as_slice()])? > 0 {
        subject::lead(tx, keys, account, &subject, named)?;
    }
    Ok(if subject.is_new { Stored::New } else { Stored::Known })
}

/// Removes a profile that is not newer than place `seq` (`DeleteUsers`: no erasure, nobody is suppressed).
/// Gives the key slot of a subject of whom nothing is left, to be destroyed after the commit; one who has orders stays,
/// with the identifiers that lead to them. An older feed that is still open does not bring the user back.
pub fn remove(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    user_id: &Identifier,
    seq: i64,
) -> Result<Option<SlotNumber>, StoreFault> {
    let feeds = tx.row(&sql::submission_feeds_before, args![account.0, seq])?;
    // A forgotten user is kept out by the suppression; nothing else remembers them.
    let is_forgotten = door::find(tx, keys, account, user_id)?.is_some_and(|shut| shut.keeps_out(seq));
    if feeds.map_or(Ok(0), |row| row.int(0))? > 0 && !is_forgotten {
        tx.exec(&sql::user_removal_put, args![account.0, &keys.lookup_tag(account, user_id), seq])?;
    }
    let named = Named { user_id: Some(user_id), email: None, company: None };
    let Some((subject, slot)) = subject::find(tx, keys, account, named)? else { return Ok(None) };
    tx.exec(&sql::record_delete_kind, args![&subject, KIND, seq])?;
    let left = tx.row(&sql::record_count, args![&subject])?.map_or(Ok(0), |row| row.int(0))?;
    let forgotten = tx.row(&sql::subject_get, args![&subject])?.map_or(Ok(None), |row| row.opt_int(1))?;
    if left > 0 || forgotten.is_some() {
        return Ok(None);
    }
    subject::delete(tx, &subject)?;
    Ok(Some(slot))
}

/// Forgets which users deltas removed, as far as no open feed can bring them back.
pub fn sweep_removals(tx: &mut Tx<'_>, account: AccountId) -> Result<(), StoreFault> {
    tx.exec(&sql::user_removal_sweep, args![account.0])?;
    Ok(())
}
