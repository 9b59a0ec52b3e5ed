//! Derived state: structures that a node makes from what accounts show, and can throw away. The node holds it once;
//! feeds, deltas, erasures and the start notify it of something to catch up with.

mod all;
mod compact_id;
pub mod follow;
pub mod impressions;
pub mod listing;
pub mod models;
mod product_names;
mod projection;
pub mod search;

pub use self::projection::Derived;

pub use self::all::AllDerived;
