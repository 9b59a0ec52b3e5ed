//! The groups of each product in an answer that shows a product once for each value of an attribute.

use std::collections::HashMap;

use super::places::ProductPlace;
use super::variant_choice::VariantChoice;
use crate::search::index::IndexFault;
use crate::search::query::candidate::RankedProduct;
use crate::search::query::matching::ScoredDoc;
use crate::search::query::selected_product::SelectedProduct;

/// The groups of products, each the place of a value among the product's values; none for variants without a value.
#[derive(Debug, Default)]
pub(super) struct VariantGroups(HashMap<ProductPlace, Vec<Option<u32>>>);

impl VariantGroups {
    /// Adds the selected products of each segment.
    pub(super) fn add(&mut self, selected: &[Vec<SelectedProduct>]) {
        for (segment, selected) in selected.iter().enumerate() {
            for SelectedProduct { document, group, .. } in selected {
                let group = group.map(|place| place as u32);
                self.0.entry((segment, *document)).or_default().push(group);
            }
        }
    }

    /// Number of groups of these products.
    pub(super) fn count(&self, hits: &[Vec<ScoredDoc>]) -> usize {
        if self.0.is_empty() {
            return hits.iter().map(Vec::len).sum();
        }
        let groups_of = |segment, hit: &ScoredDoc| self.0.get(&(segment, hit.doc)).map_or(1, Vec::len);
        let all = hits.iter().enumerate();
        all.flat_map(|(segment, hits)| hits.iter().map(move |hit| groups_of(segment, hit))).sum()
    }

    /// The first `most` hits of ranked products: the groups of each product stand in its place, in the order that the
    /// choice between its variants gives them.
    ///
    /// # Errors
    ///
    /// If a file of the index cannot be read.
    pub(super) fn expand<'s>(
        &self,
        ranked: Vec<RankedProduct<'s>>,
        most: usize,
        choice: &mut VariantChoice<'_>,
    ) -> Result<Vec<RankedProduct<'s>>, IndexFault> {
        let mut hits = Vec::new();
        for product in ranked {
            let room = most.saturating_sub(hits.len());
            if room == 0 {
                break;
            }
            let place = (product.segment, product.hit.doc);
            let groups = self.0.get(&place).map_or(&[None][..], Vec::as_slice);
            let mut groups: Vec<Option<usize>> =
                groups.iter().map(|group| group.map(|place| place as usize)).collect();
            choice.order_groups(place, &mut groups, product.is_exact())?;
            hits.extend(groups.into_iter().take(room).map(|group| RankedProduct { group, ..product }));
        }
        Ok(hits)
    }
}
