//! Every field that a row of a feed, a delta or an order file may have: its names, type, meaning and an example.
//!
//! One table. Rows are read by it ([`super::rows`], [`super::orders`]), near misses of its names are reported
//! ([`misnamed`]), and `lethe check --fields`, `docs/fields.md` ([`page`]) and the schemas of the OpenAPI document are
//! made from it.

mod catalogue;
mod deltas;
mod kind;
pub mod misnamed;
mod orders;
pub mod page;
mod products;
mod sections;
mod spec;
mod users;
mod variants;

pub use self::catalogue::{ACCOUNT_PRICES, BRANDS, CATEGORIES};
pub use self::sections::{SECTIONS, schema_of};

pub use self::deltas::{
    DELETE_ACCOUNT_PRICES, DELETE_PRODUCTS, DELETE_USERS, DELETE_VARIANTS, MEMBERSHIP,
    REMOVE_CATEGORY_FROM_PRODUCTS, SET_CATEGORY_ON_PRODUCTS, SET_VARIANTS,
};
pub use self::kind::{FieldType, TextRole};
pub use self::orders::ORDERS;
pub use self::products::{PRICE_PAIR, PRODUCTS};
pub use self::users::USERS;
pub use self::variants::{VARIANT, VARIANTS_FIELD, entry_fields};

pub use self::spec::{AllowedDocuments, FieldRequirement, FieldSpec, RowSchema, UnknownFieldPolicy};

#[cfg(test)]
mod tests;
