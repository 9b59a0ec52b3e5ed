//! Events of people, as a model takes them.

use super::history::SessionKey;

/// The random number under which a person is kept.
pub type Person = [u8; 16];

/// Action of a person, with its session.
#[derive(Debug, Clone)]
pub struct Interaction {
    /// The person.
    pub person: Person,
    /// Session of the action; an order has one of its own.
    pub session: SessionKey,
    /// The day from which on the session does not count any longer.
    pub ends: i64,
    /// The action, by catalogue ids.
    pub act: PersonAction,
}

/// Action of a person, by catalogue ids.
#[derive(Debug, Clone)]
pub enum PersonAction {
    /// Looked at a product.
    Viewed(String),
    /// Looked at a variant of a product: a view of the product.
    VariantViewed {
        /// The product.
        item: String,
        /// The id of its variant.
        variant: String,
        /// True if it counts for them alone.
        is_alone: bool,
    },
    /// Changed their basket: its present content.
    Basket(Vec<String>),
    /// Looked at a product, which counts for them alone.
    ViewedAlone(String),
    /// Changed their basket, which counts for them alone.
    BasketAlone(Vec<String>),
    /// Ordered: all that is in the order.
    Ordered(Vec<String>),
    /// Searched: a text, not an id.
    Searched(String),
}

impl PersonAction {
    /// Returns true if it counts for its person alone.
    pub(super) fn is_alone(&self) -> bool {
        matches!(
            self,
            Self::ViewedAlone(_) | Self::BasketAlone(_) | Self::VariantViewed { is_alone: true, .. }
        )
    }
}
