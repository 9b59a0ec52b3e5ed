//! What rules do to the products of an index.

use std::collections::HashMap;

use serde_json::Value;
use tantivy::DocId;

use super::Snapshot;
use crate::search::index::IndexFault;
use crate::search::offer::Caller;
use crate::search::query::candidate::Candidate;
use crate::search::query::facets::check_currency;
use crate::search::query::filters::Filters;
use crate::search::query::rank::Ruling;
use crate::search::query::selection::Selection;
use crate::search::rules::{Effects, Which};

/// What rules say of the products of each segment.
#[derive(Debug, Default)]
pub(super) struct Ruled {
    /// Products that stand in front, in this order.
    pub(super) pins: Vec<(usize, DocId)>,
    /// What they say of the others.
    pub(super) ruling: Ruling,
}

impl Ruled {
    /// Of the products that are found by their number those that are left out go, and the pinned ones come.
    pub(super) fn change(&self, exact: &mut Vec<Vec<DocId>>, segments: usize) {
        for (segment, docs) in exact.iter_mut().enumerate() {
            // red: search::engine::tests::rules::what_is_hidden_is_found_by_no_word
            docs.retain(|doc| mutant!("rules-hide-no-number", !self.ruling.is_out(segment, *doc), true));
        }
        if self.pins.is_empty() {
            return;
        }
        exact.resize(segments, Vec::new());
        for (segment, doc) in &self.pins {
            exact[*segment].push(*doc);
        }
        for docs in exact {
            docs.sort_unstable();
            docs.dedup();
        }
    }

    /// Puts the pinned products in front.
    pub(super) fn pinned_first(&self, candidates: &mut [Candidate<'_>]) {
        let places: HashMap<_, _> = self.pins.iter().zip(0..).collect();
        let place = |candidate: &Candidate<'_>| {
            places.get(&(candidate.segment, candidate.hit.doc)).copied().unwrap_or(usize::MAX)
        };
        if !places.is_empty() {
            // red: search::engine::tests::rules::pinned_products_stand_in_front_in_their_order
            mutant!("pins-stand-in-the-order-of-ids", candidates.sort_by_cached_key(place), ());
        }
    }
}

impl Snapshot {
    /// What rules say of the products here. What is about attributes that have no column here, or about prices of no
    /// currency, says nothing.
    pub(super) fn ruled(&self, effects: &Effects<'_>, caller: &Caller) -> Result<Ruled, IndexFault> {
        let mut ruled = Ruled::default();
        if !(effects.hidden.is_empty() && effects.filters.is_empty()) {
            for number in 0..self.segments.len() {
                let out = self.out(effects, number, caller)?;
                ruled.ruling.out.push(out);
            }
        }
        if !effects.weights.is_empty() {
            for number in 0..self.segments.len() {
                let weights = self.weights(effects, number, caller)?;
                ruled.ruling.weights.push(weights);
            }
        }
        for pin in &effects.pins {
            let Some((segment, doc)) = self.find(pin.id)? else { continue };
            let is_seen = self.segments[segment].is_seen(doc, caller);
            // red: search::engine::tests::rules::a_hidden_product_is_found_by_no_rule
            let may_be_seen = mutant!("pins-show-hidden-products", is_seen, true);
            if may_be_seen && !ruled.ruling.is_out(segment, doc) && !ruled.pins.contains(&(segment, doc)) {
                ruled.pins.push((segment, doc));
            }
        }
        Ok(ruled)
    }

    /// For each product of a segment, whether it is left out.
    fn out(&self, effects: &Effects<'_>, number: usize, caller: &Caller) -> Result<Vec<bool>, IndexFault> {
        let mut out = vec![false; self.segments[number].max_doc() as usize];
        for only in &effects.filters {
            let Some(only) = self.members(only.which, number, caller)? else { continue };
            let mut is_in = vec![false; out.len()];
            only.into_iter().for_each(|doc| is_in[doc as usize] = true);
            out.iter_mut().zip(is_in).for_each(|(out, is_in)| *out |= !is_in);
        }
        for hidden in &effects.hidden {
            let hidden = self.members(hidden.which, number, caller)?.unwrap_or_default();
            hidden.into_iter().for_each(|doc| out[doc as usize] = true);
        }
        Ok(out)
    }

    /// For each product of a segment, by which part of its score it is lifted.
    fn weights(&self, effects: &Effects<'_>, number: usize, caller: &Caller) -> Result<Vec<f64>, IndexFault> {
        let mut weights = vec![0.0; self.segments[number].max_doc() as usize];
        for weight in &effects.weights {
            for doc in self.members(weight.which, number, caller)?.unwrap_or_default() {
                let known = &mut weights[doc as usize];
                // red: search::engine::tests::rules::of_several_rules_that_weigh_a_product_the_first_decides
                if mutant!("the-last-rule-weighs", *known == 0.0, true) {
                    *known = weight.by;
                }
            }
        }
        Ok(weights)
    }

    /// The products of a segment that these are; `None` when nobody can say.
    fn members(
        &self,
        which: &Which,
        number: usize,
        caller: &Caller,
    ) -> Result<Option<Vec<DocId>>, IndexFault> {
        let segment = &self.segments[number];
        if let Some(ids) = ids_of(which) {
            let mut docs = Vec::new();
            for id in ids {
                docs.extend(segment.find(id)?);
            }
            return Ok(Some(docs));
        }
        let Some(filters) = self.filters_of(which, caller) else { return Ok(None) };
        let all: Vec<DocId> = (0..segment.max_doc()).collect();
        self.wanted(&filters, number, &all, caller).map(Some)
    }

    /// Whether the product with this id and place is one of these; `None` when nobody can say.
    pub(super) fn names(
        &self,
        which: &Which,
        id: &str,
        (number, doc): (usize, DocId),
        caller: &Caller,
    ) -> Result<Option<bool>, IndexFault> {
        if let Some(mut ids) = ids_of(which) {
            return Ok(Some(ids.any(|named| named == id)));
        }
        let Some(filters) = self.filters_of(which, caller) else { return Ok(None) };
        Ok(Some(!self.wanted(&filters, number, &[doc], caller)?.is_empty()))
    }

    /// The filters by which a rule names products, if they can be asked here.
    fn filters_of(&self, which: &Which, caller: &Caller) -> Option<Filters> {
        let mut filters = which.clone();
        filters.remove("By");
        let filters = Filters::parse(&Value::Object(filters), self.knowledge.columns()).ok()?;
        check_currency(&filters, &[], caller.currency.is_some()).ok()?;
        Some(filters)
    }

    /// Which of these products of a segment, in rising order, filters want.
    pub(super) fn wanted(
        &self,
        filters: &Filters,
        number: usize,
        docs: &[DocId],
        caller: &Caller,
    ) -> Result<Vec<DocId>, IndexFault> {
        let segment = &self.segments[number];
        let mut selection = Selection::new(filters, &[], caller, self.knowledge.columns());
        let selected = selection.add(segment.columns(), docs, |doc| segment.offer(doc))?;
        Ok(selected.into_iter().map(|selected| selected.document).collect())
    }
}

/// The ids by which a rule names products, if it does so.
fn ids_of(which: &Which) -> Option<impl Iterator<Item = &str>> {
    let ids = which.get("Ids")?.as_array()?;
    Some(ids.iter().filter_map(Value::as_str))
}
