//! From a query's text to the terms looked up in the index (docs/ranking.md, "The plan").

use super::alternative_finder::{AlternativeFinder, demote_speech};
use super::options::{Coverage, Ranking};
use super::typed_words::{TypedWords, find_units, words_of};
use super::word_alternative::score_term;
use crate::limits;
use crate::search::statistics::{Compounds, Statistics, UNIT, key_of};
use crate::search::synonyms::{StemPhrase, Synonyms};
use crate::search::text::Analyser;

pub use super::word_alternative::{ScoredTerm, WordAlternative};

/// Score of a number with its unit, as a part of a word's score.
const UNIT_WORTH: f32 = 0.3;
/// Score of a word with the sign after it (`s23+`), as a part of a word's score.
const SIGN_WORTH: f32 = 0.5;
/// Score of a synonym, as a part of its own score; never more than that part of the score of the word for which it
/// stands.
const SYNONYM_WORTH: f32 = 0.7;
/// Coverage of a product that holds only a synonym of a word, as a part of the word's share.
pub const SYNONYM_SHARE: f32 = 0.95;
/// Score of a function word, as a part of a word's score.
const FUNCTION_WORD_WORTH: f32 = 0.1;

/// A word of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedWord {
    /// The word, folded.
    pub word: String,
    /// Its stem.
    pub stem: String,
    /// Its share of the coverage; all shares make 1.
    pub share: f32,
    /// The ways in which a product can hold it; the first is the word itself.
    pub alternatives: Vec<WordAlternative>,
}

impl PlannedWord {
    /// True if occurrences in the way at this place add up with others: those of the word itself and those in compounds
    /// of which it is a part.
    #[must_use]
    pub fn adds_up(&self, place: usize) -> bool {
        match self.alternatives.get(place) {
            Some(WordAlternative::Part(..)) => true,
            Some(WordAlternative::Word(_)) => place == 0,
            _ => false,
        }
    }

    fn synonyms(&self) -> impl Iterator<Item = &WordAlternative> {
        self.alternatives.iter().filter(|way| way.is_synonym())
    }
}

/// Synonyms, stop words and compounds of a shop.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wording<'w> {
    /// Its synonyms: the first ones get room first.
    pub synonyms: &'w [&'w Synonyms],
    /// Stems of words that count as little as function words.
    pub stop_stems: &'w [&'w str],
    /// Its compounds.
    pub compounds: Option<&'w Compounds>,
}

/// Search plan: the words and terms to look for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchPlan {
    /// The words, which decide what matches.
    pub words: Vec<PlannedWord>,
    /// Terms that raise the score of a product that matches: function words, numbers with units.
    pub extras: Vec<ScoredTerm>,
    /// Words that were left out.
    pub dropped: Vec<String>,
    /// True if synonyms were left out, because there are too many for one word or one search.
    pub lacks_synonyms: bool,
    /// Part of a word's share that a product loses if only its attributes or description hold the word.
    pub detail_loss: f32,
}

impl SearchPlan {
    /// The plan for a query.
    #[must_use]
    pub fn new(
        query: &str,
        analyser: &Analyser,
        statistics: &Statistics,
        wording: Wording<'_>,
        ranking: &Ranking,
    ) -> Self {
        let TypedWords { words: mut found, dropped, signs } =
            words_of(query, analyser, wording.stop_stems, ranking);
        if ranking.units {
            find_units(query, &mut found, analyser);
        }
        if ranking.function_words {
            demote_speech(&mut found, analyser.language());
        }
        let finder = AlternativeFinder { query, analyser, statistics, compounds: wording.compounds };
        let mut room = limits::SEARCH_ENDINGS;
        let only_function_words = found.iter().all(|word| word.function_word);
        let mut plan = Self { dropped, detail_loss: ranking.detail_loss(), ..Self::default() };
        for (place, word) in found.iter().enumerate() {
            let own = score_term(&word.stem, word.key, statistics, 1.0);
            if word.function_word && !only_function_words {
                let factor = own.factor * FUNCTION_WORD_WORTH;
                plan.extras.push(ScoredTerm { factor, ..own });
                continue;
            }
            let mut alternatives = vec![WordAlternative::Word(own)];
            if ranking.compounds {
                alternatives.extend(finder.list_alternatives(&found, place, &mut room));
            }
            if let Some(unit) = &word.unit {
                alternatives.push(WordAlternative::Word(score_term(
                    unit,
                    key_of(unit),
                    statistics,
                    UNIT_WORTH,
                )));
            }
            let share = statistics.idf(word.key);
            plan.words.push(PlannedWord {
                word: word.word.clone(),
                stem: word.stem.clone(),
                share,
                alternatives,
            });
        }
        if ranking.units && query.bytes().any(|byte| byte.is_ascii_digit()) {
            plan.extras.extend(units(query, analyser, statistics));
        }
        plan.extras.extend(signs.iter().map(|term| score_term(term, key_of(term), statistics, SIGN_WORTH)));
        for synonyms in wording.synonyms {
            plan.lacks_synonyms |= add_synonyms(&mut plan.words, synonyms, statistics);
        }
        plan.cut_synonyms(limits::SEARCH_LISTS);
        plan.share_out(ranking);
        plan
    }

