//! What a search is asked, and how it ranks.

use crate::search::statistics::Weighing;

/// How much of a query's words a product must hold to come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coverage {
    /// By the idf of the words that it holds.
    #[default]
    Idf,
    /// All words, then any; only the evaluation uses it, as its base.
    Tiers,
}

/// The steps of the ranking that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranking {
    /// How a word's occurrences in the fields become one frequency.
    pub weighing: Weighing,
    /// How products that lack words are placed.
    pub coverage: Coverage,
    /// Whether joined and split words are found.
    pub compounds: bool,
    /// Whether numbers with units are found however they are written.
    pub units: bool,
    /// Whether the best products lift those that are like them.
    pub centroid: bool,
    /// Whether popular, new and available products gain a little.
    pub favour: bool,
    /// Whether function words count next to nothing.
    pub function_words: bool,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            weighing: Weighing::Fields,
            coverage: Coverage::Idf,
            compounds: true,
            units: true,
            centroid: true,
            favour: true,
            function_words: true,
        }
    }
}
