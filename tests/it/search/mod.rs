//! Search: results, rules, synonyms, explanations.

pub mod catalogue_quality;
pub mod divider;
pub mod explain;
pub mod index_upkeep;
pub mod popularity_boost;
pub mod rules;
pub mod shoppers;
pub mod synonyms;
pub mod variants;