    /// The plan for a query without a word: its words match no product.
    #[must_use]
    pub fn without_words(query: &str) -> Self {
        let word = PlannedWord {
            word: query.trim().to_owned(),
            stem: String::new(),
            share: 1.0,
            alternatives: Vec::new(),
        };
        Self { words: vec![word], ..Self::default() }
    }

    /// Leaves out synonyms, so that at most this many lists are read: each word keeps its first, then its second, and
    /// so on. The words of the query itself stay.
    fn cut_synonyms(&mut self, most: usize) {
        let all = self.words.iter().flat_map(|word| &word.alternatives);
        let own: usize = all.filter(|way| !way.is_synonym()).map(WordAlternative::lists).sum();
        let mut room = most.saturating_sub(own + self.extras.len());
        let mut kept = vec![0; self.words.len()];
        for turn in 0..limits::SEARCH_SYNONYMS_OF_WORD {
            for (word, kept) in self.words.iter().zip(&mut kept) {
                let Some(lists) = word.synonyms().nth(turn).map(WordAlternative::lists) else { continue };
                let has_room = lists <= room;
                if has_room && *kept == turn {
                    room = room.saturating_sub(lists);
                    *kept += 1;
                }
            }
        }
        for (word, kept) in self.words.iter_mut().zip(kept) {
            self.lacks_synonyms |= word.synonyms().count() > kept;
            let mut place = 0;
            word.alternatives.retain(|way| {
                place += usize::from(way.is_synonym());
                !way.is_synonym() || place <= kept
            });
        }
    }

    fn share_out(&mut self, ranking: &Ranking) {
        if ranking.coverage == Coverage::Tiers {
            self.words.iter_mut().for_each(|word| word.share = 1.0);
        }
        let sum: f32 = self.words.iter().map(|word| word.share).sum();
        if sum > 0.0 {
            self.words.iter_mut().for_each(|word| word.share /= sum);
        }
    }

    /// True if nothing is looked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.extras.is_empty()
    }
}

/// Adds synonyms of words and of phrases that stand side by side: the other name of a phrase holds each of its words.
/// The words have their idf as their share. Returns true if a word has more than [`limits::SEARCH_SYNONYMS_OF_WORD`].
fn add_synonyms(words: &mut [PlannedWord], synonyms: &Synonyms, statistics: &Statistics) -> bool {
    let mut lacks_synonyms = false;
    for first in 0..words.len() {
        for entry in synonyms.beginning_with(&words[first].stem) {
            let end = first + 1 + entry.rest.len();
            let Some(rest) = words.get(first + 1..end) else { continue };
            if rest.iter().zip(&entry.rest).any(|(word, stem)| word.stem != *stem) {
                continue;
            }
            for word in &mut words[first..end] {
                let added = entry.synonyms.iter().map(|phrase| synonym(word.share, phrase, statistics));
                let added: Vec<_> = added.filter(|added| !word.alternatives.contains(added)).collect();
                let count = word.alternatives.iter().filter(|other| other.is_synonym()).count();
                let room = limits::SEARCH_SYNONYMS_OF_WORD.saturating_sub(count);
                lacks_synonyms |= added.len() > room;
                word.alternatives.extend(added.into_iter().take(room));
            }
        }
    }
    lacks_synonyms
}

/// A synonym of a word with this idf. In equally good places the word itself always scores more than its synonym.
fn synonym(of_word: f32, phrase: &StemPhrase, statistics: &Statistics) -> WordAlternative {
    let parts = phrase.iter().map(|stem| score_term(stem, key_of(stem), statistics, 1.0));
    let mut parts: Vec<ScoredTerm> = parts.collect();
    parts.sort_by(|a, b| b.factor.total_cmp(&a.factor).then_with(|| a.term.cmp(&b.term)));
    let own: f32 = parts.iter().map(|part| part.factor).sum();
    let scale = if own > of_word { of_word / own } else { 1.0 };
    let worth = SYNONYM_WORTH * scale;
    parts.iter_mut().for_each(|part| part.factor *= worth);
    WordAlternative::Synonym(parts)
}

fn units(query: &str, analyser: &Analyser, statistics: &Statistics) -> Vec<ScoredTerm> {
    let mut units: Vec<String> =
        analyser.units(query).into_iter().map(|unit| format!("{UNIT}{unit}")).collect();
    units.sort_unstable();
    units.dedup();
    units.truncate(limits::SEARCH_WORDS);
    units.into_iter().map(|term| score_term(&term, key_of(&term), statistics, UNIT_WORTH)).collect()
}
