//! Variants of the products that a delta names, with what it has changed so far.

use std::collections::{HashMap, VecDeque};

use crate::catalogue::CatalogueFault;
use crate::feeds::rows::{ProductVariants, VariantRow};
use crate::limits;

/// Variants by product. The product that was read first goes first.
#[derive(Default)]
pub(super) struct VariantCache {
    products: HashMap<String, CachedProduct>,
    /// Ids of the products, the oldest first.
    order: VecDeque<String>,
    /// The product of each id and SKU of a variant, when it was read or changed last.
    holders: HashMap<String, String>,
    bytes: usize,
}

struct CachedProduct {
    /// `None`: the product is not shown.
    variants: Option<ProductVariants>,
    bytes: usize,
}

impl VariantCache {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn contains(&self, item: &str) -> bool {
        self.products.contains_key(item)
    }

    /// The variants of a product; `None` if it is not shown, or not in the cache.
    pub(super) fn variants_mut(&mut self, item: &str) -> Option<&mut ProductVariants> {
        self.products.get_mut(item)?.variants.as_mut()
    }

    /// The product in the cache that has the variant of a row, by the variant's id or SKU.
    pub(super) fn find_holder(&self, row: &VariantRow) -> Option<&str> {
        let has_variant = |item: &&String| {
            let variants = self.products.get(*item).and_then(|product| product.variants.as_ref());
            variants.is_some_and(|variants| variants.find(row.id.as_deref(), row.sku.as_deref()).is_some())
        };
        let keys = row.id.iter().chain(&row.sku);
        keys.filter_map(|key| self.holders.get(key)).find(has_variant).map(String::as_str)
    }

    /// Records that a product has the variant of a row now.
    pub(super) fn record_holder(&mut self, item: &str, row: &VariantRow) {
        for key in row.id.iter().chain(&row.sku) {
            self.holders.insert(key.clone(), item.to_owned());
        }
    }

    /// Records the variants of a product; the oldest products go when they take too much memory.
    pub(super) fn record(&mut self, item: &str, row: Option<&[u8]>) -> Result<(), CatalogueFault> {
        let variants =
            row.map(|row| ProductVariants::from_row(row).ok_or(CatalogueFault::Row)).transpose()?;
        let bytes = item.len() + variants.as_ref().map_or(0, ProductVariants::bytes);
        while self.bytes + bytes > limits::VARIANTS_KNOWN_BYTES
            && let Some(oldest) = self.order.pop_front()
        {
            self.evict(&oldest);
        }
        for key in variants.iter().flat_map(ProductVariants::keys) {
            self.holders.insert(key.to_owned(), item.to_owned());
        }
        self.bytes += bytes;
        self.order.push_back(item.to_owned());
        self.products.insert(item.to_owned(), CachedProduct { variants, bytes });
        Ok(())
    }

    fn evict(&mut self, item: &str) {
        let Some(CachedProduct { variants, bytes }) = self.products.remove(item) else { return };
        self.bytes -= bytes;
        for key in variants.iter().flat_map(ProductVariants::keys) {
            if self.holders.get(key).is_some_and(|holder| holder == item) {
                self.holders.remove(key);
            }
        }
    }
}

#[cfg(test)]
#[path = "variant_cache_tests.rs"]
mod tests;
