//! All measures of the search's quality at once, with their floors.

use std::sync::Arc;

use serde::Serialize;

use super::completion::{self, CompletionScore};
use super::feed::{Judgments, SearchEvalFault, build, count};
use super::judged::{self, AblationRow};
use super::known_items::{self, KnownItems};
use super::typos::{FOREIGN_ENGLISH, TypoQuery, TypoSummary};
use crate::floor::Floor;
use lethe::search::document::ProductDocument;
use lethe::search::engine::SearchQuery;
use lethe::search::index::snapshot::IndexSnapshot;
use lethe::search::pricing::BuyerContext;
use lethe::search::query::options::Ranking;
use lethe::search::spellcheck::Dictionary;
use lethe::search::text::ShopLanguage;

const DEPTH: usize = 10;

/// Measurements on a feed and its judged queries.
#[derive(Serialize)]
pub struct Evaluation {
    /// Gain of each step of the ranking.
    pub judged: Vec<AblationRow>,
    /// Typing errors.
    pub typos: TypoSummary,
    /// Searches for single products.
    pub known_items: KnownItems,
    /// Completion by letters typed.
    pub completion: Vec<CompletionScore>,
}

impl Evaluation {
    /// Measures everything with default settings.
    ///
    /// # Errors
    ///
    /// If the index cannot be made or read.
    pub fn measure(
        products: &[ProductDocument],
        judgments: &Judgments,
        language: ShopLanguage,
        dictionary: Arc<Dictionary>,
    ) -> Result<Self, SearchEvalFault> {
        let knowledge = count(products, language, dictionary);
        let mut index = build(products, &knowledge)?;
        index.merge_all()?;
        let snapshot = index.snapshot();
        let targets =
            judgments.queries.iter().filter(|(_, ratings)| ratings.values().any(|rating| *rating > 0));
        let targets: Vec<String> = targets.map(|(query, _)| query.clone()).collect();
        let completer = knowledge.completer();
        let completion = completion::measure(&targets, &mut |prefix| {
            completer
                .complete(prefix, &[], completion::DEPTH)
                .queries
                .into_iter()
                .map(|query| query.text)
                .collect()
        });
        Ok(Self {
            judged: judged::table(&snapshot, judgments)?,
            typos: measure_correction(&snapshot, judgments)?,
            known_items: known_items::measure(&snapshot, products, &Ranking::default())?,
            completion,
        })
    }

    /// Every figure that has a floor (docs/relevance.md, "Measured"), for the half of the queries that is in `data/`.
    #[must_use]
    pub fn floors(&self) -> Vec<Floor> {
        let mut floors = Vec::new();
        if let Some(all) = self.judged.last() {
            floors.push(Floor::at_least("nDCG@10 raw", all.raw, judged::FLOORS.0));
            floors.push(Floor::at_least("nDCG@10 condensed", all.condensed, judged::FLOORS.1));
            floors.push(Floor::at_least("lower bound of the raw gain over the base", all.raw_gain.low, 0.0));
        }
        let typos = &self.typos;
        floors.push(Floor::at_least(
            "typing errors: nDCG kept",
            typos.typos.all.retained_share(),
            super::typos::KEPT_FLOOR,
        ));
        let changed = u32::try_from(typos.clean_changed.len()).unwrap_or(u32::MAX);
        floors.push(Floor::at_most("clean queries changed", f64::from(changed), 0.0));
        let ceiling = super::typos::FOREIGN_CEILING;
        floors.push(Floor::at_most("foreign words silently replaced", typos.foreign.share(), ceiling));
        let known = &self.known_items;
        floors.push(Floor::at_least(
            "measures in another form in the first ten",
            known.units_in_ten,
            known_items::FLOORS.0,
        ));
        floors.push(Floor::at_least("article number first", known.sku_first, known_items::FLOORS.1));
        let letters = self.completion.iter().find(|completed| completed.letters == completion::FLOOR_LETTERS);
        let rank = letters.map_or(0.0, |completed| completed.reciprocal_rank);
        floors.push(Floor::at_least("completion: MRR@5 at four letters", rank, completion::FLOOR));
        floors
    }
}

/// Measures correction on the judged queries.
///
/// # Errors
///
/// If the index cannot be read.
pub fn measure_correction(
    snapshot: &IndexSnapshot,
    judgments: &Judgments,
) -> Result<TypoSummary, SearchEvalFault> {
    let queries = judgments.queries.iter();
    let queries: Vec<_> = queries
        .map(|(query, ratings)| TypoQuery { query: query.clone(), ratings: ratings.clone() })
        .collect();
    let mut fault = None;
    let mut search = |query: &str| {
        let request = SearchQuery { query: query.to_owned(), size: DEPTH, ..SearchQuery::default() };
        match snapshot.search(&request, &BuyerContext::default()) {
            Ok(answer) => answer.items.into_iter().map(|item| item.id).collect(),
            Err(failed) => {
                fault = Some(failed);
                Vec::new()
            }
        }
    };
    let corrector = snapshot.knowledge().corrector();
    let summary = TypoSummary::measure(&queries, FOREIGN_ENGLISH.lines(), corrector, &mut search);
    fault.map_or(Ok(summary), |fault| Err(fault.into()))
}
