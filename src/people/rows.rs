//! The tables that hold rows of a subject, once: how they are deleted and counted. An erasure, the end of a subject
//! whose key is lost, and the check whether a removed profile leaves any data all go through this list.

use crate::args;
use crate::ids::AccountId;
use crate::people::subject::SubjectId;
use crate::sql;
use crate::store::{Statement, StoreFault, Tx};

/// A table that holds rows of subjects.
pub struct SubjectTable {
    /// The table.
    pub table: &'static str,
    /// True if a row here means that the person exists; rows of the other tables only lead to them.
    pub is_somebody: bool,
    /// Deletes some rows, up to a maximum, and returns their number; 0 when none is left.
    pub delete: fn(&mut Tx<'_>, AccountId, &SubjectId, i64) -> Result<u64, StoreFault>,
    /// Counts the rows.
    pub count: fn(&mut Tx<'_>, AccountId, &SubjectId) -> Result<u64, StoreFault>,
}

/// Profile, orders and whatever else is sealed.
pub const RECORDS: SubjectTable = SubjectTable {
    table: "record",
    is_somebody: true,
    delete: |tx, account, subject, limit| tx.exec(&sql::record_delete_some, args![account.0, subject, limit]),
    count: |tx, account, subject| number(tx, &sql::record_count, (account, subject)),
};

/// Records by which an order that is sent again is recognised.
pub const ORDER_NUMBERS: SubjectTable = SubjectTable {
    table: "order_known",
    is_somebody: true,
    delete: |tx, account, subject, limit| {
        tx.exec(&sql::order_known_delete_some, args![account.0, subject, limit])
    },
    count: |tx, account, subject| number(tx, &sql::order_known_count, (account, subject)),
};

/// Identifiers that lead to the subject.
pub const IDENTIFIERS: SubjectTable = SubjectTable {
    table: "identifier",
    is_somebody: false,
    delete: |tx, account, subject, _| tx.exec(&sql::identifier_delete, args![account.0, subject]),
    count: |tx, account, subject| number(tx, &sql::identifier_count, (account, subject)),
};

/// The subject itself, which names its key.
pub const SUBJECTS: SubjectTable = SubjectTable {
    table: "subject",
    is_somebody: false,
    delete: |tx, account, subject, _| tx.exec(&sql::subject_delete, args![account.0, subject]),
    count: |tx, account, subject| {
        Ok(u64::from(tx.row(&sql::subject_get, args![account.0, subject])?.is_some()))
    },
};

/// All tables, in the order of deletion: the last one names the owner of the others' rows.
pub const ALL: [&SubjectTable; 4] = [&RECORDS, &ORDER_NUMBERS, &IDENTIFIERS, &SUBJECTS];

/// Deletes everything stored about a subject, in this one transaction.
///
/// # Errors
/// When the store fails.
pub fn delete(tx: &mut Tx<'_>, account: AccountId, subject: &SubjectId) -> Result<(), StoreFault> {
    ALL.iter().try_for_each(|rows| (rows.delete)(tx, account, subject, i64::MAX).map(drop))
}

/// Stands for an erasure where there is none: the subject is unreadable, and no identifier leads to it.
pub const GIVEN_UP: i64 = 0;
/// The same for a visitor who withdrew their consent: their key is to be destroyed, …
pub const WITHDRAWN: i64 = -1;
/// … and is destroyed: its slot is put back when their rows are gone.
pub const DESTROYED: i64 = -2;

/// Deletes the rows of a subject, at most this many from all tables that can have many, and returns whether all are
/// gone.
///
/// # Errors
/// When the store fails.
pub fn delete_some(
    tx: &mut Tx<'_>,
    account: AccountId,
    subject: &SubjectId,
    most: i64,
) -> Result<bool, StoreFault> {
    let mut left = most;
    for rows in ALL {
        left -= i64::try_from((rows.delete)(tx, account, subject, left)?).unwrap_or(i64::MAX);
        if left <= 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if anything about a person is stored under a subject besides the identifiers that lead to it.
///
/// # Errors
/// When the store fails.
pub fn is_anybody(tx: &mut Tx<'_>, account: AccountId, subject: &SubjectId) -> Result<bool, StoreFault> {
    for rows in ALL.iter().filter(|rows| rows.is_somebody) {
        if (rows.count)(tx, account, subject)? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn number(
    tx: &mut Tx<'_>,
    count: &Statement,
    (account, subject): (AccountId, &SubjectId),
) -> Result<u64, StoreFault> {
    tx.row(count, args![account.0, subject])?.map_or(Ok(0), |row| row.int("counted").map(i64::unsigned_abs))
}
