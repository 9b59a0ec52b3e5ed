//! Subjects: the people that identifiers lead to, each with the key that seals everything about the person.

use crate::args;
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys, Sealer, SlotNumber};
use crate::sql;
use crate::store::{Row, StoreFault, Tx};

/// The random id of a subject.
pub type SubjectId = [u8; 16];

/// A fault while storing or erasing something about a person.
#[derive(Debug, thiserror::Error)]
pub enum SubjectFault {
    /// Fault of the store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// Fault of the keys.
    #[error(transparent)]
    Keys(#[from] KeyFault),
}

/// The key of a row's subject, whose slot is in the row as `slot`; `None` when it is destroyed.
///
/// # Errors
/// When the row has no key slot, or the key cannot be read.
pub fn sealer_of(keys: &Keys, row: &Row) -> Result<Option<Sealer>, SubjectFault> {
    let slot = SlotNumber::from_row(row.int("slot")?).ok_or_else(|| row.unreadable("slot"))?;
    match keys.sealer(slot) {
        Ok(sealer) => Ok(Some(sealer)),
        Err(fault) if fault.is_lost() => Ok(None),
        Err(fault) => Err(fault.into()),
    }
}

/// A subject with its key, to be read.
pub struct OpenSubject {
    /// Its id.
    pub id: SubjectId,
    /// Opens the data about it.
    pub sealer: Sealer,
}

static_assertions::assert_not_impl_any!(OpenSubject: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Opens a subject by its id; `None` when it does not exist.
///
/// # Errors
/// When the store fails or the key was destroyed.
pub fn open(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    id: &SubjectId,
) -> Result<Option<OpenSubject>, SubjectFault> {
    let Some(slot) = slot(tx, account, id)? else { return Ok(None) };
    Ok(Some(OpenSubject { id: *id, sealer: keys.sealer(slot)? }))
}

/// The key slot of a subject, if it is there.
///
/// # Errors
/// When the store fails.
pub fn slot(tx: &mut Tx<'_>, account: AccountId, id: &SubjectId) -> Result<Option<SlotNumber>, StoreFault> {
    let Some(row) = tx.row(&sql::subject_get, args![account.0, id])? else { return Ok(None) };
    let slot = SlotNumber::from_row(row.int("slot")?);
    slot.map(Some).ok_or(StoreFault::Shape { statement: "subject_get", column: "slot" })
}

/// Closes a subject for the erasure at `seq`: from now on nothing is stored for it.
///
/// # Errors
/// When the store fails.
pub fn close(tx: &mut Tx<'_>, account: AccountId, subject: &SubjectId, seq: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::subject_close, args![account.0, subject, seq])?;
    Ok(())
}

/// Associated data that binds a sealed record to its place: it opens nowhere else.
#[must_use]
pub fn record_aad(account: AccountId, subject: &SubjectId, kind: &str, n: i64) -> Vec<u8> {
    let mut aad = b"lethe/record/v1/".to_vec();
    aad.extend_from_slice(&account.0.to_be_bytes());
    aad.extend_from_slice(subject);
    aad.extend_from_slice(&n.to_be_bytes());
    aad.extend_from_slice(kind.as_bytes());
    aad
}

/// Associated data that binds a sealed identifier to its place.
#[must_use]
pub fn identifier_aad(account: AccountId, subject: &SubjectId, tag: &[u8]) -> Vec<u8> {
    let mut aad = b"lethe/identifier/v1/".to_vec();
    aad.extend_from_slice(&account.0.to_be_bytes());
    aad.extend_from_slice(subject);
    aad.extend_from_slice(tag);
    aad
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_bound_to_each_part_of_its_place() {
        let record = record_aad(AccountId(1), &[1; 16], "order", 1);
        let others = [
            record_aad(AccountId(2), &[1; 16], "order", 1),
            record_aad(AccountId(1), &[2; 16], "order", 1),
            record_aad(AccountId(1), &[1; 16], "event", 1),
            record_aad(AccountId(1), &[1; 16], "order", 2),
        ];
        assert!(!others.contains(&record));
        let identifier = identifier_aad(AccountId(1), &[1; 16], b"tag");
        let others = [
            identifier_aad(AccountId(2), &[1; 16], b"tag"),
            identifier_aad(AccountId(1), &[2; 16], b"tag"),
            identifier_aad(AccountId(1), &[1; 16], b"gat"),
        ];
        assert!(!others.contains(&identifier));
    }

    #[test]
    fn what_an_earlier_build_sealed_has_the_same_place() {
        let [account, n] = [7, 258_i64].map(i64::to_be_bytes);
        let record = [b"lethe/record/v1/".as_slice(), &account, &[1_u8; 16], &n, b"order"].concat();
        assert_eq!(record_aad(AccountId(7), &[1; 16], "order", 258), record);
        let identifier = [b"lethe/identifier/v1/".as_slice(), &account, &[1_u8; 16], b"tag"].concat();
        assert_eq!(identifier_aad(AccountId(7), &[1; 16], b"tag"), identifier);
    }
}
