//! Deltas and the timeline of items.

pub mod apply;
pub mod item_timeline;
pub mod variants;
