//! The variant that stands for its product in an answer.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use tantivy::directory::OwnedBytes;

use super::places::ProductPlace;
use super::plan_stems::stems_of_way;
use crate::ids::gtin::parse_gtin;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::index::{
    IndexFault, VariantDisplayTable, VariantIdentifiers, VariantTable, variant_word_key,
    without_leading_zeros,
};
use crate::search::pricing::{BuyerContext, CallerTerms, Offer};
use crate::search::query::filters::Filters;
use crate::search::query::plan::SearchPlan;
use crate::search::query::sort::{Direction, Sort};
use crate::search::query::variant_unit::{VariantUnit, groups_of};
use crate::search::query::variants::{UNSEEN, VariantFilters, VariantOutcomes};
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
        let numbers: VariantIdentifiers<'_> = serde_json::from_slice(&self.display).unwrap_or_default();
        numbers.id.into_owned()
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
    /// For each word of the query the keys of each way to hold it; the word as it stands comes first.
    words: Vec<Vec<Vec<u32>>>,
    /// The query as an id or number.
    number: String,
    /// True if the cheapest of several comes first, and not the first of the shop.
    prefers_cheapest: bool,
    /// Variants that come before all others of their products, by segment and product.
    preferred: HashMap<ProductPlace, usize>,
    /// By segment.
    prepared: HashMap<usize, VariantFilters>,
    outcomes: VariantOutcomes,
}

static NO_FILTERS: Filters = Filters::NONE;
static BY_RELEVANCE: Sort = Sort::Relevance;

impl<'c> VariantChoice<'c> {
    /// The choice where nothing is searched for: the first variant in stock.
    pub(super) fn without_query(snapshot: &'c IndexSnapshot, caller: &'c BuyerContext) -> Self {
        Self {
            snapshot,
            caller,
            filters: &NO_FILTERS,
            sort: &BY_RELEVANCE,
            group_column: None,
            words: Vec::new(),
            number: String::new(),
            prefers_cheapest: false,
            preferred: HashMap::new(),
            prepared: HashMap::new(),
            outcomes: VariantOutcomes::default(),
        }
    }

    /// The choice among variants that pass these filters.
    pub(super) fn with_filters(self, filters: &'c Filters) -> Self {
        Self { filters, ..self }
    }

    /// The choice for a search.
    pub(super) fn for_search(self, query: &str, plan: &SearchPlan, sort: &'c Sort) -> Self {
        let keys_of = |stems: Vec<&str>| stems.into_iter().map(variant_word_key).collect::<Vec<u32>>();
        let words = plan.words.iter().map(|word| {
            let ways = word.alternatives.iter().map(|way| keys_of(stems_of_way(way)));
            std::iter::once(vec![variant_word_key(&word.stem)]).chain(ways).collect()
        });
        Self { words: words.collect(), number: fold_identifier(query), sort, prefers_cheapest: true, ..self }
    }

