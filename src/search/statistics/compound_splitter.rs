//! Splitting of words into a head and the word before it (docs/ranking.md, "Compounds").

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::bag_of_words::{WordSet, key_of};
use super::compound_parts::CompoundParts;
use super::compound_rules::{CompoundRules, LOST, NEGATIONS};
use crate::search::spellcheck::WordStatistics;
use crate::search::text::Analyser;

/// Letters of the shortest word that is split.
pub(super) const COMPOUND_MIN_LETTERS: usize = 7;
/// Fewest letters before the head.
pub(super) const REST_MIN_LETTERS: usize = 3;
/// Letters of the shortest head of all.
const SHORT_HEAD_LETTERS: usize = 3;
/// Fewest letters of a modifier that lost its ending: else `schweins` would hold `wein`.
const LOST_MIN_LETTERS: usize = 4;
/// Fewest products that have such a modifier with its ending.
const LOST_MIN_PRODUCTS: u32 = 2;
/// Fewest products with a word in title or category that make it a head.
pub(super) const HEAD_MIN_PRODUCTS: u32 = 2;

/// The parts of the compounds among a shop's words, by the number of the word.
pub type PartsByWord = BTreeMap<u32, CompoundParts>;

/// Splits words at the heads of one shop.
pub struct CompoundSplitter {
    pub(super) analyser: Arc<Analyser>,
    pub(super) words: Arc<WordStatistics>,
    /// Keys of the stems that may be heads.
    heads: Arc<WordSet>,
    /// `None` in a language that writes compounds apart.
    pub(super) rules: Option<&'static CompoundRules>,
}

impl CompoundSplitter {
    /// For a shop with these words and heads.
    #[must_use]
    pub fn new(analyser: Arc<Analyser>, words: Arc<WordStatistics>, heads: Arc<WordSet>) -> Self {
        let rules = CompoundRules::for_language(analyser.language());
        Self { analyser, words, heads, rules }
    }

    /// Splits the words of the shop.
    #[must_use]
    pub fn split_words(&self) -> PartsByWord {
        if self.rules.is_none() {
            return PartsByWord::new();
        }
        // A brand is a name, whatever it is made of.
        let numbered = (0..).zip(self.words.iter()).filter(|(_, (_, entry))| !entry.is_brand);
        numbered.filter_map(|(number, (word, _))| Some((number, self.split(word)?))).collect()
    }

    /// Splits a word once, at its longest head that leaves a word of the shop.
    pub(super) fn split(&self, word: &str) -> Option<CompoundParts> {
        let rules = self.rules?;
        let letters = word.chars().count();
        if !is_long_word(word) || rules.is_unsplit(word) {
            return None;
        }
        let places = word.char_indices().map(|(at, _)| at).enumerate();
        let places = places.skip(REST_MIN_LETTERS).take(letters - REST_MIN_LETTERS - SHORT_HEAD_LETTERS + 1);
        for (before, head_start) in places {
            let (rest, head) = word.split_at(head_start);
            if !rules.may_be_head(head, letters - before) || self.analyser.is_function_word(head) {
                continue;
            }
            let head = self.analyser.stem(head);
            // Few endings are heads: only then the many forms of a modifier are looked up.
            if !self.heads.contains(&key_of(&head)) {
                continue;
            }
            if let Some(modifier) = self.modifier(rest, rules) {
                return Some(CompoundParts { head_start, head, modifier: self.analyser.stem(&modifier) });
            }
        }
        None
    }

    /// The word of the shop that stands before a head: as it is, without linking letters, or with the ending that it
    /// lost.
    fn modifier<'r>(&self, rest: &'r str, rules: &CompoundRules) -> Option<Cow<'r, str>> {
        if self.analyser.is_function_word(rest) || NEGATIONS.contains(&rest) {
            return None;
        }
        let is_modifier = |part: &&str| {
            let is_long = part.chars().nth(REST_MIN_LETTERS - 1).is_some();
            is_long && self.words.word(part).is_some() && !self.analyser.is_function_word(part)
        };
        if let Some(word) = rules.without_links(rest).find(is_modifier) {
            return Some(Cow::Borrowed(word));
        }
        rest.chars().nth(LOST_MIN_LETTERS - 1)?;
        let whole = LOST.map(|ending| format!("{rest}{ending}"));
        let is_common = |word: &String| {
            self.words.word(word).is_some_and(|entry| entry.products >= LOST_MIN_PRODUCTS)
                && !self.analyser.is_function_word(word)
        };
        whole.into_iter().find(is_common).map(Cow::Owned)
    }
}

/// Returns true if a word may be a compound by its letters alone.
pub(super) fn is_long_word(word: &str) -> bool {
    word.len() >= COMPOUND_MIN_LETTERS
        && word.chars().nth(COMPOUND_MIN_LETTERS - 1).is_some()
        && word.chars().all(char::is_alphabetic)
}
