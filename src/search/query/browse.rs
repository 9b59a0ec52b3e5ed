//! Order of products without a query: popular products gain as much as the best hit of a query with words would gain,
//! and all other products follow in the order of their ids.

use super::browsed::Browsed;
use super::matching::ScoredDoc;
use super::rank::Ranker;

impl Ranker<'_> {
    /// True if nothing is typed, and popular products come first.
    #[must_use]
    pub fn browses_liked(&self) -> bool {
        self.liking.is_some() && self.plan.is_empty()
    }

    /// Boosts of all matches when nothing is typed.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn browse_boosts(&self, hits: &[Vec<ScoredDoc>]) -> tantivy::Result<Browsed> {
        let liking = self.liking.filter(|_| self.browses_liked());
        liking
            .map(|liking| Browsed::from_hits(self.segments, hits, liking))
            .transpose()
            .map(Option::unwrap_or_default)
    }
}
