//! The search itself: reading texts; indexing, finding, ranking, filtering, counting and pricing products; and the
//! quality of the results. Pure except for the files of an index: no store, no clock, no network.

pub mod complete;
pub mod correct;
pub mod document;
pub mod engine;
pub mod eval;
pub mod index;
pub mod knowledge;
pub mod offer;
pub mod packed;
pub mod quality;
pub mod query;
pub mod rules;
pub mod statistics;
pub mod synonyms;
pub mod text;
