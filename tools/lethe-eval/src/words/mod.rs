//! Measurement of the words that are found in the languages of Europe (docs/relevance.md, "Words").

pub mod catalogues;
pub mod compare;
pub mod corrections;
pub mod cost;
pub mod judged;
pub mod natural;
pub mod pair_shop;
pub mod pairs;
pub mod report;
pub mod splits;
