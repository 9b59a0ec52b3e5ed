//! Filters on the variants of a product: they hold for the product when one single variant satisfies all of them.

use std::io;
use std::sync::Arc;

use tantivy::DocId;

use super::columns::{AttributeColumns, IN_STOCK};
use super::filters::{FilterCondition, Filters, PriceFilter};
use super::product_property::ProductProperty;
use super::segment::{SegmentAttribute, SegmentColumns, TextColumn};
use crate::search::index::VariantTable;
use crate::search::pricing::{BuyerContext, CallerTerms};

/// Mark of a variant that the caller does not see.
pub const UNSEEN: u32 = u32::MAX;

/// A product of the index, as far as its offer and its variants go.
#[derive(Clone, Copy)]
pub struct StoredOffer<'t> {
    /// The encoded terms of its offer.
    pub terms: &'t [u8],
    /// Its variants, if it has any.
    pub variants: Option<VariantTable<'t>>,
}

/// The filters of a query that variants may satisfy differently, on the columns of one segment.
#[derive(Debug)]
pub struct VariantFilters {
    attributes: Vec<AttributeFilter>,
    /// Bit of the filter on the stock, and the wanted state.
    stock: Option<(u32, bool)>,
    prices: Option<PriceFilter>,
    /// True if prices are needed without a filter on them.
    needs_prices: bool,
}

/// A filter on an attribute.
#[derive(Debug)]
struct AttributeFilter {
    bit: u32,
    /// Number of the attribute's column.
    column: u8,
    values: Arc<SegmentAttribute>,
    /// By ordinal: true if the value is wanted.
    wanted: Vec<bool>,
}

/// Outcome of the filters for each variant of one product, filled again for the next.
#[derive(Default)]
pub struct VariantOutcomes {
    /// The filters that each variant fails, a bit each; [`UNSEEN`] if it is out for all facets.
    pub failed: Vec<u32>,
    /// Price of each for the caller, in parts of a unit, where prices are needed.
    pub prices: Vec<Option<i64>>,
    wanted_places: Vec<bool>,
}

impl VariantFilters {
    /// Prepares the filters for a segment.
    ///
    /// # Errors
    /// When a column cannot be read.
    pub fn new(
        filters: &Filters,
        columns: &SegmentColumns,
        attributes: &AttributeColumns,
        needs_prices: bool,
    ) -> io::Result<Self> {
        let prices = filters.price_filter();
        let needs_prices = needs_prices || prices.is_some();
        let mut prepared = Self { attributes: Vec::new(), stock: None, prices, needs_prices };
        for (number, filter) in filters.all.iter().enumerate() {
            let bit = 1 << number;
            match (&filter.subject, &filter.wanted) {
                (ProductProperty::InStock, FilterCondition::Flag(IN_STOCK, is_set)) => {
                    prepared.stock = Some((bit, *is_set));
                }
                (ProductProperty::Attribute(name), wanted) => {
                    let Some(column) = attributes.number(name) else { continue };
                    let values = columns.attribute(name)?;
                    let wanted =
                        wanted_values(wanted, &values, |text| attributes.number_of_text(name, text))?;
                    prepared.attributes.push(AttributeFilter { bit, column, values, wanted });
                }
                _ => {}
            }
        }
        Ok(prepared)
    }

    /// Returns true if all variants of a product pass the filters or fail them together, and nobody asks for prices:
    /// then the product's columns tell all.
    pub(super) fn needs_no_evaluation(&self, terms: &CallerTerms<'_, '_>, table: &VariantTable<'_>) -> bool {
        let is_filtered = !self.attributes.is_empty() || self.stock.is_some();
        !is_filtered && !self.needs_prices && table.is_visible_to_all(terms.currency())
    }

    /// Number of filters that each variant is compared with.
    pub(super) fn count(&self) -> usize {
        self.attributes.len() + usize::from(self.stock.is_some()) + usize::from(self.needs_prices)
    }

    /// Evaluates the filters for each variant of a product. `failed` has the filters that the product fails as a whole;
    /// of these the ones that the variants decide are evaluated again.
    pub fn evaluate(
        &self,
        doc: DocId,
        failed: u32,
        terms: &CallerTerms<'_, '_>,
        table: &VariantTable<'_>,
        outcomes: &mut VariantOutcomes,
    ) {
        self.apply_filters(doc, failed, table, outcomes);
        self.apply_prices(terms, table, outcomes);
    }

    /// Returns true if a variant passes all filters but the one on prices, whoever asks.
    pub(super) fn has_passing(
        &self,
        doc: DocId,
        table: &VariantTable<'_>,
        outcomes: &mut VariantOutcomes,
    ) -> bool {
        self.apply_filters(doc, 0, table, outcomes);
        outcomes.failed.contains(&0)
    }

    /// Returns true if a variant passes all filters for a caller; of a product without variants only the price is
    /// tested.
    #[must_use]
    pub fn has_passing_variant(&self, doc: DocId, offer: StoredOffer<'_>, caller: &BuyerContext) -> bool {
        let Ok(terms) = CallerTerms::read(offer.terms, caller) else { return false };
        let Some(table) = offer.variants else {
            let price = terms.offer().price.map(|price| price.amount);
            return self.prices.is_none_or(|filter| filter.wants(price));
        };
        let mut outcomes = VariantOutcomes::default();
        self.evaluate(doc, 0, &terms, &table, &mut outcomes);
        outcomes.failed.contains(&0)
    }

