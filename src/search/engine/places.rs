//! Places of products and variants in a snapshot.

use tantivy::DocId;

/// Number of a segment, and of a product in it.
pub(super) type ProductPlace = (usize, DocId);

/// A product, and the index of a variant among its variants.
pub(super) type VariantPlace = (ProductPlace, usize);
