//! The search itself: a query over a snapshot of the index.

mod answer;
mod explain;
mod filtered;
mod lookup;
mod pipeline;
mod relations;
mod result_stats;
mod rule_effects;
mod similar;
mod sku_lookup;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tantivy::DocId;
use tantivy::directory::{Directory, META_LOCK};
use tantivy::index::SegmentReader;

pub use answer::{Highlight, ProductResult, SearchResult, Truncation};
pub use explain::{Missing, RankExplanation, SearchExplanation};
pub use lookup::ProductConstraints;
pub use relations::{Diversity, DiversityLimiter, Kin, KinOf};
pub use result_stats::{Mistyped, Sampled};

use crate::limits;
use crate::search::autocomplete::Completions;
use crate::search::index::{IndexFault, IndexFields, SegmentView};
use crate::search::index_context::Knowledge;
use crate::search::pricing::BuyerContext;
use crate::search::query::boosts::Liking;
use crate::search::query::filters::Filters;
use crate::search::query::options::Ranking;
use crate::search::query::rank::CANDIDATES;
use crate::search::query::sort::Sort;
use crate::search::query::subject::ProductProperty;
use crate::search::rules::Rules;
use crate::search::spellcheck::{Beside, CorrectedQuery};
use crate::search::synonyms::Synonyms;
use crate::search::text::fold_identifier;

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
    /// True if the answer marks the words of the query.
    pub highlight: bool,
    /// True if the answer says why each product is where it is.
    pub explain: bool,
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
    pub liking: Option<Arc<dyn Liking>>,
}

/// Synonyms, rules and preferences that apply to every search.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// The shop's synonyms, if it has any.
    pub synonyms: Option<Arc<Synonyms>>,
    /// The shop's rules, if it has any.
    pub rules: Option<Arc<Rules>>,
    /// Preferences of shoppers, where they count.
    pub liking: Option<Arc<dyn Liking>>,
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
            highlight: false,
            explain: false,
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
    fn hits_needed(&self) -> usize {
        self.page.max(1).saturating_mul(self.size).min(limits::SEARCH_HITS)
    }

    /// Number of products to rank: more than are shown if those that come after may be lifted.
    fn candidates(&self) -> usize {
        let lifts = self.ranking.centroid || self.ranking.favour;
        if lifts { self.hits_needed().max(CANDIDATES) } else { self.hits_needed() }
    }
}

/// The products as of one commit; shared by all searches until the next.
pub struct IndexSnapshot {
    knowledge: Arc<Knowledge>,
    segments: Vec<Arc<SegmentView>>,
}

impl IndexSnapshot {
    /// Opens the products as of the last commit; unchanged segments are not opened again.
    ///
    /// # Errors
    ///
    /// If a file of the index is missing or torn.
    pub fn open(
        index: &tantivy::Index,
        fields: &IndexFields,
        knowledge: Arc<Knowledge>,
        before: Option<&Self>,
    ) -> Result<Self, IndexFault> {
        let known = before.map_or(&[][..], |before| &before.segments);
        // A merge that ends now would remove files of the list before they are opened.
        let _lock = index.directory().acquire_lock(&META_LOCK).map_err(tantivy::TantivyError::from)?;
        let mut segments = Vec::new();
        for segment in index.searchable_segments()? {
            let before = known.iter().find(|view| view.reader().segment_id() == segment.id());
            let removed = segment.meta().delete_opstamp();
            segments.push(match before {
                Some(same) if same.reader().delete_opstamp() == removed => Arc::clone(same),
                Some(before) => Arc::new(before.after_removals(SegmentReader::open(&segment)?)),
                None => Arc::new(SegmentView::open(SegmentReader::open(&segment)?, fields)?),
            });
        }
        Ok(Self { knowledge, segments })
    }

    /// Knowledge that the search uses besides the index.
    #[must_use]
    pub const fn knowledge(&self) -> &Arc<Knowledge> {
        &self.knowledge
    }

    /// The parts of the index.
    #[must_use]
    pub fn segments(&self) -> &[Arc<SegmentView>] {
        &self.segments
    }

