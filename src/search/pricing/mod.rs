//! Price and visibility of a product for a caller: one function answers both, everywhere.
//!
//! The terms of a product stand in its document as bytes. [`resolve()`] reads them for each match of a query, so that
//! filter, facet, sort and display cannot differ: they all use its result.

mod price;
mod resolve;
mod terms;
mod variant_terms;

#[cfg(test)]
pub(super) mod tests;

pub use self::price::{Currency, Price};
pub use self::resolve::{BuyerContext, CallerTerms, HiddenReason, Offer, QueryPurpose, resolve};
pub use self::terms::{OfferTerms, Period, PriceTerms};
pub use self::variant_terms::VariantTerms;
