//! Explains why a variant stands for its product in an answer, or does not.

use super::explain::NotFoundReason;
use super::pipeline::PreparedSearch;
use super::search_query::SearchQuery;
use super::variant_choice::{VariantChoice, place_of_number};
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::{BuyerContext, HiddenReason};
use crate::search::query::filters::Filters;
use crate::search::text::fold_identifier;

/// Part of a variant in an answer that finds its product.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantExplanation {
    /// The id of the variant.
    pub id: String,
    /// The variant that stands for the product, by its id; `None` if the caller sees none.
    pub shown: Option<String>,
    /// Reasons why it does not pass; none if it does.
    pub missing: Vec<NotFoundReason>,
}

impl IndexSnapshot {
    /// The choice between the variants of the hits of a request.
    pub(super) fn variant_choice<'c>(
        &'c self,
        request: &'c SearchQuery,
        PreparedSearch { caller, plan, ruled, .. }: &'c PreparedSearch<'_>,
    ) -> VariantChoice<'c> {
        let choice = VariantChoice::without_query(self, caller).with_filters(&request.filters);
        let choice = choice.for_search(&request.query, plan, &request.sort);
        let mut choice = choice.grouped_by(request.group_by.as_deref());
        for pin in &ruled.pins {
            if let Some(variant) = pin.variant {
                choice.prefer(pin.place, variant);
            }
        }
        choice
    }

    /// Explains the part of the variant with this id or number in the answer to a request; `None` for the id of a
    /// product, and where there is none.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn explain_variant(
        &self,
        name: &str,
        request: &SearchQuery,
        caller: &BuyerContext,
    ) -> Result<Option<VariantExplanation>, IndexFault> {
        if self.has(name)? {
            return Ok(None);
        }
        let folded = fold_identifier(name);
        let named = self.locate_variant(name, |variants| place_of_number(variants, &folded))?;
        let Some((place, variant)) = named else { return Ok(None) };
        let prepared = self.prepare(request, caller)?;
        let ungrouped = SearchQuery { group_by: None, ..request.clone() };
        let mut choice = self.variant_choice(&ungrouped, &prepared);
        let is_exact = fold_identifier(&request.query) == fold_identifier(name);
        let shown = choice.choose(place, None, is_exact)?;
        let passes = |filters: &Filters| {
            let mut choice = VariantChoice::without_query(self, &prepared.caller).with_filters(filters);
            choice.passes(place, variant)
        };
        let mut missing = Vec::new();
        if passes(&Filters::NONE)?.is_none() {
            missing.push(NotFoundReason::Unseen(HiddenReason::WithoutPrice));
        }
        for (name, filter) in request.filters.each_filter() {
            missing.extend((passes(&filter)? == Some(false)).then_some(NotFoundReason::Filtered(name)));
        }
        let numbers = self.segments[place.0].shown_variants(place.1).numbers().nth(variant);
        let id = numbers.map(|numbers| numbers.id.into_owned()).unwrap_or_default();
        Ok(Some(VariantExplanation { id, shown: shown.map(|shown| shown.id()), missing }))
    }
}
