//! Schemas of all sections.

use super::catalogue::{ACCOUNT_PRICES, BRANDS, CATEGORIES};
use super::deltas::{
    DELETE_ACCOUNT_PRICES, DELETE_PRODUCTS, DELETE_USERS, DELETE_VARIANTS, REMOVE_CATEGORY_FROM_PRODUCTS,
    SET_CATEGORY_ON_PRODUCTS, SET_VARIANTS,
};
use super::orders::ORDERS;
use super::products::PRODUCTS;
use super::spec::RowSchema;
use super::users::USERS;
use crate::feeds::section::{FeedPart, Section};

/// All sections, in the order of [`FeedPart::ALL`].
pub const SECTIONS: [&RowSchema; FeedPart::ALL.len()] = [
    &PRODUCTS,
    &CATEGORIES,
    &BRANDS,
    &ACCOUNT_PRICES,
    &USERS,
    &DELETE_PRODUCTS,
    &DELETE_ACCOUNT_PRICES,
    &DELETE_USERS,
    &SET_CATEGORY_ON_PRODUCTS,
    &REMOVE_CATEGORY_FROM_PRODUCTS,
    &SET_VARIANTS,
    &DELETE_VARIANTS,
    &ORDERS,
];

/// Schema of the rows of a section.
#[must_use]
pub fn schema_of(part: FeedPart) -> &'static RowSchema {
    SECTIONS[part.index()]
}

impl FeedPart {
    /// The part of a JSON document that a sender means by a name: any case, and `Brand` for `Brands`.
    #[must_use]
    pub fn parse_lenient(name: &str) -> Option<Self> {
        let is_name = |known: &str| known.eq_ignore_ascii_case(name);
        let is_meant = |part: &Self| {
            *part != Self::Orders
                && (is_name(part.as_str()) || schema_of(*part).also.iter().copied().any(is_name))
        };
        Self::ALL.into_iter().find(is_meant)
    }
}

impl Section {
    /// The section that a sender means by a name: any case, and `Brand` for `Brands`.
    #[must_use]
    pub fn parse_lenient(name: &str) -> Option<Self> {
        FeedPart::parse_lenient(name)?.section()
    }
}
