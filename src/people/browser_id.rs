//! Identifier of a browser.

use super::row_context::RowContext;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;
use crate::keys::{Keys, Tag};

/// A browser of a shop, by the number in its cookie. Cannot be printed.
#[derive(Clone, Copy)]
pub struct Browser<'a> {
    /// The keys that tag the number.
    pub keys: &'a Keys,
    /// Account of the shop.
    pub account: AccountId,
    /// The number.
    pub visitor: &'a Identifier,
}

impl<'a> Browser<'a> {
    /// A browser of the shop whose request is read.
    #[must_use]
    pub fn new(desk: &RowContext<'a>, visitor: &'a Identifier) -> Self {
        Self { keys: desk.keys, account: desk.account, visitor }
    }

    pub(super) fn tag(self) -> Tag {
        self.keys.suppression_tag(self.account, self.visitor)
    }
}
