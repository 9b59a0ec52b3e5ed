//! A facet and its values.

use crate::search::query::product_property::ProductProperty;

/// A counted facet.
#[derive(Debug, Clone, PartialEq)]
pub struct Facet {
    /// Property that was counted.
    pub subject: ProductProperty,
    /// The values with the most products, by count, then by the value.
    pub values: Vec<FacetValue>,
    /// Number of different values; more than are listed when this is above [`crate::limits::SEARCH_FACET_VALUES`].
    pub distinct: usize,
    /// Span of prices or numbers: the least and the most, and ranges between them.
    pub span: Option<NumericSpan>,
}

/// A value and how many products have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacetValue {
    /// The value, as a filter names it: for brands and categories the id.
    pub value: String,
    /// Name of a brand or category, once [`Facet::arrange`] has added it.
    pub name: Option<String>,
    /// Path of a category, likewise: the names of its ancestors and its own, from the highest down.
    pub path: Vec<String>,
    /// True if it is below a chosen category, likewise.
    pub is_below_chosen: bool,
    /// Number of products that have it; a product counts once, with all its variants.
    pub count: u64,
}

/// The least and the most of prices or numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct NumericSpan {
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// The unit of an attribute's numbers.
    pub unit: Option<String>,
    /// Ranges of about equally many products, ascending; none without a product. Used as a filter, each finds its
    /// count.
    pub ranges: Vec<Range>,
}

/// From a price or number to another, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The least that belongs to it.
    pub from: f64,
    /// The most that belongs to it.
    pub to: f64,
    /// Number of products in it.
    pub count: u64,
}

impl FacetValue {
    pub(super) fn new(value: String, count: u64) -> Self {
        Self { value, count, ..Self::default() }
    }
}
