//! Recommendations from shoppers' clicks: pure, without a store, a clock or a network.
//!
//! A `History` holds the sessions of a shop, and each request computes everything from it: no total, no weight and no
//! shortened list is learned from the shop, so that a session that is taken out leaves no trace. An answer depends on
//! whole numbers, in an order that ends with the catalogue id; except for `vmis`, which is there for measurement.

pub mod alike;
pub mod alone;
pub mod best;
pub mod bought;
pub mod candidates;
pub mod compared;
pub mod deed;
pub mod eval;
pub mod fixed;
pub mod history;
pub mod items;
pub mod liked;
pub mod model;
pub mod neighbours;
pub mod others;
pub mod recommender;
pub mod rows;
pub mod searches;
pub mod session;
pub mod trending;
pub mod viewed;
pub mod vmis;
pub mod walk;

#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
