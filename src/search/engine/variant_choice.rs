//! The variant that stands for its product in an answer.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::HashMap;

use tantivy::directory::OwnedBytes;

use super::places::ProductPlace;
use super::query_words::{HeldWords, QueryWords};
use super::typed_number::find_number_or_beginning;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::index::{IndexFault, VariantIdentifiers, VariantTable};
use crate::search::pricing::{BuyerContext, CallerTerms, Offer};
use crate::search::query::filters::Filters;
use crate::search::query::plan::SearchPlan;
use crate::search::query::sort::{Direction, Sort};
use crate::search::query::variant_group::{VariantGroup, groups_of};
use crate::search::query::variants::{UNSEEN, VariantFilters, VariantOutcomes};
use crate::search::query::work_budget::StepBudget;
use crate::search::text::fold_identifier;

/// A variant of an answer.
#[derive(Debug, PartialEq)]
pub struct VariantResult {
    /// Members that an answer shows besides price and stock: a JSON object.
    pub display: OwnedBytes,
    /// Its price for the caller.
    pub offered: Offer,
    /// True if it can be bought now.
    pub in_stock: bool,
}

impl VariantResult {
    fn new(
        snapshot: &IndexSnapshot,
        product: ProductPlace,
        table: &VariantTable<'_>,
        terms: &CallerTerms<'_, '_>,
        variant: usize,
    ) -> Self {
        let (segment, doc) = product;
        let own = table.terms();
        Self {
            display: snapshot.segments[segment].variant_display(doc, variant),
            offered: terms.variant_offer(own.terms(own.number(variant))),
            in_stock: table.is_in_stock(variant),
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> String {
        VariantIdentifiers::read(&self.display).id
    }
}

/// A request as far as it decides between the variants of a product.
pub(super) struct VariantChoice<'c> {
    snapshot: &'c IndexSnapshot,
    caller: &'c BuyerContext,
    filters: &'c Filters,
    sort: &'c Sort,
    /// Number of the column that groups.
    group_column: Option<u8>,
    words: QueryWords,
    /// The query as an id or number.
    number: String,
    /// True if the cheapest of several comes first, and not the first of the shop.
    prefers_cheapest: bool,
    /// Variants that by relevance come before others of their products, by segment and product, in their order.
    preferred: HashMap<ProductPlace, Vec<usize>>,
    /// Pays for the evaluation of variants, if it is bounded.
    budget: Option<&'c StepBudget>,
    /// By segment.
    prepared: HashMap<usize, VariantFilters>,
    /// The product that was evaluated last: the hits of one product stand side by side.
    last: Option<EvaluatedProduct<'c>>,
}

/// A product with variants, evaluated for the caller.
struct EvaluatedProduct<'c> {
    place: ProductPlace,
    table: VariantTable<'c>,
    terms: CallerTerms<'c, 'c>,
    outcomes: VariantOutcomes,
    /// The variants of each group; all in one without groups.
    groups: OnceCell<HashMap<Option<usize>, Vec<usize>>>,
    /// The words of the query that each passing variant holds; none if nothing was counted.
    held: OnceCell<Vec<HeldWords>>,
    /// The variant whose number was typed.
    typed: OnceCell<Option<usize>>,
}

static NO_FILTERS: Filters = Filters::NONE;
static BY_RELEVANCE: Sort = Sort::Relevance;

impl<'c> VariantChoice<'c> {
    /// The choice where nothing is searched for: the first variant in stock.
    pub(super) fn new(snapshot: &'c IndexSnapshot, caller: &'c BuyerContext) -> Self {
        Self {
            snapshot,
            caller,
            filters: &NO_FILTERS,
            sort: &BY_RELEVANCE,
            group_column: None,
            words: QueryWords::default(),
            number: String::new(),
            prefers_cheapest: false,
            preferred: HashMap::new(),
            budget: None,
            prepared: HashMap::new(),
            last: None,
        }
    }

    /// The choice among variants that pass these filters.
    pub(super) fn with_filters(self, filters: &'c Filters) -> Self {
        Self { filters, ..self }
    }

    /// The choice for a search.
    pub(super) fn for_search(self, query: &str, plan: &SearchPlan, sort: &'c Sort) -> Self {
        // Without a currency prices may be in several, which cannot be compared.
        let prefers_cheapest = self.caller.currency.is_some();
        Self { words: QueryWords::new(plan), number: fold_identifier(query), sort, prefers_cheapest, ..self }
    }

    /// The choice within the group of each hit.
    pub(super) fn grouped_by(self, group_by: Option<&str>) -> Self {
        let group_column = group_by.and_then(|name| self.snapshot.knowledge.columns().number(name));
        Self { group_column, ..self }
    }

    /// The same with a budget for the evaluation of variants. Once it is spent, words no longer decide.
    pub(super) fn with_budget(self, budget: &'c StepBudget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// The caller who sees the variants.
    pub(super) const fn caller(&self) -> &'c BuyerContext {
        self.caller
    }

