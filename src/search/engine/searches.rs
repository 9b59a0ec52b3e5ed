//! The searches of a snapshot: products, completions, similar products.

use tantivy::DocId;

use super::answer::{ProductResult, SearchResult};
use super::places::VariantPlace;
use super::search_query::{SearchPolicy, SearchQuery};
use crate::search::autocomplete::Completions;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::index::{IndexFault, VariantDisplayTable};
use crate::search::pricing::BuyerContext;
use crate::search::query::options::Ranking;
use crate::search::spellcheck::{CorrectedQuery, ExtraKnowledge};
use crate::search::synonyms::Synonyms;
use crate::search::text::fold_identifier;

/// Products of one name whose variants are read.
const PRODUCTS_OF_A_NAME: usize = 100;

impl IndexSnapshot {
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
        let choice = self.variant_choice(request, &prepared);
        self.fill(&mut answer, &page, request, &prepared.plan, choice)?;
        if request.explain {
            self.explain(&mut answer, &page, request, &prepared)?;
        }
        Ok(answer)
    }

    /// Corrects typing errors; a word that a product has is known, though the statistics lack it, and so is a word with
    /// synonyms.
    pub(super) fn correct(&self, query: &str, synonyms: &[&Synonyms]) -> CorrectedQuery {
        let has_stem =
            |stem: &str| self.segments.iter().any(|segment| matches!(segment.has_word(stem), Ok(true)));
        let has_synonyms = |stem: &str| synonyms.iter().any(|synonyms| synonyms.knows(stem));
        let beside = ExtraKnowledge { has_stem: &has_stem, has_synonyms: &has_synonyms };
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
        wishes: SearchPolicy,
        caller: &BuyerContext,
    ) -> Result<(Completions, Vec<ProductResult>), IndexFault> {
        let completions = self.knowledge.completer().complete(prefix, searched, size);
        let query = completions.queries.first().map_or(prefix, |first| &first.text);
        let ranking = Ranking { centroid: false, ..Ranking::default() };
        let query = query.to_owned();
        let SearchPolicy { synonyms, rules, liking, .. } = wishes;
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
    pub fn is_shown(&self, id: &str, caller: &BuyerContext) -> Result<bool, IndexFault> {
        let found = self.locate_product(id)?;
        Ok(found.is_some_and(|(of, place)| self.segments[of].is_seen(place, caller)))
    }

    /// Returns true if there is a product with this id, visible or not.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn has(&self, id: &str) -> Result<bool, IndexFault> {
        Ok(self.locate_product(id)?.is_some())
    }

    /// The place of a variant with this id or number that `find` finds among the variants of a product. Only the first
    /// products of the name in a segment are read: many may share an article number.
    pub(super) fn locate_variant(
        &self,
        name: &str,
        find: impl Fn(&VariantDisplayTable<'_>) -> Option<usize>,
    ) -> Result<Option<VariantPlace>, IndexFault> {
        let name = fold_identifier(name);
        for (number, segment) in self.segments.iter().enumerate() {
            for doc in segment.exact(&name)?.into_iter().take(PRODUCTS_OF_A_NAME) {
                if let Some(variant) = find(&segment.shown_variants(doc)) {
                    return Ok(Some(((number, doc), variant)));
                }
            }
        }
        Ok(None)
    }

    /// Where the product with this id is.
    pub(super) fn locate_product(&self, id: &str) -> Result<Option<(usize, DocId)>, IndexFault> {
        for (number, segment) in self.segments.iter().enumerate() {
            if let Some(doc) = segment.find_alive(id)? {
                return Ok(Some((number, doc)));
            }
        }
        Ok(None)
    }
}
