//! A product as the index takes it.

use super::values::Attribute;
use crate::search::pricing::OfferTerms;

/// A variant of a product. It has no row of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variant {
    /// Its id, or empty.
    pub id: String,
    /// Its article number, or empty.
    pub sku: String,
    /// Its title, or empty.
    pub title: String,
    /// Names of its attribute values, such as its colour and size, one a line.
    pub values: String,
}

/// A product as search knows it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProductDocument {
    /// The shop's id of the product.
    pub id: String,
    /// The article number, or empty.
    pub sku: String,
    /// The title.
    pub title: String,
    /// The id of its brand, or empty.
    pub brand_id: String,
    /// The name of its brand, or empty.
    pub brand: String,
    /// Ids of its categories and of all their ancestors; its own come first.
    pub categories: Vec<String>,
    /// The names of these in the same order, then the further ones that the shop's system sends. Two ids may have the
    /// same name.
    pub category_names: Vec<String>,
    /// The text of its page without markup.
    pub description: String,
    /// Words by which it is found besides its text.
    pub tags: Vec<String>,
    /// All other members of the row.
    pub attributes: Vec<Attribute>,
    /// Its variants.
    pub variants: Vec<Variant>,
    /// Its visibility and prices.
    pub offer: OfferTerms,
    /// True if it can be bought now. If the row does not say so: true if some are in stock, or their number is unknown.
    pub in_stock: bool,
    /// True if it is new.
    pub new_arrival: bool,
    /// True if it is on offer.
    pub on_offer: bool,
    /// True if search leaves it out; `pricing` says so too.
    pub hidden: bool,
    /// The first second in which it is shown, since 1970, or 0: the newest product has the largest.
    pub newest: i64,
    /// Content that an answer may show. It holds neither prices nor accounts: those depend on the caller.
    pub display: Display,
}

/// Content of a product that an answer may show: two objects of JSON without a name in common.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Display {
    /// Members that every answer shows.
    pub card: Vec<u8>,
    /// Members that are too long for the card: shown only to callers who name them.
    pub rest: Vec<u8>,
}
