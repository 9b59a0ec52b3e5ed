//! The rule by which a query is corrected, word by word from the left.

use std::sync::Arc;

use crate::search::text::{Analyser, is_word_of_speech};

use super::candidates::{
    Neighbours, SpellingCandidate, SpellingCandidates, find_common_split, find_seen_split,
};
use super::counter::is_of_letters;
use super::dictionary::Dictionary;
use super::distance::WordPattern;
use super::segments::segment_word;
use super::statistics::WordStatistics;

/// Maximum number of words of a query that are checked; a longer text was not typed by a shopper.
const WORDS: usize = 32;

/// Words of a query that are looked up among the shop's: a query with more unknown words has no typing error.
const UNKNOWN_WORDS: usize = 8;

/// Kind of change to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The word was replaced by another.
    Replaced,
    /// Two words became one.
    Joined,
    /// One word became two.
    Split,
}

/// A change to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordCorrection {
    /// As it was typed.
    pub from: String,
    /// Text that is searched instead.
    pub to: String,
    /// Kind of change.
    pub kind: ChangeKind,
}

/// A query after correction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CorrectedQuery {
    /// The text to be searched: the query itself when nothing was changed.
    pub searched: String,
    /// Changes, from left to right.
    pub changes: Vec<WordCorrection>,
    /// The query with replacements for words that were left as they are, because they are words of the language or
    /// may be names.
    pub did_you_mean: Option<String>,
}

/// Corrects the queries of one shop.
pub struct Corrector {
    pub(super) statistics: Arc<WordStatistics>,
    pub(super) analyser: Arc<Analyser>,
    pub(super) dictionary: Arc<Dictionary>,
    pub(super) candidates: SpellingCandidates,
}

/// Knowledge of words beyond the statistics.
#[derive(Clone, Copy)]
pub struct ExtraKnowledge<'b> {
    /// Returns true if the index has a stem; it may have words that came after the statistics.
    pub has_stem: &'b dyn Fn(&str) -> bool,
    /// Returns true if the shop gave synonyms for words with a stem: they stay as they are.
    pub has_synonyms: &'b dyn Fn(&str) -> bool,
}

impl ExtraKnowledge<'_> {
    /// Nothing.
    pub const NOTHING: ExtraKnowledge<'static> =
        ExtraKnowledge { has_stem: &|_| false, has_synonyms: &|_| false };
}

/// A word of the query.
struct TypedWord {
    word: String,
    start: usize,
    end: usize,
    /// True if the shop lists it, with synonyms or apart from another word: it stays as it is.
    is_listed: bool,
    is_known: bool,
    /// True if this very word is in a text of the shop, and not just another with its stem.
    is_seen: bool,
    is_of_letters: bool,
}

/// A part of the query that gets another text.
struct Edit {
    start: usize,
    end: usize,
    to: String,
    kind: ChangeKind,
    /// Only offered, because the word is one of the language or may be a name.
    is_offered: bool,
}

impl Corrector {
    /// For a shop with these words, in the analyser's language; the dictionary is of the same language.
    #[must_use]
    pub fn new(
        statistics: Arc<WordStatistics>,
        analyser: Arc<Analyser>,
        dictionary: Arc<Dictionary>,
    ) -> Self {
        let candidates = SpellingCandidates::new(&statistics);
        Self { statistics, analyser, dictionary, candidates }
    }

    /// Returns true if the folded word's stem is in any field of a product. Function words are known. A stem of one or
    /// two letters does not stand for longer words ("gaing" has the stem "ga").
    #[must_use]
    pub fn is_known(&self, word: &str) -> bool {
        self.knows(word, &self.analyser.stem(word), &|_| false)
    }

    fn knows(&self, word: &str, stem: &str, has_stem: &dyn Fn(&str) -> bool) -> bool {
        let is_telling = stem == word || stem.chars().nth(2).is_some();
        (is_telling && (self.statistics.has_stem(stem) || has_stem(stem)))
            || self.statistics.word(word).is_some()
            || self.analyser.is_function_word(word)
            || is_word_of_speech(self.analyser.language(), word)
    }

    /// Corrects a query by the statistics alone.
    #[must_use]
    pub fn correct(&self, query: &str) -> CorrectedQuery {
        self.correct_beside(query, ExtraKnowledge::NOTHING)
    }

    /// Corrects a query.
    #[must_use]
    pub fn correct_beside(&self, query: &str, beside: ExtraKnowledge<'_>) -> CorrectedQuery {
        let words = self.parse_words(query, beside);
        let mut edits = Vec::new();
        // The query whose words the shop uses is the common one.
        let unknown = words.iter().filter(|typed| !typed.is_seen).count();
        if unknown > 0 && unknown <= UNKNOWN_WORDS {
            self.find_edits(&words, &mut edits);
        }
        let changed = edits.iter().filter(|edit| !edit.is_offered);
        let searched = rewrite(query, changed.clone());
        let changes = changed.map(|edit| WordCorrection {
            from: query[edit.start..edit.end].to_owned(),
            to: edit.to.clone(),
            kind: edit.kind,
        });
        let changes = changes.collect();
        let has_offer = edits.iter().any(|edit| edit.is_offered);
        let did_you_mean = has_offer.then(|| rewrite(query, edits.iter()));
        CorrectedQuery { searched, changes, did_you_mean }
    }

