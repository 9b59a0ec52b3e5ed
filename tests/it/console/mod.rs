//! The console, over HTTP as a browser goes.

pub mod attacks;
pub mod backups;
pub mod deltas;
pub mod imports;
pub mod merchandising;
pub mod pages;
pub mod two_factor;
