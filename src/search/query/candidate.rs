//! A product in its place, and the factors that decided about it.

use std::cmp::Ordering;

use tantivy::DocId;

use super::matching::ScoredDoc;
use super::tiers::MatchTier;

/// Value of holding all words, in highest scores.
pub(super) const COVERAGE_WORTH: f64 = 4.0;

/// A product in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedProduct<'s> {
    /// Number of its segment.
    pub segment: usize,
    /// Its id.
    pub id: &'s str,
    /// The product, its score and coverage.
    pub hit: ScoredDoc,
    /// Value that decides its place; fine enough that two scores never become one.
    pub value: f64,
    /// Parts of the value that are not for words.
    pub boosts: ScoreBoosts,
    /// Its tier: in some answers products follow that lack words.
    pub tier: MatchTier,
    /// In an answer that shows a product once for each value of an attribute: the place of the value among its values.
    pub group: Option<usize>,
}

/// Boosts and penalties of a product besides the words that it holds; the best hit has 1 for its words.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScoreBoosts {
    /// By rules.
    pub rules: f64,
    /// For being new or sold out.
    pub favour: f64,
    /// For being liked by many.
    pub popular: f64,
    /// For its shopper's own actions.
    pub personal: f64,
    /// For being like the best hits.
    pub centroid: f64,
}

impl RankedProduct<'_> {
    /// Score of its words: 1 for the best hit.
    #[must_use]
    pub fn of_words(&self) -> f64 {
        let ScoreBoosts { rules, favour, popular, personal, centroid } = self.boosts;
        self.value
            - COVERAGE_WORTH * f64::from(self.hit.coverage)
            - rules
            - favour
            - popular
            - personal
            - centroid
    }

    /// True if the query is its id or article number.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        self.hit.score.is_infinite()
    }
}

/// A product whose id or article number is the query.
#[must_use]
pub const fn exact_hit(doc: DocId) -> ScoredDoc {
    ScoredDoc { doc, score: f32::INFINITY, coverage: 1.0 }
}

/// By tier, then by value, then by id.
pub(super) fn compare(a: &RankedProduct<'_>, b: &RankedProduct<'_>) -> Ordering {
    let tiers = a.tier.cmp(&b.tier);
    let ties = || a.id.cmp(b.id);
    tiers.then_with(|| b.value.total_cmp(&a.value)).then_with(ties)
}
