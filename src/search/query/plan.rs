//! From a query's text to the terms looked up in the index (docs/ranking.md, "The plan").

use super::options::{Coverage, Ranking};
use crate::limits;
use crate::search::statistics::{JOINED_MIN_BYTES, PAIR, Statistics, UNIT, key_of};
use crate::search::synonyms::{StemPhrase, Synonyms};
use crate::search::text::Analyser;

/// Score of a number with its unit, as a part of a word's score.
const UNIT_WORTH: f32 = 0.3;
/// Score of a word written as one with its neighbour, for each of the two.
const JOIN_WORTH: f32 = 0.5;
/// Score of a synonym, as a part of its own score; never more than that part of the score of the word for which it
/// stands.
const SYNONYM_WORTH: f32 = 0.7;
/// Coverage of a product that holds only a synonym of a word, as a part of the word's share.
pub const SYNONYM_SHARE: f32 = 0.95;
/// Score of a function word, as a part of a word's score.
const FUNCTION_WORD_WORTH: f32 = 0.1;
/// Shortest word that is looked for as two.
const SPLIT_MIN_LETTERS: usize = 6;
const SPLIT_PART_MIN_LETTERS: usize = 2;
const SPLIT_SEEN_MIN: u32 = 2;

/// Term of the index for a word, with the factor of its score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredTerm {
    /// The word as the index has it.
    pub term: String,
    /// Factor of BM25F's saturated frequency that makes its score.
    pub factor: f32,
}

/// One way in which a product can hold a word of the query.
#[derive(Debug, Clone, PartialEq)]
pub enum WordAlternative {
    /// It has this word.
    Word(ScoredTerm),
    /// It has this pair of adjacent words, and scores the sum of the two.
    Pair(String, [ScoredTerm; 2]),
    /// It has all of these words, which the shop calls a synonym. The rarest comes first.
    Synonym(Vec<ScoredTerm>),
}

impl WordAlternative {
    /// True if it is a synonym from the shop's list.
    #[must_use]
    pub const fn is_synonym(&self) -> bool {
        matches!(self, Self::Synonym(_))
    }

    /// Number of lists of the index that are read for it.
    const fn lists(&self) -> usize {
        match self {
            Self::Word(_) => 1,
            Self::Pair(_, parts) => 1 + parts.len(),
            Self::Synonym(words) => words.len(),
        }
    }
}

/// A word of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedWord {
    /// The word, folded.
    pub word: String,
    /// Its stem.
    pub stem: String,
    /// Its share of the coverage; all shares make 1.
    pub share: f32,
    /// The ways in which a product can hold it.
    pub alternatives: Vec<WordAlternative>,
}

impl PlannedWord {
    fn synonyms(&self) -> impl Iterator<Item = &WordAlternative> {
        self.alternatives.iter().filter(|way| way.is_synonym())
    }
}

/// Synonyms and stop words of a shop.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wording<'w> {
    /// Its synonyms: the first ones get room first.
    pub synonyms: &'w [&'w Synonyms],
    /// Stems of words that count as little as function words.
    pub stop_stems: &'w [&'w str],
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
}