    fn parse_words(&self, query: &str, beside: ExtraKnowledge<'_>) -> Vec<TypedWord> {
        let mut words = Vec::new();
        self.analyser.for_each_word(query, &mut |token| {
            if words.len() == WORDS {
                return;
            }
            let is_listed = (beside.has_synonyms)(token.stem) || self.analyser.is_apart(token.word);
            let is_known = is_listed || self.knows(token.word, token.stem, beside.has_stem);
            let is_seen = is_listed
                || self.statistics.word(token.word).is_some()
                || self.analyser.is_function_word(token.word);
            words.push(TypedWord {
                word: token.word.to_owned(),
                start: token.start,
                end: token.end,
                is_listed,
                is_known,
                is_seen,
                is_of_letters: is_of_letters(token.word),
            });
        });
        words
    }

    fn find_edits(&self, words: &[TypedWord], edits: &mut Vec<Edit>) {
        let mut at = 0;
        let mut before = None;
        while let Some(typed) = words.get(at) {
            let after = words.get(at + 1);
            if let Some(next) = after
                && let Some(joined) = self.join(typed, next)
            {
                before = self.statistics.words.find(&joined);
                edits.push(Edit {
                    start: typed.start,
                    end: next.end,
                    to: joined,
                    kind: ChangeKind::Joined,
                    is_offered: false,
                });
                at += 2;
                continue;
            }
            let neighbours =
                Neighbours { before, after: after.and_then(|next| self.statistics.words.find(&next.word)) };
            let edit = self.replace(typed, neighbours);
            let becomes = edit.as_ref().map_or(typed.word.as_str(), |edit| edit.to.as_str());
            before = self.statistics.words.find(becomes.rsplit(' ').next().unwrap_or(becomes));
            edits.extend(edit);
            at += 1;
        }
    }

    /// Two words that the shop writes as one.
    fn join(&self, first: &TypedWord, second: &TypedWord) -> Option<String> {
        let is_listed = first.is_listed || second.is_listed;
        let is_seen = first.is_seen && second.is_seen;
        if is_listed || is_seen || !first.is_of_letters || !second.is_of_letters {
            return None;
        }
        let joined = format!("{}{}", first.word, second.word);
        let entry = self.statistics.word(&joined)?;
        let is_joined = joined.chars().count() >= 5
            && entry.products >= 2
            && self.statistics.pair(&first.word, &second.word) == 0;
        is_joined.then_some(joined)
    }

    fn replace(&self, typed: &TypedWord, neighbours: Neighbours) -> Option<Edit> {
        if typed.is_known {
            return None;
        }
        if !typed.is_of_letters {
            // A measure is found however it is written.
            let is_measure = !self.analyser.units(&typed.word).is_empty();
            let to = segment_word(&self.statistics, &typed.word).filter(|_| !is_measure)?;
            let is_offered = false;
            return Some(Edit {
                start: typed.start,
                end: typed.end,
                to,
                kind: ChangeKind::Split,
                is_offered,
            });
        }
        let found = self.candidate(&typed.word, neighbours)?;
        let kind = if found.text.contains(' ') { ChangeKind::Split } else { ChangeKind::Replaced };
        let is_foreign = self.dictionary.has(&typed.word);
        let is_offered = is_foreign || !found.is_sure;
        Some(Edit { start: typed.start, end: typed.end, to: found.text, kind, is_offered })
    }

    fn candidate(&self, word: &str, neighbours: Neighbours) -> Option<SpellingCandidate> {
        let pattern = WordPattern::new(word)?;
        let length = pattern.letters().len();
        if length < 4 {
            return None;
        }
        if let Some(split) = find_seen_split(&self.statistics, word) {
            return Some(split);
        }
        let nearest = self.candidates.nearest(&self.statistics, &pattern, neighbours);
        let split = if length < 6 { None } else { find_common_split(&self.statistics, word) };
        match (nearest, split) {
            (Some(nearest), Some(split)) if split.score > nearest.score => Some(split),
            (Some(nearest), _) => Some(nearest),
            (None, Some(split)) => Some(split),
            (None, None) => self.candidates.most_similar(&self.statistics, word),
        }
    }
}

/// The query with these parts rewritten; all else stays as it was typed.
fn rewrite<'e>(query: &str, edits: impl Iterator<Item = &'e Edit>) -> String {
    let mut text = String::with_capacity(query.len() + 16);
    let mut from = 0;
    for edit in edits {
        text.push_str(&query[from..edit.start]);
        text.push_str(&edit.to);
        from = edit.end;
    }
    text.push_str(&query[from..]);
    text
}
