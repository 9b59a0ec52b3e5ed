//! Rules: a merchandiser's wishes for some searches: products in front, higher, lower or out, a notice, another page,
//! words that mean the same. They are a property of the query: no index knows of them.
//!
//! A shop has one list of rules. Those whose condition holds act in this order: the higher `Priority` first, of equal
//! ones in the order of their ids.
//! - A product that one rule hides or filters out is out, whatever other rules say.
//! - Pins of an earlier rule stand before those of a later one; a product stands at its first place.
//! - If several rules boost or bury a product, the first decides.
//! - The first redirect counts; banners, synonyms and stop words are those of all.

mod compiled_rule;
mod condition;
mod effects;
mod read;
mod rule;
#[cfg(test)]
mod tests;

pub use self::rule::{Match, PRICE, ProductSelector, Rule, lasting};

use std::sync::{Arc, OnceLock};

use super::text::{Analyser, ShopLanguage};

pub use self::condition::Rules;
pub use self::effects::{Effects, Limit, PinnedProduct, Weight};
pub use self::read::{RuleFault, parse_rules};

/// The rules of a shop as they are stored, and their compiled form, which the first search makes.
#[derive(Debug)]
pub struct RuleList {
    /// Number of times they were set; 0: never.
    pub version: i64,
    text: String,
    language: ShopLanguage,
    words_apart: Vec<String>,
    made: OnceLock<Option<Arc<Rules>>>,
}

impl RuleList {
    /// The rules of a shop whose texts are in this language, as [`parse_rules`] returned them.
    #[must_use]
    pub const fn new(version: i64, text: String, language: ShopLanguage) -> Self {
        Self { version, text, language, words_apart: Vec::new(), made: OnceLock::new() }
    }

    /// The same rules, for a shop that keeps these folded words apart.
    #[must_use]
    pub fn with_words_apart(self, apart: &[String]) -> Self {
        Self { words_apart: apart.to_vec(), ..self }
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
            let analyser = Analyser::with_words_apart(self.language, &self.words_apart);
            (!rules.is_empty()).then(|| Arc::new(Rules::new(rules, &analyser)))
        };
        self.made.get_or_init(make).as_ref()
    }
}

impl Default for RuleList {
    fn default() -> Self {
        Self::new(0, String::new(), ShopLanguage::English)
    }
}
