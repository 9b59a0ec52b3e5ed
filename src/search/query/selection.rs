//! Selection among the products that match: filtered, priced for the caller, counted for facets.

use std::io;
use std::rc::Rc;

use tantivy::DocId;

use super::column_filters::ColumnBuffers;
use super::columns::AttributeColumns;
use super::facets::{Facet, FacetCounter};
use super::filters::Filters;
use super::product_property::ProductProperty;
use super::segment::SegmentColumns;
use super::selected_product::{GroupKey, SelectedProduct};
use super::sort::Sort;
use super::variant_group::{FAILS, VariantGroup, failure_mask_of, groups_of};
use super::variants::{StoredOffer, VariantFilters, VariantOutcomes};
use super::work_budget::StepBudget;
use crate::limits;
use crate::search::index::VariantTable;
use crate::search::pricing::{BuyerContext, CallerTerms, Offer};

/// The products of a query, segment by segment.
pub struct Selection<'q> {
    filters: &'q Filters,
    caller: &'q BuyerContext,
    attributes: &'q AttributeColumns,
    countings: Vec<FacetCounter<'q>>,
    /// The filters that a facet leaves aside.
    counted_without: u32,
    sort: &'q Sort,
    /// The attribute for each of whose values a product is selected once.
    group_by: Option<&'q str>,
    /// Pays for the evaluation of variants, if it is bounded.
    budget: Option<&'q StepBudget>,
    /// The filters as variants are compared with them, by segment: prepared at the first product that has variants.
    prepared: Vec<(&'q SegmentColumns, Rc<VariantFilters>)>,
    buffers: Buffers,
}

#[derive(Default)]
struct Buffers {
    /// The filters that each product fails, a bit each; then 0 or [`FAILS`] with the filters that it fails alone.
    tested: ColumnBuffers,
    /// True for products whose variants were evaluated one by one.
    by_variant: Vec<bool>,
    prices: Vec<Option<i64>>,
    documents: Vec<DocId>,
    amounts: Vec<i64>,
    outcomes: VariantOutcomes,
}

/// No filter, facet or order needs more than this.
static BY_RELEVANCE: Sort = Sort::Relevance;

impl<'q> Selection<'q> {
    /// Filters by `filters` and counts `facets`, as `caller` sees products. Filters and facets were read with the same
    /// `attributes`.
    #[must_use]
    pub fn new(
        filters: &'q Filters,
        facets: &'q [ProductProperty],
        caller: &'q BuyerContext,
        attributes: &'q AttributeColumns,
    ) -> Self {
        let countings: Vec<_> =
            facets.iter().map(|subject| FacetCounter::new(subject, filters, attributes)).collect();
        let counted_without = countings.iter().fold(0, |bits, counting| bits | counting.own_filter);
        let buffers = Buffers::default();
        Self {
            filters,
            caller,
            attributes,
            countings,
            counted_without,
            sort: &BY_RELEVANCE,
            group_by: None,
            budget: None,
            prepared: Vec::new(),
            buffers,
        }
    }

    /// The same with a budget for the evaluation of variants; once it is spent, products with variants fail.
    #[must_use]
    pub fn with_budget(self, budget: &'q StepBudget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// The same for products that are sorted afterwards: which variant's price and values count depends on the order.
    #[must_use]
    pub fn sorted_by(self, sort: &'q Sort) -> Self {
        Self { sort, ..self }
    }

    /// The same with a product selected once for each value of an attribute.
    #[must_use]
    pub fn grouped_by(self, group_by: Option<&'q str>) -> Self {
        Self { group_by, ..self }
    }

    /// Selects from the matching products of a segment, in ascending order and each once, and counts them. `offer_of`
    /// gives a product's offer and variants.
    ///
    /// # Errors
    /// When a column cannot be read.
    pub fn add<'t>(
        &mut self,
        columns: &'q SegmentColumns,
        documents: &[DocId],
        offer_of: impl Fn(DocId) -> StoredOffer<'t>,
    ) -> io::Result<Vec<SelectedProduct>> {
        self.buffers.tested.test(self.filters, columns, documents)?;
        let selected = self.select(columns, documents, offer_of)?;
        self.count(columns, documents)?;
        Ok(selected)
    }

    /// The facets, in the order of the request.
    ///
    /// # Errors
    /// When a text of a column cannot be read.
    pub fn finish(self) -> io::Result<Vec<Facet>> {
        self.countings.into_iter().map(FacetCounter::finish).collect()
    }

