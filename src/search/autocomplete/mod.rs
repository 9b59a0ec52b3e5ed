//! Completions of typed prefixes, from the catalogue alone: no log of queries is needed or kept.
//!
//! Phrases are one to three words in a row of titles, and the names of brands and categories. A phrase that many brands
//! use is a kind of product, so that is its rank. Where the words before the last one are complete, words of titles
//! that hold them all follow. The rule: docs/ranking.md, "Completion".

mod best;
mod completer;
mod counter;
mod phrases;
mod statistics;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use completer::Completer;
pub use counter::CompletionCounter;
pub use statistics::CompletionStatistics;

/// One completion.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completion {
    /// Text to show: a query, or a name as the shop writes it.
    pub text: String,
    /// Number of products when the statistics were made; 0 if it was not counted.
    pub products: u32,
    /// The id of the product, category or brand; empty for a query.
    pub id: String,
}

/// The completions of a prefix, each list with the best first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completions {
    /// Queries.
    pub queries: Vec<Completion>,
    /// Products: empty here, the index has them.
    pub products: Vec<Completion>,
    /// Categories.
    pub categories: Vec<Completion>,
    /// Brands.
    pub brands: Vec<Completion>,
}
