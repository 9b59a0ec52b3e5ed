//! Queries that read every match: filters, facets, orders other than by relevance, and popularity where nothing is
//! typed.

use super::answer::SearchResult;
use super::pipeline::PreparedSearch;
use super::search_query::SearchQuery;
use super::variant_groups::VariantGroups;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::BuyerContext;
use crate::search::query::candidate::{RankedProduct, ScoreBoosts, exact_hit};
use crate::search::query::matching::{HitsBySegment, ScoredDoc};
use crate::search::query::product_property::ProductProperty;
use crate::search::query::rank::{Ranker, highest_of};
use crate::search::query::selected_product::SelectedProduct;
use crate::search::query::selection::Selection;
use crate::search::query::sort::{Sort, Sorting};
use crate::search::query::tiers::{MatchTier, TieredHits};

impl SearchQuery {
    /// True if every match has to be read.
    pub(super) fn must_read_all(&self) -> bool {
        let is_narrowed = !self.filters.is_empty() || !self.facets.is_empty();
        is_narrowed || self.sort != Sort::Relevance || self.group_by.is_some()
    }
}

impl IndexSnapshot {
    /// The products of a query, and its facets. Matching comes before filters: so a facet shows how many products its
    /// filter leaves.
    pub(super) fn filter_and_rank<'s>(
        &'s self,
        request: &SearchQuery,
        prepared: &PreparedSearch<'_>,
        search: &Ranker<'s>,
        answer: &mut SearchResult,
    ) -> Result<Vec<RankedProduct<'s>>, IndexFault> {
        let caller = &prepared.caller;
        let is_grouped = request.group_by.is_some();
        let matches = search.matches(None)?;
        let mut selection = self.selection(request, &request.facets, caller).with_budget(&search.steps);
        let (selected, hits) = self.select_all(&mut selection, &matches.hits)?;
        answer.facets = selection.finish()?;
        let mut groups = VariantGroups::default();
        if is_grouped {
            groups.add(&selected);
        }
        let highest = highest_of(&hits);
        let mut tiers = TieredHits::new(hits, matches.full.as_deref(), HitsBySegment::new());
        let full = groups.count(&tiers.all_words);
        answer.set_totals(full, full + groups.count(&tiers.some_words), &matches.dropped);
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
        let mut selection = self.selection(request, &[], caller).with_budget(&search.steps);
        let (selected, rest) = self.select_all(&mut selection, &rest)?;
        tiers.rest = rest;
        let browsed = search.browse_boosts(&tiers.all_words)?;
        let mut ranked = search.rank(&tiers, highest, (request.candidates(), &browsed));
        prepared.ruled.pinned_first(&mut ranked);
        if !is_grouped {
            return Ok(ranked);
        }
        groups.add(&selected);
        // As many hits as products are ranked without groups: more would be held for no page.
        groups.expand(
            ranked,
            request.candidates(),
            &mut self.variant_choice(request, prepared, &search.steps),
        )
    }

    fn selection<'q>(
        &'q self,
        request: &'q SearchQuery,
        facets: &'q [ProductProperty],
        caller: &'q BuyerContext,
    ) -> Selection<'q> {
        let selection = Selection::new(&request.filters, facets, caller, self.knowledge.columns());
        selection.sorted_by(&request.sort).grouped_by(request.group_by.as_deref())
    }

    /// Selected products of each segment, and the hits of these, each once.
    fn select_all<'q>(
        &'q self,
        selection: &mut Selection<'q>,
        hits: &[Vec<ScoredDoc>],
    ) -> Result<(Vec<Vec<SelectedProduct>>, HitsBySegment), IndexFault> {
        let mut selected = Vec::new();
        let mut kept_hits = HitsBySegment::new();
        for (segment, hits) in self.segments.iter().zip(hits) {
            let docs: Vec<_> = hits.iter().map(|hit| hit.doc).collect();
            let kept = selection.add(segment.columns(), &docs, |doc| segment.stored_offer(doc))?;
            let mut places: Vec<u32> = kept.iter().map(|kept| kept.place).collect();
            places.dedup();
            kept_hits.push(places.iter().filter_map(|place| hits.get(*place as usize).copied()).collect());
            selected.push(kept);
        }
        Ok((selected, kept_hits))
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
            let group = sorted.selected.group;
            page.push(RankedProduct { segment: sorted.segment, id, hit, value: 0.0, boosts, tier, group });
        }
        Ok(page)
    }
}
