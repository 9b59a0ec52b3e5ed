//! Lookup of the rules for a query: by its words, so that many rules cost a query next to nothing.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use aws_lc_rs::digest;

use super::effects::Effects;
use super::{Match, ProductSelector, Rule, lasting};
use crate::clock::ValidityPeriod;
use crate::search::index::NamedDigest;
use crate::search::synonyms::Synonyms;
use crate::search::text::Analyser;

/// The rules of a shop, in the order in which they act.
#[derive(Debug)]
pub struct Rules {
    all: Vec<CompiledRule>,
    /// By the first word of the conditions with words: that of the query, folded, or its stem.
    by_word: HashMap<String, Vec<usize>>,
    /// Those without words.
    wordless: Vec<usize>,
}

/// A rule, with its texts compiled.
#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) rule: Rule,
    /// Its words, as its kind of match compares them; none: any query.
    words: Option<Vec<String>>,
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

fn digest_of(which: &ProductSelector) -> NamedDigest {
    let mut digest = NamedDigest::default();
    let text = serde_json::to_vec(which).unwrap_or_default();
    digest.copy_from_slice(digest::digest(&digest::SHA256, &text).as_ref());
    digest
}

/// The words of a query.
struct RuleQueryWords {
    folded: Vec<String>,
    stems: Vec<String>,
}

impl RuleQueryWords {
    fn from_text(text: &str, analyser: &Analyser) -> Self {
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
    fn new(rule: Rule, analyser: &Analyser) -> Self {
        let words = rule.query.as_deref().map(|query| {
            let RuleQueryWords { folded, stems } = RuleQueryWords::from_text(query, analyser);
            if rule.r#match == Match::Words { telling(&folded, stems, analyser) } else { folded }
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

    fn acts(&self, words: &[RuleQueryWords], categories: &[String], now: i64) -> bool {
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
fn telling(folded: &[String], stems: Vec<String>, analyser: &Analyser) -> Vec<String> {
    let telling = folded.iter().zip(&stems).filter(|(word, _)| !analyser.is_function_word(word));
    let telling: Vec<String> = telling.map(|(_, stem)| stem.clone()).collect();
    if telling.is_empty() { stems } else { telling }
}

impl Rules {
    /// Rules of a shop whose texts this analyser reads.
    #[must_use]
    pub fn new(mut rules: Vec<Rule>, analyser: &Analyser) -> Self {
        rules.sort_by(|a, b| {
            let by_priority = Reverse(a.priority).cmp(&Reverse(b.priority));
            by_priority.then_with(|| a.id.cmp(&b.id))
        });
        let all: Vec<_> = rules.into_iter().map(|rule| CompiledRule::new(rule, analyser)).collect();
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        let mut wordless = Vec::new();
        for (place, ready) in all.iter().enumerate() {
            match ready.words.as_deref().and_then(<[String]>::first) {
                Some(first) => by_word.entry(first.clone()).or_default().push(place),
                None => wordless.push(place),
            }
        }
        Self { all, by_word, wordless }
    }

    /// Effects of the rules on a search for one of these texts (the query as typed, and as corrected), filtered by
    /// these categories, at this second since 1970.
    #[must_use]
    pub fn effects(
        &self,
        texts: &[&str],
        analyser: &Analyser,
        categories: &[String],
        now: i64,
    ) -> Effects<'_> {
        let words: Vec<_> = texts.iter().map(|text| RuleQueryWords::from_text(text, analyser)).collect();
        let all = words.iter().flat_map(|words| words.folded.iter().chain(&words.stems));
        let named = all.filter_map(|word| self.by_word.get(word)).flatten();
        let mut places: Vec<usize> = named.chain(&self.wordless).copied().collect();
        places.sort_unstable();
        places.dedup();
        let acting = places.into_iter().map(|place| &self.all[place]);
        Effects::from_rules(acting.filter(|ready| ready.acts(&words, categories, now)))
    }
}
