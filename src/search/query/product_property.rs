//! Properties of a product that can be filtered and counted.

use super::columns::AttributeColumns;
use super::fault::QueryFault;
use crate::limits;
use crate::search::document::AttributeKind;

/// A property of products by which they are filtered and counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ProductProperty {
    /// The brand, by its id.
    Brand,
    /// The category, by its id; a product is also in all ancestors of its own.
    Category,
    /// The price that the caller pays.
    Price,
    /// The availability: if it can be bought now.
    InStock,
    /// The shop's flag for a new product.
    NewArrival,
    /// The shop's flag for a product on offer.
    OnOffer,
    /// An attribute: by the name of its column, or as requested when it has none.
    Attribute(String),
}

/// Storage of the values of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueStorage {
    Texts,
    Attribute(AttributeKind),
    Prices,
    Flag(u64),
}

/// Prefix of the names of attributes.
const ATTRIBUTES: &str = "Attributes.";
/// All names except those of attributes.
const PLAIN: [(&str, ProductProperty); 6] = [
    ("Brand", ProductProperty::Brand),
    ("Category", ProductProperty::Category),
    ("Price", ProductProperty::Price),
    ("InStock", ProductProperty::InStock),
    ("NewArrival", ProductProperty::NewArrival),
    ("OnOffer", ProductProperty::OnOffer),
];

impl ProductProperty {
    /// Its name in requests and answers.
    #[must_use]
    pub fn name(&self) -> String {
        if let Self::Attribute(name) = self {
            return format!("{ATTRIBUTES}{name}");
        }
        PLAIN
            .iter()
            .find(|(_, subject)| subject == self)
            .map_or_else(String::new, |(name, _)| (*name).to_owned())
    }

    /// Reads `Brand`, `Category`, `Price`, `InStock`, `NewArrival`, `OnOffer` or `Attributes.NAME`.
    ///
    /// # Errors
    /// When the name is no such property, or no attribute can be named so.
    pub fn parse(name: &str, parameter: &str, columns: &AttributeColumns) -> Result<Self, QueryFault> {
        if let Some((_, subject)) = PLAIN.iter().find(|(plain, _)| *plain == name) {
            return Ok(subject.clone());
        }
        let Some(attribute) = name.strip_prefix(ATTRIBUTES) else {
            let names = PLAIN.map(|(name, _)| name).join(", ");
            let sentence = format!("{name:?} is not known; allowed are {names} and {ATTRIBUTES}NAME");
            return Err(QueryFault::new(parameter, sentence));
        };
        Self::attribute(attribute, parameter, columns)
    }

    /// The attribute that a request names: one that has no column now may have one after the next feed, and holds
    /// nothing until then.
    ///
    /// # Errors
    /// When no attribute can be named so.
    pub(super) fn attribute(
        name: &str,
        parameter: &str,
        columns: &AttributeColumns,
    ) -> Result<Self, QueryFault> {
        if let Some(found) = columns.find_name(name) {
            return Ok(Self::Attribute(found.to_owned()));
        }
        let bytes = limits::ITEM_ID_BYTES;
        let can_be = !name.trim().is_empty() && name.len() <= bytes && !name.contains(char::is_control);
        if can_be {
            return Ok(Self::Attribute(name.to_owned()));
        }
        let sentence = format!(
            "names no attribute: a name has 1 to {bytes} bytes, not all of them white space, and no control characters"
        );
        Err(QueryFault::new(parameter, sentence))
    }

    /// Returns true if it is an attribute without a column: too few products have it, or none.
    #[must_use]
    pub fn is_unheld(&self, columns: &AttributeColumns) -> bool {
        matches!(self, Self::Attribute(name) if columns.kind(name).is_none())
    }

    /// Reads the option that groups, as `Colour` or `Attributes.Colour`; `None` for an empty name.
    ///
    /// # Errors
    /// When no attribute can be named so.
    pub fn parse_group(name: &str, columns: &AttributeColumns) -> Result<Option<String>, QueryFault> {
        if name.is_empty() {
            return Ok(None);
        }
        match Self::attribute(name.strip_prefix(ATTRIBUTES).unwrap_or(name), "GroupBy", columns)? {
            Self::Attribute(name) => Ok(Some(name)),
            _ => Ok(None),
        }
    }

    /// Returns true if the variants of a product may differ in it.
    pub(super) const fn is_of_variants(&self) -> bool {
        matches!(self, Self::Attribute(_) | Self::InStock | Self::Price)
    }

    pub(super) fn value_storage(&self, columns: &AttributeColumns) -> ValueStorage {
        use super::columns::{IN_STOCK, NEW_ARRIVAL, ON_OFFER};
        match self {
            Self::Brand | Self::Category => ValueStorage::Texts,
            Self::Price => ValueStorage::Prices,
            Self::InStock => ValueStorage::Flag(IN_STOCK),
            Self::NewArrival => ValueStorage::Flag(NEW_ARRIVAL),
            Self::OnOffer => ValueStorage::Flag(ON_OFFER),
            Self::Attribute(name) => {
                ValueStorage::Attribute(columns.kind(name).unwrap_or(AttributeKind::Text))
            }
        }
    }
}
