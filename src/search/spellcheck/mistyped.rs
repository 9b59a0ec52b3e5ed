//! Words of products that are typing errors of common ones: a search for the common word does not find these products.

use std::cmp::Reverse;
use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::corrector::Corrector;
use super::counter::is_of_letters;
use super::distance::WordPattern;
use super::statistics::WordStatistics;

/// Number of products that make a word common.
const COMMON_PRODUCTS: u32 = 20;
/// A shorter word is as often another word as a typing error.
const LETTERS: usize = 5;

impl Corrector {
    /// The words of a single product that are not in the dictionary and that one edit makes a common word: each with
    /// that word. A word that differs in its first letter or its ending is another word or another form.
    #[must_use]
    pub fn find_mistyped(&self) -> Vec<(String, String)> {
        let common = CommonWords::from_statistics(&self.statistics);
        let lone = self.statistics.iter().filter(|(_, entry)| entry.products == 1).map(|(word, _)| word);
        let lone = lone.filter(|word| is_of_letters(word));
        let mut mistyped = Vec::new();
        for word in lone {
            if word.chars().count() < LETTERS || self.analyser.is_function_word(word) {
                continue;
            }
            if self.dictionary.has(word) {
                continue;
            }
            let is_other_form = |meant: &str| {
                meant.starts_with(word)
                    || word.starts_with(meant)
                    || self.analyser.stem(meant) == self.analyser.stem(word)
            };
            let meant = common.one_edit_away(word).filter(|meant| !is_other_form(meant));
            mistyped.extend(meant.map(|meant| (word.to_owned(), meant.to_owned())));
        }
        mistyped
    }
}

/// The common words, also by the texts that dropping one letter leaves: so a word finds those that are one edit away
/// without being compared with all (symmetric deletion).
struct CommonWords<'w> {
    statistics: &'w WordStatistics,
    /// By the hash of the remaining letters and the place of the dropped one: the number of the word that most products
    /// have. Any two words of one entry differ in that letter alone, so one is enough.
    without_letter: HashMap<u64, u32>,
}

impl<'w> CommonWords<'w> {
    fn from_statistics(statistics: &'w WordStatistics) -> Self {
        let mut common = Self { statistics, without_letter: HashMap::new() };
        for (number, (word, entry)) in (0..).zip(statistics.iter()) {
            if entry.products < COMMON_PRODUCTS || !is_of_letters(word) {
                continue;
            }
            let Some(pattern) = WordPattern::new(word) else { continue };
            for place in 1..pattern.letters().len() {
                let key = key_of(&without(pattern.letters(), place), place);
                let known = common.without_letter.get(&key).copied();
                if known.is_none_or(|known| common.rank(number) > common.rank(known)) {
                    common.without_letter.insert(key, number);
                }
            }
        }
        common
    }

    fn rank(&self, number: u32) -> (u32, Reverse<Option<&'w str>>) {
        (self.statistics.entries[number as usize].products, Reverse(self.statistics.words.get(number)))
    }

    /// The common word that is one edit away with the same first letter, of several that most products have.
    fn one_edit_away(&self, word: &str) -> Option<&'w str> {
        let pattern = WordPattern::new(word)?;
        let letters = pattern.letters();
        let mut near = Vec::new();
        for place in 1..=letters.len() {
            // A letter is missing.
            near.extend(self.without_letter.get(&key_of(word, place)));
            if place == letters.len() {
                continue;
            }
            let rest = without(letters, place);
            // It is another, or one too many.
            near.extend(self.without_letter.get(&key_of(&rest, place)));
            near.extend(self.statistics.words.find(&rest));
            // It stands in the place of the next.
            let mut swapped = letters.to_vec();
            swapped.swap(place, (place + 1).min(letters.len() - 1));
            near.extend(self.statistics.words.find(&swapped.into_iter().collect::<String>()));
        }
        let is_near = |number: &u32| {
            let is_common = self.statistics.entries[*number as usize].products >= COMMON_PRODUCTS;
            let other = self.statistics.words.get(*number);
            is_common && other.is_some_and(|other| pattern.distance(other) == 1)
        };
        let best = near.into_iter().filter(is_near).max_by_key(|number| self.rank(*number))?;
        self.statistics.words.get(best)
    }
}

/// The letters but one.
fn without(letters: &[char], place: usize) -> String {
    letters[..place].iter().chain(&letters[place + 1..]).collect()
}

fn key_of(rest: &str, place: usize) -> u64 {
    xxh3_64_with_seed(rest.as_bytes(), place as u64)
}
