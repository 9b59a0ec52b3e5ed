//! What of a product can be filtered and counted.

use super::columns::AttributeColumns;
use super::fault::QueryFault;
use crate::search::document::AttributeKind;

/// A property of products by which they are filtered and counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The brand, by its id.
    Brand,
    /// The category, by its id; a product is also in all that are above its own.
    Category,
    /// The price that the caller pays.
    Price,
    /// Whether it can be bought now.
    InStock,
    /// Whether the shop says that it is new.
    NewArrival,
    /// Whether the shop says that it is on offer.
    OnOffer,
    /// An attribute that has a column.
    Attribute(String),
}

/// How the values of a subject are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    Texts,
    Numbers,
    Prices,
    Flag(u64),
}

/// What begins the name of an attribute.
const ATTRIBUTES: &str = "Attributes.";
/// All names but those of attributes.
const PLAIN: [(&str, Subject); 6] = [
    ("Brand", Subject::Brand),
    ("Category", Subject::Category),
    ("Price", Subject::Price),
    ("InStock", Subject::InStock),
    ("NewArrival", Subject::NewArrival),
    ("OnOffer", Subject::OnOffer),
];
/// How many names of attributes a sentence lists.
const LISTED_NAMES: usize = 20;

impl Subject {
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
    /// When the name is none of these, or the attribute has no column.
    pub fn parse(name: &str, parameter: &str, columns: &AttributeColumns) -> Result<Self, QueryFault> {
        if let Some((_, subject)) = PLAIN.iter().find(|(plain, _)| *plain == name) {
            return Ok(subject.clone());
        }
        let Some(attribute) = name.strip_prefix(ATTRIBUTES) else {
            let names = PLAIN.map(|(name, _)| name).join(", ");
            let sentence = format!("{name:?} is not known; allowed are {names} and {ATTRIBUTES}NAME");
            return Err(QueryFault::new(parameter, sentence));
        };
        match columns.find(attribute) {
            Some(found) => Ok(Self::Attribute(found.to_owned())),
            None => Err(no_column(attribute, parameter, columns)),
        }
    }

    pub(super) fn stored(&self, columns: &AttributeColumns) -> Stored {
        use super::columns::{IN_STOCK, NEW_ARRIVAL, ON_OFFER};
        match self {
            Self::Brand | Self::Category => Stored::Texts,
            Self::Price => Stored::Prices,
            Self::InStock => Stored::Flag(IN_STOCK),
            Self::NewArrival => Stored::Flag(NEW_ARRIVAL),
            Self::OnOffer => Stored::Flag(ON_OFFER),
            Self::Attribute(name) => match columns.kind(name) {
                Some(AttributeKind::Number) => Stored::Numbers,
                _ => Stored::Texts,
            },
        }
    }
}

/// Says that the attribute has no column, and which have one.
pub(super) fn no_column(attribute: &str, parameter: &str, columns: &AttributeColumns) -> QueryFault {
    let mut names: Vec<_> = columns.names().collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(LISTED_NAMES);
    names.truncate(LISTED_NAMES);
    let listed = match (names.is_empty(), more) {
        (true, _) => "no attribute has one".to_owned(),
        (_, 0) => format!("those of {} have one", names.join(", ")),
        _ => format!("those of {} and {more} more have one", names.join(", ")),
    };
    QueryFault::new(
        parameter,
        format!("the attribute {attribute:?} has no column by which it is found; {listed}"),
    )
}
