//! Variants that a product lists by their ids, SKUs and titles alone: `AssociatedIds` and the lists beside it.

use std::borrow::Cow;
use std::collections::HashMap;

use super::reading::bounded_id;
use crate::feeds::json::value::JsonValue;
use crate::limits;

const LISTS: [&str; 3] = ["AssociatedIds", "AssociatedSkus", "AssociatedTitles"];

/// A variant without fields of its own.
pub(super) struct ListedVariant {
    /// Its id; its SKU where the list has no id.
    pub(super) id: String,
    pub(super) sku: Option<String>,
    /// Its title, as JSON.
    pub(super) title: Option<String>,
}

/// The listed variants of a product, each id and each SKU once.
#[derive(Default)]
pub(super) struct ListedVariants {
    variants: Vec<ListedVariant>,
    by_id: HashMap<String, usize>,
    by_sku: HashMap<String, usize>,
}

impl ListedVariants {
    /// Reads the lists of a row in normal form of the product with this id and SKU. They stand side by side by their
    /// positions, as search reads them.
    pub(super) fn from_row(row: JsonValue<'_>, product: &[Option<String>; 2]) -> Self {
        let elements_of = |list: &str| {
            let named = row.entries().find(|(name, _)| *name == list);
            named.into_iter().flat_map(|(_, list)| list.elements()).collect::<Vec<_>>()
        };
        let columns = LISTS.map(elements_of);
        let count = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut listed = Self::default();
        for position in 0..count {
            let [id, sku, title] = columns.each_ref().map(|column| column.get(position).copied());
            let sku = sku.and_then(key_text);
            let Some(id) = id.and_then(key_text).or_else(|| sku.clone()) else { continue };
            // As in `Variants`: the SKU of the product is no variant's own.
            let is_products = |sku: &String| product.iter().any(|own| own.as_ref() == Some(sku));
            let sku = sku.filter(|sku| *sku == id || !is_products(sku));
            let title = title.filter(|title| title.decode_text().is_some_and(|text| !text.trim().is_empty()));
            listed.push(ListedVariant { id, sku, title: title.map(|title| title.as_sent().to_owned()) });
        }
        listed
    }

    fn push(&mut self, mut variant: ListedVariant) {
        if self.by_id.contains_key(&variant.id) {
            return;
        }
        variant.sku = variant.sku.filter(|sku| !self.by_sku.contains_key(sku));
        let position = self.variants.len();
        self.by_id.insert(variant.id.clone(), position);
        self.by_sku.extend(variant.sku.clone().map(|sku| (sku, position)));
        self.variants.push(variant);
    }

    /// The variant with this id, and its position.
    pub(super) fn with_id(&self, id: &str) -> Option<(usize, &ListedVariant)> {
        self.get(*self.by_id.get(id)?)
    }

    /// The variant with this SKU, and its position.
    pub(super) fn with_sku(&self, sku: &str) -> Option<(usize, &ListedVariant)> {
        self.get(*self.by_sku.get(sku)?)
    }

    fn get(&self, position: usize) -> Option<(usize, &ListedVariant)> {
        self.variants.get(position).map(|variant| (position, variant))
    }

    pub(super) fn as_slice(&self) -> &[ListedVariant] {
        &self.variants
    }
}

/// An element of a list of ids or SKUs, unless it is blank or no id.
fn key_text(element: JsonValue<'_>) -> Option<String> {
    let text = element.decode_text()?;
    let text = text.trim();
    let id = bounded_id(Cow::Borrowed(text), limits::ITEM_ID_BYTES).ok()?;
    (!id.is_empty()).then(|| id.into_owned())
}
