//! Tiers of the hits of a query: those that hold all its words, those that the answer counts besides because these are
//! few, and the rest.

use tantivy::DocId;

use super::matching::{HitsBySegment, ScoredDoc};

/// Tier of a hit. All hits of a tier come before those of the next, whatever their scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchTier {
    /// It holds all words of the query, has the query as its number, or a rule puts it in front.
    AllWords,
    /// It lacks a word, and is a match because few products hold all.
    SomeWords,
    /// It is no match, and fills a page.
    Rest,
}

impl MatchTier {
    /// True if totals and facets count the hit.
    #[must_use]
    pub const fn is_match(self) -> bool {
        !matches!(self, Self::Rest)
    }
}

/// Hits of a query by tier.
#[derive(Debug, Default)]
pub struct TieredHits {
    /// Matches that hold all words.
    pub all_words: HitsBySegment,
    /// Matches that lack a word.
    pub some_words: HitsBySegment,
    /// Hits that are no matches.
    pub rest: HitsBySegment,
}

impl TieredHits {
    /// Hits whose matches hold all words if they are among `full`: segment and product, rising. `None`: all do.
    #[must_use]
    pub fn new(matches: HitsBySegment, full: Option<&[(usize, DocId)]>, rest: HitsBySegment) -> Self {
        let Some(full) = full else { return Self { all_words: matches, some_words: Vec::new(), rest } };
        let mut tiers = Self { rest, ..Self::default() };
        for (segment, hits) in matches.into_iter().enumerate() {
            let holds_all = |hit: &ScoredDoc| full.binary_search(&(segment, hit.doc)).is_ok();
            let (all_words, some_words): (Vec<_>, Vec<_>) = hits.into_iter().partition(holds_all);
            tiers.all_words.push(all_words);
            tiers.some_words.push(some_words);
        }
        tiers
    }

    /// The hits of each tier, the first tier first.
    #[must_use]
    pub fn in_order(&self) -> [(&[Vec<ScoredDoc>], MatchTier); 3] {
        [
            (self.all_words.as_slice(), MatchTier::AllWords),
            (self.some_words.as_slice(), MatchTier::SomeWords),
            (self.rest.as_slice(), MatchTier::Rest),
        ]
    }

    /// Number of matches.
    #[must_use]
    pub fn count_matches(&self) -> usize {
        self.all_words.iter().chain(&self.some_words).map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(docs: &[DocId]) -> Vec<ScoredDoc> {
        docs.iter().map(|doc| ScoredDoc { doc: *doc, score: 1.0, coverage: 0.5 }).collect()
    }

    #[test]
    fn matches_that_hold_all_words_are_apart_in_each_segment() {
        let matches = vec![hits(&[1, 2, 7]), hits(&[2, 7])];
        let rest = vec![hits(&[3]), hits(&[])];
        let tiers = TieredHits::new(matches.clone(), Some(&[(0, 2), (1, 7)]), rest.clone());
        assert_eq!(tiers.all_words, [hits(&[2]), hits(&[7])]);
        assert_eq!(tiers.some_words, [hits(&[1, 7]), hits(&[2])]);
        assert_eq!((tiers.count_matches(), &tiers.rest), (5, &rest));
        let whole = TieredHits::new(matches.clone(), None, rest);
        assert_eq!((whole.count_matches(), &whole.all_words), (5, &matches));
        assert!(whole.some_words.is_empty());
    }

    #[test]
    fn tiers_come_in_their_order_and_the_last_is_no_match() {
        let tiers = TieredHits::default();
        let order = tiers.in_order().map(|(_, tier)| tier);
        assert!(order.is_sorted() && order.map(MatchTier::is_match) == [true, true, false]);
    }
}
