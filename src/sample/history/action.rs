//! Actions of the shoppers of a made-up history.

use super::shopper::SampleShopper;
use crate::clock::Millis;
use crate::reports::attribution::AttributionSource;

/// Action of a shopper. Products are places on the shelf.
pub enum SampleAction {
    /// Looked at a product.
    Viewed(usize),
    /// Searched.
    Searched {
        /// The text that was typed.
        query: String,
        /// Number of products that were found.
        found: u64,
        /// True if another text was searched.
        is_corrected: bool,
    },
    /// Clicked a product that was shown there.
    Clicked(usize, AttributionSource),
    /// Saw zones.
    SawZones(Vec<AttributionSource>),
    /// Has these products in the basket now.
    SetBasket(Vec<usize>),
    /// Ordered.
    Ordered {
        /// Number of the order.
        number: u64,
        /// Its products.
        items: Vec<usize>,
    },
}

/// Action of a shopper, with its time.
pub struct Moment {
    pub at: Millis,
    pub shopper: SampleShopper,
    pub action: SampleAction,
}
