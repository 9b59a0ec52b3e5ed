//! Effects of rules on the products of an index.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use tantivy::DocId;

use crate::search::index::snapshot::IndexSnapshot;
use crate::search::index::{IndexFault, ProductSet, SegmentView};
use crate::search::pricing::BuyerContext;
use crate::search::query::candidate::RankedProduct;
use crate::search::query::filters::Filters;
use crate::search::query::rule_masks::{RuleMasks, RulePart, SegmentRuling};
use crate::search::query::selection::all_wanted;
use crate::search::query::variants::VariantFilters;
use crate::search::rules::{Effects, Limit, PRICE, lasting};

/// Effects of rules on the products of each segment.
#[derive(Debug, Default)]
pub(super) struct RuleEffects {
    /// Products that stand in front, in this order.
    pub(super) pins: Vec<PlacedPin>,
    /// Effects on the other products.
    pub(super) ruling: RuleMasks,
}

/// A product that a rule puts in front, and the variant that the rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlacedPin {
    /// Segment and product.
    pub(super) place: (usize, DocId),
    /// Index of the variant among the product's; `None` if the rule names the product.
    pub(super) variant: Option<usize>,
    /// Place of the pin among those of the rules.
    pub(super) number: usize,
}

impl RuleEffects {
    /// Removes hidden products from those that are found by their number, and adds the pinned ones.
    pub(super) fn change(
        &self,
        exact: &mut Vec<Vec<DocId>>,
        segments: &[Arc<SegmentView>],
        caller: &BuyerContext,
    ) {
        for (number, (docs, segment)) in exact.iter_mut().zip(segments).enumerate() {
            docs.retain(|doc| !self.ruling.is_out(number, segment, *doc, caller));
        }
        if self.pins.is_empty() {
            return;
        }
        exact.resize(segments.len(), Vec::new());
        for (segment, doc) in self.pins.iter().map(|pin| pin.place) {
            exact[segment].push(doc);
        }
        for docs in exact {
            docs.sort_unstable();
            docs.dedup();
        }
    }

    /// Puts the pinned products in front.
    pub(super) fn pinned_first(&self, candidates: &mut [RankedProduct<'_>]) {
        let mut places = HashMap::new();
        for (place, pin) in self.pins.iter().enumerate() {
            places.entry(pin.place).or_insert(place);
        }
        let place = |candidate: &RankedProduct<'_>| {
            places.get(&(candidate.segment, candidate.hit.doc)).copied().unwrap_or(usize::MAX)
        };
        if !places.is_empty() {
            candidates.sort_by_cached_key(place);
        }
    }
}

impl IndexSnapshot {
    /// Applies the effects of rules to the products here. A part about attributes without a column here, or about
    /// prices in no currency, has no effect.
    pub(super) fn resolve_rules(
        &self,
        effects: &Effects<'_>,
        caller: &BuyerContext,
    ) -> Result<RuleEffects, IndexFault> {
        let mut ruled = RuleEffects { ruling: self.ruling(effects, caller)?, ..RuleEffects::default() };
        for (number, pin) in effects.pins.iter().enumerate() {
            let product = self.locate_product(pin.id)?.map(|place| (place, None));
            let named = match product {
                None => self.locate_variant(pin.id)?.map(|(place, variant)| (place, Some(variant))),
                named => named,
            };
            let Some((place, variant)) = named else { continue };
            let segment = &self.segments[place.0];
            let is_seen = segment.is_seen(place.1, caller);
            let is_out = ruled.ruling.is_out(place.0, segment, place.1, caller);
            if is_seen
                && !is_out
                && !ruled.pins.iter().any(|pin| (pin.place, pin.variant) == (place, variant))
            {
                ruled.pins.push(PlacedPin { place, variant, number });
            }
        }
        Ok(ruled)
    }

    pub(super) fn ruling(
        &self,
        effects: &Effects<'_>,
        caller: &BuyerContext,
    ) -> Result<RuleMasks, IndexFault> {
        let Effects { hidden, filters, weights, .. } = effects;
        let mut ruling = RuleMasks::new(weights.iter().map(|weight| weight.by).collect());
        if hidden.is_empty() && filters.is_empty() && weights.is_empty() {
            return Ok(ruling);
        }
        for number in 0..self.segments.len() {
            let parts = |limits: &[Limit<'_>]| -> Result<Vec<RulePart>, IndexFault> {
                let parts = limits.iter().map(|limit| self.part(limit, number, caller));
                parts.filter_map(Result::transpose).collect()
            };
            let mut weighed = Vec::new();
            for (place, weight) in weights.iter().enumerate() {
                weighed.extend(self.part(&weight.limit, number, caller)?.map(|part| (place, part)));
            }
            ruling.segments.push(SegmentRuling::new(parts(hidden)?, parts(filters)?, weighed));
        }
        Ok(ruling)
    }

    /// The products of a segment that a part of a rule names; `None` if its filters cannot be evaluated here.
    fn part(
        &self,
        limit: &Limit<'_>,
        number: usize,
        caller: &BuyerContext,
    ) -> Result<Option<RulePart>, IndexFault> {
        let segment = &self.segments[number];
        let mut priced = None;
        if limit.which.contains_key(PRICE) {
            let which = limit.which.clone();
            let Some(filters) = self.filters(which).filter(|_| caller.currency.is_some()) else {
                return Ok(None);
            };
            let columns = self.knowledge.columns();
            priced = Some(Arc::new(VariantFilters::new(&filters, segment.columns(), columns, true)?));
        }
        let named = segment.named_sets().get_or_find(limit.digest, || self.named_in(limit, segment))?;
        Ok(named.map(|named| RulePart { named, priced }))
    }

    /// Products that a part of a rule names in a segment, independent of the caller; `None` if its filters cannot be
    /// evaluated here.
    fn named_in(&self, limit: &Limit<'_>, segment: &SegmentView) -> Result<Option<ProductSet>, IndexFault> {
        let mut docs = Vec::new();
        if let Some(ids) = limit.which.get("Ids").and_then(Value::as_array) {
            for id in ids.iter().filter_map(Value::as_str) {
                docs.extend(segment.with_id(id)?);
            }
            docs.sort_unstable();
            docs.dedup();
        } else {
            let Some(filters) = self.filters(lasting(limit.which)) else { return Ok(None) };
            docs.extend(0..segment.max_doc());
            let table_of = |doc| segment.variant_table(doc);
            docs = all_wanted(&filters, segment.columns(), self.knowledge.columns(), &docs, table_of)?;
        }
        Ok(Some(ProductSet::new(docs, segment.max_doc())))
    }

    /// The filters by which a rule selects products, if they can be evaluated here.
    fn filters(&self, which: Map<String, Value>) -> Option<Filters> {
        let columns = self.knowledge.columns();
        Filters::parse(&Value::Object(which), columns).ok().filter(|filters| !filters.has_unheld(columns))
    }

    /// Tests if a part of a rule names the product of this place; `None` if its filters cannot be evaluated here.
    pub(super) fn names(
        &self,
        limit: &Limit<'_>,
        (number, doc): (usize, DocId),
        caller: &BuyerContext,
    ) -> Result<Option<bool>, IndexFault> {
        let part = self.part(limit, number, caller)?;
        Ok(part.map(|part| part.names(&self.segments[number], doc, caller)))
    }
}
