//! Words that a mistyped one may have meant.

use super::distance::{WordPattern, dice, letter_set, trigrams};
use super::statistics::WordStatistics;

/// The length from which a word may be two edits away. With 7 instead of 6 no less of nDCG is kept, and 4 instead
/// of 8 of 100 words that the shop lacks are replaced ("butter" by "battery").
const TWO_EDITS_LETTERS: usize = 7;

/// A correction and how likely it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpellingCandidate {
    /// One word, or two with a blank between them.
    pub(super) text: String,
    pub(super) score: f64,
    /// True if it only looks alike: too far to be searched unless the shopper asks for it.
    pub(super) is_far: bool,
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
        for (number, (word, _)) in (0..).zip(statistics.iter()) {
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
        let mut best: Option<SpellingCandidate> = None;
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
            let is_first_kept = other.starts_with(pattern.letters()[0]);
            let score = score(statistics, *number, distance, is_first_kept, neighbours);
            // Words come by length and then in order, so the word decides between equal scores.
            let is_better = best.as_ref().is_none_or(|best| {
                score.total_cmp(&best.score).then_with(|| best.text.as_str().cmp(other)).is_gt()
            });
            if is_better {
                best = Some(SpellingCandidate { text: other.to_owned(), score, is_far: false });
            }
        }
        best
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
                best = Some(SpellingCandidate { text: other.to_owned(), score, is_far: true });
            }
        }
        best
    }
}

/// Scores how likely it is that a word of the shop was meant: a frequent, near and prominent word with the same first
/// letter, next to these neighbours, scores high.
fn score(
    statistics: &WordStatistics,
    number: u32,
    distance: usize,
    is_first_kept: bool,
    neighbours: Neighbours,
) -> f64 {
    let entry = statistics.entries[number as usize];
    let before = neighbours.before.map_or(0, |before| statistics.pair_of_numbers(before, number));
    let after = neighbours.after.map_or(0, |after| statistics.pair_of_numbers(number, after));
    let mut score = f64::from(entry.products.max(1)).ln() - 4.0 * distance as f64;
    score += 2.0 * (1.0 + f64::from(before) + f64::from(after)).ln();
    if !is_first_kept {
        score -= 2.0;
    }
    if entry.is_prominent {
        score += 2.0;
    }
    score
}

/// The best place for a blank that was left out.
pub(super) fn split(statistics: &WordStatistics, word: &str) -> Option<SpellingCandidate> {
    let mut best: Option<SpellingCandidate> = None;
    for (at, _) in word.char_indices().skip(1) {
        let (first, second) = word.split_at(at);
        let Some(score) = split_score(statistics, first, second) else { continue };
        if best.as_ref().is_none_or(|best| score > best.score) {
            best = Some(SpellingCandidate { text: format!("{first} {second}"), score, is_far: false });
        }
    }
    best
}

fn split_score(statistics: &WordStatistics, first: &str, second: &str) -> Option<f64> {
    let first_number = statistics.words.find(first)?;
    let second_number = statistics.words.find(second)?;
    let shorter = first.chars().count().min(second.chars().count());
    let together = statistics.pair_of_numbers(first_number, second_number);
    if together > 0 && shorter >= 2 {
        return Some(8.0 + f64::from(together).ln());
    }
    let first = statistics.entries[first_number as usize];
    let second = statistics.entries[second_number as usize];
    let is_common = shorter >= 3 && first.titles >= 10 && second.titles >= 10;
    is_common.then(|| 0.5 * (f64::from(first.products).ln() + f64::from(second.products).ln()) - 2.0)
}
