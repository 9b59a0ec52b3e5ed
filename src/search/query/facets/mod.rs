//! Facets: the number of matching products for each value.

mod count;
mod display;
mod facet;
mod ranges;

use std::io;
use std::sync::Arc;

use tantivy::DocId;

use self::count::TextCounts;
use self::ranges::{AmountSpread, ranges_of, recount};
use super::columns::{AttributeColumns, IN_STOCK};
use super::fault::QueryFault;
use super::filters::{AMOUNT_PARTS, Filters};
use super::product_property::{ProductProperty, ValueStorage};
use super::segment::{SegmentAttribute, SegmentColumns, ValueBuffer, each_value};
use super::variant_group::VariantGroup;
use super::variants::ordinals_of;
use crate::limits;
use crate::search::document::{AttributeKind, AttributeValue, sort_option_values};

pub(super) use self::count::keep_first;
pub use self::display::{all_that_may_help, keep_helpful};
pub use self::facet::{Facet, FacetValue, NumericSpan, Range};

/// Up to this many different texts of numbers each is a value of its facet; more become ranges.
const NUMBER_VALUES: usize = 20;

/// Reads the facets of a request, such as `["Brand", "Price", "Attributes.Colour"]`.
///
/// # Errors
/// When a name is unknown or not allowed here, or there are too many.
pub fn parse_facets(
    names: &[String],
    columns: &AttributeColumns,
) -> Result<Vec<ProductProperty>, QueryFault> {
    if names.len() > limits::SEARCH_FACETS {
        let sentence = format!("has {} facets; at most {} are allowed", names.len(), limits::SEARCH_FACETS);
        return Err(QueryFault::new("Facets", sentence));
    }
    let mut facets = Vec::new();
    for name in names {
        let subject = ProductProperty::parse(name, "Facets", columns)?;
        if !facets.contains(&subject) {
            facets.push(subject);
        }
    }
    Ok(facets)
}

/// Checks that prices have a currency where a query compares them.
///
/// # Errors
/// When there is none, and a filter or facet is on the price.
pub fn check_currency(
    filters: &Filters,
    facets: &[ProductProperty],
    has_currency: bool,
) -> Result<(), QueryFault> {
    let sentence = "prices are compared in one currency: name it in Currency";
    if has_currency {
        return Ok(());
    }
    if filters.has_price() {
        return Err(QueryFault::new("Filters.Price", sentence));
    }
    if facets.contains(&ProductProperty::Price) {
        return Err(QueryFault::new("Facets", sentence));
    }
    Ok(())
}

/// A facet that is counted.
pub(super) struct FacetCounter<'q> {
    pub subject: &'q ProductProperty,
    /// The bit of the filter on the same subject, which does not narrow this facet.
    pub own_filter: u32,
    unit: Option<&'q str>,
    /// True if its values have the order of an option.
    is_option: bool,
    /// The attribute's column in the segment that is counted.
    attribute: Option<OpenAttribute>,
    counts: FacetCounts<'q>,
}

/// The column of an attribute in one segment.
struct OpenAttribute {
    number: Option<u8>,
    values: Arc<SegmentAttribute>,
}

