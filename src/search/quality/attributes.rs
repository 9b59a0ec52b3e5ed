//! Attributes that one product has only.

use std::collections::HashMap;

use super::mark::{DefectMark, DefectiveProduct, ProductAddress};
use crate::limits;
use crate::search::document::ProductDocument;
use crate::search::index::snapshot::IndexSnapshot;

/// The names of attributes, each with a product that has it; `None`: several have it.
#[derive(Default)]
pub struct LoneAttributes(HashMap<String, Option<ProductAddress>>);

impl LoneAttributes {
    /// Records the attributes of a product.
    pub fn add(&mut self, place: ProductAddress, document: &ProductDocument) {
        for attribute in &*document.held_attributes() {
            if let Some(known) = self.0.get_mut(&attribute.name) {
                *known = known.filter(|known| *known == place);
                continue;
            }
            // A catalogue in which each product has names of its own, or endless ones, must not take all memory.
            let is_short = attribute.name.len() <= limits::QUALITY_TEXT_BYTES;
            if is_short && self.0.len() < limits::QUALITY_ATTRIBUTES {
                self.0.insert(attribute.name.clone(), Some(place));
            }
        }
    }

    /// Marks the products that have one.
    pub fn finish(self, snapshot: &IndexSnapshot, rows: usize) -> DefectMark {
        let mut marked = DefectMark::new(snapshot.segments().len(), rows);
        for (name, place) in self.0 {
            let Some(place) = place else { continue };
            marked.mark(place);
            marked.name(place, snapshot.id_at(place), &name, || DefectiveProduct {
                attribute: Some(name.clone()),
                ..DefectiveProduct::default()
            });
        }
        marked
    }
}
