//! A made-up shop: a feed and a history of any size, the same for the same seed, for the demo, tests and measurements.

mod feed;
mod history;
mod kinds;
mod mistakes;
mod pictures;
mod random;
#[cfg(test)]
mod tests;
mod words;

pub use self::feed::{DEFAULT_PICTURES_ORIGIN, SampleShop, email, person, product, product_id, write_feed};
pub use self::history::{SampleHistory, ShelfItem, write_history};
pub use self::mistakes::EXPECTED_ISSUES;
pub use self::pictures::{PICTURES_PATH, picture};