    /// Marks the filters that variants fail, except the one on prices.
    fn apply_filters(
        &self,
        doc: DocId,
        failed: u32,
        table: &VariantTable<'_>,
        outcomes: &mut VariantOutcomes,
    ) {
        let VariantOutcomes { failed: each, wanted_places, .. } = outcomes;
        let mut common = failed;
        each.clear();
        each.resize(table.count(), 0);
        for filter in &self.attributes {
            let Some(axis) = table.axis(filter.column) else { continue };
            common &= !filter.bit;
            filter.values.wanted_places(doc, &filter.wanted, wanted_places);
            each.iter_mut().for_each(|failed| *failed |= filter.bit);
            axis.each_place(|variant, place| {
                if wanted_places.get(place) == Some(&true)
                    && let Some(failed) = each.get_mut(variant)
                {
                    *failed &= !filter.bit;
                }
            });
        }
        if let Some((bit, is_wanted)) = self.stock {
            common &= !bit;
            for (variant, failed) in each.iter_mut().enumerate() {
                if table.is_in_stock(variant) != is_wanted {
                    *failed |= bit;
                }
            }
        }
        if let Some(filter) = &self.prices {
            common &= !filter.bit;
        }
        each.iter_mut().for_each(|failed| *failed |= common);
    }

    /// Marks the variants that the caller does not see, and those whose price is not wanted.
    fn apply_prices(
        &self,
        terms: &CallerTerms<'_, '_>,
        table: &VariantTable<'_>,
        VariantOutcomes { failed, prices, .. }: &mut VariantOutcomes,
    ) {
        prices.clear();
        prices.resize(failed.len(), None);
        if !self.needs_prices && table.is_visible_to_all(terms.currency()) {
            return;
        }
        let own = table.terms();
        let mut last = None;
        for (variant, (failed, price)) in failed.iter_mut().zip(prices).enumerate() {
            let number = own.number(variant);
            // Neighbours often cost the same.
            let offer = match last {
                Some((same, offer)) if same == number => offer,
                _ => terms.variant_offer(own.terms(number)),
            };
            last = Some((number, offer));
            *price = offer.price.map(|price| price.amount);
            if !offer.visible {
                *failed = UNSEEN;
            } else if let Some(filter) = self.prices.filter(|filter| !filter.wants(*price)) {
                *failed |= filter.bit;
            }
        }
    }
}

/// By ordinal: true if a value is one of those that a filter wants.
fn wanted_values(
    wanted: &FilterCondition,
    values: &SegmentAttribute,
    number_of: impl Fn(&str) -> Option<f64>,
) -> io::Result<Vec<bool>> {
    let Some(texts) = &values.texts else { return Ok(Vec::new()) };
    let mut set = vec![false; texts.values()];
    if let FilterCondition::Texts(named) | FilterCondition::Values(named, _) = wanted {
        for text in named {
            if let Some(ordinal) = texts.ordinal(text)?
                && let Some(is_wanted) = set.get_mut(ordinal as usize)
            {
                *is_wanted = true;
            }
        }
    }
    if matches!(wanted, FilterCondition::Between(..))
        || matches!(wanted, FilterCondition::Values(_, numbers) if !numbers.is_empty())
    {
        let numbers = values.numbers_of_texts(number_of)?;
        for (set, number) in set.iter_mut().zip(numbers) {
            *set |= wanted.wants_number(*number);
        }
    }
    Ok(set)
}

impl SegmentAttribute {
    /// The numbers that the texts stand for, by ordinal; NaN for a text that is no number. `number_of` is always the
    /// same.
    ///
    /// # Errors
    /// When the texts cannot be read.
    pub(super) fn numbers_of_texts(&self, number_of: impl Fn(&str) -> Option<f64>) -> io::Result<&[f64]> {
        if let Some(numbers) = self.text_numbers.get() {
            return Ok(numbers);
        }
        let Some(texts) = &self.texts else { return Ok(&[]) };
        let ordinals: Vec<u64> = (0..texts.values() as u64).collect();
        let mut numbers = Vec::with_capacity(ordinals.len());
        texts.each_text(&ordinals, |text| numbers.push(number_of(text).unwrap_or(f64::NAN)))?;
        Ok(self.text_numbers.get_or_init(|| numbers.into()))
    }

    /// Fills, for each place among a product's values, whether the value is wanted.
    fn wanted_places(&self, doc: DocId, wanted: &[bool], places: &mut Vec<bool>) {
        places.clear();
        if let Some(texts) = &self.texts {
            places.extend(ordinals_of(texts, doc).map(|ordinal| wanted.get(ordinal as usize) == Some(&true)));
        }
    }
}

/// The ordinals of a product's values, by their places.
pub(super) fn ordinals_of(texts: &TextColumn, doc: DocId) -> impl Iterator<Item = u64> {
    texts.ordinals().values_for_doc(doc)
}
