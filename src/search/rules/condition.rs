//! Lookup of the rules for a query: by its words, so that many rules cost a query next to nothing.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::compiled_rule::{CompiledRule, RuleQueryWords};
use super::effects::Effects;
use super::rule::Rule;
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
