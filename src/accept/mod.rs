//! Accepting: one transaction that stores the work and its job together, or nothing.

mod acceptance;
pub mod account;
pub mod delta;
pub mod erasure_reference;
pub mod events;
pub mod feed_cancel;
pub mod idempotency;
pub mod product_feed;
pub mod republish;
pub mod upload;
pub mod user_forget;
pub mod webhook;

pub use self::acceptance::{Acceptance, end_feed, lane_of, payload_aad};
