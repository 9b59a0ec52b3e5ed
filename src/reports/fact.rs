//! A fact that reports count.

use rust_decimal::Decimal;

use super::attribution::AttributionSource;
use crate::clock::Millis;

/// Action of a person, in the detail that reports count. Cannot be printed.
#[derive(Clone)]
pub struct ReportFact {
    /// Time of the action.
    pub at: Millis,
    /// The action.
    pub did: ReportedAction,
}

/// Action of a person. Products by their catalogue ids.
#[derive(Clone)]
pub enum ReportedAction {
    /// Looked at a product.
    Viewed {
        /// The product.
        product: String,
        /// Its variant, if the shop named one.
        variant: Option<String>,
    },
    /// Saw the content of zones.
    Saw(Vec<AttributionSource>),
    /// Clicked a product that was shown there.
    Clicked {
        /// The product.
        product: String,
        /// Place where it was shown.
        source: AttributionSource,
    },
    /// Searched.
    Searched {
        /// The query, as it is counted.
        query: String,
        /// Number of products found.
        found: u64,
        /// True if something else was searched than was typed.
        is_corrected: bool,
    },
    /// Ordered.
    Ordered(Vec<ReportOrderLine>),
}

/// A line of an order.
#[derive(Clone)]
pub struct ReportOrderLine {
    /// The product; for one that is no longer shown, the shop's name for it.
    pub product: String,
    /// Price of the whole line, if the shop said so.
    pub amount: Option<Decimal>,
    /// Place where it was found, according to the shop.
    pub source: Option<AttributionSource>,
}
