//! Records of a foreign feed: a line of a table, an item of XML, an object of JSON, as named values.
//!
//! Names are interned in [`Headings`], so that a rule is looked up once a name and not once a value. Values are as
//! sent, decoded to UTF-8; a value that is empty after trimming is left out. Everything is bounded: a record by
//! [`crate::limits::FEED_ROW_BYTES`], the names of a file by [`crate::limits::FEED_COLUMNS`].

mod counted_text;
pub mod decoded_text;
pub mod delimited;
pub mod fault;
mod flat_values;
mod float_texts;
pub mod headings;
pub mod json;
pub mod record;
mod value_cutter;
pub mod xml;
mod xml_item;
mod xml_start;

pub use self::fault::RecordFault;
pub use self::headings::Headings;
pub use self::record::{FeedRecord, RecordFinding, RecordSource, RecordValue};
