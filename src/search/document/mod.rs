//! The document of a product: the searchable form of its stored row and of the shop's categories and brands.

mod attributes;
mod barcodes;
mod configurable;
mod dates;
mod fault;
mod json;
mod markup;
mod option_order;
mod prices;
mod product_document;
mod read;
mod shortcodes;
mod tables;
mod values;
mod variant;

#[cfg(test)]
mod tests;

pub use self::attributes::{AttributeColumn, AttributeCounter, AttributeKind, AttributeStatistics};
pub use self::barcodes::is_barcode;
pub use self::json::{Members, ObjectWriter, elements, first_elements, members, scalar};
pub use self::markup::{with_characters, without_markup};
pub use self::read::{AccountPrice, CARD_VALUE_BYTES, read_account_price, read_document};
pub use self::tables::{NameTable, ShopTables};
pub use self::values::{Attribute, AttributeValue, Measure};

pub use self::fault::DocumentFault;

pub use self::option_order::sort_option_values;
pub use self::product_document::{Display, ProductDocument};
pub use self::variant::Variant;
