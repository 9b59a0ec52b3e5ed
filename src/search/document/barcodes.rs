//! Attributes that hold the number of an article below its barcode.

use crate::search::text::fold_identifier;

/// Names of attributes that hold the number of an article, folded.
const BARCODES: [&str; 12] = [
    "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "ean", "ean8", "ean13", "upc", "isbn", "isbn13", "barcode",
];

/// Returns true if an attribute holds the number of an article, by its name.
#[must_use]
pub fn is_barcode(name: &str) -> bool {
    BARCODES.contains(&fold_identifier(name).as_str())
}
