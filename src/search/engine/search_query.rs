//! A search as the engine takes it, and the wishes of its shopper.

use std::sync::Arc;

use crate::limits;
use crate::search::query::boosts::PopularitySignal;
use crate::search::query::filters::Filters;
use crate::search::query::options::Ranking;
use crate::search::query::product_property::ProductProperty;
use crate::search::query::rank::CANDIDATES;
use crate::search::query::sort::Sort;
use crate::search::rules::Rules;
use crate::search::synonyms::Synonyms;

/// A search with all its options.
#[derive(Debug, Clone)]
pub struct SearchQuery {
    /// The words; none browses.
    pub query: String,
    /// The page, from 1.
    pub page: usize,
    /// Products a page.
    pub size: usize,
    /// Filters that the products must pass.
    pub filters: Filters,
    /// Properties to count as facets.
    pub facets: Vec<ProductProperty>,
    /// The order.
    pub sort: Sort,
    /// The attribute for each of whose values a product appears once, if its variants differ in it.
    pub group_by: Option<String>,
    /// True if the answer marks the words of the query.
    pub highlight: bool,
    /// True if the answer says why each product is where it is.
    pub explain: bool,
    /// True if each product is shown with all its variants.
    pub all_variants: bool,
    /// True if typing errors are corrected.
    pub correct: bool,
    /// Settings of the ranking.
    pub ranking: Ranking,
    /// The work that it may do, in steps.
    pub steps: u64,
    /// The shop's synonyms, if it has any.
    pub synonyms: Option<Arc<Synonyms>>,
    /// The shop's rules, if it has any.
    pub rules: Option<Arc<Rules>>,
    /// Preferences of shoppers, where they count.
    pub liking: Option<Arc<dyn PopularitySignal>>,
}

/// Synonyms, rules and preferences that apply to every search.
#[derive(Debug, Clone, Default)]
pub struct SearchPolicy {
    /// The shop's synonyms, if it has any.
    pub synonyms: Option<Arc<Synonyms>>,
    /// The shop's rules, if it has any.
    pub rules: Option<Arc<Rules>>,
    /// Preferences of shoppers, where they count.
    pub liking: Option<Arc<dyn PopularitySignal>>,
    /// The attribute that groups where a search names none.
    pub group_by: Option<String>,
}

impl Default for SearchQuery {
    fn default() -> Self {
        Self {
            query: String::new(),
            page: 1,
            size: 24,
            filters: Filters::default(),
            facets: Vec::new(),
            sort: Sort::Relevance,
            group_by: None,
            highlight: false,
            explain: false,
            all_variants: false,
            correct: true,
            ranking: Ranking::default(),
            steps: limits::SEARCH_STEPS,
            synonyms: None,
            rules: None,
            liking: None,
        }
    }
}

impl SearchQuery {
    pub(super) fn hits_needed(&self) -> usize {
        self.page.max(1).saturating_mul(self.size).min(limits::SEARCH_HITS)
    }

    /// Number of products to rank: more than are shown if those that come after may be lifted.
    pub(super) fn candidates(&self) -> usize {
        let is_boosted = self.ranking.centroid || self.ranking.favour;
        if is_boosted { self.hits_needed().max(CANDIDATES) } else { self.hits_needed() }
    }
}
