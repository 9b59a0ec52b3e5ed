//! The words of a query by which the variants of a product are told apart.

use std::collections::HashMap;

use super::plan_stems::stems_of_way;
use crate::search::index::variant_word_key;
use crate::search::query::plan::SearchPlan;

/// The words of a query, each with the ways to hold it, by the keys that variants have.
#[derive(Debug, Default)]
pub(super) struct QueryWords {
    /// Ways, word by word; the first of each is the word as it stands.
    ways: Vec<WordWay>,
    /// The ways that need a key.
    by_key: HashMap<u32, Vec<usize>>,
}

/// One way to hold a word.
#[derive(Debug)]
struct WordWay {
    /// Number of the word.
    word: usize,
    /// Number of keys that it needs.
    keys: usize,
    /// True if it is the word as it stands.
    is_plain: bool,
}

/// Number of words of a query that a variant holds and that not all variants of its product have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HeldWords {
    /// In any form.
    pub(super) in_any_form: usize,
    /// As they stand.
    pub(super) as_they_stand: usize,
}

impl QueryWords {
    /// The words of a plan.
    pub(super) fn new(plan: &SearchPlan) -> Self {
        let mut words = Self::default();
        for (number, word) in plan.words.iter().enumerate() {
            let other_ways = word.alternatives.iter().map(stems_of_way);
            let mut ways: Vec<Vec<u32>> = Vec::new();
            for stems in std::iter::once(vec![word.stem.as_str()]).chain(other_ways) {
                let mut keys: Vec<u32> = stems.into_iter().map(variant_word_key).collect();
                keys.sort_unstable();
                keys.dedup();
                // Among the alternatives of a word stands the word itself.
                if !keys.is_empty() && !ways.contains(&keys) {
                    ways.push(keys);
                }
            }
            for (place, keys) in ways.into_iter().enumerate() {
                words.add_way(number, &keys, place == 0);
            }
        }
        words
    }

    fn add_way(&mut self, word: usize, keys: &[u32], is_plain: bool) {
        for key in keys {
            self.by_key.entry(*key).or_default().push(self.ways.len());
        }
        self.ways.push(WordWay { word, keys: keys.len(), is_plain });
    }

    /// True for a query without words.
    pub(super) fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// Counts the words that a variant with these keys holds; the keys are different.
    pub(super) fn count_held(&self, keys: impl Iterator<Item = u32>) -> HeldWords {
        let mut touched: Vec<usize> =
            keys.filter_map(|key| self.by_key.get(&key)).flatten().copied().collect();
        touched.sort_unstable();
        let mut held = HeldWords::default();
        let mut last = None;
        for run in touched.chunk_by(|a, b| a == b) {
            let way = &self.ways[run[0]];
            if run.len() < way.keys {
                continue;
            }
            held.in_any_form += usize::from(last != Some(way.word));
            held.as_they_stand += usize::from(way.is_plain);
            last = Some(way.word);
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_once_in_whichever_form_it_is_held_and_a_way_needs_all_its_keys() {
        let mut words = QueryWords::default();
        // The first word as it stands, in another form, and as two words; the second shares one of these.
        words.add_way(0, &[1], true);
        words.add_way(0, &[2], false);
        words.add_way(0, &[3, 4], false);
        words.add_way(1, &[4], true);
        let held = |keys: &[u32]| {
            let HeldWords { in_any_form, as_they_stand } = words.count_held(keys.iter().copied());
            (in_any_form, as_they_stand)
        };
        let cases: [(&[u32], _); 7] = [
            (&[], (0, 0)),
            (&[9], (0, 0)),
            (&[2, 1, 9], (1, 1)),
            (&[2], (1, 0)),
            (&[3], (0, 0)),
            (&[4], (1, 1)),
            (&[4, 3], (2, 1)),
        ];
        for (keys, expected) in cases {
            assert_eq!(held(keys), expected, "{keys:?}");
        }
    }
}
