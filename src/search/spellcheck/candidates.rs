//! Words that a mistyped one may have meant.

use super::counter::is_of_letters;
use super::distance::{WordPattern, dice, letter_set, trigrams};
use super::statistics::WordStatistics;

/// The length from which a word may be two edits away. With 7 instead of 6 no less of nDCG is kept, and 4 instead
/// of 8 of 100 words that the shop lacks are replaced ("butter" by "battery").
const TWO_EDITS_LETTERS: usize = 7;

/// Fewest letters of the typed word or the one that is meant to replace it without a question: a shorter unknown word
/// is as often a name. These bounds are measured by `lethe-eval words` (brands of other shops replaced).
const SURE_LETTERS: usize = 5;
/// Fewest letters of a typed word that is replaced without a question by one that is two edits away.
const SURE_TWO_EDITS_LETTERS: usize = 8;
/// Fewest letters of the longer of the two words where another first letter is no question.
const SURE_FIRST_LETTERS: usize = 6;
/// Fewest products that have the meant word where another first letter is no question.
const SURE_FIRST_PRODUCTS: u32 = 10;
/// Products that have two words side by side from which on that is no chance: it lifts the rule on first letters, and
/// parts a single letter off a word. One product lifts the other rules.
const SEEN_OFTEN: u32 = 3;
/// Fewest letters of each part of a word that is split without a product that has the two side by side.
const COMMON_PART_LETTERS: usize = 3;
/// Fewest titles that hold such a part.
const COMMON_PART_TITLES: u32 = 10;

/// A correction and how likely it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpellingCandidate {
    /// One word, or two with a blank between them.
    pub(super) text: String,
    pub(super) score: f64,
    /// False if the typed word may be a name that the shop lacks: then this is offered, not searched.
    pub(super) is_sure: bool,
}

/// Nearness of a word of the shop to a typed one.
#[derive(Clone, Copy)]
struct Nearness {
    /// Number of the word in the statistics.
    number: u32,
    /// Edits between the two.
    distance: usize,
    /// Products that have it beside its neighbours in the query.
    seen: u32,
}

/// The neighbours of a word in a query, as numbers of words of the shop.
#[derive(Clone, Copy, Default)]
pub(super) struct Neighbours {
    pub(super) before: Option<u32>,
    pub(super) after: Option<u32>,
}

/// The words of a shop by length, each with its set of letters: few remain to be compared.
pub(super) struct SpellingCandidates {
    by_length: Vec<Vec<(u32, u32)>>,
}

impl SpellingCandidates {
    pub(super) fn new(statistics: &WordStatistics) -> Self {
        let mut by_length = vec![Vec::new(); 66];
        let words = (0..).zip(statistics.iter());
        for (number, (word, _)) in words.filter(|(_, (word, _))| is_of_letters(word)) {
            if let Some(words) = by_length.get_mut(word.chars().count()) {
                words.push((letter_set(word), number));
            }
        }
        Self { by_length }
    }

    fn within(&self, length: usize, edits: usize) -> impl Iterator<Item = &(u32, u32)> {
        let last = (length + edits + 1).min(self.by_length.len());
        self.by_length[length.saturating_sub(edits).min(last)..last].iter().flatten()
    }

    /// The likeliest word within the edits allowed for a word of this length.
    pub(super) fn nearest(
        &self,
        statistics: &WordStatistics,
        pattern: &WordPattern,
        neighbours: Neighbours,
    ) -> Option<SpellingCandidate> {
        let word: String = pattern.letters().iter().collect();
        let length = pattern.letters().len();
        let edits = if length < TWO_EDITS_LETTERS { 1 } else { 2 };
        let set = letter_set(&word);
        let mut best: Option<(f64, &str, Nearness)> = None;
        for (other_set, number) in self.within(length, edits) {
            let most = edits as u32;
            if (set & !other_set).count_ones() > most || (other_set & !set).count_ones() > most {
                continue;
            }
            let Some(other) = statistics.words.get(*number) else { continue };
            let distance = pattern.distance(other);
            if distance > edits {
                continue;
            }
            let near =
                Nearness { number: *number, distance, seen: neighbours.count_products(statistics, *number) };
            let is_first_kept = other.starts_with(pattern.letters()[0]);
            let score = score(statistics, near, is_first_kept);
            // Words come by length and then in order, so the word decides between equal scores.
            let is_better = best
                .is_none_or(|(most, text, _)| score.total_cmp(&most).then_with(|| text.cmp(other)).is_gt());
            if is_better {
                best = Some((score, other, near));
            }
        }
        best.map(|(score, other, near)| SpellingCandidate {
            text: other.to_owned(),
            score,
            is_sure: is_sure(statistics, pattern, other, near),
        })
    }

