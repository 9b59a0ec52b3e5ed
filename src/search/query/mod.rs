//! A query: its request, the products that hold it, their order, and the parts of each product that are answered.

mod alternative_finder;
pub mod boosts;
pub mod browse;
pub mod browsed;
pub mod candidate;
pub mod centroid;
mod column_filters;
pub mod columns;
pub mod facets;
pub mod fault;
pub mod filters;
pub mod highlight;
pub mod matching;
pub mod options;
pub mod plan;
pub mod product_property;
pub mod rank;
pub mod rule_masks;
pub mod segment;
pub mod selected_product;
pub mod selection;
pub mod sort;
#[cfg(test)]
mod tests;
pub mod tiers;
pub mod top_k;
mod typed_words;
pub mod variant_group;
pub mod variants;
mod word_alternative;
pub mod work_budget;
