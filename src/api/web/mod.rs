//! Resources for browsers: the shop's script, the page on which a search is tried, and the root page.

pub mod root;
pub mod storefront;
pub mod try_page;
