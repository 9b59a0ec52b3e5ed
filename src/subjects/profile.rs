//! Profiles: a person as a user feed or a delta describes one, sealed under the key of their subject.

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys, Sealer, SlotNumber};
use crate::sql;
use crate::store::{StoreFault, Tx};
use crate::subjects::door;
use crate::subjects::identifier::Identifier;
use zeroize::Zeroizing;

/// Kind of a profile record in the store.
const KIND: &str = "profile";

/// A fault while storing or erasing something about a person.
#[derive(Debug, thiserror::Error)]
pub enum SubjectFault {
    /// Of the store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// Of the keys.
    #[error(transparent)]
    Keys(#[from] KeyFault),
}

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

/// The random id of a subject.
pub type SubjectId = [u8; 16];

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
    if !door::admits(tx, keys, account, &profile.user_id, profile.email.as_ref(), seq, now)? {
        return Ok(Stored::Dropped);
    }
    let removed =
        tx.row(&sql::user_removal_get, args![account.0, &keys.lookup_tag(account, &profile.user_id)])?;
    if removed.map_or(Ok(false), |row| row.int(0).map(|at| at > seq))? {
        return Ok(Stored::Dropped);
    }
    let (subject, sealer, stored) = match known(tx, keys, account, &profile.user_id)? {
        Some((subject, sealer)) => (subject, sealer, Stored::Known),
        None => {
            let subject = uuid::Uuid::new_v4().into_bytes();
            tx.exec(&sql::subject_insert, args![&subject, account.0, spare.row(), now])?;
            (subject, keys.sealer(spare)?, Stored::New)
        }
    };
    let sealed = sealer.seal(&record_aad(account, &subject, KIND, 0), &profile.json)?;
    if tx.exec(&sql::record_put, args![&subject, KIND, 0, seq, sealed.as_slice()])? > 0 {
        for id in std::iter::once(&profile.user_id).chain(&profile.email) {
            lead(tx, keys, account, &subject, &sealer, id)?;
        }
    }
    Ok(stored)
}

/// The subject a user id leads to, with its key. One whose key is lost can never be read again: it goes, so that
/// the person can be stored anew.
fn known(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
) -> Result<Option<(SubjectId, Sealer)>, SubjectFault> {
    let Some((subject, slot)) = find(tx, keys, account, id)? else { return Ok(None) };
    match keys.sealer(slot) {
        Ok(sealer) => Ok(Some((subject, sealer))),
        Err(fault) if fault.is_lost() => {
            tracing::warn!(account = account.0, "a person's key was lost; the person is stored anew");
            delete(tx, &subject)?;
            Ok(None)
        }
        Err(fault) => Err(fault.into()),
    }
}

/// Deletes all that is stored of a subject.
pub fn delete(tx: &mut Tx<'_>, subject: &SubjectId) -> Result<(), StoreFault> {
    tx.exec(&sql::record_delete, args![subject])?;
    tx.exec(&sql::identifier_delete, args![subject])?;
    tx.exec(&sql::subject_delete, args![subject])?;
    Ok(())
}

/// The subject a user id leads to.
fn find(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
) -> Result<Option<(SubjectId, SlotNumber)>, StoreFault> {
    let tag = keys.lookup_tag(account, id);
    let Some(row) = tx.row(&sql::identifier_by_tag, args![account.0, &tag])? else { return Ok(None) };
    let slot = SlotNumber::from_row(row.int(1)?);
    let slot = slot.ok_or(StoreFault::Shape { statement: "identifier_by_tag", column: 1 })?;
    Ok(Some((row.bytes(0)?, slot)))
}

fn lead(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    subject: &SubjectId,
    sealer: &Sealer,
    id: &Identifier,
) -> Result<(), SubjectFault> {
    let tag = keys.lookup_tag(account, id);
    let sealed = sealer.seal(&identifier_aad(account, subject, &tag), id.normal().as_bytes())?;
    let kind = i64::from(id.kind().code());
    tx.exec(&sql::identifier_insert, args![account.0, &tag, subject, kind, sealed.as_slice()])?;
    Ok(())
}

/// Removes a profile that is not newer than place `seq` (`DeleteUsers`: no erasure, nobody is suppressed).
/// Gives the key slot of a subject of whom nothing is left, to be destroyed after the commit. An older feed that is
/// still open does not bring the user back.
pub fn remove(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    user_id: &Identifier,
    seq: i64,
) -> Result<Option<SlotNumber>, StoreFault> {
    let feeds = tx.row(&sql::submission_feeds_before, args![account.0, seq])?;
    if feeds.map_or(Ok(0), |row| row.int(0))? > 0 {
        tx.exec(&sql::user_removal_put, args![account.0, &keys.lookup_tag(account, user_id), seq])?;
    }
    let Some((subject, slot)) = find(tx, keys, account, user_id)? else { return Ok(None) };
    tx.exec(&sql::record_delete_kind, args![&subject, KIND, seq])?;
    let left = tx.row(&sql::record_count, args![&subject])?.map_or(Ok(0), |row| row.int(0))?;
    let forgotten = tx.row(&sql::subject_get, args![&subject])?.map_or(Ok(None), |row| row.opt_int(1))?;
    if left > 0 || forgotten.is_some() {
        return Ok(None);
    }
    delete(tx, &subject)?;
    Ok(Some(slot))
}

/// Forgets which users deltas removed, as far as no open feed can bring them back.
pub fn sweep_removals(tx: &mut Tx<'_>, account: AccountId) -> Result<(), StoreFault> {
    tx.exec(&sql::user_removal_sweep, args![account.0])?;
    Ok(())
}

/// What a sealed record is bound to: it opens nowhere else.
#[must_use]
pub fn record_aad(account: AccountId, subject: &SubjectId, kind: &str, n: i64) -> Vec<u8> {
    let mut aad = b"lethe/record/v1/".to_vec();
    aad.extend_from_slice(&account.0.to_be_bytes());
    aad.extend_from_slice(subject);
    aad.extend_from_slice(&n.to_be_bytes());
    aad.extend_from_slice(kind.as_bytes());
    aad
}

/// What a sealed identifier is bound to.
#[must_use]
pub fn identifier_aad(account: AccountId, subject: &SubjectId, tag: &[u8]) -> Vec<u8> {
    let mut aad = b"lethe/identifier/v1/".to_vec();
    aad.extend_from_slice(&account.0.to_be_bytes());
    aad.extend_from_slice(subject);
    aad.extend_from_slice(tag);
    aad
}
