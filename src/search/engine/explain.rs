//! Explains a product's rank in an answer, or its absence, with the numbers of the ranking.

use tantivy::DocId;

use super::answer::{RankExplanation, SearchResult, texts_of_product};
use super::form_names::FormNames;
use super::pipeline::PreparedSearch;
use super::search_query::SearchQuery;
use super::variant_choice::VariantResult;
use crate::limits;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::{BuyerContext, HiddenReason};
use crate::search::query::candidate::RankedProduct;
use crate::search::query::filters::Filters;
use crate::search::query::matching::{MatchExplainer, QueryTermMatch};
use crate::search::query::selection::Selection;
use crate::search::text::fold_identifier;

/// Reason why a product is not found.
#[derive(Debug, Clone, PartialEq)]
pub enum NotFoundReason {
    /// The index knows no product of this id or number.
    Unknown,
    /// The caller does not see it.
    Unseen(HiddenReason),
    /// This rule leaves it out.
    Ruled(String),
    /// It holds none of the words of the query.
    HoldsNothing,
    /// A filter of the search on this subject excludes it.
    Filtered(String),
    /// None of its variants passes all filters of the search, though each filter alone is passed.
    FilteredTogether,
    /// It lacks these words, which enough products have.
    Lacks(Vec<String>),
    /// It comes after the last hit that pages lead to.
    Beyond,
}

impl NotFoundReason {
    /// Rank of a reason: among several, the one with the lowest rank has to be fixed first (docs/search.md).
    fn rank(&self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::Unseen(HiddenReason::Hidden | HiddenReason::Unlisted | HiddenReason::Unrecommended) => 1,
            Self::Unseen(HiddenReason::OutOfPeriod) => 2,
            Self::Unseen(HiddenReason::OfOtherAccounts) => 3,
            Self::Ruled(_) => 4,
            Self::HoldsNothing => 5,
            Self::Unseen(HiddenReason::WithoutPrice) => 6,
            Self::Filtered(name) if name == "Price" => 6,
            Self::Filtered(name) if name == "InStock" => 7,
            Self::Filtered(_) | Self::FilteredTogether => 8,
            Self::Lacks(_) => 9,
            Self::Beyond => 10,
        }
    }
}

/// The place of a product in an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchExplanation {
    /// It is found.
    Found(Box<RankExplanation>),
    /// It is not, for these reasons; the first decides.
    Missing(Vec<NotFoundReason>),
}

impl IndexSnapshot {
    /// Explains the rank of each product of an answer.
    pub(super) fn explain(
        &self,
        answer: &mut SearchResult,
        page: &[RankedProduct<'_>],
        request: &SearchQuery,
        prepared: &PreparedSearch<'_>,
    ) -> Result<(), IndexFault> {
        answer.rules = prepared.effects.acting.iter().map(|rule| rule.id.clone()).collect();
        let skipped = (request.page.max(1) - 1).saturating_mul(request.size);
        for (place, item) in (skipped..).zip(&mut answer.items) {
            let Some(found) = page.get(place) else { continue };
            let variant = item.variant.as_ref().map(VariantResult::id);
            let why = self.explain_rank(found, place, request, prepared)?;
            item.why = Some(RankExplanation { variant, ..why });
        }
        Ok(())
    }

    fn explain_rank(
        &self,
        found: &RankedProduct<'_>,
        place: usize,
        request: &SearchQuery,
        prepared: &PreparedSearch<'_>,
    ) -> Result<RankExplanation, IndexFault> {
        let doc = (found.segment, found.hit.doc);
        let pin = prepared.ruled.pins.iter().find(|pin| pin.place == doc);
        let pinned_by = pin.and_then(|pin| prepared.effects.pins.get(pin.number));
        let mut weighed_by = None;
        for weight in &prepared.effects.weights {
            if self.names(&weight.limit, doc, &prepared.caller)? == Some(true) {
                weighed_by = Some((weight.limit.rule.id.clone(), weight.by));
                break;
            }
        }
        let is_exact = found.is_exact();
        let is_by_number = match pinned_by {
            // A rule puts it in front, whether or not its number was typed.
            Some(_) if is_exact => {
                let named = self.by_number(&request.query, &prepared.caller)?;
                named.get(doc.0).is_some_and(|docs| docs.contains(&doc.1))
            }
            _ => is_exact && !fold_identifier(&request.query).is_empty(),
        };
        Ok(RankExplanation {
            place: place + 1,
            is_by_number,
            is_by_words: !is_exact,
            held: self.explain_match(doc, request, prepared)?,
            coverage: found.hit.coverage,
            of_words: if is_exact { 1.0 } else { found.of_words() },
            boosts: found.boosts,
            pinned_by: pinned_by.map(|pin| pin.rule.id.clone()),
            weighed_by,
            variant: None,
        })
    }

    fn explain_match(
        &self,
        (segment, doc): (usize, DocId),
        request: &SearchQuery,
        prepared: &PreparedSearch<'_>,
    ) -> Result<QueryTermMatch, IndexFault> {
        let reading = MatchExplainer {
            segment: &self.segments[segment],
            doc,
            weights: self.knowledge.weights(request.ranking.weighing),
            statistics: self.knowledge.statistics(),
        };
        let mut held = reading.explain(&prepared.plan)?;
        let [title, description] = texts_of_product(&self.segments[segment].display_bytes(doc));
        let texts = [title.as_str(), description.as_str()];
        FormNames { knowledge: &self.knowledge, plan: &prepared.plan }.name_forms(&mut held, &texts);
        Ok(held)
    }

    /// The place of the product with this id in the answer to a request, or the reason why it is missing: in an answer
    /// with groups the place of the first of these groups, or else of its first one. `request` was checked; its page
    /// and its facets do not count.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn verdict(
        &self,
        id: &str,
        groups: &[Option<usize>],
        request: &SearchQuery,
        caller: &BuyerContext,
    ) -> Result<SearchExplanation, IndexFault> {
        let Some(doc) = self.locate_product(id)? else {
            return Ok(SearchExplanation::Missing(vec![NotFoundReason::Unknown]));
        };
        let request =
            &SearchQuery { page: 1, size: limits::SEARCH_HITS, facets: Vec::new(), ..request.clone() };
        let prepared = self.prepare(request, caller)?;
        let search = self.search_of(request, &prepared);
        let page = self.page(request, &prepared, &search, &mut SearchResult::default())?;
        let is_it = |found: &RankedProduct<'_>| (found.segment, found.hit.doc) == doc;
        let is_of_groups = |found: &RankedProduct<'_>| is_it(found) && groups.contains(&found.group);
        if let Some(place) = page.iter().position(is_of_groups).or_else(|| page.iter().position(is_it)) {
            return Ok(SearchExplanation::Found(Box::new(self.explain_rank(
                &page[place],
                place,
                request,
                &prepared,
            )?)));
        }
        Ok(SearchExplanation::Missing(self.missing(doc, request, &prepared)?))
    }

