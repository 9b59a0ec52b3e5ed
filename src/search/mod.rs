//! The search itself: reading texts; indexing, finding, ranking, filtering, counting and pricing products; and the
//! quality of the results. Pure except for the files of an index: no store, no clock, no network.

pub mod autocomplete;
pub mod codec;
pub mod document;
pub mod engine;
pub mod index;
pub mod index_context;
pub mod pricing;
pub mod quality;
pub mod query;
pub mod rules;
pub mod spellcheck;
pub mod statistics;
pub mod synonyms;
pub mod text;
