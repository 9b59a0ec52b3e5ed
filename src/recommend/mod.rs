//! What to recommend, from what shoppers clicked: pure, without a store, a clock or a network.
//!
//! A `History` holds the sessions of a shop, and everything is computed from it when somebody asks: no total, no
//! weight and no shortened list is learned from the shop, so that a session that is taken out leaves nothing behind.
//! All that decides an answer is whole numbers in an order that ends with the catalogue id; but for `vmis`, which is
//! there to be measured.

pub mod candidates;
pub mod co_purchase;
pub mod co_view;
pub mod cooccurrence;
pub mod eval;
pub mod fixed_point;
pub mod history;
pub mod interaction;
pub mod items;
pub mod leave_one_out;
pub mod model;
pub mod model_diff;
pub mod neighbours;
pub mod own_events;
pub mod popularity;
pub mod recommender;
pub mod row_cache;
pub mod searches;
pub mod session;
pub mod similar_sessions;
pub mod top_k;
pub mod trending;
pub mod vmis;

#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
