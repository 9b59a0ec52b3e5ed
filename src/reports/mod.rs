//! Reports of what shoppers saw, clicked, searched and bought, without the shoppers. Pure: facts are read elsewhere,
//! one person at a time, and are counted here.
//!
//! A report depends on the stored records and on its days, and on nothing else: after an erasure it is that of a shop
//! where the person has never been. Every number is a sum of whole groups of five people or more.

mod aggregate;
pub mod attribution;
pub mod control_group;
mod csv;
mod groups;
mod k_anonymity;
pub mod query;
#[cfg(test)]
mod solver;
#[cfg(test)]
mod tests;

use rust_decimal::Decimal;

pub use aggregate::{ReportKind, Tallies};
pub use groups::cover_periods;
pub use k_anonymity::{Arranged, MEASURES, Measures, ReportRow};

use crate::clock::Millis;
use attribution::AttributionSource;

/// Action of a person, in the detail that reports count. Cannot be printed.
#[derive(Clone)]
pub struct Fact {
    /// Time of the action.
    pub at: Millis,
    /// The action.
    pub did: ReportedAction,
}

/// Action of a person. Products by their catalogue ids.
#[derive(Clone)]
pub enum ReportedAction {
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

crate::unprintable::unprintable!(Fact, ReportedAction, ReportOrderLine);
