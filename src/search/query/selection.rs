//! Selection among the products that match: filtered, priced for the caller, counted for facets.

use std::io;

use tantivy::DocId;

use super::columns::AttributeColumns;
use super::facets::{Facet, FacetCounter};
use super::filters::{FilterCondition, Filters, PropertyFilter};
use super::product_property::ProductProperty;
use super::segment::{SegmentColumns, TextColumn, ValueBuffer, each_value};
use crate::search::pricing::{BuyerContext, resolve};

/// Every bit: the product is out, even for a facet that ignores one filter.
const OUT: u32 = u32::MAX;
/// Maximum number of wanted values that are compared one by one; a set of bits is made for more.
const COMPARED_VALUES: usize = 4;

/// The products of a query, segment by segment.
pub struct Selection<'q> {
    filters: &'q Filters,
    caller: &'q BuyerContext,
    countings: Vec<FacetCounter<'q>>,
    /// The filters that a facet leaves aside.
    counted_without: u32,
    buffers: Buffers,
}

/// A product that all filters want.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectedProduct {
    /// Its place in the given list.
    pub place: u32,
    /// Its number in the segment.
    pub document: DocId,
    /// Price that the caller pays, in parts of a unit; `None` without a price.
    pub price: Option<i64>,
}

#[derive(Default)]
struct Buffers {
    ordinals: ValueBuffer<u64>,
    numbers: ValueBuffer<f64>,
    /// The filters that each product fails, a bit each.
    failed: Vec<u32>,
    prices: Vec<Option<i64>>,
    documents: Vec<DocId>,
    amounts: Vec<i64>,
}

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
        Self { filters, caller, countings, counted_without, buffers: Buffers::default() }
    }

    /// Selects from the matching products of a segment, in ascending order and each once, and counts them. `terms`
    /// gives the encoded terms of a product's offer.
    ///
    /// # Errors
    /// When a column cannot be read.
    pub fn add<'t>(
        &mut self,
        columns: &'q SegmentColumns,
        documents: &[DocId],
        terms: impl Fn(DocId) -> &'t [u8],
    ) -> io::Result<Vec<SelectedProduct>> {
        self.buffers.test(self.filters, columns, documents)?;
        self.price(documents, terms);
        self.count(columns, documents)?;
        let buffers = &self.buffers;
        let places = (0..).zip(documents).zip(buffers.failed.iter().zip(&buffers.prices));
        let selected = places.filter(|(_, (failed, _))| **failed == 0);
        Ok(selected
            .map(|((place, document), (_, price))| SelectedProduct {
                place,
                document: *document,
                price: *price,
            })
            .collect())
    }

    /// The facets, in the order of the request.
    ///
    /// # Errors
    /// When a text of a column cannot be read.
    pub fn finish(self) -> io::Result<Vec<Facet>> {
        self.countings.into_iter().map(FacetCounter::finish).collect()
    }

    /// Resolves the offers of all products that are still counted somewhere; products that the caller may not see are
    /// out.
    fn price<'t>(&mut self, documents: &[DocId], terms: impl Fn(DocId) -> &'t [u8]) {
        let price_filter =
            self.filters.all.iter().position(|filter| filter.subject == ProductProperty::Price);
        let buffers = &mut self.buffers;
        buffers.prices.clear();
        for (document, failed) in documents.iter().zip(&mut buffers.failed) {
            // A product that fails a filter counts only for the facet of this filter.
            let is_counted =
                *failed == 0 || (failed.count_ones() == 1 && *failed & self.counted_without != 0);
            if !is_counted {
                *failed = OUT;
                buffers.prices.push(None);
                continue;
            }
            let offered = resolve(terms(*document), self.caller);
            let price = offered.price.map(|price| price.amount);
            if !offered.visible {
                *failed = OUT;
            } else if let Some(number) = price_filter
                && let FilterCondition::Amounts(from, to) = self.filters.all[number].wanted
                && !price.is_some_and(|price| (from..=to).contains(&price))
            {
                *failed |= 1 << number;
            }
            buffers.prices.push(price);
        }
    }

    fn count(&mut self, columns: &'q SegmentColumns, documents: &[DocId]) -> io::Result<()> {
        let buffers = &mut self.buffers;
        let mut listed_without = None;
        for counting in &mut self.countings {
            let own = counting.own_filter;
            if listed_without != Some(own) {
                let all = documents.iter().zip(&buffers.failed);
                buffers.documents.clear();
                buffers
                    .documents
                    .extend(all.filter(|(_, failed)| *failed & !own == 0).map(|(document, _)| *document));
                listed_without = Some(own);
            }
            if counting.subject == &ProductProperty::Price {
                let prices = buffers.prices.iter().zip(&buffers.failed);
                buffers.amounts.clear();
                buffers
                    .amounts
                    .extend(prices.filter(|(_, failed)| *failed & !own == 0).filter_map(|(price, _)| *price));
                counting.add_amounts(&buffers.amounts);
            } else {
                counting.add(columns, &buffers.documents, &mut buffers.ordinals, &mut buffers.numbers)?;
            }
        }
        Ok(())
    }
}

