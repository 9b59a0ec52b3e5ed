//! What people did, as a model takes it.

use super::history::SessionKey;

/// The random number under which a person is kept.
pub type Person = [u8; 16];

/// Something that somebody did.
#[derive(Debug, Clone)]
pub struct Deed {
    /// Who.
    pub person: Person,
    /// In which session; an order is one of its own.
    pub session: SessionKey,
    /// The day from which on the session does not count any longer.
    pub ends: i64,
    /// What, by catalogue ids.
    pub act: Act,
}

/// What somebody did, by catalogue ids.
#[derive(Debug, Clone)]
pub enum Act {
    /// Looked at a product.
    Viewed(String),
    /// Changed their basket: what is in it now.
    Basket(Vec<String>),
    /// Looked at a product, which counts for them alone.
    ViewedAlone(String),
    /// Changed their basket, which counts for them alone.
    BasketAlone(Vec<String>),
    /// Ordered: all that is in the order.
    Ordered(Vec<String>),
    /// Searched: what is no id, but a text.
    Searched(String),
}

impl Act {
    /// Whether it counts for its person alone.
    pub(super) fn is_alone(&self) -> bool {
        matches!(self, Self::ViewedAlone(_) | Self::BasketAlone(_))
    }
}
