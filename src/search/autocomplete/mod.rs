//! Completions of typed prefixes, from the catalogue alone: no log of queries is needed or kept.
//!
//! Phrases are one to three words in a row of titles, and the names of brands and categories. A phrase that many brands
//! use is a kind of product, so that is its rank. Where the words before the last one are complete, words of titles
//! that hold them all follow. The rule: docs/ranking.md, "Completion".

mod best;
mod completer;
mod completion;
mod counter;
mod phrases;
mod statistics;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use self::completer::Completer;
pub use self::counter::CompletionCounter;
pub use self::statistics::CompletionStatistics;

pub use self::completion::{Completion, Completions};