    /// The caller who sees the variants.
    pub(super) const fn caller(&self) -> &'c BuyerContext {
        self.caller
    }

    /// Chooses this variant before all others of its product, where it passes.
    pub(super) fn prefer(&mut self, product: ProductPlace, variant: usize) {
        self.preferred.insert(product, variant);
    }

    /// The choice within the group of each hit.
    pub(super) fn grouped_by(self, group_by: Option<&str>) -> Self {
        let group_column = group_by.and_then(|name| self.snapshot.knowledge.columns().number(name));
        Self { group_column, ..self }
    }

    /// Chooses a variant of a product, which is the hit of a group if there are groups. `None` for a product without
    /// variants, and for one of which the caller sees none.
    pub(super) fn choose(
        &mut self,
        product: ProductPlace,
        group: Option<usize>,
        is_exact: bool,
    ) -> Result<Option<VariantResult>, IndexFault> {
        let snapshot = self.snapshot;
        let Some((table, terms)) = self.evaluate(product)? else { return Ok(None) };
        let chosen = self.best_of(product, &table, group, is_exact);
        Ok(chosen.map(|variant| VariantResult::new(snapshot, product, &table, &terms, variant)))
    }

    /// Returns true if a variant passes the filters; `None` if the caller does not see it.
    pub(super) fn passes(
        &mut self,
        product: ProductPlace,
        variant: usize,
    ) -> Result<Option<bool>, IndexFault> {
        let is_read = self.evaluate(product)?.is_some();
        let failed = self.outcomes.failed.get(variant).filter(|failed| is_read && **failed != UNSEEN);
        Ok(failed.map(|failed| *failed == 0))
    }

    /// All variants of a product that the caller sees, in the shop's order, whether or not they pass.
    pub(super) fn list(&mut self, product: ProductPlace) -> Result<Vec<VariantResult>, IndexFault> {
        let snapshot = self.snapshot;
        let Some((table, terms)) = self.evaluate(product)? else { return Ok(Vec::new()) };
        let seen = (0..table.count()).filter(|variant| self.outcomes.failed[*variant] != UNSEEN);
        Ok(seen.map(|variant| VariantResult::new(snapshot, product, &table, &terms, variant)).collect())
    }

    /// Evaluates the filters for the variants of a product; `None` if it has none, or the caller does not see it.
    fn evaluate(
        &mut self,
        product: ProductPlace,
    ) -> Result<Option<(VariantTable<'c>, CallerTerms<'c, 'c>)>, IndexFault> {
        let (number, doc) = product;
        let snapshot = self.snapshot;
        let segment = &snapshot.segments[number];
        let Some(table) = segment.variant_table(doc) else { return Ok(None) };
        let Ok(terms) = CallerTerms::read(segment.offer(doc), self.caller) else { return Ok(None) };
        if !self.prepared.contains_key(&number) {
            let columns = snapshot.knowledge.columns();
            let filters = VariantFilters::new(self.filters, segment.columns(), columns, true)?;
            self.prepared.insert(number, filters);
        }
        if let Some(filters) = self.prepared.get(&number) {
            filters.evaluate(doc, 0, &terms, &table, &mut self.outcomes);
        }
        Ok(Some((table, terms)))
    }

    /// The preferred variant if it passes all filters, else the first by number, words, stock, price and the shop's
    /// order among those that pass. In an order by price the price comes before all but the number, so that hits stand
    /// in the order that is seen.
    fn best_of(
        &self,
        product: ProductPlace,
        table: &VariantTable<'_>,
        group: Option<usize>,
        is_exact: bool,
    ) -> Option<usize> {
        let (segment, doc) = product;
        let preferred = self.preferred.get(&product).copied();
        let members = self.members_of(table, group);
        let unit = VariantUnit { document: doc, table, members: &members, outcomes: &self.outcomes };
        let mut candidates: Vec<usize> = unit.passing(0).collect();
        if candidates.is_empty() {
            // A rule may put a product in front that no filter was asked about.
            let is_seen = |variant: &usize| self.outcomes.failed[*variant] != UNSEEN;
            candidates = members.iter().copied().filter(is_seen).collect();
        }
        if let Some(preferred) = preferred.filter(|preferred| candidates.contains(preferred)) {
            return Some(preferred);
        }
        if is_exact {
            let typed = place_of_number(&self.snapshot.segments[segment].shown_variants(doc), &self.number);
            if let Some(typed) = typed.filter(|typed| candidates.contains(typed)) {
                return Some(typed);
            }
        }
        let held = self.count_words(table);
        let prices = &self.outcomes.prices;
        candidates.into_iter().min_by_key(|variant| {
            let price = prices[*variant].unwrap_or(i64::MAX);
            let by_sort = match self.sort {
                Sort::Price(Direction::Up) => price,
                Sort::Price(Direction::Down) => prices[*variant].map_or(i64::MAX, |price| -price),
                _ => 0,
            };
            let words = Reverse(held.get(*variant).copied().unwrap_or_default());
            let cheapest = if self.prefers_cheapest { price } else { 0 };
            (by_sort, words, !table.is_in_stock(*variant), cheapest, *variant)
        })
    }

    /// The variants of a group; all without groups.
    fn members_of(&self, table: &VariantTable<'_>, group: Option<usize>) -> Vec<usize> {
        let Some(column) = self.group_column else { return (0..table.count()).collect() };
        let mut groups = groups_of(table, column).into_iter();
        groups.find(|(place, _)| *place == group).map(|(_, members)| members).unwrap_or_default()
    }

    /// Returns true if a variant of a hit's group can be bought now; `None` for a product without variants.
    pub(super) fn is_in_stock(&self, product: ProductPlace, group: Option<usize>) -> Option<bool> {
        let (segment, doc) = product;
        let table = self.snapshot.segments[segment].variant_table(doc)?;
        Some(self.members_of(&table, group).into_iter().any(|variant| table.is_in_stock(variant)))
    }

    /// Counts for each variant the words of the query that it has in any form, and those that it has as they stand, of
    /// the words that not all variants have.
    fn count_words(&self, table: &VariantTable<'_>) -> Vec<(usize, usize)> {
        let mut counts = Vec::new();
        if self.words.is_empty() {
            return counts;
        }
        counts.resize(table.count(), (0, 0));
        let mut own: Vec<u32> = Vec::new();
        table.for_each_variant_words(|variant, words| {
            own.clear();
            own.extend(words);
            let has = |way: &Vec<u32>| !way.is_empty() && way.iter().all(|key| own.contains(key));
            let in_any_form = self.words.iter().filter(|ways| ways.iter().any(has)).count();
            let as_they_stand = self.words.iter().filter(|ways| ways.first().is_some_and(has)).count();
            counts[variant] = (in_any_form, as_they_stand);
        });
        counts
    }
}

/// The variant with this id or number, leading zeros aside, or the only one with a number that begins with it.
pub(super) fn place_of_number(variants: &VariantDisplayTable<'_>, name: &str) -> Option<usize> {
    if name.is_empty() {
        return None;
    }
    let numbers = |variant: &VariantIdentifiers<'_>| {
        [&variant.sku, &variant.id, &variant.gtin].map(|text| fold_identifier(text))
    };
    let is_it = |variant: VariantIdentifiers<'_>| {
        numbers(&variant).iter().any(|number| number_of(number) == number_of(name))
    };
    let begins =
        |variant: &VariantIdentifiers<'_>| numbers(variant).iter().any(|number| number.starts_with(name));
    variants.numbers().position(is_it).or_else(|| {
        let has_digit = name.bytes().any(|byte| byte.is_ascii_digit());
        let mut begun = variants.numbers().enumerate().filter(|(_, variant)| has_digit && begins(variant));
        begun.next().filter(|_| begun.next().is_none()).map(|(place, _)| place)
    })
}

/// A number as all its usual writings have it: a barcode in its canonical digits, any other without leading zeros.
fn number_of(name: &str) -> Cow<'_, str> {
    match parse_gtin(name) {
        Ok(barcode) => Cow::Owned(barcode),
        Err(_) => Cow::Borrowed(without_leading_zeros(name).unwrap_or(name)),
    }
}
