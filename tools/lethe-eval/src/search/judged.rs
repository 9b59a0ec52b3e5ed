//! The table of docs/relevance.md, "Measured": the gain of each step of the ranking on judged queries.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::bootstrap::{Gain, gain};
use super::feed::{Judgments, SearchEvalFault};
use lethe::search::engine::SearchQuery;
use lethe::search::index::snapshot::IndexSnapshot;
use lethe::search::pricing::BuyerContext;
use lethe::search::query::options::Ranking;

const DEPTH: usize = 10;
/// Deep enough to have ten judged products among them.
const CONDENSED_DEPTH: usize = 200;

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AblationRow {
    /// Name of the step that is switched on.
    pub name: &'static str,
    /// nDCG@10 with unjudged products rated 0.
    pub raw: f64,
    /// nDCG@10 without unjudged products.
    pub condensed: f64,
    /// Gain over the first line, raw.
    pub raw_gain: Gain,
    /// Gain over the first line, condensed.
    pub condensed_gain: Gain,
    /// Queries, of all, that find nothing.
    pub empty: usize,
    /// nDCG@10 raw of each query with a positive rating.
    pub by_query: Vec<f64>,
}

/// The floors of the last line, raw and condensed, for the half of the queries that is in `data/`.
pub const FLOORS: (f64, f64) = (0.80, 0.83);

/// The table, each step on top of the one before; the last line has the default settings.
///
/// # Errors
///
/// If the index cannot be read.
pub fn table(snapshot: &IndexSnapshot, judgments: &Judgments) -> Result<Vec<AblationRow>, SearchEvalFault> {
    let mut lines: Vec<AblationRow> = Vec::new();
    let mut base = None;
    for (name, ranking) in Ranking::STEPS {
        let figures = JudgedScores::measure(snapshot, judgments, &ranking)?;
        let base = base.get_or_insert_with(|| figures.clone());
        lines.push(AblationRow {
            name,
            raw: mean(&figures.raw),
            condensed: mean(&figures.condensed),
            raw_gain: gain(&figures.raw, &base.raw),
            condensed_gain: gain(&figures.condensed, &base.condensed),
            empty: figures.empty,
            by_query: figures.raw.clone(),
        });
    }
    Ok(lines)
}

/// Scores of one judged query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct QueryScore {
    /// The query.
    pub query: String,
    /// nDCG@10 with unjudged products rated 0.
    pub raw: f64,
    /// nDCG@10 without unjudged products.
    pub condensed: f64,
    /// True if it finds something.
    pub has_hits: bool,
}

impl QueryScore {
    /// Measures a query.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn measure(
        snapshot: &IndexSnapshot,
        query: &str,
        ratings: &HashMap<String, u8>,
        ranking: &Ranking,
    ) -> Result<Self, SearchEvalFault> {
        let request = SearchQuery {
            query: query.to_owned(),
            size: CONDENSED_DEPTH,
            ranking: *ranking,
            ..SearchQuery::default()
        };
        let answer = snapshot.search(&request, &BuyerContext::default())?;
        let ids: Vec<&str> = answer.items.iter().map(|item| item.id.as_str()).collect();
        let raw = ndcg(&ids, ratings);
        let judged: Vec<&str> = ids.into_iter().filter(|id| ratings.contains_key(*id)).collect();
        let condensed = ndcg(&judged, ratings);
        Ok(Self { query: query.to_owned(), raw, condensed, has_hits: !answer.items.is_empty() })
    }
}

#[derive(Clone, Default)]
struct JudgedScores {
    raw: Vec<f64>,
    condensed: Vec<f64>,
    empty: usize,
}

impl JudgedScores {
    fn measure(
        snapshot: &IndexSnapshot,
        judgments: &Judgments,
        ranking: &Ranking,
    ) -> Result<Self, SearchEvalFault> {
        let mut figures = Self::default();
        for (query, ratings) in &judgments.queries {
            let score = QueryScore::measure(snapshot, query, ratings, ranking)?;
            figures.empty += usize::from(!score.has_hits);
            if ratings.values().any(|rating| *rating > 0) {
                figures.raw.push(score.raw);
                figures.condensed.push(score.condensed);
            }
        }
        Ok(figures)
    }
}

/// nDCG@10 of a list of products: gain 2^rating - 1, discount log2.
#[must_use]
pub fn ndcg(ids: &[&str], ratings: &HashMap<String, u8>) -> f64 {
    let of_list = ids.iter().take(DEPTH).map(|id| ratings.get(*id).copied().unwrap_or(0));
    let mut best: Vec<u8> = ratings.values().copied().collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let ideal = discounted_gain(best.into_iter().take(DEPTH));
    if ideal > 0.0 { discounted_gain(of_list) / ideal } else { 0.0 }
}

fn discounted_gain(ratings: impl Iterator<Item = u8>) -> f64 {
    let mut sum = 0.0;
    let mut rank = 1.0_f64;
    for rating in ratings {
        rank += 1.0;
        sum += (f64::from(rating).exp2() - 1.0) / rank.log2();
    }
    sum
}

fn mean(figures: &[f64]) -> f64 {
    if figures.is_empty() { 0.0 } else { figures.iter().sum::<f64>() / figures.len() as f64 }
}
