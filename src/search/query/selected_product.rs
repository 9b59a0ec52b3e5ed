//! A product that the filters of a query want.

use tantivy::DocId;

/// A product that all filters want, or a group of its variants with one value of the attribute that groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectedProduct {
    /// Its place in the given list.
    pub place: u32,
    /// Its number in the segment.
    pub document: DocId,
    /// Price that the caller pays, in parts of a unit: of several variants that pass the least, or the most where the
    /// dearest comes first. `None` without a price.
    pub price: Option<i64>,
    /// Place of the value that groups, among the product's values; `None` for a product without one.
    pub group: Option<usize>,
    /// The key by which an order by an attribute places it.
    pub key: GroupKey,
}

/// The key by which an order by an attribute places a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKey {
    /// All values of the product count.
    OfProduct,
    /// Only the values of the variants that pass count; `None` without any.
    OfGroup(Option<u64>),
}
