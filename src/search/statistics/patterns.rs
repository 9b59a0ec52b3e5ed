//! Frequency of a word in each field of a product, as one small number: the commoner the pattern, the smaller.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::fields::{FIELDS, SearchField};

/// Number of times a word stands in each field.
pub type FrequencyPattern = [u8; FIELDS];

/// Counts above this are taken for it: BM25 hardly tells them apart.
const COUNT_MAX: u16 = 15;
/// Numbers of patterns are 1 to this.
const PATTERNS_MAX: usize = 250;

/// The patterns that have numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    /// In the order of their numbers, which begin with 1.
    patterns: Vec<FrequencyPattern>,
    numbers: PatternMap<u8>,
}

/// A map from patterns.
pub type PatternMap<V> = HashMap<FrequencyPattern, V, BuildHasherDefault<PatternHasher>>;

/// A quick hash: the counts of a pattern are small, and products alone determine the number of patterns.
#[derive(Debug, Default, Clone, Copy)]
pub struct PatternHasher(u64);

impl Hasher for PatternHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, counts: &[u8]) {
        let packed = counts.iter().fold(0, |packed, count| packed << 8 | u64::from(*count));
        self.0 = (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left(32);
    }

    fn write_usize(&mut self, _length: usize) {}
}

/// The pattern of these counts.
#[must_use]
pub fn pattern_of(counts: &[u16; FIELDS]) -> FrequencyPattern {
    counts.map(|count| count.min(COUNT_MAX) as u8)
}

impl Patterns {
    /// The patterns in the order of their numbers; surplus ones are left out, and the plain ones are added.
    #[must_use]
    pub fn new(mut patterns: Vec<FrequencyPattern>) -> Self {
        let plain = plain_patterns();
        patterns.truncate(PATTERNS_MAX - plain.len());
        for pattern in plain {
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        let numbers = (1..=u8::MAX).zip(&patterns).map(|(number, pattern)| (*pattern, number)).collect();
        Self { patterns, numbers }
    }

    /// The patterns by how often they were counted.
    #[must_use]
    pub fn from_counts(counts: &PatternMap<u64>) -> Self {
        let mut counts: Vec<_> = counts.iter().collect();
        counts.sort_unstable_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        Self::new(counts.into_iter().map(|(pattern, _)| *pattern).collect())
    }

    /// In the order of their numbers, which begin with 1.
    #[must_use]
    pub fn patterns(&self) -> &[FrequencyPattern] {
        &self.patterns
    }

    /// The number of a pattern, or of the most similar one.
    #[must_use]
    pub fn number(&self, pattern: &FrequencyPattern) -> u8 {
        match self.numbers.get(pattern) {
            Some(number) => *number,
            None => self.nearest(pattern),
        }
    }

    fn nearest(&self, pattern: &FrequencyPattern) -> u8 {
        let distances =
            (1..=u8::MAX).zip(&self.patterns).map(|(number, other)| (distance(pattern, other), number));
        distances.min().map_or(1, |(_, number)| number)
    }
}

/// Distance between two patterns: presence in a field weighs more than the number of occurrences.
fn distance(a: &FrequencyPattern, b: &FrequencyPattern) -> u32 {
    let mut sum = 0;
    for field in SearchField::ALL {
        let a = a[field as usize];
        let b = b[field as usize];
        let weight = if matches!(field, SearchField::Title | SearchField::Brand) { 2 } else { 1 };
        let missing = if (a == 0) == (b == 0) { 0 } else { 8 };
        sum += weight * (u32::from(a.abs_diff(b)) + missing);
    }
    sum
}

/// Patterns that a product may have and no product had before: a word one to three times in one field, or once in the
/// title and once in another field.
fn plain_patterns() -> Vec<FrequencyPattern> {
    let mut plain = Vec::new();
    for field in 0..FIELDS {
        for count in 1..=3 {
            let mut pattern = [0; FIELDS];
            pattern[field] = count;
            plain.push(pattern);
        }
        if field != SearchField::Title as usize {
            let mut pattern = [0; FIELDS];
            pattern[SearchField::Title as usize] = 1;
            pattern[field] = 1;
            plain.push(pattern);
        }
    }
    plain
}
