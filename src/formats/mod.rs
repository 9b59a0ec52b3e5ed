//! Feeds of other systems (Google, Shopify, WooCommerce, Magento, tables and JSON of any shop), read as Lethe's rows.
//!
//! `detect` tells the format by its first bytes; `records` decodes them to UTF-8 and cuts them into records of named
//! values (a line of a table, an item of XML, an object of JSON). `mapping` turns a record into a
//! [`draft_row::DraftRow`] by the rules of its format, one file a format; `values` reads prices, dates, stock and
//! paths of categories. `grouping` brings the rows of one product together, on the disk, and `converted` gives them
//! as the rows of Lethe's own feed.

pub mod conversion_options;
pub mod converted;
mod derived_items;
pub mod detect;
pub mod draft_row;
pub mod feed_source;
mod grouping;
pub mod mapping;
pub mod page;
mod record_mapping;
pub mod records;
pub mod values;

pub use self::conversion_options::ConversionOptions;
pub use self::feed_source::OpenedFeed;
pub use crate::feeds::feed_format::FeedFormat;

#[cfg(test)]
mod converted_tests;
