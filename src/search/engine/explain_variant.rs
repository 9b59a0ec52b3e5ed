//! Explains why a variant stands for its product in an answer, or does not.

use super::explain::NotFoundReason;
use super::pipeline::PreparedSearch;
use super::search_query::SearchQuery;
use super::typed_number::find_number;
use super::variant_choice::VariantChoice;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::{BuyerContext, HiddenReason};
use crate::search::query::filters::Filters;
use crate::search::query::work_budget::StepBudget;
use crate::search::text::fold_identifier;

/// Part of a variant in an answer that finds its product.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantExplanation {
    /// The id of the variant.
    pub id: String,
    /// The variant that stands for the product, or for the variant's own group, by its id; `None` if none does.
    pub shown: Option<String>,
    /// Reasons why it does not pass; none if it does.
    pub missing: Vec<NotFoundReason>,
    /// The groups of its product's variants that it belongs to; none of a product that the caller does not see.
    pub groups: Vec<Option<usize>>,
}

impl IndexSnapshot {
    /// The choice between the variants of the hits of a request.
    pub(super) fn variant_choice<'c>(
        &'c self,
        request: &'c SearchQuery,
        PreparedSearch { caller, plan, ruled, .. }: &'c PreparedSearch<'_>,
        budget: &'c StepBudget,
    ) -> VariantChoice<'c> {
        let choice = VariantChoice::new(self, caller).with_filters(&request.filters).with_budget(budget);
        let choice = choice.for_search(&request.query, plan, &request.sort);
        let mut choice = choice.grouped_by(request.group_by.as_deref());
        for pin in &ruled.pins {
            if let Some(variant) = pin.variant {
                choice.prefer(pin.place, variant);
            }
        }
        choice
    }

    /// Explains the part of a variant of the product with this id in the answer to a request. `name` is the id or a
    /// number of the variant. `None` if it is the product's own, or the product has no such variant.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn explain_variant(
        &self,
        product: &str,
        name: &str,
        request: &SearchQuery,
        caller: &BuyerContext,
    ) -> Result<Option<VariantExplanation>, IndexFault> {
        let place = self.locate_product(product)?.filter(|_| product != name);
        let Some(place) = place else { return Ok(None) };
        let segment = &self.segments[place.0];
        let variants = segment.shown_variants(place.1);
        let Some(variant) = find_number(&variants, &fold_identifier(name)) else { return Ok(None) };
        let id = variants.numbers().nth(variant).map(|numbers| numbers.id).unwrap_or_default();
        let prepared = self.prepare(request, caller)?;
        if let Some(why) = segment.why_unseen(place.1, &prepared.caller) {
            return Ok(Some(VariantExplanation {
                id,
                shown: None,
                missing: vec![NotFoundReason::Unseen(why)],
                groups: Vec::new(),
            }));
        }
        let passes = |filters: &Filters| {
            let mut choice = VariantChoice::new(self, &prepared.caller).with_filters(filters);
            choice.passes(place, variant)
        };
        let mut missing = Vec::new();
        if passes(&Filters::NONE)?.is_none() {
            missing.push(NotFoundReason::Unseen(HiddenReason::WithoutPrice));
        }
        for (name, filter) in request.filters.each_filter() {
            missing.extend((passes(&filter)? == Some(false)).then_some(NotFoundReason::Filtered(name)));
        }
        let budget = StepBudget::new(request.steps);
        let mut choice = self.variant_choice(request, &prepared, &budget);
        let mut shown = None;
        // A variant with several values is in several groups.
        let groups = choice.groups_with(place, variant)?;
        for group in &groups {
            let chosen = choice.choose(place, *group, prepared.is_exact(place))?.map(|shown| shown.id());
            if shown.is_none() || chosen.as_ref() == Some(&id) {
                shown = chosen;
            }
        }
        Ok(Some(VariantExplanation { id, shown, missing, groups }))
    }
}
