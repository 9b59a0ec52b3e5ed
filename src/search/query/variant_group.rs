//! The variants of a product that count as one: all of them, or those with one value of the attribute that groups.

use std::collections::HashMap;

use tantivy::DocId;

use super::segment::SegmentAttribute;
use super::variants::{UNSEEN, VariantOutcomes};
use crate::limits;
use crate::search::index::{VariantAxis, VariantTable};

/// Mark of a product that fails; beside it the filters each of which it fails alone.
pub(super) const FAILS: u32 = 1 << limits::SEARCH_FILTERS;

/// 0 if no filter fails, else [`FAILS`] with the filter if it fails alone.
pub(super) fn failure_mask_of(failed: u32) -> u32 {
    match failed.count_ones() {
        0 => 0,
        1 => FAILS | failed,
        _ => FAILS,
    }
}

/// The variants of a product by the place of the value that groups, in the order of the first of each; those without a
/// value come together, and so do all where all have the same values.
pub fn groups_of(table: &VariantTable<'_>, column: u8) -> Vec<(Option<usize>, Vec<usize>)> {
    let mut places: Vec<Vec<usize>> = vec![Vec::new(); table.count()];
    if let Some(axis) = table.axis(column) {
        axis.each_place(|variant, place| {
            if let Some(places) = places.get_mut(variant) {
                places.push(place);
            }
        });
    }
    if places.iter().all(|of_variant| *of_variant == places[0]) {
        return vec![(None, (0..table.count()).collect())];
    }
    let mut groups: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
    let mut numbers: HashMap<Option<usize>, usize> = HashMap::new();
    for (variant, places) in places.into_iter().enumerate() {
        let keys = if places.is_empty() { vec![None] } else { places.into_iter().map(Some).collect() };
        for key in keys {
            let number = *numbers.entry(key).or_insert_with(|| {
                groups.push((key, Vec::new()));
                groups.len() - 1
            });
            groups[number].1.push(variant);
        }
    }
    groups
}

/// Variants of a product that count as one.
pub struct VariantGroup<'u> {
    /// The product.
    pub document: DocId,
    /// All its variants.
    pub table: &'u VariantTable<'u>,
    /// Its variants, by their places in the table.
    pub members: &'u [usize],
    /// The outcome of the filters for all variants of the product.
    pub outcomes: &'u VariantOutcomes,
}

impl VariantGroup<'_> {
    /// 0 if a variant passes all filters, else [`FAILS`] with the filters that a variant fails alone.
    pub(super) fn failure_mask(&self) -> u32 {
        let failed = self.members.iter().map(|variant| self.outcomes.failed[*variant]);
        let marks = failed.map(|failed| if failed == UNSEEN { FAILS } else { failure_mask_of(failed) });
        marks.fold(FAILS, |all, mark| if all == 0 || mark == 0 { 0 } else { all | mark })
    }

    /// The variants that pass all filters except those of these bits.
    pub fn passing_except(&self, filters: u32) -> impl Iterator<Item = usize> {
        let passes = move |variant: &&usize| {
            let failed = self.outcomes.failed[**variant];
            failed != UNSEEN && failed & !filters == 0
        };
        self.members.iter().filter(passes).copied()
    }

    /// The ordinals of the values that its variants have on an axis which pass all filters except those of these bits;
    /// ascending, each once.
    pub(super) fn ordinals_on(
        &self,
        axis: &VariantAxis<'_>,
        values: &SegmentAttribute,
        filters: u32,
    ) -> Vec<u64> {
        let Some(texts) = &values.texts else { return Vec::new() };
        let mut places: Vec<usize> = Vec::new();
        axis.each_place_of(self.passing_except(filters), |place| places.push(place));
        places.sort_unstable();
        places.dedup();
        texts.ordinals_at(self.document, &places)
    }
}
