//! Recommendations from shoppers' clicks: pure, without a store, a clock or a network.
//!
//! A `ClickHistory` holds the sessions of a shop. Each request computes its answer from it, and from sums that are kept
//! until a click in them changes. No weight and no shortened list is learned from the shop, and the one total, of
//! repeats, is counted back with each session, so that a session that is taken out leaves no trace. An answer depends
//! on whole numbers, in an order that ends with the catalogue id.

pub mod bought_together_focus;
pub mod candidates;
pub mod co_purchase;
pub mod co_view;
pub mod cooccurrence;
pub mod fixed_point;
pub mod history;
pub mod interaction;
pub mod item_map;
pub mod items;
pub mod leave_one_out;
pub mod model;
pub mod model_diff;
pub mod neighbours;
pub mod own_events;
pub mod popularity;
pub mod recommender;
pub mod repeats;
pub mod row_cache;
pub mod searches;
pub mod session;
pub mod session_score;
pub mod similar_sessions;
pub mod top_k;
pub mod trending;
pub mod viewed_variants;

#[cfg(test)]
mod bad_input_tests;
#[cfg(test)]
mod co_purchase_tests;
#[cfg(test)]
mod known_answer_tests;
#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod model_bytes_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
