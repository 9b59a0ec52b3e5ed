//! Compounds: words that are made of two, such as `winterjacke`, and the parts by which they are found
//! (docs/ranking.md, "Compounds"). Statistics alone decide, so two indices with equal statistics split alike.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::bag_of_words::{JoinedWords, WordSet, key_of};
use super::compound_parts::CompoundParts;
use super::compound_rules::{CompoundRules, LOST, NEGATIONS};
use crate::search::spellcheck::WordStatistics;
use crate::search::text::Analyser;

/// Letters of the shortest word that is split.
const COMPOUND_MIN_LETTERS: usize = 7;
/// Fewest letters before the head.
const REST_MIN_LETTERS: usize = 3;
/// Fewest letters before an ending that a query looks for, unless they are a word of the shop. On the Dutch judgments
/// nDCG is .742 with 3, .725 with 4 and .649 with words of the shop alone (`lethe-eval words --language nl`).
const FREE_REST_MIN_LETTERS: usize = 4;
/// Letters of the shortest head of all.
const SHORT_HEAD_LETTERS: usize = 3;
/// Fewest letters of a modifier that lost its ending: else `schweins` would hold `wein`.
const LOST_MIN_LETTERS: usize = 4;
/// Fewest products that have such a modifier with its ending.
const LOST_MIN_PRODUCTS: u32 = 2;
/// Fewest products with a word in title or category that make it a head.
pub(super) const HEAD_MIN_PRODUCTS: u32 = 2;
/// Letters of the shortest word that is looked for as the ending of others.
const ENDING_MIN_LETTERS: usize = 4;
/// Most words with one ending that are compared: a bound for odd shops. The most in a catalogue is 57.
const ENDINGS_COMPARED_MAX: usize = 2_048;

/// Splits the words of one shop.
pub struct Compounds {
    analyser: Arc<Analyser>,
    words: Arc<WordStatistics>,
    /// Keys of the stems that may be heads.
    heads: Arc<WordSet>,
    rules: Option<&'static CompoundRules>,
    /// Parts of the shop's words, by the number of the word.
    parts: HashMap<u32, CompoundParts>,
    /// Numbers of the words of titles and categories, sorted by their letters from the last to the first.
    by_ending: Vec<u32>,
}

impl fmt::Debug for Compounds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Compounds").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}

impl Compounds {
    /// For a shop with these words and heads. It has no compounds in a language that writes them apart.
    #[must_use]
    pub fn new(analyser: Arc<Analyser>, words: Arc<WordStatistics>, heads: Arc<WordSet>) -> Self {
        let rules = CompoundRules::for_language(analyser.language());
        let by_ending = Vec::new();
        let mut compounds = Self { analyser, words, heads, rules, parts: HashMap::new(), by_ending };
        if rules.is_some() {
            compounds.parts = compounds.split_all();
            compounds.by_ending = compounds.sort_by_ending();
        }
        compounds
    }

    /// True if the shop's language writes compounds as one word.
    #[must_use]
    pub const fn are_written_as_one(&self) -> bool {
        self.rules.is_some()
    }