    /// Chooses this variant before others of its product, where it passes, no other variant's number was typed and the
    /// order is by relevance. Of several the first counts.
    pub(super) fn prefer(&mut self, product: ProductPlace, variant: usize) {
        self.preferred.entry(product).or_default().push(variant);
    }

    /// Chooses a variant of a product, which is the hit of a group if there are groups. `None` for a product without
    /// variants, and for one of which no variant passes.
    pub(super) fn choose(
        &mut self,
        product: ProductPlace,
        group: Option<usize>,
        is_exact: bool,
    ) -> Result<Option<VariantResult>, IndexFault> {
        self.evaluate(product)?;
        let Some(evaluated) = &self.last else { return Ok(None) };
        let chosen = self.best_of(evaluated, group, is_exact)?;
        Ok(chosen.map(|variant| self.result(evaluated, variant)))
    }

    /// Returns true if a variant passes the filters; `None` if the caller does not see it.
    pub(super) fn passes(
        &mut self,
        product: ProductPlace,
        variant: usize,
    ) -> Result<Option<bool>, IndexFault> {
        self.evaluate(product)?;
        let failed = self.last.as_ref().and_then(|evaluated| evaluated.outcomes.failed.get(variant));
        Ok(failed.filter(|failed| **failed != UNSEEN).map(|failed| *failed == 0))
    }

    /// All variants of a product that the caller sees, in the shop's order, whether or not they pass.
    pub(super) fn list(&mut self, product: ProductPlace) -> Result<Vec<VariantResult>, IndexFault> {
        self.evaluate(product)?;
        let Some(evaluated) = &self.last else { return Ok(Vec::new()) };
        let seen = (0..evaluated.table.count()).filter(|variant| evaluated.is_seen(*variant));
        Ok(seen.map(|variant| self.result(evaluated, variant)).collect())
    }

    /// Returns true if the caller sees a variant of a hit's group that can be bought now; `None` for a product without
    /// variants.
    pub(super) fn is_in_stock(
        &mut self,
        product: ProductPlace,
        group: Option<usize>,
    ) -> Result<Option<bool>, IndexFault> {
        self.evaluate(product)?;
        let Some(evaluated) = &self.last else { return Ok(None) };
        let can_be_bought =
            |variant: &usize| evaluated.is_seen(*variant) && evaluated.table.is_in_stock(*variant);
        Ok(Some(self.members_of(evaluated, group).iter().any(can_be_bought)))
    }

    /// The groups of a product that have a variant, in no order.
    pub(super) fn groups_with(
        &mut self,
        product: ProductPlace,
        variant: usize,
    ) -> Result<Vec<Option<usize>>, IndexFault> {
        self.evaluate(product)?;
        let Some(evaluated) = &self.last else { return Ok(Vec::new()) };
        let all = self.groups_of(evaluated).iter();
        Ok(all.filter(|(_, members)| members.contains(&variant)).map(|(group, _)| *group).collect())
    }

    /// Orders the groups of a product, which are in the shop's order, as they stand by relevance: the groups of
    /// preferred variants first, then that of the typed number, then by words of the query that a variant holds.
    pub(super) fn order_groups(
        &mut self,
        product: ProductPlace,
        groups: &mut [Option<usize>],
        is_exact: bool,
    ) -> Result<(), IndexFault> {
        let may_differ = is_exact || !self.words.is_empty() || self.preferred.contains_key(&product);
        if groups.len() < 2 || !may_differ {
            return Ok(());
        }
        self.evaluate(product)?;
        let Some(evaluated) = &self.last else { return Ok(()) };
        let typed = self.find_typed(evaluated, is_exact);
        let held = self.count_words(evaluated);
        groups.sort_by_cached_key(|group| {
            let members = self.members_of(evaluated, *group).iter();
            let passing = members.filter(|variant| evaluated.outcomes.failed[**variant] == 0);
            let ranks = passing.map(|variant| {
                let words = Reverse(held.get(*variant).copied().unwrap_or_default());
                (self.preference(evaluated.place, *variant), typed != Some(*variant), words)
            });
            ranks.min().unwrap_or((usize::MAX, true, Reverse(HeldWords::default())))
        });
        Ok(())
    }

    /// Evaluates the filters for the variants of a product; none is left as evaluated if it has no variants, or the
    /// caller does not see it.
    fn evaluate(&mut self, place: ProductPlace) -> Result<(), IndexFault> {
        if self.last.as_ref().is_some_and(|last| last.place == place) {
            return Ok(());
        }
        let mut outcomes = self.last.take().map(|last| last.outcomes).unwrap_or_default();
        let (number, doc) = place;
        let snapshot = self.snapshot;
        let segment = &snapshot.segments[number];
        let Some(table) = segment.variant_table(doc) else { return Ok(()) };
        let Ok(terms) = CallerTerms::read(segment.offer(doc), self.caller) else { return Ok(()) };
        if !self.prepared.contains_key(&number) {
            let columns = snapshot.knowledge.columns();
            let filters = VariantFilters::new(self.filters, segment.columns(), columns, true)?;
            self.prepared.insert(number, filters);
        }
        if let Some(filters) = self.prepared.get(&number) {
            self.spend(table.count());
            filters.evaluate(doc, 0, &terms, &table, &mut outcomes);
        }
        self.last = Some(EvaluatedProduct {
            place,
            table,
            terms,
            outcomes,
            groups: OnceCell::new(),
            held: OnceCell::new(),
            typed: OnceCell::new(),
        });
        Ok(())
    }

