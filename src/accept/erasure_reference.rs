//! Accepting the shop's own references of an erasure that was accepted before.

use crate::erasure::{ErasureId, reference};
use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};

pub use crate::erasure::reference::{CaseReference, ReferenceRefusal};

/// Sets the references of an erasure, or clears them. Returns false when no erasure has this id.
///
/// # Errors
/// When the store fails.
pub fn accept(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ErasureId,
    references: &[CaseReference],
) -> Result<bool, StoreFault> {
    reference::set(tx, account, id, references)
}
