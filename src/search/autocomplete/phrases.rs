//! Phrases of titles while they are counted: their words, the number of their products, and the brands.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Maximum number of phrases held at a time. Beyond it those seen least often are dropped: a catalogue has few phrases
/// that are worth a completion, and very many that stand in one title.
const PHRASES_MAX: usize = 2_000_000;
/// The percentage of these that may stay when room is made.
const STAY_PERCENT: usize = 75;

/// No word.
pub(super) const NO_WORD: u32 = u32::MAX;

/// Up to three words by number; [`NO_WORD`] after the last.
pub(super) type PhraseKey = [u32; 3];

/// Mixes numbers that no outsider chooses: words are numbered as they come.
#[derive(Default)]
pub(super) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, _: usize) {}
}

/// A table by numbers.
pub(super) type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Number of entries that take as much room as a set.
const FEW: usize = 6;

/// Different brands. Most phrases have few.
#[derive(Clone)]
pub(super) enum Brands {
    Few(u8, [u32; FEW]),
    Many(HashSet<u32, BuildHasherDefault<NumberHasher>>),
}

impl Brands {
    fn insert(&mut self, brand: u32) {
        match self {
            Self::Few(count, few) => {
                let known = &few[..usize::from(*count)];
                if known.contains(&brand) {
                    return;
                }
                if let Some(free) = few.get_mut(usize::from(*count)) {
                    *free = brand;
                    *count += 1;
                } else {
                    let all = few.iter().copied().chain([brand]).collect();
                    *self = Self::Many(all);
                }
            }
            Self::Many(many) => {
                many.insert(brand);
            }
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        match other {
            Self::Few(count, few) => few[..usize::from(*count)].iter().for_each(|brand| self.insert(*brand)),
            Self::Many(many) => many.iter().for_each(|brand| self.insert(*brand)),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Few(count, _) => usize::from(*count),
            Self::Many(many) => many.len(),
        }
    }
}

/// Products and brands counted for a phrase.
#[derive(Clone)]
pub(super) struct PhraseCounts {
    pub(super) products: u32,
    pub(super) brands: Brands,
}

/// The phrases seen so far.
#[derive(Default)]
pub(super) struct Phrases {
    seen: NumberMap<PhraseKey, PhraseCounts>,
    /// Phrases in no more products were dropped.
    dropped: u32,
}

impl Phrases {
    /// Counts a phrase of a product; once for each product.
    pub(super) fn count(&mut self, phrase: PhraseKey, brand: u32) {
        if self.seen.len() >= PHRASES_MAX && !self.seen.contains_key(&phrase) {
            self.make_room();
        }
        let new = || PhraseCounts { products: 0, brands: Brands::Few(0, [0; FEW]) };
        let seen = self.seen.entry(phrase).or_insert_with(new);
        seen.products += 1;
        seen.brands.insert(brand);
    }

    fn make_room(&mut self) {
        while self.seen.len() > PHRASES_MAX / 100 * STAY_PERCENT {
            self.dropped += 1;
            let dropped = self.dropped;
            self.seen.retain(|_, seen| seen.products > dropped);
        }
    }

    /// The phrases in two products or more.
    pub(super) fn finish(self) -> impl Iterator<Item = (PhraseKey, PhraseCounts)> {
        self.seen.into_iter().filter(|(_, seen)| seen.products > 1)
    }
}