    fn spend(&self, steps: usize) {
        if let Some(budget) = self.budget {
            budget.spend(steps);
        }
    }

    fn result(&self, evaluated: &EvaluatedProduct<'_>, variant: usize) -> VariantResult {
        let EvaluatedProduct { place, table, terms, .. } = evaluated;
        VariantResult::new(self.snapshot, *place, table, terms, variant)
    }

    /// The best of the passing variants of a group. In an order by price or an attribute, first by what decides the
    /// place of the hit, so that hits stand in the order that is seen. Then the variant whose number was typed; by
    /// relevance the preferred ones; then by words, stock, price, and the order of the shop.
    fn best_of(
        &self,
        evaluated: &EvaluatedProduct<'_>,
        group: Option<usize>,
        is_exact: bool,
    ) -> Result<Option<usize>, IndexFault> {
        let EvaluatedProduct { place: (segment, document), table, outcomes, .. } = evaluated;
        let members = self.members_of(evaluated, group);
        let unit = VariantGroup { document: *document, table, members, outcomes };
        let columns = self.snapshot.segments[*segment].columns();
        let deciding = self.sort.deciding_variants(&unit, columns, self.snapshot.knowledge.columns())?;
        let typed = self.find_typed(evaluated, is_exact);
        let held = self.count_words(evaluated);
        Ok(unit.passing_except(0).min_by_key(|variant| {
            let price = outcomes.prices[*variant];
            let amount = price.unwrap_or(i64::MAX);
            let by_sort = match self.sort {
                Sort::Price(Direction::Up) => amount,
                Sort::Price(Direction::Down) => price.map_or(i64::MAX, |price| -price),
                _ => deciding.as_ref().map_or(0, |all| i64::from(all.binary_search(variant).is_err())),
            };
            let by_relevance = *self.sort == Sort::Relevance;
            let preference = if by_relevance { self.preference(evaluated.place, *variant) } else { 0 };
            let words = Reverse(held.get(*variant).copied().unwrap_or_default());
            let cheapest = if self.prefers_cheapest { amount } else { 0 };
            let is_sold_out = !table.is_in_stock(*variant);
            (by_sort, typed != Some(*variant), preference, words, is_sold_out, cheapest, *variant)
        }))
    }

    /// The place of a variant among the preferred ones of its product; the last for all others.
    fn preference(&self, product: ProductPlace, variant: usize) -> usize {
        let preferred = self.preferred.get(&product).map_or(&[][..], Vec::as_slice);
        preferred.iter().position(|preferred| *preferred == variant).unwrap_or(usize::MAX)
    }

    /// The variant whose id or number is the query, in a product that is found by its number.
    fn find_typed(&self, evaluated: &EvaluatedProduct<'_>, is_exact: bool) -> Option<usize> {
        if !is_exact {
            return None;
        }
        let (segment, doc) = evaluated.place;
        *evaluated.typed.get_or_init(|| {
            self.spend(evaluated.table.count());
            let variants = self.snapshot.segments[segment].shown_variants(doc);
            find_number_or_beginning(&variants, &self.number)
        })
    }

    fn groups_of<'e>(&self, evaluated: &'e EvaluatedProduct<'_>) -> &'e HashMap<Option<usize>, Vec<usize>> {
        evaluated.groups.get_or_init(|| match self.group_column {
            Some(column) => groups_of(&evaluated.table, column).into_iter().collect(),
            None => HashMap::from([(None, (0..evaluated.table.count()).collect())]),
        })
    }

    /// The variants of a group; all without groups.
    fn members_of<'e>(&self, evaluated: &'e EvaluatedProduct<'_>, group: Option<usize>) -> &'e [usize] {
        self.groups_of(evaluated).get(&group).map_or(&[], Vec::as_slice)
    }

    /// Counts for each passing variant the words of the query that it has, of the words that not all variants have.
    fn count_words<'e>(&self, evaluated: &'e EvaluatedProduct<'_>) -> &'e [HeldWords] {
        evaluated.held.get_or_init(|| {
            let mut counts = Vec::new();
            if self.words.is_empty() || self.budget.is_some_and(StepBudget::is_spent) {
                return counts;
            }
            let EvaluatedProduct { table, outcomes, .. } = evaluated;
            self.spend(table.count());
            counts.resize(table.count(), HeldWords::default());
            table.for_each_variant_words(|variant, keys| {
                if outcomes.failed.get(variant) == Some(&0) {
                    counts[variant] = self.words.count_held(keys);
                }
            });
            counts
        })
    }
}

impl EvaluatedProduct<'_> {
    /// Returns true if the caller sees a variant.
    fn is_seen(&self, variant: usize) -> bool {
        self.outcomes.failed[variant] != UNSEEN
    }
}
