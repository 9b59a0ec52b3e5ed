//! Ways in which a product can hold a word of a query.

use crate::search::statistics::Statistics;

/// Term of the index for a word, with the factor of its score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredTerm {
    /// The word as the index has it.
    pub term: String,
    /// Factor of BM25F's saturated frequency that makes its score.
    pub factor: f32,
}

/// One way in which a product can hold a word of the query.
#[derive(Debug, Clone, PartialEq)]
pub enum WordAlternative {
    /// It has this word.
    Word(ScoredTerm),
    /// It has this pair of adjacent words, and scores the sum of the two.
    Pair(String, [ScoredTerm; 2]),
    /// It has a compound whose head or modifier is the word. An occurrence counts as this part of one of the word
    /// itself, and adds to these; the factor is the word's own.
    Part(ScoredTerm, f32),
    /// It has a word that ends in this one.
    Ending(ScoredTerm),
    /// It has all of these words, which the shop calls a synonym. The rarest comes first.
    Synonym(Vec<ScoredTerm>),
}

impl WordAlternative {
    /// True if it is a synonym from the shop's list.
    #[must_use]
    pub const fn is_synonym(&self) -> bool {
        matches!(self, Self::Synonym(_))
    }

    /// Number of lists of the index that are read for it.
    pub(super) const fn lists(&self) -> usize {
        match self {
            Self::Word(_) | Self::Part(..) | Self::Ending(_) => 1,
            Self::Pair(_, parts) => 1 + parts.len(),
            Self::Synonym(words) => words.len(),
        }
    }
}

/// A term that scores this part of its idf.
pub(super) fn score_term(term: &str, key: u64, statistics: &Statistics, worth: f32) -> ScoredTerm {
    ScoredTerm { term: term.to_owned(), factor: statistics.idf(key) * worth }
}