enum FacetCounts<'q> {
    Texts(TextCounts<'q>),
    /// An attribute whose values are numbers: texts, numbers each with its product, by its number among all counted
    /// products, and the number of these.
    Numbers(TextCounts<'q>, Vec<(u32, f64)>, u32),
    /// Prices, each with its product likewise.
    Prices(Vec<(u32, i64)>, u32),
    /// A flag: the numbers of products with it and without it.
    Flag(u64, [u64; 2]),
}

impl<'q> FacetCounter<'q> {
    pub(super) fn new(
        subject: &'q ProductProperty,
        filters: &Filters,
        attributes: &'q AttributeColumns,
    ) -> Self {
        let attribute = if let ProductProperty::Attribute(name) = subject { Some(name) } else { None };
        let unit = attribute.and_then(|name| attributes.unit(name));
        let is_option = attribute.is_some_and(|name| attributes.is_option(name));
        let counts = match subject.value_storage(attributes) {
            ValueStorage::Attribute(AttributeKind::Number) => {
                FacetCounts::Numbers(TextCounts::new(subject), Vec::new(), 0)
            }
            ValueStorage::Texts | ValueStorage::Attribute(AttributeKind::Text) => {
                FacetCounts::Texts(TextCounts::new(subject))
            }
            ValueStorage::Prices => FacetCounts::Prices(Vec::new(), 0),
            ValueStorage::Flag(flag) => FacetCounts::Flag(flag, [0, 0]),
        };
        Self { subject, own_filter: filters.bit(subject), unit, is_option, attribute: None, counts }
    }

    /// Opens the columns of a segment whose variants are counted next.
    pub(super) fn open(&mut self, columns: &SegmentColumns, attributes: &AttributeColumns) -> io::Result<()> {
        if let ProductProperty::Attribute(name) = self.subject {
            let values = columns.attribute(name)?;
            self.attribute = Some(OpenAttribute { number: attributes.number(name), values });
        }
        Ok(())
    }

    /// Counts these products of a segment.
    pub(super) fn add(
        &mut self,
        columns: &'q SegmentColumns,
        documents: &[DocId],
        ordinals: &mut ValueBuffer<u64>,
        numbers: &mut ValueBuffer<f64>,
    ) -> io::Result<()> {
        match &mut self.counts {
            FacetCounts::Texts(counts) => counts.add(columns, documents, ordinals)?,
            FacetCounts::Numbers(texts, all, products) => {
                let ProductProperty::Attribute(name) = self.subject else { return Ok(()) };
                texts.add(columns, documents, ordinals)?;
                if let Some(column) = &columns.attribute(name)?.numbers {
                    let first = *products;
                    *products += documents.len() as u32;
                    each_value(column, documents, numbers, |place, number| {
                        all.push((first + place as u32, number))
                    });
                }
            }
            FacetCounts::Flag(flag, counts) => {
                let flag = *flag;
                each_value(&columns.flags, documents, ordinals, |_, flags| {
                    counts[usize::from(flags & flag == 0)] += 1;
                });
            }
            FacetCounts::Prices(..) => {}
        }
        Ok(())
    }

    /// Counts these prices.
    pub(super) fn add_amounts(&mut self, amounts: &[i64]) {
        if let FacetCounts::Prices(all, products) = &mut self.counts {
            for amount in amounts {
                all.push((*products, *amount));
                *products += 1;
            }
        }
    }

    /// Counts one product by those of its variants that pass all filters but the one on the same subject. Subjects in
    /// which variants do not differ are counted only with `counts_all`.
    ///
    /// Returns the number of prices and numbers that it keeps for ranges.
    pub(super) fn count_group(
        &mut self,
        columns: &SegmentColumns,
        group: &VariantGroup<'_>,
        attributes: &AttributeColumns,
        counts_all: bool,
    ) -> io::Result<usize> {
        let own = self.own_filter;
        let is_counted = counts_all || self.subject.is_of_variants();
        if !is_counted || group.passing_except(own).next().is_none() {
            return Ok(0);
        }
        let mut kept = 0;
        match &mut self.counts {
            FacetCounts::Texts(counts) => {
                let ordinals = ordinals_of_group(self.subject, self.attribute.as_ref(), columns, group, own)?;
                counts.add_ordinals(ordinals);
            }
            FacetCounts::Numbers(texts, all, products) => {
                let ordinals = ordinals_of_group(self.subject, self.attribute.as_ref(), columns, group, own)?;
                if let (ProductProperty::Attribute(name), Some(open)) = (self.subject, &self.attribute) {
                    let numbers =
                        open.values.numbers_of_texts(|text| attributes.number_of_text(name, text))?;
                    let numbers = ordinals.iter().filter_map(|ordinal| numbers.get(*ordinal as usize));
                    all.extend(numbers.filter(|number| !number.is_nan()).map(|number| (*products, *number)));
                    *products += 1;
                }
                kept = ordinals.len();
                texts.add_ordinals(ordinals);
            }
            FacetCounts::Prices(all, products) => {
                let mut amounts: Vec<i64> =
                    group.passing_except(own).filter_map(|variant| group.outcomes.prices[variant]).collect();
                amounts.sort_unstable();
                amounts.dedup();
                kept = amounts.len();
                all.extend(amounts.into_iter().map(|amount| (*products, amount)));
                *products += 1;
            }
            FacetCounts::Flag(IN_STOCK, [with, without]) => {
                let is_in_stock = |variant| group.table.is_in_stock(variant);
                *with += u64::from(group.passing_except(own).any(is_in_stock));
                *without += u64::from(!group.passing_except(own).all(is_in_stock));
            }
            FacetCounts::Flag(flag, counts) => {
                let flags = columns.flags.first(group.document).unwrap_or_default();
                counts[usize::from(flags & *flag == 0)] += 1;
            }
        }
        Ok(kept)
    }

    /// The facet with its counts.
    pub(super) fn finish(self) -> io::Result<Facet> {
        let is_option = self.is_option;
        let mut facet = self.finish_by_count()?;
        if is_option {
            sort_option_values(&mut facet.values, |value| &value.value);
        }
        Ok(facet)
    }

    fn finish_by_count(self) -> io::Result<Facet> {
        let subject = self.subject.clone();
        match self.counts {
            FacetCounts::Texts(counts) => {
                let most = match subject {
                    // Their order is known once they have names.
                    ProductProperty::Category => limits::SEARCH_COUNTED_CATEGORIES,
                    _ => limits::SEARCH_FACET_VALUES,
                };
                let (values, distinct) = counts.finish(most)?;
                let values = values.into_iter().map(|(text, count)| FacetValue::new(text, count)).collect();
                Ok(Facet { subject, values, distinct, span: None })
            }
            FacetCounts::Flag(_, counts) => {
                let named = ["true", "false"].into_iter().zip(counts).filter(|(_, count)| *count > 0);
                let mut values: Vec<_> =
                    named.map(|(name, count)| FacetValue::new(name.to_owned(), count)).collect();
                values.sort_by_key(|value| std::cmp::Reverse(value.count));
                Ok(Facet { subject, distinct: values.len(), values, span: None })
            }
            FacetCounts::Prices(prices, _) => {
                let amounts: Vec<i64> = prices.iter().map(|(_, amount)| *amount).collect();
                let span = AmountSpread::from_amounts(&amounts).map(|spread| {
                    let mut ranges = ranges_of(&amounts, &spread);
                    recount(&mut ranges, &prices);
                    span_of(&spread, &ranges, None)
                });
                Ok(Facet { subject, values: Vec::new(), distinct: 0, span })
            }
            FacetCounts::Numbers(texts, numbers, _) => {
                // One more than are listed: further values are counted in ranges.
                let (texts, distinct) = texts.finish(NUMBER_VALUES + 1)?;
                Ok(facet_of_numbers(subject, texts, distinct, numbers, self.unit))
            }
        }
    }
}

/// The ordinals of the values that count for a group: of an attribute in which variants differ, those of its variants
/// that pass; else all of its product.
fn ordinals_of_group(
    subject: &ProductProperty,
    attribute: Option<&OpenAttribute>,
    columns: &SegmentColumns,
    group: &VariantGroup<'_>,
    own_filter: u32,
) -> io::Result<Vec<u64>> {
    if let Some(OpenAttribute { number: Some(column), values }) = attribute
        && let Some(axis) = group.table.axis(*column)
    {
        return Ok(group.ordinals_on(&axis, values, own_filter));
    }
    let all = columns.with_texts(subject, |texts| Ok(ordinals_of(texts, group.document).collect()))?;
    Ok(all.unwrap_or_default())
}

fn span_of(spread: &AmountSpread, ranges: &[(i64, i64, u64)], unit: Option<&str>) -> NumericSpan {
    let in_units = |amount: i64| amount as f64 / AMOUNT_PARTS as f64;
    let ranges = ranges.iter().map(|(from, to, count)| Range {
        from: in_units(*from),
        to: in_units(*to),
        count: *count,
    });
    NumericSpan {
        min: in_units(spread.min),
        max: in_units(spread.max),
        unit: unit.map(str::to_owned),
        ranges: ranges.collect(),
    }
}

/// A few different numbers are values, as they were sent; for many, ranges are more useful.
fn facet_of_numbers(
    subject: ProductProperty,
    texts: Vec<(String, u64)>,
    distinct: usize,
    numbers: Vec<(u32, f64)>,
    unit: Option<&str>,
) -> Facet {
    let in_parts = |number: f64| (number * AMOUNT_PARTS as f64).round() as i64;
    let mut amounts: Vec<i64> = numbers.iter().map(|(_, number)| in_parts(*number)).collect();
    amounts.sort_unstable();
    let mut values = Vec::new();
    let mut ranges = Vec::new();
    let spread = AmountSpread::from_amounts(&amounts);
    if distinct <= NUMBER_VALUES {
        values.extend(texts.into_iter().map(|(text, count)| FacetValue::new(text, count)));
        // Stable: of equally many products the lower number is first, and of equal numbers the lower text.
        values.sort_by(|a, b| number_of(&a.value).total_cmp(&number_of(&b.value)));
        values.sort_by_key(|value: &FacetValue| std::cmp::Reverse(value.count));
    } else if let Some(spread) = &spread {
        ranges = ranges_of(&amounts, spread);
        let of_products: Vec<_> =
            numbers.iter().map(|(product, number)| (*product, in_parts(*number))).collect();
        recount(&mut ranges, &of_products);
    }
    let span = spread.map(|spread| span_of(&spread, &ranges, unit));
    Facet { subject, values, distinct, span }
}

fn number_of(text: &str) -> f64 {
    match AttributeValue::parse(text) {
        AttributeValue::Number(measure) => measure.number,
        AttributeValue::Text(_) => f64::INFINITY,
    }
}
