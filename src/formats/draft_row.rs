//! A row of a foreign feed in Lethe's terms, before the rows of one product are brought together.

use serde::{Deserialize, Serialize};

use super::values::category_path::CategoryPath;
use crate::feeds::IssueCode;

/// Position of a record in its file.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordPlace {
    /// Number of the record, from 1.
    pub number: u64,
    /// Line on which it begins, from 1.
    pub line: u64,
    /// Offset of its first byte in the decoded file, from 0.
    pub offset: u64,
}

/// Part that a row has in its product.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RowRole {
    /// A product, or one variant of the product that `group` names.
    #[default]
    Item,
    /// The product that `group` names, without being sold itself: its variants are rows of their own.
    Parent,
    /// More of the product that `group` names: pictures, option names.
    More,
}

/// A variant's value of one option.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DraftOption {
    /// Column number of a format that numbers its options, from 1; 0 otherwise.
    pub position: u8,
    /// The option's name; empty when only another row of the product has it.
    pub name: String,
    /// The value; several, of a parent that lists them, stay one text.
    pub value: String,
}

/// A variant that a parent lists, and whose row may stand anywhere in the file.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VariantListing {
    /// Article number of the variant's row.
    pub sku: String,
    /// Values of the options that tell it apart.
    pub options: Vec<DraftOption>,
}

/// A finding about a row that only the conversion can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftIssue {
    /// Its code.
    pub code: IssueCode,
    /// The column or element, as the file names it.
    pub column: String,
}

/// A row of a foreign feed. Texts are plain (no markup), trimmed, and never empty.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct DraftRow {
    /// Position in the file.
    pub place: RecordPlace,
    /// Part in the product.
    pub role: RowRole,
    /// Key of the product that it is a part of; `None` for a product on its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Other keys by which rows name this product as their group: an id besides the SKU, SKUs that a parent lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub group_aliases: Vec<String>,
    /// Id of the product or variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Article number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sku: Option<String>,
    /// GTIN, EAN, UPC or ISBN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gtin: Option<String>,
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Address of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Address of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Addresses of more pictures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more_images: Vec<String>,
    /// Name of the brand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// Paths of its categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<CategoryPath>,
    /// Words by which it is found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// List prices as Lethe writes them (`12.50 GBP`), at most one a currency; as sent where unreadable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<String>,
    /// Sale prices, likewise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sale_prices: Vec<String>,
    /// First moment of the sale, as a date that [`crate::dates::DateText`] reads; as sent where unreadable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sale_start: Option<String>,
    /// Last moment of the sale, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sale_end: Option<String>,
    /// First day on which it is shown, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Last day on which it is shown, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// True if it can be bought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_stock: Option<bool>,
    /// Number in stock, as JSON writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<String>,
    /// Values of the options that tell variants apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<DraftOption>,
    /// Variants that a parent lists with their options, which the variants' own rows lack.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listed_variants: Vec<VariantListing>,
    /// Everything else, by name, in the file's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(String, Vec<String>)>,
    /// Not for sale: a draft, archived, or hidden in the shop's system. It is left out, and counted.
    pub is_hidden: bool,
    /// Not shown on its own, only as a variant: if no parent lists it, it is hidden.
    pub is_variant_only: bool,
    /// Findings of the conversion.
    #[serde(skip)]
    pub issues: Vec<DraftIssue>,
}

impl DraftRow {
    /// Adds values to the attribute of this name, which is compared with all others: for a few names a row.
    pub fn add_values(&mut self, name: &str, values: Vec<String>) {
        if values.is_empty() {
            return;
        }
        match self.attributes.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.extend(values),
            None => self.attributes.push((name.to_owned(), values)),
        }
    }
}
