//! Effects of rules on the products of an index: evaluated for each hit, so that the cost grows with the hits of the
//! search.

use std::sync::Arc;

use tantivy::DocId;

use crate::limits;
use crate::search::index::{ProductSet, SegmentView};
use crate::search::pricing::BuyerContext;
use crate::search::query::variants::VariantFilters;

/// Number of parts of rules that are checked one by one for each hit; beyond it, those that list ids are merged into
/// one list.
const ASKED_PARTS: usize = 16;

/// The products of a segment that a part of a rule names.
#[derive(Debug, Clone)]
pub struct RulePart {
    /// Products that it names, independent of the caller.
    pub named: Arc<ProductSet>,
    /// Only products of these that have a variant which passes the rule's filters at a price for the caller that the
    /// rule wants; a product without variants is its own.
    pub priced: Option<Arc<VariantFilters>>,
}

impl RulePart {
    /// Returns true if it names a product, for this caller.
    #[must_use]
    #[inline]
    pub fn names(&self, segment: &SegmentView, doc: DocId, caller: &BuyerContext) -> bool {
        self.named.has(doc)
            && self
                .priced
                .as_ref()
                .is_none_or(|filters| filters.has_passing_variant(doc, segment.stored_offer(doc), caller))
    }
}

/// Parts of rules, arranged to find the first that names a product.
#[derive(Debug, Default)]
struct FirstPart {
    /// By their places.
    asked: Vec<(usize, RulePart)>,
    /// Products with the place of the first of the parts that were made one list, by product.
    listed: Vec<(DocId, usize)>,
}

impl FirstPart {
    fn new(parts: impl Iterator<Item = (usize, RulePart)>) -> Self {
        let mut first = Self::default();
        for (place, part) in parts {
            match &*part.named {
                ProductSet::Few(docs) if part.priced.is_none() && first.asked.len() >= ASKED_PARTS => {
                    first.listed.extend(docs.iter().map(|doc| (*doc, place)));
                }
                _ => first.asked.push((place, part)),
            }
        }
        first.listed.sort_unstable();
        first.listed.dedup_by_key(|(doc, _)| *doc);
        first
    }

    fn is_empty(&self) -> bool {
        self.asked.is_empty() && self.listed.is_empty()
    }

    #[inline]
    fn first_match(&self, segment: &SegmentView, doc: DocId, caller: &BuyerContext) -> Option<usize> {
        let listed = self.listed.binary_search_by_key(&doc, |(doc, _)| *doc).ok();
        let listed = listed.map(|place| self.listed[place].1);
        let mut asked = self.asked.iter().filter(|(_, part)| part.names(segment, doc, caller));
        let asked = asked.next().map(|(place, _)| *place);
        listed.into_iter().chain(asked).min()
    }
}

/// Effects of rules on the products of a segment.
#[derive(Debug, Default)]
pub struct SegmentRuling {
    hidden: FirstPart,
    only: Vec<RulePart>,
    weighed: FirstPart,
    /// Number of parts with a filter on prices, which variants may satisfy differently.
    priced: usize,
}

impl SegmentRuling {
    /// Effects of rules: hidden products, the only products allowed, and boosts.
    #[must_use]
    pub fn new(hidden: Vec<RulePart>, only: Vec<RulePart>, weighed: Vec<(usize, RulePart)>) -> Self {
        let priced_of =
            |parts: &mut dyn Iterator<Item = &RulePart>| parts.filter(|part| part.priced.is_some()).count();
        let weighed_parts = weighed.iter().map(|(_, part)| part);
        let priced = priced_of(&mut hidden.iter().chain(&only).chain(weighed_parts));
        Self {
            priced,
            hidden: FirstPart::new(hidden.into_iter().enumerate()),
            only,
            weighed: FirstPart::new(weighed.into_iter()),
        }
    }
}

/// Effects of rules on the products of each segment; none without segments.
#[derive(Debug, Default)]
pub struct RuleMasks {
    /// By segment.
    pub segments: Vec<SegmentRuling>,
    /// By the place of a part with a weight: the share of their score by which it lifts products.
    weights: Vec<f64>,
    highest: f64,
}

impl RuleMasks {
    /// With parts that lift products by these shares of their scores.
    #[must_use]
    pub fn new(weights: Vec<f64>) -> Self {
        let highest = weights.iter().copied().fold(0.0, f64::max);
        Self { segments: Vec::new(), weights, highest }
    }

    /// The most by which a product may be lifted.
    #[must_use]
    #[inline]
    pub const fn highest_weight(&self) -> f64 {
        self.highest
    }

    /// Steps of evaluating the variants of a product for the rules that have a filter on prices.
    #[must_use]
    #[inline]
    pub fn evaluation_steps(&self, number: usize, segment: &SegmentView, doc: DocId) -> usize {
        let priced = self.segments.get(number).map_or(0, |ruling| ruling.priced);
        if priced == 0 {
            return 0;
        }
        let variants = segment.variant_table(doc).map_or(0, |table| table.count());
        variants * priced / limits::SEARCH_STEP_VARIANTS
    }

    /// Returns true if a product is left out.
    #[must_use]
    #[inline]
    pub fn is_out(&self, number: usize, segment: &SegmentView, doc: DocId, caller: &BuyerContext) -> bool {
        self.segments.get(number).is_some_and(|ruling| {
            let names = |part: &RulePart| part.names(segment, doc, caller);
            let is_hidden =
                !ruling.hidden.is_empty() && ruling.hidden.first_match(segment, doc, caller).is_some();
            is_hidden || !ruling.only.iter().all(names)
        })
    }

    /// By which part of its score a product is lifted.
    #[must_use]
    #[inline]
    pub fn weight(&self, number: usize, segment: &SegmentView, doc: DocId, caller: &BuyerContext) -> f64 {
        if self.weights.is_empty() {
            return 0.0;
        }
        let place =
            self.segments.get(number).and_then(|ruling| ruling.weighed.first_match(segment, doc, caller));
        place.and_then(|place| self.weights.get(place)).copied().unwrap_or_default()
    }
}
