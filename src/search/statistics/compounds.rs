//! Compounds: words that are made of two, such as `winterjacke`, and the parts by which they are found
//! (docs/ranking.md, "Compounds"). Statistics alone decide, so two indices with equal statistics split alike.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::bag_of_words::{JoinedWords, WordSet};
use super::compound_parts::CompoundParts;
use super::compound_rules::CompoundRules;
use super::compound_splitter::{COMPOUND_MIN_LETTERS, CompoundSplitter, PartsByWord, REST_MIN_LETTERS};
use crate::search::spellcheck::WordStatistics;

/// Fewest letters before an ending that a query looks for, unless they are a word of the shop. On the Dutch judgments
/// nDCG is .742 with 3, .725 with 4 and .649 with words of the shop alone (`lethe-eval words --language nl`).
const FREE_REST_MIN_LETTERS: usize = 4;
/// Letters of the shortest word that is looked for as the ending of others.
const ENDING_MIN_LETTERS: usize = 4;
/// Most words with one ending that are compared: a bound for odd shops. The most in a catalogue is 57.
const ENDINGS_COMPARED_MAX: usize = 2_048;

/// The compounds of one shop: those among its words, and how others are split.
pub struct Compounds {
    splitter: CompoundSplitter,
    parts: Arc<PartsByWord>,
    /// Numbers of the words of titles and categories, sorted by their letters from the last to the first.
    by_ending: Vec<u32>,
}

impl fmt::Debug for Compounds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Compounds").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}

impl Compounds {
    /// For the shop of the splitter, with the parts that the splitter found in its words.
    #[must_use]
    pub fn new(splitter: CompoundSplitter, parts: Arc<PartsByWord>) -> Self {
        let sorted = splitter.rules.map(|rules| sort_by_ending(&splitter.words, rules));
        let by_ending = sorted.unwrap_or_default();
        Self { splitter, parts, by_ending }
    }

    /// True if the shop's language writes compounds as one word.
    #[must_use]
    pub const fn are_written_as_one(&self) -> bool {
        self.splitter.rules.is_some()
    }

    /// The parts of a folded word; `None` if it is no compound of words of the shop.
    #[must_use]
    pub fn parts(&self, word: &str) -> Option<Cow<'_, CompoundParts>> {
        if self.splitter.rules.is_none() || word.len() < COMPOUND_MIN_LETTERS {
            return None;
        }
        match self.splitter.words.find(word) {
            Some(number) => self.parts.get(&number).map(Cow::Borrowed),
            // A word that came after the statistics.
            None => self.splitter.split(word).map(Cow::Owned),
        }
    }

    /// The words of titles and categories that end in a folded word or in another form of it, those of most products
    /// first, at most so many.
    #[must_use]
    pub fn words_ending_in(&self, word: &str, stem: &str, most: usize) -> Vec<&str> {
        let Some(rules) = self.splitter.rules else { return Vec::new() };
        if word.chars().nth(ENDING_MIN_LETTERS - 1).is_none() || !word.chars().all(char::is_alphabetic) {
            return Vec::new();
        }
        let mut forms = rules.forms_of(stem);
        forms.retain(|form| {
            form.chars().nth(ENDING_MIN_LETTERS - 1).is_some() && self.splitter.analyser.stem(form) == stem
        });
        forms.push(word.to_owned());
        let mut found = BTreeMap::new();
        for form in &forms {
            for (number, compound) in self.with_ending(form) {
                let products = self.splitter.words.entry(number).map_or(0, |entry| entry.products);
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
            let word = self.splitter.words.text(*number).unwrap_or_default();
            word.chars().rev().cmp(form.chars().rev()) == Ordering::Less
        });
        let is_free = |rest: &str| match rest.chars().count() {
            FREE_REST_MIN_LETTERS.. => true,
            REST_MIN_LETTERS => self.splitter.words.word(rest).is_some(),
            _ => false,
        };
        let words = self.by_ending[first..].iter().take(ENDINGS_COMPARED_MAX);
        let words = words.map(|number| (*number, self.splitter.words.text(*number).unwrap_or_default()));
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
        self.splitter.rules?;
        let places = word.char_indices().map(|(at, _)| at).skip(REST_MIN_LETTERS);
        let mut endings = places.take_while(|at| word[*at..].chars().nth(ENDING_MIN_LETTERS - 1).is_some());
        endings.find(|at| is_part(&self.splitter.analyser.stem(&word[*at..]))).map(|at| at..word.len())
    }
}

/// The numbers of the long words of titles and categories, sorted by their letters from the last to the first.
fn sort_by_ending(words: &WordStatistics, rules: &CompoundRules) -> Vec<u32> {
    let may_be_compound =
        |word: &str| word.chars().nth(COMPOUND_MIN_LETTERS - 1).is_some() && !rules.is_unsplit(word);
    let numbered = (0..).zip(words.iter());
    let named = numbered.filter(|(_, (word, entry))| {
        entry.is_in_title_or_category && !entry.is_brand && may_be_compound(word)
    });
    let mut named: Vec<(u32, &str)> = named.map(|(number, (word, _))| (number, word)).collect();
    named.sort_unstable_by(|a, b| a.1.chars().rev().cmp(b.1.chars().rev()));
    named.into_iter().map(|(number, _)| number).collect()
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
