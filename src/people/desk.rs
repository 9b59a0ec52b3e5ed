//! Context in which something of a person is stored.

use crate::clock::Millis;
use crate::ids::AccountId;
use crate::keys::{Keys, Spares};

/// Common context of the rows of one unit of work.
pub struct Desk<'a> {
    /// Source of tags and keys.
    pub keys: &'a Keys,
    /// The shop.
    pub account: AccountId,
    /// The place at which the rows were accepted.
    pub seq: i64,
    /// The time.
    pub now: Millis,
    /// Key slots for new people.
    pub spares: &'a Spares,
}
