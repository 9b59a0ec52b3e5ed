//! Variants of the products that a delta names.

use std::collections::HashMap;

use crate::catalogue::CatalogueFault;
use crate::feeds::rows::ProductVariants;
use crate::limits;

/// Variants of products that a delta names, with what it has changed so far.
#[derive(Default)]
pub(super) struct KnownVariants {
    /// By the product's id; `None`: the product is not shown.
    pub(super) by_item: HashMap<String, Option<ProductVariants>>,
    bytes: usize,
}

impl KnownVariants {
    pub(super) fn clear(&mut self) {
        self.by_item.clear();
        self.bytes = 0;
    }

    /// Remembers the variants of a product; the others are forgotten when there are too many.
    pub(super) fn record(&mut self, item: &str, row: Option<&[u8]>) -> Result<(), CatalogueFault> {
        let variants =
            row.map(|row| ProductVariants::from_row(row).ok_or(CatalogueFault::Row)).transpose()?;
        let bytes = item.len() + variants.as_ref().map_or(0, ProductVariants::bytes);
        if self.bytes + bytes > limits::VARIANTS_KNOWN_BYTES {
            self.clear();
        }
        self.bytes += bytes;
        self.by_item.insert(item.to_owned(), variants);
        Ok(())
    }
}
