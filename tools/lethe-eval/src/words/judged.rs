//! Judged queries of one language, with corrections as a shop has them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::catalogues::ShopIndex;
use crate::search::bootstrap::{Gain, mean};
use crate::search::feed::{Judgments, SearchEvalFault};
use crate::search::judged::QueryScore;
use lethe::search::query::options::Ranking;

/// Rating of a product that is just what a query means.
const EXACT: u8 = 3;

/// Scores of all judged queries of one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct LanguageScores {
    /// Code of the language.
    pub language: String,
    /// Products of the catalogue.
    pub products: usize,
    /// Scores of the queries with a positive rating.
    pub queries: Vec<QueryScore>,
    /// Queries that find nothing although a product is just what they mean.
    pub without_hits: Vec<String>,
}

impl LanguageScores {
    /// Measures the default ranking.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn measure(shop: &ShopIndex, judgments: &Judgments) -> Result<Self, SearchEvalFault> {
        let knowledge = &shop.knowledge;
        let mut scores = Self {
            language: knowledge.analyser().language().code().to_owned(),
            products: knowledge.statistics().products() as usize,
            queries: Vec::new(),
            without_hits: Vec::new(),
        };
        for (query, ratings) in judgments.queries.iter().filter(|(_, ratings)| is_positive(ratings)) {
            let score = QueryScore::measure(&shop.snapshot, query, ratings, &Ranking::default())?;
            if !score.has_hits && ratings.values().any(|rating| *rating == EXACT) {
                scores.without_hits.push(query.clone());
            }
            scores.queries.push(score);
        }
        Ok(scores)
    }

    /// Mean nDCG@10 with unjudged products rated 0.
    #[must_use]
    pub fn raw(&self) -> Gain {
        mean(&self.queries.iter().map(|score| score.raw).collect::<Vec<_>>())
    }

    /// Mean nDCG@10 without unjudged products.
    #[must_use]
    pub fn condensed(&self) -> Gain {
        mean(&self.queries.iter().map(|score| score.condensed).collect::<Vec<_>>())
    }
}

fn is_positive(ratings: &HashMap<String, u8>) -> bool {
    ratings.values().any(|rating| *rating > 0)
}

#[cfg(test)]
mod tests {
    use super::super::catalogues::titled;
    use super::*;
    use lethe::search::text::ShopLanguage;

    #[test]
    fn queries_without_a_good_product_do_not_count() {
        let products = [titled("a".to_owned(), "Stoel"), titled("b".to_owned(), "Tafel")];
        let shop = ShopIndex::build(&products, ShopLanguage::Dutch).expect("an index");
        let text = "query,product_id,rating\nstoel,a,3\nstoel,b,0\ntafel,a,0\nzwembad,b,3\n";
        let judgments = Judgments::parse(text).expect("judgments");
        let scores = LanguageScores::measure(&shop, &judgments).expect("scores");
        assert_eq!((scores.language.as_str(), scores.products), ("nl", 2));
        let names: Vec<_> = scores.queries.iter().map(|score| score.query.as_str()).collect();
        assert_eq!(names, ["stoel", "zwembad"]);
        assert_eq!(scores.without_hits, ["zwembad"]);
        assert!((scores.raw().mean - 0.5).abs() < 1e-9 && (scores.condensed().mean - 0.5).abs() < 1e-9);
    }
}
