//! The console, over HTTP as a browser goes.

pub mod attacks;
pub mod backups;
pub mod deltas;
pub mod edges;
pub mod imports;
pub mod limits_and_links;
pub mod merchandising;
pub mod pages;
pub mod two_factor;
