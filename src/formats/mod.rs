//! Feeds of other systems (Google, Shopify, WooCommerce, Magento, tables and JSON of any shop), read as Lethe's rows.
//!
//! `detect` tells the format by its first bytes; `text` decodes them to UTF-8; `records` cuts them into records of
//! named values (a line of a table, an item of XML, an object of JSON). `mapping` turns a record into a [`DraftRow`] by
//! the rules of its format, one file a format; `values` reads prices, dates, stock and paths of categories. `grouping`
//! brings the rows of one product together, on the disk, and `converted` gives them as the rows of Lethe's own feed.

pub mod detect;
pub mod draft_row;
pub mod feed_format;
pub mod mapping;
pub mod records;
pub mod values;

pub use self::draft_row::DraftRow;
pub use self::feed_format::FeedFormat;
