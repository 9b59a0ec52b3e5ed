//! Rules: a merchandiser's wishes for some searches: products in front, higher, lower or out, a notice, another page,
//! words that mean the same. They are a property of the query: no index knows of them.
//!
//! A shop has one list of rules. Those whose condition holds act in this order: the higher `Priority` first, of equal
//! ones in the order of their ids.
//! - A product that one rule hides or filters out is out, whatever other rules say.
//! - Pins of an earlier rule stand before those of a later one; a product stands at its first place.
//! - If several rules boost or bury a product, the first decides.
//! - The first redirect counts; banners, synonyms and stop words are those of all.

mod condition;
mod effects;
mod read;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use condition::Rules;
pub use effects::{Effects, Limit, Pin, Weight};
pub use read::{RuleFault, parse_rules};

use super::text::{Analyser, ShopLanguage};

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

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The rules of a shop as they are stored, and their compiled form, which the first search makes.
#[derive(Debug)]
pub struct RuleList {
    /// Number of times they were set; 0: never.
    pub version: i64,
    text: String,
    language: ShopLanguage,
    made: OnceLock<Option<Arc<Rules>>>,
}

impl RuleList {
    /// The rules of a shop whose texts are in this language, as [`parse_rules`] returned them.
    #[must_use]
    pub const fn new(version: i64, text: String, language: ShopLanguage) -> Self {
        Self { version, text, language, made: OnceLock::new() }
    }

    /// The rules as JSON: a list.
    #[must_use]
    pub fn text(&self) -> &str {
        if self.text.is_empty() { "[]" } else { &self.text }
    }

    /// The compiled rules; `None` without any.
    #[must_use]
    pub fn rules(&self) -> Option<&Arc<Rules>> {
        let make = || {
            // They were checked when they were taken; a rule that another version cannot read is dropped.
            let rules: Vec<Rule> = serde_json::from_str(self.text()).ok()?;
            (!rules.is_empty()).then(|| Arc::new(Rules::new(rules, &Analyser::new(self.language))))
        };
        self.made.get_or_init(make).as_ref()
    }
}

impl Default for RuleList {
    fn default() -> Self {
        Self::new(0, String::new(), ShopLanguage::English)
    }
}
