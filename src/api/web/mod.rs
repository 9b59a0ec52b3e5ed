//! Resources for browsers: the shop's script, the page on which a search is tried, the sample's pictures, and the root
//! page.

pub mod root;
pub mod sample_picture;
pub mod storefront;
pub mod try_page;
