//! Other ways in which a shop may write a word of a query: joined with its neighbour, as two words, or as a part of a
//! compound (docs/ranking.md, "The plan").

use super::typed_words::ParsedWord;
use super::word_alternative::{ScoredTerm, WordAlternative, score_term};
use crate::limits;
use crate::search::statistics::{Compounds, HEAD, MODIFIER, PAIR, Statistics, key_of, may_join};
use crate::search::text::{Analyser, ShopLanguage, find_speech};

/// Score of a word written as one with its neighbour, for each of the two.
const JOIN_WORTH: f32 = 0.5;
/// An occurrence as the head of a compound, as a part of one of the word by itself; best of .4, .6 and 1 on the
/// German judgments (`lethe-eval words --language de`).
const HEAD_WORTH: f32 = 0.6;
/// The same of the modifier of a compound; of 0, .2, .3 and .4 on the same judgments.
const MODIFIER_WORTH: f32 = 0.3;
/// Score of a word that ends in the word, as a part of the score of the word by itself.
const ENDING_WORTH: f32 = 0.6;
/// Letters of the shortest word that is looked for as two.
const SPLIT_MIN_LETTERS: usize = 4;
/// Fewest products that have two words side by side which a query writes as one.
const SPLIT_SEEN_MIN: u32 = 2;
/// Fewest products that have a word and a number side by side: `cat 6` for `cat6`.
const NUMBERED_SEEN_MIN: u32 = 1;
/// Products that have a word from which on it is not looked for as the ending of others.
const ENDING_PRODUCTS: u32 = 10;

/// Finder of the other ways to write a word of a query.
#[derive(Clone, Copy)]
pub(super) struct AlternativeFinder<'s> {
    pub(super) query: &'s str,
    pub(super) analyser: &'s Analyser,
    pub(super) statistics: &'s Statistics,
    pub(super) compounds: Option<&'s Compounds>,
}