    /// Number of products, including those hidden from all callers.
    #[must_use]
    pub fn products(&self) -> usize {
        self.segments.iter().map(|segment| segment.reader().num_docs() as usize).sum()
    }

    /// Searches. `request` was checked.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn search(&self, request: &SearchQuery, caller: &BuyerContext) -> Result<SearchResult, IndexFault> {
        let prepared = self.prepare(request, caller)?;
        let search = self.search_of(request, &prepared);
        let mut answer = prepared.start_result(request);
        let page = self.page(request, &prepared, &search, &mut answer)?;
        self.fill(&mut answer, &page, request, &prepared.caller, &prepared.plan);
        if request.explain {
            self.explain(&mut answer, &page, request, &prepared)?;
        }
        Ok(answer)
    }

    /// Corrects typing errors; a word that a product has is known, though the statistics lack it, and so is a word with
    /// synonyms.
    fn correct(&self, query: &str, synonyms: &[&Synonyms]) -> CorrectedQuery {
        let has_stem =
            |stem: &str| self.segments.iter().any(|segment| matches!(segment.has_word(stem), Ok(true)));
        let has_synonyms = |stem: &str| synonyms.iter().any(|synonyms| synonyms.knows(stem));
        let beside = Beside { has_stem: &has_stem, has_synonyms: &has_synonyms };
        self.knowledge.corrector().correct_beside(query, beside)
    }

    /// The ids of the products that have this id or article number, or a variant with it, however it is written. Not of
    /// those that search leaves out.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn find_ids(&self, name: &str) -> Result<Vec<String>, IndexFault> {
        let name = fold_identifier(name);
        let mut ids = Vec::new();
        for segment in &self.segments {
            ids.extend(segment.exact(&name)?.into_iter().map(|doc| segment.id(doc).to_owned()));
        }
        Ok(ids)
    }

    /// The id of the product with this id or article number.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn id_of(&self, name: &str) -> Result<Option<String>, IndexFault> {
        match self.locate_product(name)? {
            Some(_) => Ok(Some(name.to_owned())),
            None => Ok(self.find_ids(name)?.into_iter().min()),
        }
    }

    /// Completes a prefix: queries (first those that others `searched`), categories and brands, and the products of the
    /// first query.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn complete(
        &self,
        (prefix, searched): (&str, &[String]),
        size: usize,
        wishes: Wishes,
        caller: &BuyerContext,
    ) -> Result<(Completions, Vec<ProductResult>), IndexFault> {
        let completions = self.knowledge.completer().complete(prefix, searched, size);
        let query = completions.queries.first().map_or(prefix, |first| &first.text);
        let ranking = Ranking { centroid: false, ..Ranking::default() };
        let query = query.to_owned();
        let Wishes { synonyms, rules, liking } = wishes;
        let plain = SearchQuery { query, size, correct: false, ranking, ..SearchQuery::default() };
        let request = SearchQuery { synonyms, rules, liking, ..plain };
        let items = if prefix.trim().is_empty() { Vec::new() } else { self.search(&request, caller)?.items };
        Ok((completions, items))
    }

    /// Returns true if the caller sees a product with this id.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn shows(&self, id: &str, caller: &BuyerContext) -> Result<bool, IndexFault> {
        let found = self.locate_product(id)?;
        Ok(found.is_some_and(|(of, place)| {
            crate::search::pricing::resolve(self.segments[of].offer(place), caller).visible
        }))
    }

    /// Returns true if there is a product with this id, visible or not.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn has(&self, id: &str) -> Result<bool, IndexFault> {
        Ok(self.locate_product(id)?.is_some())
    }

    /// Where the product with this id is.
    fn locate_product(&self, id: &str) -> Result<Option<(usize, DocId)>, IndexFault> {
        for (number, segment) in self.segments.iter().enumerate() {
            if let Some(doc) = segment.find_alive(id)? {
                return Ok(Some((number, doc)));
            }
        }
        Ok(None)
    }
}