struct ParsedWord {
    word: String,
    stem: String,
    key: u64,
    function_word: bool,
    start: usize,
    end: usize,
    /// The number with unit that the word is a part of.
    unit: Option<String>,
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
        let (mut found, dropped) = words_of(query, analyser, wording.stop_stems, ranking);
        if ranking.units {
            find_units(query, &mut found, analyser);
        }
        let only_function_words = found.iter().all(|word| word.function_word);
        let mut plan = Self { dropped, ..Self::default() };
        for (place, word) in found.iter().enumerate() {
            let own = score_term(&word.stem, word.key, statistics, 1.0);
            if word.function_word && !only_function_words {
                let factor = own.factor * FUNCTION_WORD_WORTH;
                plan.extras.push(ScoredTerm { factor, ..own });
                continue;
            }
            let mut alternatives = vec![WordAlternative::Word(own)];
            if ranking.compounds {
                alternatives.extend(joins(&found, place, analyser, statistics));
                alternatives.extend(split(&word.word, analyser, statistics));
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

    /// True if synonyms are looked for.
    #[must_use]
    pub fn has_synonyms(&self) -> bool {
        self.words.iter().flat_map(|word| &word.alternatives).any(WordAlternative::is_synonym)
    }

    /// True if nothing is looked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.extras.is_empty()
    }
}

/// The words of a query, each stem once, and the surplus words.
fn words_of(
    query: &str,
    analyser: &Analyser,
    stop_stems: &[&str],
    ranking: &Ranking,
) -> (Vec<ParsedWord>, Vec<String>) {
    let mut found: Vec<ParsedWord> = Vec::new();
    let mut dropped = Vec::new();
    analyser.for_each_word(query, &mut |token| {
        if found.iter().any(|other| other.stem == token.stem) {
            return;
        }
        if found.len() == limits::SEARCH_WORDS {
            dropped.push(token.word.to_owned());
            return;
        }
        let word = token.word.to_owned();
        let stem = token.stem.to_owned();
        let start = token.start;
        let end = token.end;
        found.push(ParsedWord {
            key: key_of(&stem),
            word,
            stem,
            function_word: false,
            start,
            end,
            unit: None,
        });
    });
    for word in &mut found {
        let is_one = ranking.function_words && analyser.is_function_word(&word.word);
        word.function_word = is_one || stop_stems.contains(&word.stem.as_str());
    }
    (found, dropped)
}

/// Finds the words that make a number with its unit: such a word is also held by a product that has the measure in
/// another form.
fn find_units(query: &str, found: &mut [ParsedWord], analyser: &Analyser) {
    for place in 0..found.len() {
        let word = &found[place];
        if word.unit.is_some() || !word.word.starts_with(|first: char| first.is_ascii_digit()) {
            continue;
        }
        let with_sign = query[word.end..].chars().next().map_or(word.end, |sign| word.end + sign.len_utf8());
        let next = found.get(place + 1).filter(|next| next.start > word.start).map(|next| next.end);
        let ends = [(word.end, 1), (with_sign, 1), (next.unwrap_or(word.end), 2)];
        let unit = ends.into_iter().find_map(|(end, words)| {
            let mut units = analyser.units(query.get(word.start..end)?);
            (units.len() == 1).then(|| units.pop().map(|unit| (format!("{UNIT}{unit}"), words)))?
        });
        if let Some((unit, words)) = unit {
            found.iter_mut().skip(place).take(words).for_each(|word| word.unit = Some(unit.clone()));
        }
    }
}

fn score_term(term: &str, key: u64, statistics: &Statistics, worth: f32) -> ScoredTerm {
    ScoredTerm { term: term.to_owned(), factor: statistics.idf(key) * worth }
}

/// The word joined with the one before it, and with the one after it.
fn joins(
    found: &[ParsedWord],
    place: usize,
    analyser: &Analyser,
    statistics: &Statistics,
) -> Vec<WordAlternative> {
    let before = place.checked_sub(1).and_then(|before| Some((found.get(before)?, found.get(place)?)));
    let after = found.get(place).zip(found.get(place + 1));
    let mut alternatives = Vec::new();
    for (left, right) in before.into_iter().chain(after) {
        let joined = format!("{}{}", left.word, right.word);
        let numbers = is_number(&left.word) && is_number(&right.word);
        if joined.len() < JOINED_MIN_BYTES || numbers {
            continue;
        }
        let stem = analyser.stem(&joined);
        let key = key_of(&stem);
        if statistics.frequency(key) > 0 {
            alternatives.push(WordAlternative::Word(score_term(&stem, key, statistics, JOIN_WORTH)));
        }
    }
    alternatives
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

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The word split in two, where the shop's texts have these two side by side.
fn split(word: &str, analyser: &Analyser, statistics: &Statistics) -> Option<WordAlternative> {
    if word.chars().count() < SPLIT_MIN_LETTERS || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut best: Option<(u32, &str, &str)> = None;
    for (at, _) in word.char_indices().skip(SPLIT_PART_MIN_LETTERS) {
        let (left, right) = word.split_at(at);
        if right.chars().count() < SPLIT_PART_MIN_LETTERS {
            break;
        }
        let seen = statistics.words().pair(left, right);
        if seen >= SPLIT_SEEN_MIN && best.is_none_or(|(most, ..)| seen > most) {
            best = Some((seen, left, right));
        }
    }
    let (_, left, right) = best?;
    let parts = [left, right].map(|part| {
        let stem = analyser.stem(part);
        score_term(&stem, key_of(&stem), statistics, 1.0)
    });
    Some(WordAlternative::Pair(format!("{PAIR}{}", analyser.stem(word)), parts))
}

fn units(query: &str, analyser: &Analyser, statistics: &Statistics) -> Vec<ScoredTerm> {
    let mut units: Vec<String> =
        analyser.units(query).into_iter().map(|unit| format!("{UNIT}{unit}")).collect();
    units.sort_unstable();
    units.dedup();
    units.truncate(limits::SEARCH_WORDS);
    units.into_iter().map(|term| score_term(&term, key_of(&term), statistics, UNIT_WORTH)).collect()
}
