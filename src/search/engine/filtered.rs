//! Queries that read every match: filters, facets, orders other than by relevance, and popularity where nothing is
//! typed.

use super::answer::SearchResult;
use super::search_query::SearchQuery;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::BuyerContext;
use crate::search::query::candidate::{RankedProduct, ScoreBoosts, exact_hit};
use crate::search::query::filters::Filters;
use crate::search::query::matching::{HitsBySegment, ScoredDoc};
use crate::search::query::product_property::ProductProperty;
use crate::search::query::rank::{Ranker, highest_of};
use crate::search::query::selection::{SelectedProduct, Selection};
use crate::search::query::sort::{Sort, Sorting};
use crate::search::query::tiers::{MatchTier, TieredHits};

impl SearchQuery {
    /// True if every match has to be read.
    pub(super) fn must_read_all(&self) -> bool {
        !self.filters.is_empty() || !self.facets.is_empty() || self.sort != Sort::Relevance
    }
}

impl IndexSnapshot {
    /// The products of a query, and its facets. Matching comes before filters: so a facet shows how many products its
    /// filter leaves.
    pub(super) fn filter_and_rank<'s>(
        &'s self,
        request: &SearchQuery,
        caller: &BuyerContext,
        search: &Ranker<'s>,
        answer: &mut SearchResult,
    ) -> Result<Vec<RankedProduct<'s>>, IndexFault> {
        let matches = search.matches(None)?;
        let mut selection = self.selection(&request.filters, &request.facets, caller);
        let mut selected = Vec::new();
        let mut hits = HitsBySegment::new();
        for (number, of_segment) in matches.hits.iter().enumerate() {
            let kept = self.select(&mut selection, number, of_segment)?;
            hits.push(kept.iter().filter_map(|kept| of_segment.get(kept.place as usize).copied()).collect());
            selected.push(kept);
        }
        answer.facets = selection.finish()?;
        let highest = highest_of(&hits);
        let mut tiers = TieredHits::new(hits, matches.full.as_deref(), HitsBySegment::new());
        let full = tiers.all_words.iter().map(Vec::len).sum();
        answer.set_totals(full, tiers.count_matches(), &matches.dropped);
        if request.sort != Sort::Relevance {
            return self.sort_selected(request, search, &selected);
        }
        let rest = match matches.rest {
            Some(rest) => rest,
            None if answer.total_relaxed < request.hits_needed() && search.plan.words.len() > 1 => {
                search.partial_hits()?
            }
            None => Vec::new(),
        };
        tiers.rest = self.filter_hits(&rest, &request.filters, caller)?;
        let browsed = search.browse_boosts(&tiers.all_words)?;
        Ok(search.rank(&tiers, highest, (request.candidates(), &browsed)))
    }

    fn selection<'q>(
        &'q self,
        filters: &'q Filters,
        facets: &'q [ProductProperty],
        caller: &'q BuyerContext,
    ) -> Selection<'q> {
        Selection::new(filters, facets, caller, self.knowledge.columns())
    }

    fn select<'q>(
        &'q self,
        selection: &mut Selection<'q>,
        number: usize,
        hits: &[ScoredDoc],
    ) -> Result<Vec<SelectedProduct>, IndexFault> {
        let segment = &self.segments[number];
        let docs: Vec<_> = hits.iter().map(|hit| hit.doc).collect();
        Ok(selection.add(segment.columns(), &docs, |doc| segment.offer(doc))?)
    }

    fn filter_hits(
        &self,
        rest: &[Vec<ScoredDoc>],
        filters: &Filters,
        caller: &BuyerContext,
    ) -> Result<HitsBySegment, IndexFault> {
        if filters.is_empty() {
            return Ok(rest.to_vec());
        }
        let mut selection = self.selection(filters, &[], caller);
        let mut filtered = HitsBySegment::new();
        for (number, hits) in rest.iter().enumerate() {
            let kept = self.select(&mut selection, number, hits)?;
            filtered.push(kept.iter().filter_map(|kept| hits.get(kept.place as usize).copied()).collect());
        }
        Ok(filtered)
    }

    fn sort_selected(
        &self,
        request: &SearchQuery,
        search: &Ranker<'_>,
        selected: &[Vec<SelectedProduct>],
    ) -> Result<Vec<RankedProduct<'_>>, IndexFault> {
        let mut sorting = Sorting::new(&request.sort, request.hits_needed());
        for (segment, selected) in self.segments.iter().zip(selected) {
            sorting.add(segment.columns(), selected)?;
        }
        let mut page = Vec::new();
        for sorted in sorting.finish() {
            let doc = sorted.selected.document;
            let is_exact = search.is_exact(sorted.segment, doc);
            let hit = if is_exact { exact_hit(doc) } else { ScoredDoc { doc, score: 0.0, coverage: 0.0 } };
            let id = self.segments[sorted.segment].id(doc);
            let boosts = ScoreBoosts::default();
            // In another order than by relevance no place divides the matches.
            let tier = MatchTier::AllWords;
            page.push(RankedProduct { segment: sorted.segment, id, hit, value: 0.0, boosts, tier });
        }
        Ok(page)
    }
}
