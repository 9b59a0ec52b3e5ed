//! A rule of a shop.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Way in which the query must match the words of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Match {
    /// It has each of the words in any form, among others and in any order.
    #[default]
    Words,
    /// It has the words as they are written, side by side.
    Contains,
    /// It is these words.
    Exact,
}

/// The member of [`ProductSelector`] for the price of products to the caller.
pub const PRICE: &str = "Price";

/// Selects products by `Ids`, or by search filters, all of which must match.
pub type ProductSelector = Map<String, Value>;

/// Conditions of a selection that hold for every caller at any time: all except the price and `By`.
#[must_use]
pub fn lasting(which: &ProductSelector) -> ProductSelector {
    let lasts = which.iter().filter(|(name, _)| !["By", PRICE].contains(&name.as_str()));
    lasts.map(|(name, wanted)| (name.clone(), wanted.clone())).collect()
}

/// A rule as it is written and stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Rule {
    /// Its name; if two rules have the same priority, the one with the lesser id acts first.
    pub id: String,
    /// The higher acts first.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false)]
    pub priority: i64,
    /// The words of the query that it applies to; if empty, it applies to any query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub query: Option<String>,
    /// Way in which the query must match these words.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(required = false)]
    pub r#match: Match,
    /// Only in this category: the search filters by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub category: Option<String>,
    /// From this moment on (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub from: Option<String>,
    /// Before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub until: Option<String>,
    /// Ids of products that stand in front, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub pin: Vec<String>,
    /// Products that are lifted: `Ids` or filters, and `By`, in percent of their score; 20 without it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(required = false, value_type = Object)]
    pub boost: ProductSelector,
    /// Products that are lowered, likewise.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(required = false, value_type = Object)]
    pub bury: ProductSelector,
    /// Products that are left out: `Ids` or filters.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(required = false, value_type = Object)]
    pub hide: ProductSelector,
    /// The only products that may be found: `Ids` or filters.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(required = false, value_type = Object)]
    pub filter: ProductSelector,
    /// The page to which the shop's page should lead instead: a path, or an address of one of the shop's origins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub redirect: Option<String>,
    /// A text to show over the hits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub banner: Option<String>,
    /// Lines of synonyms, as those of the shop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub synonyms: Vec<String>,
    /// Words of the query that no product has to hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub stop_words: Vec<String>,
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
