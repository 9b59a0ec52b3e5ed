//! Products in a given order, limited to those that may be shown.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::answer::ProductResult;
use super::relations::DiversityLimiter;
use super::variant_choice::VariantChoice;
use crate::limits;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::pricing::BuyerContext;
use crate::search::query::filters::Filters;
use crate::search::query::rule_masks::RuleMasks;
use crate::search::query::selection::Selection;
use crate::search::query::work_budget::StepBudget;
use crate::search::rules::Rules;

/// Conditions that products must meet.
pub struct ProductConstraints<'w> {
    /// Filters of the request.
    pub filters: &'w Filters,
    /// The shop's rules: those for any query and category hide and filter.
    pub rules: Option<&'w Arc<Rules>>,
    /// The caller.
    pub caller: &'w BuyerContext,
    /// The ids of the variants that stand for their products, by the products' ids: those that were viewed.
    pub viewed: Option<&'w FxHashMap<Arc<str>, Arc<str>>>,
}

impl IndexSnapshot {
    /// The first `size` of the given products, each with its own value, that the caller sees and that pass filters and
    /// rules. A product with too many of its relations in a `spread` is passed over.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn select_products<'i, T>(
        &self,
        named: impl IntoIterator<Item = (&'i str, T)>,
        size: usize,
        wanted: &ProductConstraints<'_>,
        mut spread: Option<&mut DiversityLimiter<'_>>,
    ) -> Result<Vec<(ProductResult, T)>, IndexFault> {
        let ProductConstraints { filters, caller, .. } = wanted;
        let ruling = self.ruling_of(wanted)?;
        let budget = StepBudget::new(limits::SEARCH_STEPS);
        let mut selection =
            Selection::new(filters, &[], caller, self.knowledge.columns()).with_budget(&budget);
        let mut variants = VariantChoice::new(self, caller).with_filters(filters);
        let mut chosen = Vec::with_capacity(size);
        for (id, beside) in named {
            if chosen.len() == size {
                break;
            }
            let Some(place) = self.locate_product(id)? else { continue };
            let (number, doc) = place;
            let segment = &self.segments[number];
            let is_wanted = selection.selects(segment.columns(), doc, segment.stored_offer(doc))?;
            if !is_wanted || ruling.is_out(number, segment, doc, caller) {
                continue;
            }
            let fits = match &mut spread {
                Some(spread) => spread.takes(self.kin_at(place)?),
                None => true,
            };
            if fits {
                let viewed = wanted.viewed.and_then(|viewed| viewed.get(id));
                if let Some(variant) = viewed.and_then(|variant| segment.variant_of_id(doc, variant)) {
                    variants.prefer(place, variant);
                }
                let variant = variants.choose(place, None, false)?;
                chosen.push((self.item_with(place, variant, caller), beside));
            }
        }
        Ok(chosen)
    }

    /// The ids of all products that the caller sees and that pass filters and rules, in no order.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub fn all_chosen(&self, wanted: &ProductConstraints<'_>) -> Result<Vec<&str>, IndexFault> {
        let ProductConstraints { filters, caller, .. } = wanted;
        let ruling = self.ruling_of(wanted)?;
        let mut ids = Vec::new();
        let budget = StepBudget::new(limits::SEARCH_STEPS);
        let mut selection =
            Selection::new(filters, &[], caller, self.knowledge.columns()).with_budget(&budget);
        for (number, segment) in self.segments.iter().enumerate() {
            let docs: Vec<_> = (0..segment.max_doc()).filter(|doc| segment.is_alive(*doc)).collect();
            let selected =
                selection.add(segment.columns(), &docs, |doc| segment.stored_offer(doc))?.into_iter();
            let docs = selected.map(|selected| selected.document);
            let shown = docs.filter(|doc| !ruling.is_out(number, segment, *doc, caller));
            ids.extend(shown.map(|doc| segment.id(doc)));
        }
        Ok(ids)
    }

    fn ruling_of(&self, wanted: &ProductConstraints<'_>) -> Result<RuleMasks, IndexFault> {
        let ProductConstraints { rules, caller, .. } = wanted;
        let effects = rules.map(|rules| rules.effects(&[], self.knowledge.analyser(), &[], caller.now));
        self.ruling(&effects.unwrap_or_default(), caller)
    }
}