    /// Returns true if one product of a segment is selected.
    ///
    /// # Errors
    /// When a column cannot be read.
    pub fn selects(
        &mut self,
        columns: &'q SegmentColumns,
        document: DocId,
        offer: StoredOffer<'_>,
    ) -> io::Result<bool> {
        Ok(!self.add(columns, &[document], |_| offer)?.is_empty())
    }

    /// The filters as the variants of a segment are compared with them.
    fn variant_filters(&mut self, columns: &'q SegmentColumns) -> io::Result<Rc<VariantFilters>> {
        let of_segment = self.prepared.iter().find(|(prepared, _)| std::ptr::eq(*prepared, columns));
        if let Some((_, filters)) = of_segment {
            return Ok(Rc::clone(filters));
        }
        let filters = VariantFilters::new(self.filters, columns, self.attributes, self.needs_prices())?;
        let filters = Rc::new(filters);
        self.prepared.push((columns, Rc::clone(&filters)));
        for counting in &mut self.countings {
            counting.open(columns, self.attributes)?;
        }
        Ok(filters)
    }

    fn needs_prices(&self) -> bool {
        let is_price = |counting: &FacetCounter<'_>| *counting.subject == ProductProperty::Price;
        matches!(self.sort, Sort::Price(_)) || self.countings.iter().any(is_price)
    }