    /// The parts of a folded word; `None` if it is no compound of words of the shop.
    #[must_use]
    pub fn parts(&self, word: &str) -> Option<Cow<'_, CompoundParts>> {
        if self.rules.is_none() || word.len() < COMPOUND_MIN_LETTERS {
            return None;
        }
        match self.words.find(word) {
            Some(number) => self.parts.get(&number).map(Cow::Borrowed),
            // A word that came after the statistics.
            None => self.split(word).map(Cow::Owned),
        }
    }

    fn split_all(&self) -> HashMap<u32, CompoundParts> {
        let numbered = (0..).zip(self.words.iter());
        numbered.filter_map(|(number, (word, _))| Some((number, self.split(word)?))).collect()
    }

    /// Splits a word once, at its longest head that leaves a word of the shop.
    fn split(&self, word: &str) -> Option<CompoundParts> {
        let rules = self.rules?;
        let letters = word.chars().count();
        if letters < COMPOUND_MIN_LETTERS || !word.chars().all(char::is_alphabetic) {
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

    fn sort_by_ending(&self) -> Vec<u32> {
        let numbered = (0..).zip(self.words.iter());
        let named = numbered.filter(|(_, (word, entry))| {
            entry.is_named && word.chars().nth(COMPOUND_MIN_LETTERS - 1).is_some()
        });
        let mut named: Vec<(u32, &str)> = named.map(|(number, (word, _))| (number, word)).collect();
        named.sort_unstable_by(|a, b| a.1.chars().rev().cmp(b.1.chars().rev()));
        named.into_iter().map(|(number, _)| number).collect()
    }

    /// The words of titles and categories that end in a folded word or in another form of it, those of most products
    /// first, at most so many.
    #[must_use]
    pub fn words_ending_in(&self, word: &str, stem: &str, most: usize) -> Vec<&str> {
        let Some(rules) = self.rules else { return Vec::new() };
        if word.chars().nth(ENDING_MIN_LETTERS - 1).is_none() || !word.chars().all(char::is_alphabetic) {
            return Vec::new();
        }
        let mut forms = rules.forms_of(stem);
        forms.retain(|form| {
            form.chars().nth(ENDING_MIN_LETTERS - 1).is_some() && self.analyser.stem(form) == stem
        });
        forms.push(word.to_owned());
        let mut found = BTreeMap::new();
        for form in &forms {
            for (number, compound) in self.with_ending(form) {
                let products = self.words.entry(number).map_or(0, |entry| entry.products);
                found.insert(compound, products);
            }
        }
        let mut found: Vec<(&str, u32)> = found.into_iter().collect();
        found.sort_by_key(|(_, products)| Reverse(*products));
        found.into_iter().take(most).map(|(compound, _)| compound).collect()
    }

    /// The words that end in this form, after something that may be a word.
    fn with_ending(&self, form: &str) -> Vec<(u32, &str)> {
        let first = self.by_ending.partition_point(|number| {
            let word = self.words.text(*number).unwrap_or_default();
            word.chars().rev().cmp(form.chars().rev()) == Ordering::Less
        });
        let is_free = |rest: &str| match rest.chars().count() {
            FREE_REST_MIN_LETTERS.. => true,
            REST_MIN_LETTERS => self.words.word(rest).is_some(),
            _ => false,
        };
        let words = self.by_ending[first..].iter().take(ENDINGS_COMPARED_MAX);
        let words = words.map(|number| (*number, self.words.text(*number).unwrap_or_default()));
        let ending = words.map_while(|(number, word)| Some((number, word, word.strip_suffix(form)?)));
        ending.filter(|(_, _, rest)| is_free(rest)).map(|(number, word, _)| (number, word)).collect()
    }

    /// The bytes of a folded compound that are a part of it; `is_part` knows the stem of the part.
    #[must_use]
    pub fn part_range(&self, word: &str, is_part: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
        let parts = self.parts(word)?;
        if is_part(&parts.head) {
            return Some(parts.head_start..word.len());
        }
        is_part(&parts.modifier).then_some(0..parts.head_start)
    }

    /// The longest ending of a folded word that is a part of it; `is_part` knows its stem.
    #[must_use]
    pub fn ending_range(&self, word: &str, is_part: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
        self.rules?;
        let places = word.char_indices().map(|(at, _)| at).skip(REST_MIN_LETTERS);
        let mut endings = places.take_while(|at| word[*at..].chars().nth(ENDING_MIN_LETTERS - 1).is_some());
        endings.find(|at| is_part(&self.analyser.stem(&word[*at..]))).map(|at| at..word.len())
    }

    /// The compounds among the shop's words.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &CompoundParts)> {
        self.parts.iter().filter_map(|(number, parts)| Some((self.words.text(*number)?, parts)))
    }
}

/// Words that are written as one elsewhere in the shop, and the parts of compounds.
pub struct DerivedWords<'s> {
    /// Words that may be the join of two others.
    pub joined: &'s WordSet,
    /// The shop's compounds.
    pub compounds: &'s Compounds,
}

impl JoinedWords for DerivedWords<'_> {
    fn is_known(&self, joined: &str) -> bool {
        self.joined.is_known(joined)
    }

    fn visit_parts(&self, word: &str, visit: &mut dyn FnMut(&CompoundParts)) {
        if let Some(parts) = self.compounds.parts(word) {
            visit(parts.as_ref());
        }
    }
}

/// Returns true if a word may be a compound by its letters alone.
pub(super) fn is_long_word(word: &str) -> bool {
    word.len() >= COMPOUND_MIN_LETTERS
        && word.chars().nth(COMPOUND_MIN_LETTERS - 1).is_some()
        && word.chars().all(char::is_alphabetic)
}
