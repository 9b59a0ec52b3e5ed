//! Subjects: whom identifiers lead to, and the key under which everything about a person is sealed.

use crate::args;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{KeyFault, Keys, Sealer, SlotNumber};
use crate::sql;
use crate::store::{Row, StoreFault, Tx};
use crate::subjects::named::{Named, Role};

/// The random id of a subject.
pub type SubjectId = [u8; 16];

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

/// A subject with its key, to be read.
pub struct Open {
    /// Its id.
    pub id: SubjectId,
    /// Opens what is about it.
    pub sealer: Sealer,
}

crate::unprintable::unprintable!(Open);

/// A subject by its id.
pub fn open(tx: &mut Tx<'_>, keys: &Keys, id: &SubjectId) -> Result<Option<Open>, SubjectFault> {
    let Some(slot) = slot(tx, id)? else { return Ok(None) };
    Ok(Some(Open { id: *id, sealer: keys.sealer(slot)? }))
}

/// The key slot of a subject, if it is there.
pub fn slot(tx: &mut Tx<'_>, id: &SubjectId) -> Result<Option<SlotNumber>, StoreFault> {
    let Some(row) = tx.row(&sql::subject_get, args![id])? else { return Ok(None) };
    let slot = SlotNumber::from_row(row.int(0)?);
    slot.map(Some).ok_or(StoreFault::Shape { statement: "subject_get", column: 0 })
}

/// From here on nothing is stored for the subject: the erasure at `seq` works on it.
pub fn close(tx: &mut Tx<'_>, subject: &SubjectId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::subject_close, args![subject, seq])?;
    tx.exec(&sql::identifier_close, args![subject])?;
    Ok(())
}

/// The subject a row belongs to: that of its user id, otherwise that of its email.
///
/// Somebody known by an email alone becomes the user under whom the email comes first; two user ids never become one
/// person.
pub fn find(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    named: &Named<'_>,
) -> Result<Option<(SubjectId, SlotNumber)>, StoreFault> {
    let Some((role, first)) = named.leading().next() else { return Ok(None) };
    match role {
        Role::UserId => {
            if let Some(row) = led_to(tx, keys, account, first, 1)?.first() {
                return place(row).map(Some);
            }
            let joining = named.leading().find(|(role, _)| role.joins_guest());
            let Some((_, email)) = joining else { return Ok(None) };
            guests(tx, keys, account, email)?.first().map(place).transpose()
        }
        Role::ProfileEmail | Role::OrderEmail => {
            if let [only] = led_to(tx, keys, account, first, 2)?.as_slice() {
                return place(only).map(Some);
            }
            // Of several users with one email nobody can say whose it is: a guest's subject keeps it apart.
            guests(tx, keys, account, first)?.first().map(place).transpose()
        }
        Role::Company => led_to(tx, keys, account, first, 1)?.first().map(place).transpose(),
    }
}

/// The subjects that are known by this email and by no user id.
pub fn guests(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    email: &Identifier,
) -> Result<Vec<Row>, StoreFault> {
    tx.run(&sql::identifier_guest, args![account.0, &keys.lookup_tag(account, email)])
}

/// Whether an identifier leads to a subject, perhaps among others.
pub fn leads_to(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
    subject: &SubjectId,
) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::identifier_leads, args![account.0, &keys.lookup_tag(account, id), subject])?.is_some())
}

/// Whether an identifier leads to a subject that is being forgotten.
pub fn is_closing(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
) -> Result<bool, StoreFault> {
    Ok(tx.row(&sql::identifier_closing, args![account.0, &keys.lookup_tag(account, id)])?.is_some())
}

/// The first subjects that an identifier leads to: id, key slot, and the erasure by which one is being forgotten.
pub fn led_to(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &Identifier,
    limit: i64,
) -> Result<Vec<Row>, StoreFault> {
    tx.run(&sql::identifier_by_tag, args![account.0, &keys.lookup_tag(account, id), limit])
}

fn place(row: &Row) -> Result<(SubjectId, SlotNumber), StoreFault> {
    let slot = SlotNumber::from_row(row.int(1)?);
    Ok((row.bytes(0)?, slot.ok_or(StoreFault::Shape { statement: "identifier_by_tag", column: 1 })?))
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