    /// Resolves the offers of all products that are still counted somewhere, and evaluates their variants; products
    /// that the caller may not see are out.
    fn select<'t>(
        &mut self,
        columns: &'q SegmentColumns,
        documents: &[DocId],
        offer_of: impl Fn(DocId) -> StoredOffer<'t>,
    ) -> io::Result<Vec<SelectedProduct>> {
        let price_filter = self.filters.price_filter();
        let mut by_variant: Option<Rc<VariantFilters>> = None;
        let mut selected = Vec::new();
        self.buffers.prices.clear();
        self.buffers.prices.resize(documents.len(), None);
        self.buffers.by_variant.clear();
        self.buffers.by_variant.resize(documents.len(), false);
        for (place, document) in documents.iter().enumerate() {
            let failed = self.buffers.tested.failed[place];
            // A product that fails a filter counts only for the facet of this filter.
            let is_counted = failed == 0 || (failed.count_ones() == 1 && failed & self.counted_without != 0);
            self.buffers.tested.failed[place] = FAILS;
            if !is_counted {
                continue;
            }
            let StoredOffer { terms, variants } = offer_of(*document);
            let Ok(terms) = CallerTerms::read(terms, self.caller) else { continue };
            let found = SelectedProduct {
                place: place as u32,
                document: *document,
                price: None,
                group: None,
                key: GroupKey::OfProduct,
            };
            if let Some(table) = variants {
                let by_variant = match &by_variant {
                    Some(filters) => filters,
                    None => by_variant.insert(self.variant_filters(columns)?),
                };
                if !self.needs_no_evaluation(by_variant, &terms, &table) {
                    if self.try_spend(by_variant, &table) {
                        by_variant.evaluate(*document, failed, &terms, &table, &mut self.buffers.outcomes);
                        self.take_variants(columns, found, &table, &mut selected)?;
                    }
                    continue;
                }
            }
            // Of variants that are alike every caller sees each, whatever their product's own price.
            let offered = match variants {
                Some(_) => Offer { visible: true, ..Offer::default() },
                None => terms.offer(),
            };
            let price = offered.price.map(|price| price.amount);
            let failed = match price_filter {
                _ if !offered.visible => continue,
                Some(filter) if !filter.wants(price) => failed | filter.bit,
                _ => failed,
            };
            self.buffers.tested.failed[place] = failure_mask_of(failed);
            self.buffers.prices[place] = price;
            if failed == 0 {
                selected.push(SelectedProduct { price, ..found });
            }
        }
        Ok(selected)
    }

    /// Takes the steps of comparing a product's variants with all filters and facets. Returns false if too few are
    /// left.
    fn try_spend(&self, filters: &VariantFilters, table: &VariantTable<'_>) -> bool {
        let Some(budget) = self.budget else { return true };
        // A facet whose attribute has no axis reads no variant; price and stock need none.
        let facets = self.countings.len().min(table.axes() + 2);
        let passes = 1 + filters.count() + facets + usize::from(self.group_by.is_some());
        budget.spend(1 + table.count() * passes / limits::SEARCH_STEP_VARIANTS);
        !budget.is_spent()
    }

    /// Returns true if the columns of a product tell all that is asked of it, whichever of its variants are meant.
    fn needs_no_evaluation(
        &self,
        by_variant: &VariantFilters,
        terms: &CallerTerms<'_, '_>,
        table: &VariantTable<'_>,
    ) -> bool {
        let counts_stock =
            self.countings.iter().any(|counting| *counting.subject == ProductProperty::InStock);
        self.group_by.is_none() && !counts_stock && by_variant.needs_no_evaluation(terms, table)
    }

    /// Takes a product whose variants were evaluated: once, or once for each value that groups.
    fn take_variants(
        &mut self,
        columns: &'q SegmentColumns,
        found: SelectedProduct,
        table: &VariantTable<'_>,
        selected: &mut Vec<SelectedProduct>,
    ) -> io::Result<()> {
        let grouped = self.group_by.and_then(|name| self.attributes.number(name));
        let groups = match grouped {
            Some(column) => groups_of(table, column),
            None => vec![(None, (0..table.count()).collect())],
        };
        let mut mark = FAILS;
        let mut kept = 0;
        for (value, members) in &groups {
            let group =
                VariantGroup { document: found.document, table, members, outcomes: &self.buffers.outcomes };
            let of_group = group.failure_mask();
            mark = if mark == 0 || of_group == 0 { 0 } else { mark | of_group };
            for counting in &mut self.countings {
                kept += counting.count_group(columns, &group, self.attributes, self.group_by.is_some())?;
            }
            if of_group == 0 {
                let price = self.sort.price_of(&group);
                let key = self.sort.group_key(&group, columns, self.attributes)?;
                selected.push(SelectedProduct { price, group: *value, key, ..found });
                kept += 1;
            }
        }
        if let Some(budget) = self.budget {
            budget.spend(kept * limits::SEARCH_STEPS_KEPT);
        }
        let place = found.place as usize;
        self.buffers.tested.failed[place] = mark;
        self.buffers.by_variant[place] = true;
        Ok(())
    }

    fn count(&mut self, columns: &'q SegmentColumns, documents: &[DocId]) -> io::Result<()> {
        let buffers = &mut self.buffers;
        let is_grouped = self.group_by.is_some();
        for counting in &mut self.countings {
            let own = counting.own_filter;
            let is_counted = |place: usize, failed: u32| {
                let is_already_counted =
                    buffers.by_variant[place] && (is_grouped || counting.subject.is_of_variants());
                !is_already_counted && (failed == 0 || failed & own != 0)
            };
            let counted = buffers
                .tested
                .failed
                .iter()
                .enumerate()
                .filter(|(place, failed)| is_counted(*place, **failed));
            buffers.documents.clear();
            if counting.subject == &ProductProperty::Price {
                buffers.amounts.clear();
                buffers.amounts.extend(counted.filter_map(|(place, _)| buffers.prices[place]));
                counting.add_amounts(&buffers.amounts);
            } else {
                buffers.documents.extend(counted.map(|(place, _)| documents[place]));
                counting.add(
                    columns,
                    &buffers.documents,
                    &mut buffers.tested.ordinals,
                    &mut buffers.tested.numbers,
                )?;
            }
        }
        Ok(())
    }
}

/// Selects, from these products of a segment in rising order, those that pass all filters except those on prices,
/// independent of the caller. `table_of` gives a product's variants.
///
/// # Errors
/// When a column cannot be read.
pub fn all_wanted<'t>(
    filters: &Filters,
    columns: &SegmentColumns,
    attributes: &AttributeColumns,
    documents: &[DocId],
    table_of: impl Fn(DocId) -> Option<VariantTable<'t>>,
) -> io::Result<Vec<DocId>> {
    let mut buffers = Buffers::default();
    buffers.tested.test(filters, columns, documents)?;
    let by_variant = VariantFilters::new(filters, columns, attributes, false)?;
    let mut wanted = Vec::new();
    for (document, failed) in documents.iter().zip(&buffers.tested.failed) {
        let outcomes = &mut buffers.outcomes;
        let is_wanted = *failed == 0
            && table_of(*document).is_none_or(|table| by_variant.has_passing(*document, &table, outcomes));
        wanted.extend(is_wanted.then_some(*document));
    }
    Ok(wanted)
}
