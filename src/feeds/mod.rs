//! Feeds and deltas as sent: cut into rows, checked and brought into one normal form.
//!
//! Pure and synchronous: bytes come from a reader that is handed in, nothing is stored here. `reader` (over
//! `read_buffer` and `json_cutter`, or lines by `ndjson`) finds the rows, `json` checks one row strictly, `rows` turns
//! it into its normal form by the table of `fields`, `issue` and `fault` name faults of a row or a feed,
//! `issue_collector` counts them, `listing` writes them down, `publish_checks` judges a feed as a whole. `orders` reads
//! order files, which are CSV.

pub mod categories_named;
pub mod fault;
pub mod feed_format;
mod feed_piece;
pub mod fields;
pub mod issue;
pub mod issue_collector;
mod json;
mod json_cutter;
pub mod listing;
mod ndjson;
pub mod orders;
pub mod publish_checks;
mod raw_row;
mod read_buffer;
pub mod reader;
pub mod rows;
pub mod section;
pub mod variant_product_overlap;

#[cfg(test)]
mod conformance_tests;
#[cfg(test)]
mod ndjson_tests;
#[cfg(test)]
mod publish_checks_tests;
#[cfg(test)]
mod reader_tests;
#[cfg(test)]
mod sample_tests;
#[cfg(test)]
pub(crate) mod testing;

pub use self::fault::{FaultReason, FeedFault};
pub use self::issue::{Issue, IssueCode, Severity};
pub use self::reader::{FeedPiece, FeedReader, RawRow, RowOrigin, UnknownSection};
pub use self::section::{FeedPart, Section};
