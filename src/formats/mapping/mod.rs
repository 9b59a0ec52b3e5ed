//! Mapping of records to [`crate::formats::draft_row::DraftRow`]s: a table of rules for each format, and one engine
//! that applies them.
//!
//! A rule says which columns mean a thing, in any writing of their names (case, spaces, dashes and underscores do not
//! count). What needs several columns at once (a compare-at price, a stock policy, the type of a row) is collected as
//! an [`column_rule::Extra`] and put together by the format's `complete`.

pub mod column_rule;
mod column_words;
pub mod context;
pub mod engine;
pub mod format_rules;
pub mod google;
pub mod magento_csv;
mod mapping_guess;
pub mod shop_mapping;
pub mod shopify_csv;
pub mod shopify_json;
pub mod woocommerce_csv;
pub mod woocommerce_json;

#[cfg(test)]
mod guessed_headings;
