//! Subjects: whom identifiers lead to, and the key under which everything about a person is sealed.

use crate::args;
use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys, Sealer, SlotNumber};
use crate::sql;
use crate::store::{Row, StoreFault, Tx};
use crate::subjects::identifier::Identifier;

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

/// Whom a row names. Cannot be printed.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    /// The shop's id of the person.
    pub user_id: Option<&'a Identifier>,
    /// Their email address.
    pub email: Option<&'a Identifier>,
    /// The shop's id of their company. Colleagues share it, so it names a person only when nothing else does.
    pub company: Option<&'a Identifier>,
}

crate::keys::unprintable::unprintable!(Named<'static>);

impl<'a> Named<'a> {
    /// The identifiers that lead to the person.
    pub fn leading(self) -> impl Iterator<Item = &'a Identifier> {
        let company = self.company.filter(|_| self.user_id.is_none() && self.email.is_none());
        self.user_id.into_iter().chain(self.email).chain(company)
    }
}

/// A subject with its key.
pub struct Open {
    /// Its id.
    pub id: SubjectId,
    /// Seals and opens what is about it.
    pub sealer: Sealer,
    /// Whether it was made just now, with the spare key slot.
    pub is_new: bool,
}

crate::keys::unprintable::unprintable!(Open);

/// The subject of a person whom the door let in, if there is one. One whose key is lost can never be read again: it
/// goes, so that the person can be stored anew.
pub fn known(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    named: Named<'_>,
) -> Result<Option<Open>, SubjectFault> {
    let Some((id, slot)) = find(tx, keys, account, named)? else { return Ok(None) };
    match keys.sealer(slot) {
        Ok(sealer) => Ok(Some(Open { id, sealer, is_new: false })),
        Err(fault) if fault.is_lost() => {
            tracing::warn!(account = account.0, "a person's key was lost; the person is stored anew");
            delete(tx, &id)?;
            Ok(None)
        }
        Err(fault) => Err(fault.into()),
    }
}

/// A subject by its id.
pub fn open(tx: &mut Tx<'_>, keys: &Keys, id: &SubjectId) -> Result<Option<Open>, SubjectFault> {
    let Some(row) = tx.row(&sql::subject_get, args![id])? else { return Ok(None) };
    let slot = SlotNumber::from_row(row.int(0)?);
    let slot = slot.ok_or(StoreFault::Shape { statement: "subject_get", column: 0 })?;
    Ok(Some(Open { id: *id, sealer: keys.sealer(slot)?, is_new: false }))
}

/// A new subject, whom nothing leads to yet, with the key in the slot `spare`.
pub fn make(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    spare: SlotNumber,
    now: Millis,
) -> Result<Open, SubjectFault> {
    let id = uuid::Uuid::new_v4().into_bytes();
    tx.exec(&sql::subject_insert, args![&id, account.0, spare.row(), now])?;
    Ok(Open { id, sealer: keys.sealer(spare)?, is_new: true })
}

/// Leads identifiers to a subject.
pub fn lead(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    subject: &Open,
    named: Named<'_>,
) -> Result<(), SubjectFault> {
    for id in named.leading() {
        let tag = keys.lookup_tag(account, id);
        let sealed =
            subject.sealer.seal(&identifier_aad(account, &subject.id, &tag), id.normal().as_bytes())?;
        let kind = i64::from(id.kind().code());
        tx.exec(&sql::identifier_insert, args![account.0, &tag, &subject.id, kind, sealed.as_slice()])?;
    }
    if named.user_id.is_some() {
        tx.exec(&sql::identifier_of_user, args![&subject.id])?;
    }
    Ok(())
}

/// From here on nothing is stored for the subject: the erasure at `seq` works on it.
pub fn close(tx: &mut Tx<'_>, subject: &SubjectId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::subject_close, args![subject, seq])?;
    tx.exec(&sql::identifier_close, args![subject])?;
    Ok(())
}

/// Deletes all that is stored of a subject.
pub fn delete(tx: &mut Tx<'_>, subject: &SubjectId) -> Result<(), StoreFault> {
    tx.exec(&sql::record_delete, args![subject])?;
    tx.exec(&sql::order_known_delete, args![subject])?;
    tx.exec(&sql::identifier_delete, args![subject])?;
    tx.exec(&sql::subject_delete, args![subject])?;
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
    named: Named<'_>,
) -> Result<Option<(SubjectId, SlotNumber)>, StoreFault> {
    match (named.user_id, named.email, named.company) {
        (Some(user_id), email, _) => {
            if let Some(row) = led_to(tx, keys, account, user_id, 1)?.first() {
                return place(row).map(Some);
            }
            let Some(email) = email else { return Ok(None) };
            guests(tx, keys, account, email)?.first().map(place).transpose()
        }
        (None, Some(email), _) => {
            if let [only] = led_to(tx, keys, account, email, 2)?.as_slice() {
                return place(only).map(Some);
            }
            // Of several users with one email nobody can say whose it is: a guest's subject keeps it apart.
            guests(tx, keys, account, email)?.first().map(place).transpose()
        }
        (None, None, Some(company)) => led_to(tx, keys, account, company, 1)?.first().map(place).transpose(),
        (None, None, None) => Ok(None),
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