impl AlternativeFinder<'_> {
    /// The other ways to write a word of the query. `room` is how many lists of endings may still be read.
    pub(super) fn list_alternatives(
        &self,
        found: &[ParsedWord],
        place: usize,
        room: &mut usize,
    ) -> Vec<WordAlternative> {
        let Some(word) = found.get(place).filter(|word| !word.is_decimal()) else { return Vec::new() };
        let mut alternatives = self.joins(found, place);
        alternatives.extend(self.split(&word.word));
        if let Some(compounds) = self.compounds.filter(|compounds| compounds.are_written_as_one()) {
            alternatives.extend(self.parts(word));
            let endings = self.endings(word, compounds, limits::SEARCH_ENDINGS_OF_WORD.min(*room));
            *room -= endings.len();
            alternatives.extend(endings);
        }
        alternatives
    }

    /// The word joined with the one before it, and with the one after it.
    fn joins(&self, found: &[ParsedWord], place: usize) -> Vec<WordAlternative> {
        let before = place.checked_sub(1).and_then(|before| Some((found.get(before)?, found.get(place)?)));
        let after = found.get(place).zip(found.get(place + 1));
        let mut alternatives = Vec::new();
        for (left, right) in before.into_iter().chain(after) {
            let between = self.query.get(left.end..right.start).unwrap_or_default();
            // A word between them was left out, because it is there twice.
            let between = if between.contains(char::is_alphanumeric) { "" } else { between };
            if left.is_decimal() || right.is_decimal() || !may_join(&left.word, &right.word, between) {
                continue;
            }
            let stem = self.analyser.stem(&format!("{}{}", left.word, right.word));
            let key = key_of(&stem);
            if self.statistics.frequency(key) > 0 {
                alternatives.push(WordAlternative::Word(score_term(&stem, key, self.statistics, JOIN_WORTH)));
            }
        }
        alternatives
    }

    /// The word split in two, where the shop's texts have these two side by side.
    fn split(&self, word: &str) -> Option<WordAlternative> {
        let words = self.statistics.words();
        let mut best: Option<(u32, &str, &str)> = None;
        if let Some((left, right)) = around_border(word) {
            let seen = words.pair(left, right);
            best = (seen >= NUMBERED_SEEN_MIN).then_some((seen, left, right));
        } else if is_splittable(word) {
            for (at, _) in word.char_indices().skip(1) {
                let (left, right) = word.split_at(at);
                let seen = words.pair(left, right);
                if seen >= SPLIT_SEEN_MIN && best.is_none_or(|(most, ..)| seen > most) {
                    best = Some((seen, left, right));
                }
            }
        }
        let (_, left, right) = best?;
        let parts = [left, right].map(|part| {
            let stem = self.analyser.stem(part);
            score_term(&stem, key_of(&stem), self.statistics, 1.0)
        });
        Some(WordAlternative::Pair(format!("{PAIR}{}", self.analyser.stem(word)), parts))
    }

    /// Compounds whose head or modifier is the word.
    fn parts(&self, word: &ParsedWord) -> Vec<WordAlternative> {
        let part = |prefix: char, worth: f32| {
            let term = format!("{prefix}{}", word.stem);
            WordAlternative::Part(score_term(&term, word.key, self.statistics, 1.0), worth)
        };
        let mut parts = Vec::new();
        if self.statistics.heads().contains(&word.key) {
            parts.push(part(HEAD, HEAD_WORTH));
        }
        if self.statistics.frequency(word.key) > 0 && word.word.chars().all(char::is_alphabetic) {
            parts.push(part(MODIFIER, MODIFIER_WORTH));
        }
        parts
    }

    /// Words of titles and categories that end in a rare word: those that no head is known for.
    fn endings(&self, word: &ParsedWord, compounds: &Compounds, most: usize) -> Vec<WordAlternative> {
        if most == 0 || self.statistics.frequency_as_head(word.key) >= ENDING_PRODUCTS {
            return Vec::new();
        }
        let factor = self.statistics.idf(word.key) * ENDING_WORTH;
        let mut stems: Vec<String> = Vec::new();
        for compound in compounds.words_ending_in(&word.word, &word.stem, most) {
            let stem = self.analyser.stem(compound);
            if stem != word.stem && !stems.contains(&stem) {
                stems.push(stem);
            }
        }
        stems.into_iter().map(|term| WordAlternative::Ending(ScoredTerm { term, factor })).collect()
    }
}

/// Makes function words of the words of speech, if the query has another word: a number alone is none.
pub(super) fn demote_speech(found: &mut [ParsedWord], language: ShopLanguage) {
    let words: Vec<&str> = found.iter().map(|word| word.word.as_str()).collect();
    let speech = find_speech(language, &words);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut left = found.iter().zip(&speech).filter(|(_, is_speech)| !**is_speech);
    if left.any(|(word, _)| !word.function_word && !is_number(&word.word)) {
        found.iter_mut().zip(speech).for_each(|(word, is_speech)| word.function_word |= is_speech);
    }
}

fn is_splittable(word: &str) -> bool {
    word.chars().nth(SPLIT_MIN_LETTERS - 1).is_some() && !word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Both sides of the only place where a letter meets a digit.
fn around_border(word: &str) -> Option<(&str, &str)> {
    let starts_with_digit = word.starts_with(|first: char| first.is_ascii_digit());
    let border = word.find(|sign: char| sign.is_ascii_digit() != starts_with_digit)?;
    let (left, right) = word.split_at(border);
    let is_one = right.chars().all(|sign| sign.is_ascii_digit() != starts_with_digit);
    is_one.then_some((left, right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_border_or_is_not_parted_there() {
        assert_eq!(around_border("cat6"), Some(("cat", "6")));
        assert_eq!(around_border("5g"), Some(("5", "g")));
        for word in ["cat", "66", "cat6a", "6cat6", ""] {
            assert_eq!(around_border(word), None, "{word}");
        }
    }
}
