//! Small boosts among products that are about equally relevant: new, available and popular products gain on others, by
//! a factor that is never far from 1 (docs/ranking.md, "Lifts"). They are computed when a query is run and stand in no
//! file of an index.

use std::fmt;

use tantivy::DocId;

use super::candidate::RankedProduct;
use super::tiers::MatchTier;
use crate::search::index::SegmentView;

/// The factor is 1, give or take this.
pub const FAVOUR_MAX: f32 = 0.15;
/// Boost of a product on the day on which it is first shown.
const NEW_WORTH: f32 = 0.05;
/// Days over which that boost falls to 0, a little each day.
const NEW_DAYS: i64 = 60;
/// Penalty of a product that cannot be bought now.
const SOLD_OUT_WORTH: f32 = 0.15;
/// Boost of the most popular product.
const POPULAR_WORTH: f64 = 0.05;
/// Boost of the product that best fits the shopper's history.
const PERSONAL_WORTH: f64 = 0.05;

const DAY_SECONDS: i64 = 86_400;

/// Ratings of a product by shoppers, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ShopperRatings {
    /// Rating by many shoppers.
    pub popular: f64,
    /// Rating by the shopper who searches.
    pub personal: f64,
}

/// Preferences of shoppers.
pub trait PopularitySignal: Send + Sync {
    /// Rates each of these products, given by their ids, in the same order.
    fn rate_products(&self, ids: &[&str]) -> Vec<ShopperRatings>;

    /// The ids of the products that they like most, each once: some hundreds.
    fn most_liked(&self) -> Vec<String>;
}

impl fmt::Debug for dyn PopularitySignal {
    /// Prints nothing about shoppers' actions.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Liking")
    }
}

impl ShopperRatings {
    /// Boosts of a product for popularity, and for its shopper, as parts of its score.
    #[must_use]
    pub fn boosts(self) -> [f64; 2] {
        let gain = |worth: f64, liked: f64| worth * liked.clamp(0.0, 1.0);
        [gain(POPULAR_WORTH, self.popular), gain(PERSONAL_WORTH, self.personal)]
    }
}

/// Lifts popular products by a part of their score, but never over a product that ranks higher and holds more of the
/// query. `candidates` stand in their order.
pub fn lift_liked(candidates: &mut [RankedProduct<'_>], liking: &dyn PopularitySignal, highest: f32) {
    let ids: Vec<_> = candidates.iter().map(|candidate| candidate.id).collect();
    // Tier, coverage and value of earlier candidates that hold more than all those between them and this one.
    let mut fuller: Vec<(MatchTier, f32, f64)> = Vec::new();
    for (candidate, liked) in candidates.iter_mut().zip(liking.rate_products(&ids)) {
        let coverage = candidate.hit.coverage;
        let is_no_fuller =
            |(tier, other, _): &mut (MatchTier, f32, f64)| *tier != candidate.tier || *other <= coverage;
        while fuller.pop_if(is_no_fuller).is_some() {}
        let fullest = fuller.last();
        let most = fullest.map_or(f64::INFINITY, |(.., value)| value.next_down().max(candidate.value));
        fuller.push((candidate.tier, coverage, candidate.value));
        if candidate.is_exact() {
            continue;
        }
        let of_score = f64::from(candidate.hit.score / highest);
        let [popular, personal] = liked.boosts();
        let room = most - candidate.value;
        let boosts = &mut candidate.boosts;
        boosts.popular = (popular * of_score).min(room);
        boosts.personal = (personal * of_score).min(room - boosts.popular);
        candidate.value = (candidate.value + boosts.popular + boosts.personal).min(most);
    }
}

/// Factors of products for being new or sold out, which depend neither on texts nor on shoppers.
pub struct ProductFactors {
    /// Since 1970.
    today: i64,
}

impl ProductFactors {
    /// At this second since 1970. It is the same all day.
    #[must_use]
    pub const fn new(now: i64) -> Self {
        Self { today: now.div_euclid(DAY_SECONDS) }
    }

    /// The factor of a product.
    #[must_use]
    pub fn factor(&self, segment: &SegmentView, doc: DocId) -> f32 {
        let newest = segment.columns().newest.first(doc).filter(|newest| *newest > 0);
        factor(newest.map(|newest| self.today - newest.div_euclid(DAY_SECONDS)), segment.is_in_stock(doc))
    }
}

/// The factor of a product by the days since it was first shown, if these are known.
fn factor(days: Option<i64>, is_in_stock: bool) -> f32 {
    let young = days.filter(|days| (0..NEW_DAYS).contains(days));
    let new = young.map_or(0.0, |days| 1.0 - days as f32 / NEW_DAYS as f32);
    let sold_out = if is_in_stock { 0.0 } else { SOLD_OUT_WORTH };
    let factor = 1.0 + NEW_WORTH * new - sold_out;
    factor.clamp(1.0 - FAVOUR_MAX, 1.0 + FAVOUR_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_stays_near_one() {
        assert_eq!(factor(None, true), 1.0);
        assert_eq!(factor(Some(0), true), 1.0 + NEW_WORTH);
        assert_eq!(factor(None, false), 1.0 - FAVOUR_MAX);
        for days in [-1, NEW_DAYS, i64::MAX, i64::MIN] {
            assert_eq!(factor(Some(days), true), 1.0, "{days}");
        }
        assert!(factor(Some(1), true) > factor(Some(30), true));
        let gained = |popular, personal| ShopperRatings { popular, personal }.boosts().iter().sum::<f64>();
        let most = gained(1.0, 1.0);
        let all = f64::from(factor(Some(0), true)) - 1.0 + most;
        assert!(all <= f64::from(FAVOUR_MAX) + 1e-6, "{all}");
        assert_eq!((gained(7.0, f64::INFINITY), gained(-1.0, 0.0)), (most, 0.0));
        assert!(gained(0.2, 0.0) > gained(0.1, 0.0) && gained(0.0, 0.2) > gained(0.0, 0.1));
    }
}
