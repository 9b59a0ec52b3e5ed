//! Context in which something of a person is stored.

use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{Keys, ReservedSlots};

/// Common context of the rows of one unit of work.
pub struct RowContext<'a> {
    /// Source of tags and keys.
    pub keys: &'a Keys,
    /// The shop.
    pub account: AccountId,
    /// The place at which the rows were accepted.
    pub seq: i64,
    /// The time.
    pub now: Millis,
    /// Key slots for new people.
    pub spares: &'a ReservedSlots,
}
