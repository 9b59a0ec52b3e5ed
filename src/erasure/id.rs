//! Id of an erasure.

use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// The public id of an erasure: random, and unrelated to the person.
pub type ErasureId = uuid::Uuid;

/// The public id of the erasure at a place; `None` when no erasure is there, or its person can no longer be read.
///
/// # Errors
/// When the store fails.
pub fn id_of(tx: &mut Tx<'_>, account: AccountId, seq: i64) -> Result<Option<ErasureId>, StoreFault> {
    let row = tx.row(&sql::erasure_id, args![account.0, seq])?;
    row.map(|row| Ok(ErasureId::from_bytes(row.bytes("id")?))).transpose()
}
