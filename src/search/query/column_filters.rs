//! Filters on the columns of a segment: the filters that each of many products fails.

use std::io;

use tantivy::DocId;

use super::columns::{IN_STOCK, SOLD_OUT};
use super::filters::{FilterCondition, Filters, PropertyFilter};
use super::product_property::ProductProperty;
use super::segment::{SegmentColumns, TextColumn, ValueBuffer, each_value};

/// Maximum number of wanted values that are compared one by one; a set of bits is made for more.
const COMPARED_VALUES: usize = 4;

/// Filters that products fail, and buffers for reading columns.
#[derive(Default)]
pub(super) struct ColumnBuffers {
    pub ordinals: ValueBuffer<u64>,
    pub numbers: ValueBuffer<f64>,
    /// The filters that each product fails, a bit each.
    pub failed: Vec<u32>,
}

impl ColumnBuffers {
    /// Marks for each product the filters that it fails, except those on prices. Of a product with variants the columns
    /// hold the values of all: one that passes may still fail.
    pub(super) fn test(
        &mut self,
        filters: &Filters,
        columns: &SegmentColumns,
        documents: &[DocId],
    ) -> io::Result<()> {
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
fn test_flags(filters: &Filters, columns: &SegmentColumns, documents: &[DocId], buffers: &mut ColumnBuffers) {
    let mut tests: Vec<(u64, bool, u32)> = Vec::new();
    for (number, filter) in filters.all.iter().enumerate() {
        if let FilterCondition::Flag(flag, is_wanted) = filter.wanted {
            tests.push((flag, is_wanted, 1 << number));
        }
    }
    if tests.is_empty() {
        return;
    }
    let failed = &mut buffers.failed;
    each_value(&columns.flags, documents, &mut buffers.ordinals, |place, flags| {
        for (flag, is_wanted, bit) in &tests {
            if !passes_flag(flags, *flag, *is_wanted) {
                failed[place] |= bit;
            }
        }
    });
}

/// Returns true if a product with these flags passes a filter on one. A product with variants may be both in stock and
/// sold out; an index of the format before never says that a product is sold out, only that it is not in stock.
fn passes_flag(flags: u64, flag: u64, is_wanted: bool) -> bool {
    let is_set = flags & flag != 0;
    let is_both = flag == IN_STOCK && !is_wanted && flags & SOLD_OUT != 0;
    is_set == is_wanted || is_both
}

/// Marks the products that fail a filter on texts or numbers.
fn test_values(
    filter: &PropertyFilter,
    bit: u32,
    columns: &SegmentColumns,
    documents: &[DocId],
    buffers: &mut ColumnBuffers,
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
                if filter.wanted.wants_number(value) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::query::columns::NEW_ARRIVAL;

    #[test]
    fn a_product_may_be_in_stock_and_sold_out_and_is_one_of_them_without_the_flag_of_the_second() {
        for (flags, is_in_stock, is_sold_out) in [
            (IN_STOCK, true, false),
            (IN_STOCK | SOLD_OUT, true, true),
            (SOLD_OUT | NEW_ARRIVAL, false, true),
            (NEW_ARRIVAL, false, true),
        ] {
            assert_eq!(passes_flag(flags, IN_STOCK, true), is_in_stock, "{flags}");
            assert_eq!(passes_flag(flags, IN_STOCK, false), is_sold_out, "{flags}");
        }
        assert!(passes_flag(NEW_ARRIVAL | SOLD_OUT, NEW_ARRIVAL, true));
        assert!(!passes_flag(NEW_ARRIVAL | SOLD_OUT, NEW_ARRIVAL, false));
        assert!(passes_flag(IN_STOCK, NEW_ARRIVAL, false));
    }
}
