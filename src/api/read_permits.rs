//! Turns for expensive reads.

use std::sync::Arc;

use crate::admission::{Permit, Tenant, TenantSemaphore};
use crate::ids::AccountId;
use crate::limits;
use crate::transport::refusal::Refusal;

/// A turn to look through a whole catalogue or thousands of submissions, or for a person in all places: nobody waits
/// for it at a till.
pub(crate) async fn turn_to_look(
    turns: &Arc<TenantSemaphore>,
    account: AccountId,
) -> Result<Permit, Refusal> {
    let turn = turns.acquire(Tenant::Account(account), 1, limits::LOOK_WAIT_DURATION);
    turn.await.ok_or_else(Refusal::busy)
}