    /// The word that shares the most trigrams, if it shares half.
    pub(super) fn most_similar(&self, statistics: &WordStatistics, word: &str) -> Option<SpellingCandidate> {
        let length = word.chars().count();
        let set = letter_set(word);
        let mut grams = Vec::new();
        let mut other_grams = Vec::new();
        trigrams(word, &mut grams);
        let mut best: Option<SpellingCandidate> = None;
        for (other_set, number) in self.within(length, 2) {
            // Half of the trigrams cannot be shared by words that share less than half of their letters.
            if (set & other_set).count_ones() * 2 < set.count_ones() {
                continue;
            }
            let Some(other) = statistics.words.get(*number) else { continue };
            trigrams(other, &mut other_grams);
            let score = dice(&grams, &other_grams);
            let is_better = best.as_ref().is_none_or(|best| {
                score.total_cmp(&best.score).then_with(|| best.text.as_str().cmp(other)).is_gt()
            });
            if score >= 0.5 && is_better {
                best = Some(SpellingCandidate { text: other.to_owned(), score, is_sure: false });
            }
        }
        best
    }
}

impl Neighbours {
    /// Number of products that have a word beside these.
    fn count_products(self, statistics: &WordStatistics, number: u32) -> u32 {
        let before = self.before.map_or(0, |before| statistics.pair_of_numbers(before, number));
        let after = self.after.map_or(0, |after| statistics.pair_of_numbers(number, after));
        before.saturating_add(after)
    }
}

/// Scores how likely it is that a word of the shop was meant: a frequent, near and prominent word with the same first
/// letter, next to these neighbours, scores high.
fn score(statistics: &WordStatistics, near: Nearness, is_first_kept: bool) -> f64 {
    let entry = statistics.entry(near.number).unwrap_or_default();
    let mut score = f64::from(entry.products.max(1)).ln() - 4.0 * near.distance as f64;
    score += 2.0 * (1.0 + f64::from(near.seen)).ln();
    if !is_first_kept {
        score -= 2.0;
    }
    if entry.is_prominent {
        score += 2.0;
    }
    score
}

/// Returns true if a word is so near that the typed one is hardly a name of another shop.
fn is_sure(statistics: &WordStatistics, pattern: &WordPattern, other: &str, near: Nearness) -> bool {
    let letters = pattern.letters();
    let is_seen = near.seen > 0;
    // A letter may be missing in the typed word: the longer of the two counts.
    let longer = letters.len().max(other.chars().count());
    let is_long = longer >= SURE_LETTERS || is_seen;
    let is_near = near.distance < 2 || letters.len() >= SURE_TWO_EDITS_LETTERS || is_seen;
    let mut others = other.chars();
    let begin = [others.next(), others.next()];
    let typed = [letters.first().copied(), letters.get(1).copied()];
    let begins_alike = begin[0] == typed[0] || (begin[0] == typed[1] && begin[1] == typed[0]);
    let products = statistics.entry(near.number).map_or(0, |entry| entry.products);
    let is_common = longer >= SURE_FIRST_LETTERS && near.distance == 1 && products >= SURE_FIRST_PRODUCTS;
    is_long && is_near && (begins_alike || is_common || near.seen >= SEEN_OFTEN)
}

/// The best place for a blank that was left out between two words that the shop has side by side.
pub(super) fn find_seen_split(statistics: &WordStatistics, word: &str) -> Option<SpellingCandidate> {
    find_best_split(word, &|first, second| {
        let seen = statistics.pair(first, second);
        let least = if is_letter(first) || is_letter(second) { SEEN_OFTEN } else { 1 };
        (seen >= least).then(|| f64::from(seen))
    })
}

/// The best place for a blank between two words that stand in many titles each.
pub(super) fn find_common_split(statistics: &WordStatistics, word: &str) -> Option<SpellingCandidate> {
    find_best_split(word, &|first, second| {
        let shorter = first.chars().count().min(second.chars().count());
        let first = statistics.word(first)?;
        let second = statistics.word(second)?;
        let is_common =
            shorter >= COMMON_PART_LETTERS && first.titles.min(second.titles) >= COMMON_PART_TITLES;
        is_common.then(|| 0.5 * (f64::from(first.products).ln() + f64::from(second.products).ln()) - 2.0)
    })
}

/// The split of the best score; `None` where no split has one.
fn find_best_split(word: &str, score: &dyn Fn(&str, &str) -> Option<f64>) -> Option<SpellingCandidate> {
    let mut best: Option<(f64, usize)> = None;
    for (at, _) in word.char_indices().skip(1) {
        let (first, second) = word.split_at(at);
        let Some(score) = score(first, second) else { continue };
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, at));
        }
    }
    let (score, at) = best?;
    let (first, second) = word.split_at(at);
    Some(SpellingCandidate { text: format!("{first} {second}"), score, is_sure: true })
}

fn is_letter(word: &str) -> bool {
    word.chars().nth(1).is_none()
}