    fn missing(
        &self,
        doc: (usize, DocId),
        request: &SearchQuery,
        prepared: &PreparedSearch<'_>,
    ) -> Result<Vec<NotFoundReason>, IndexFault> {
        let unseen = self.segments[doc.0].why_unseen(doc.1, &prepared.caller);
        let mut reasons: Vec<_> = unseen.map(NotFoundReason::Unseen).into_iter().collect();
        for hidden in &prepared.effects.hidden {
            let is_hidden = self.names(hidden, doc, &prepared.caller)?;
            reasons.extend((is_hidden == Some(true)).then(|| NotFoundReason::Ruled(hidden.rule.id.clone())));
        }
        for only in &prepared.effects.filters {
            let is_wanted = self.names(only, doc, &prepared.caller)?;
            reasons.extend((is_wanted == Some(false)).then(|| NotFoundReason::Ruled(only.rule.id.clone())));
        }
        // For a product that the shop excludes from search no words are known.
        let held = match unseen {
            Some(HiddenReason::Hidden) => QueryTermMatch::default(),
            _ => self.explain_match(doc, request, prepared)?,
        };
        let holds_nothing = held.words.is_empty() && !held.lacking.is_empty();
        reasons.extend(holds_nothing.then_some(NotFoundReason::HoldsNothing));
        if unseen.is_none() {
            reasons.extend(self.filtered_by(doc, request, prepared)?);
        }
        if !holds_nothing && !held.lacking.is_empty() {
            reasons.push(NotFoundReason::Lacks(held.lacking));
        }
        if reasons.is_empty() {
            reasons.push(NotFoundReason::Beyond);
        }
        reasons.sort_by_key(NotFoundReason::rank);
        Ok(reasons)
    }

    /// Returns true if a caller sees a product, and it passes the filters.
    pub(super) fn wants(
        &self,
        filter: &Filters,
        (segment, doc): (usize, DocId),
        caller: &BuyerContext,
    ) -> Result<bool, IndexFault> {
        let segment = &self.segments[segment];
        let mut selection = Selection::new(filter, &[], caller, self.knowledge.columns());
        Ok(!selection.add(segment.columns(), &[doc], |doc| segment.stored_offer(doc))?.is_empty())
    }

    /// The filters that exclude the product: each that does so alone, else all together.
    fn filtered_by(
        &self,
        (segment, doc): (usize, DocId),
        request: &SearchQuery,
        prepared: &PreparedSearch<'_>,
    ) -> Result<Vec<NotFoundReason>, IndexFault> {
        let mut failed = Vec::new();
        for (name, filter) in request.filters.each_filter() {
            let is_wanted = self.wants(&filter, (segment, doc), &prepared.caller)?;
            failed.extend((!is_wanted).then_some(NotFoundReason::Filtered(name)));
        }
        if failed.is_empty() && !self.wants(&request.filters, (segment, doc), &prepared.caller)? {
            failed.push(NotFoundReason::FilteredTogether);
        }
        Ok(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_come_in_the_order_of_the_documentation() {
        let filtered = |name: &str| NotFoundReason::Filtered(name.to_owned());
        let groups = [
            vec![NotFoundReason::Unknown],
            [HiddenReason::Hidden, HiddenReason::Unlisted, HiddenReason::Unrecommended]
                .map(NotFoundReason::Unseen)
                .to_vec(),
            vec![NotFoundReason::Unseen(HiddenReason::OutOfPeriod)],
            vec![NotFoundReason::Unseen(HiddenReason::OfOtherAccounts)],
            vec![NotFoundReason::Ruled("hide".to_owned())],
            vec![NotFoundReason::HoldsNothing],
            vec![NotFoundReason::Unseen(HiddenReason::WithoutPrice), filtered("Price")],
            vec![filtered("InStock")],
            vec![filtered("Brand"), filtered("Attributes.Price"), NotFoundReason::FilteredTogether],
            vec![NotFoundReason::Lacks(vec!["shoe".to_owned()])],
            vec![NotFoundReason::Beyond],
        ];
        for (rank, reasons) in (0..).zip(&groups) {
            for reason in reasons {
                assert_eq!(reason.rank(), rank, "{reason:?}");
            }
        }
    }
}
