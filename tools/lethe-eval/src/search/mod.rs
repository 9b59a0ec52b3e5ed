//! The quality of the search, measured.

pub mod bootstrap;
pub mod completion;
pub mod feed;
pub mod judged;
pub mod known_items;
pub mod report;
pub mod typos;
