//! The console, over HTTP as a browser goes.

pub mod attacks;
pub mod backups;
pub mod dashboard;
pub mod deltas;
pub mod edges;
pub mod failing_operations;
pub mod imports;
pub mod limits_and_links;
pub mod merchandising;
pub mod pages;
pub mod shown_pages;
pub mod two_factor;
pub mod unrecorded_acts;
