//! Personalisation below the operations: products for a shopper, from the model of an account and its index.

pub mod account_model;
mod affinity;
mod context;
pub mod fallbacks;
pub mod popularity_boost;
pub mod ranked;
pub mod request;
pub mod viewed_variants;
mod within_group;
