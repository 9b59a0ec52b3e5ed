//! A rule, with its texts compiled.

use std::sync::Arc;

use aws_lc_rs::digest;

use super::rule::{Match, ProductSelector, Rule, lasting};
use crate::clock::ValidityPeriod;
use crate::search::index::NamedDigest;
use crate::search::synonyms::Synonyms;
use crate::search::text::Analyser;

/// A rule, with its texts compiled.
#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) rule: Rule,
    /// Its words, as its kind of match compares them; none: any query.
    pub(super) words: Option<Vec<String>>,
    span: ValidityPeriod,
    pub(super) synonyms: Option<Arc<Synonyms>>,
    pub(super) stop_stems: Vec<String>,
    pub(super) digests: Digests,
}

/// Digests of the products that a rule is about: equal selections have the same digest.
#[derive(Debug)]
pub(super) struct Digests {
    pub(super) boost: NamedDigest,
    pub(super) bury: NamedDigest,
    pub(super) hide: NamedDigest,
    pub(super) filter: NamedDigest,
}

impl Digests {
    fn from_rule(rule: &Rule) -> Self {
        let [boost, bury, hide, filter] =
            [&rule.boost, &rule.bury, &rule.hide, &rule.filter].map(|which| digest_of(&lasting(which)));
        Self { boost, bury, hide, filter }
    }
}

pub(super) fn digest_of(which: &ProductSelector) -> NamedDigest {
    let mut digest = NamedDigest::default();
    let text = serde_json::to_vec(which).unwrap_or_default();
    digest.copy_from_slice(digest::digest(&digest::SHA256, &text).as_ref());
    digest
}

/// The words of a query.
pub(super) struct RuleQueryWords {
    pub(super) folded: Vec<String>,
    pub(super) stems: Vec<String>,
}

impl RuleQueryWords {
    pub(super) fn from_text(text: &str, analyser: &Analyser) -> Self {
        let mut words = Self { folded: Vec::new(), stems: Vec::new() };
        analyser.for_each_word(text, &mut |token| {
            words.folded.push(token.word.to_owned());
            words.stems.push(token.stem.to_owned());
        });
        words
    }

    fn are(&self, how: Match, wanted: &[String]) -> bool {
        match how {
            Match::Exact => self.folded == wanted,
            Match::Contains => self.folded.windows(wanted.len().max(1)).any(|words| words == wanted),
            Match::Words => wanted.iter().all(|stem| self.stems.contains(stem)),
        }
    }
}

impl CompiledRule {
    pub(super) fn new(rule: Rule, analyser: &Analyser) -> Self {
        let words = rule.query.as_deref().map(|query| {
            let RuleQueryWords { folded, stems } = RuleQueryWords::from_text(query, analyser);
            if rule.r#match == Match::Words { significant_stems(&folded, stems, analyser) } else { folded }
        });
        let lines = rule.synonyms.join("\n");
        let synonyms = Synonyms::of_stored(&lines, analyser);
        let stop_stems =
            rule.stop_words.iter().flat_map(|word| RuleQueryWords::from_text(word, analyser).stems).collect();
        Self {
            words,
            // It was checked when it was taken.
            span: ValidityPeriod::parse(rule.from.as_deref(), rule.until.as_deref()).unwrap_or_default(),
            synonyms: (!synonyms.is_empty()).then(|| Arc::new(synonyms)),
            stop_stems,
            digests: Digests::from_rule(&rule),
            rule,
        }
    }

    pub(super) fn acts(&self, words: &[RuleQueryWords], categories: &[String], now: i64) -> bool {
        let is_its_query = self
            .words
            .as_ref()
            .is_none_or(|wanted| words.iter().any(|words| words.are(self.rule.r#match, wanted)));
        let is_its_category = self.rule.category.as_ref().is_none_or(|own| categories.contains(own));
        let is_its_time = self.span.holds(now);
        is_its_query && is_its_category && is_its_time
    }
}

/// Function words do not count, unless there is nothing else.
pub(super) fn significant_stems(folded: &[String], stems: Vec<String>, analyser: &Analyser) -> Vec<String> {
    let telling = folded.iter().zip(&stems).filter(|(word, _)| !analyser.is_function_word(word));
    let telling: Vec<String> = telling.map(|(_, stem)| stem.clone()).collect();
    if telling.is_empty() { stems } else { telling }
}
