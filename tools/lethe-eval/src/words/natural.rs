//! Natural queries, as people speak: the share of good products among the first five.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::floor::Floor;
use crate::search::feed::{Judgments, SearchEvalFault};
use lethe::search::document::ProductDocument;
use lethe::search::engine::SearchQuery;
use lethe::search::index::snapshot::IndexSnapshot;
use lethe::search::pricing::BuyerContext;

/// Products of an answer that count.
const FIRST: usize = 5;
/// The least rating of a good product.
const GOOD: u8 = 2;
/// Floor of the share of good products, in catalogues that have nearly all judged products.
const FLOOR: f64 = 0.47;
/// The least share of the judged products for the floor.
const WHOLE: f64 = 0.95;

/// Scores of natural queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct NaturalScores {
    /// Judged products of all queries.
    pub judged: usize,
    /// Judged products, of these, that the catalogue has.
    pub in_catalogue: usize,
    /// Queries with a good product in the catalogue.
    pub queries: usize,
    /// Mean share, over these, of good products among the first five; unjudged products are not good.
    pub good: f64,
    /// Share of good products among the judged ones of the first five.
    pub good_of_judged: f64,
}

impl NaturalScores {
    /// Measures the queries for which the catalogue has a good product.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn measure(
        snapshot: &IndexSnapshot,
        products: &[ProductDocument],
        judgments: &Judgments,
    ) -> Result<Self, SearchEvalFault> {
        let ids: HashSet<&str> = products.iter().map(|product| product.id.as_str()).collect();
        let mut scores = Self { judged: 0, in_catalogue: 0, queries: 0, good: 0.0, good_of_judged: 0.0 };
        let mut good = 0_usize;
        let mut judged = 0_usize;
        for (query, ratings) in &judgments.queries {
            let here = ratings.iter().filter(|(id, _)| ids.contains(id.as_str()));
            scores.judged += ratings.len();
            scores.in_catalogue += here.clone().count();
            if !here.clone().any(|(_, rating)| *rating >= GOOD) {
                continue;
            }
            scores.queries += 1;
            let request = SearchQuery { query: query.clone(), size: FIRST, ..SearchQuery::default() };
            let answer = snapshot.search(&request, &BuyerContext::default())?;
            let rated = answer.items.iter().filter_map(|item| ratings.get(&item.id));
            judged += rated.clone().count();
            good += rated.filter(|rating| **rating >= GOOD).count();
        }
        scores.good = share(good, scores.queries * FIRST);
        scores.good_of_judged = share(good, judged);
        Ok(scores)
    }

    /// True if the catalogue has nearly all judged products.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        share(self.in_catalogue, self.judged) >= WHOLE
    }

    /// The floor, for a whole catalogue.
    #[must_use]
    pub fn floor(&self) -> Option<Floor> {
        self.is_whole()
            .then(|| Floor::at_least("natural queries: good products among the first five", self.good, FLOOR))
    }
}

fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::catalogues::{ShopIndex, titled};
    use super::*;
    use lethe::search::text::ShopLanguage;

    #[test]
    fn good_products_count_where_the_catalogue_has_some() {
        let products = [titled("a".to_owned(), "shampoo"), titled("b".to_owned(), "shampoo dog")];
        let shop = ShopIndex::build(&products, ShopLanguage::English).expect("an index");
        let list = "query,product_id,rating\nshampoo,a,3\nshampoo,b,1\ntea,c,3\ntea,a,0\n";
        let judgments = Judgments::parse(list).expect("judgments");
        let scores = NaturalScores::measure(&shop.snapshot, &products, &judgments).expect("scores");
        assert_eq!((scores.judged, scores.in_catalogue, scores.queries), (4, 3, 1));
        assert!((scores.good - 0.2).abs() < 1e-9 && (scores.good_of_judged - 0.5).abs() < 1e-9, "{scores:?}");
        assert_eq!(scores.floor(), None, "most of its judged products would have to be there");
        let whole = NaturalScores { in_catalogue: 4, ..scores };
        assert!(whole.floor().is_some_and(|floor| !floor.is_reached));
    }
}
