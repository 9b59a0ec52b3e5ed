//! Combined effects of the rules that act on a search.

use std::sync::Arc;

use super::compiled_rule::CompiledRule;
use super::read::{BY_DEFAULT, BY_MAX};
use super::rule::{ProductSelector, Rule};
use crate::limits;
use crate::search::index::NamedDigest;
use crate::search::synonyms::Synonyms;

/// A product that a rule puts in front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PinnedProduct<'r> {
    /// The rule.
    pub rule: &'r Rule,
    /// The product's id.
    pub id: &'r str,
}

/// Products that a rule leaves out, or the only ones that it allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit<'r> {
    /// The rule.
    pub rule: &'r Rule,
    /// Selection of the products.
    pub which: &'r ProductSelector,
    /// Digest of the selection.
    pub digest: &'r NamedDigest,
}

/// Products that are lifted or lowered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight<'r> {
    /// Selection of the products, and the rule.
    pub limit: Limit<'r>,
    /// By this part of their score.
    pub by: f64,
}

/// Effects of the rules that act, in their order.
#[derive(Debug, Default)]
pub struct Effects<'r> {
    /// The rules that act.
    pub acting: Vec<&'r Rule>,
    /// Products that stand in front.
    pub pins: Vec<PinnedProduct<'r>>,
    /// Products that are lifted or lowered: for each the first rule counts.
    pub weights: Vec<Weight<'r>>,
    /// Products that are left out.
    pub hidden: Vec<Limit<'r>>,
    /// The only products that may be found: those that all of these select.
    pub filters: Vec<Limit<'r>>,
    /// The page to which to go instead.
    pub redirect: Option<&'r str>,
    /// Texts to show.
    pub banners: Vec<&'r str>,
    /// Synonyms besides those of the shop.
    pub synonyms: Vec<&'r Arc<Synonyms>>,
    /// Stems of words that no product has to hold.
    pub stop_stems: Vec<&'r str>,
}

impl<'r> Effects<'r> {
    pub(super) fn from_rules(acting: impl Iterator<Item = &'r CompiledRule>) -> Self {
        let mut effects = Self::default();
        let mut looks = 0;
        for ready in acting {
            effects.add(ready, &mut looks);
        }
        effects.pins.truncate(limits::SEARCH_PAGE_HITS);
        effects.banners.truncate(limits::SEARCH_RULE_BANNERS);
        effects
    }

    /// `looks` counts the effects on products selected by filters: each hit of a search is checked against all of
    /// these.
    fn add(&mut self, ready: &'r CompiledRule, looks: &mut usize) {
        let rule = &ready.rule;
        let mut counts = |which: &&ProductSelector| {
            let is_look = !which.is_empty() && !which.contains_key("Ids");
            *looks += usize::from(is_look);
            !which.is_empty() && (!is_look || *looks <= limits::SEARCH_RULE_LOOKS)
        };
        self.acting.push(rule);
        self.pins.extend(rule.pin.iter().map(|id| PinnedProduct { rule, id }));
        let digests = &ready.digests;
        let mut limit = |which, digest| Some(Limit { rule, which, digest }).filter(|_| counts(&which));
        self.hidden.extend(limit(&rule.hide, &digests.hide));
        self.filters.extend(limit(&rule.filter, &digests.filter));
        for (which, digest, sign) in [(&rule.boost, &digests.boost, 1.0), (&rule.bury, &digests.bury, -1.0)] {
            self.weights
                .extend(limit(which, digest).map(|limit| Weight { limit, by: sign * boost_factor(which) }));
        }
        self.redirect = self.redirect.or(rule.redirect.as_deref());
        self.banners.extend(rule.banner.as_deref());
        self.synonyms.extend(&ready.synonyms);
        self.stop_stems.extend(ready.stop_stems.iter().map(String::as_str));
    }
}

/// Strength of a boost, as a part of 1.
fn boost_factor(which: &ProductSelector) -> f64 {
    let percent = which.get("By").and_then(serde_json::Value::as_f64).unwrap_or(BY_DEFAULT);
    percent.clamp(0.0, BY_MAX) / 100.0
}