/// Selects, from these products of a segment in rising order, those that pass all filters except those on prices,
/// independent of the caller.
///
/// # Errors
/// When a column cannot be read.
pub fn all_wanted(
    filters: &Filters,
    columns: &SegmentColumns,
    documents: &[DocId],
) -> io::Result<Vec<DocId>> {
    let mut buffers = Buffers::default();
    buffers.test(filters, columns, documents)?;
    let tested = documents.iter().zip(&buffers.failed);
    Ok(tested.filter(|(_, failed)| **failed == 0).map(|(document, _)| *document).collect())
}

impl Buffers {
    /// Marks for each product the filters that it fails, except those on prices.
    fn test(&mut self, filters: &Filters, columns: &SegmentColumns, documents: &[DocId]) -> io::Result<()> {
        self.failed.clear();
        self.failed.resize(documents.len(), 0);
        test_flags(filters, columns, documents, self);
        for (number, filter) in filters.all.iter().enumerate() {
            test_values(filter, 1 << number, columns, documents, self)?;
        }
        Ok(())
    }
}

/// Marks the products that fail a filter on a flag.
fn test_flags(filters: &Filters, columns: &SegmentColumns, documents: &[DocId], buffers: &mut Buffers) {
    let mut tests: Vec<(u64, u64, u32)> = Vec::new();
    for (number, filter) in filters.all.iter().enumerate() {
        if let FilterCondition::Flag(flag, is_set) = filter.wanted {
            tests.push((flag, if is_set { flag } else { 0 }, 1 << number));
        }
    }
    if tests.is_empty() {
        return;
    }
    let failed = &mut buffers.failed;
    each_value(&columns.flags, documents, &mut buffers.ordinals, |place, flags| {
        for (flag, wanted, bit) in &tests {
            if flags & flag != *wanted {
                failed[place] |= bit;
            }
        }
    });
}

/// Marks the products that fail a filter on texts or numbers.
fn test_values(
    filter: &PropertyFilter,
    bit: u32,
    columns: &SegmentColumns,
    documents: &[DocId],
    buffers: &mut Buffers,
) -> io::Result<()> {
    match &filter.wanted {
        FilterCondition::Flag(..) | FilterCondition::Amounts(..) => return Ok(()),
        _ => fail_all(&mut buffers.failed, bit),
    }
    let failed = &mut buffers.failed;
    match &filter.wanted {
        FilterCondition::Texts(texts) | FilterCondition::Values(texts, _) => {
            columns.with_texts(&filter.subject, |column| {
                let wanted = wanted_ordinals(texts, column)?;
                if !wanted.is_empty() {
                    pass_ordinals(&wanted, column, documents, &mut buffers.ordinals, |place| {
                        failed[place] &= !bit
                    });
                }
                Ok(())
            })?;
        }
        _ => {}
    }
    match &filter.wanted {
        FilterCondition::Values(..) | FilterCondition::Between(..) => {
            let ProductProperty::Attribute(name) = &filter.subject else { return Ok(()) };
            let column = columns.attribute(name)?;
            let Some(numbers) = &column.numbers else { return Ok(()) };
            each_value(numbers, documents, &mut buffers.numbers, |place, value| {
                let passes = match &filter.wanted {
                    FilterCondition::Values(_, numbers) => numbers.contains(&value),
                    FilterCondition::Between(from, to) => (*from..=*to).contains(&value),
                    _ => false,
                };
                if passes {
                    failed[place] &= !bit;
                }
            });
        }
        _ => {}
    }
    Ok(())
}

fn fail_all(failed: &mut [u32], bit: u32) {
    for failed in failed {
        *failed |= bit;
    }
}

/// The ordinals of the texts that are wanted, ascending.
fn wanted_ordinals(texts: &[String], column: &TextColumn) -> io::Result<Vec<u64>> {
    let mut wanted = Vec::new();
    for text in texts {
        wanted.extend(column.ordinal(text)?);
    }
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

/// Calls `pass` with the places of the documents that have one of the ordinals.
fn pass_ordinals(
    wanted: &[u64],
    column: &TextColumn,
    documents: &[DocId],
    buffer: &mut ValueBuffer<u64>,
    mut pass: impl FnMut(usize),
) {
    if wanted.len() <= COMPARED_VALUES {
        each_value(column.ordinals(), documents, buffer, |place, ordinal| {
            if wanted.contains(&ordinal) {
                pass(place);
            }
        });
        return;
    }
    let mut set = vec![false; column.values()];
    for ordinal in wanted {
        set[*ordinal as usize] = true;
    }
    each_value(column.ordinals(), documents, buffer, |place, ordinal| {
        if set.get(ordinal as usize) == Some(&true) {
            pass(place);
        }
    });
}
