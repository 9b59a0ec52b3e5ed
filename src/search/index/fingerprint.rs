//! A product's words as 256 small numbers, so that two products can be compared at once (docs/ranking.md, "Lifts"): an
//! idf vector of unit length, hashed with signs.

use crate::search::statistics::{FIELDS, SearchField, Statistics, WordBag, has_prefix};

/// Number of dimensions of a fingerprint.
pub const DIMENSIONS: usize = 256;

const SCALE: f32 = 254.0;
const SIGN_BIT: u32 = 20;
/// A word that a larger share of the products have says nothing about a single one.
const SHARE_MAX_PERCENT: u64 = 30;
const PRODUCTS_MIN: u32 = 2;

/// Makes fingerprints by the statistics of a shop.
pub struct FingerprintMaker {
    sums: [f32; DIMENSIONS],
    words: Vec<(u32, f32)>,
    bytes: [u8; DIMENSIONS],
}

impl Default for FingerprintMaker {
    fn default() -> Self {
        Self { sums: [0.0; DIMENSIONS], words: Vec::new(), bytes: [0; DIMENSIONS] }
    }
}

impl FingerprintMaker {
    /// The fingerprint of the product in the bag: 256 signed bytes, all 0 if none of its words is significant.
    pub fn make(&mut self, bag: &WordBag, statistics: &Statistics) -> &[u8] {
        self.words.clear();
        let mut length = 0.0;
        for entry in bag.entries() {
            let stem = bag.stem(entry);
            let worth = idf(statistics, entry.key) * highest_weight(&entry.counts);
            if worth > 0.0 && !has_prefix(stem) {
                self.words.push((hash(stem), worth));
                length += worth * worth;
            }
        }
        if length <= 0.0 {
            self.bytes = [0; DIMENSIONS];
            return &self.bytes;
        }
        self.sums = [0.0; DIMENSIONS];
        let unit = length.sqrt();
        for (hash, worth) in &self.words {
            let sign = if hash >> SIGN_BIT & 1 == 0 { 1.0 } else { -1.0 };
            self.sums[*hash as usize % DIMENSIONS] += sign * worth / unit;
        }
        self.bytes = self.sums.map(quantise);
        &self.bytes
    }
}

fn idf(statistics: &Statistics, key: u64) -> f32 {
    let frequency = statistics.frequency(key);
    let products = statistics.products();
    let common = u64::from(frequency) * 100 > u64::from(products) * SHARE_MAX_PERCENT;
    if frequency < PRODUCTS_MIN || common { 0.0 } else { ratio(products, frequency).ln() }
}

fn ratio(products: u32, frequency: u32) -> f32 {
    products as f32 / frequency as f32
}

fn highest_weight(counts: &[u16; FIELDS]) -> f32 {
    let present = SearchField::ALL.into_iter().filter(|field| counts[*field as usize] > 0);
    present.map(|field| field.weights().fingerprint).fold(0.0, f32::max)
}

fn hash(stem: &str) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(b"0");
    hasher.update(stem.as_bytes());
    hasher.finalize()
}

fn quantise(number: f32) -> u8 {
    let byte = (number * SCALE).round().clamp(-127.0, 127.0) as i8;
    byte.cast_unsigned()
}

/// The length of a fingerprint as a vector.
#[must_use]
pub fn length_of(fingerprint: &[u8]) -> f32 {
    let squares = fingerprint.iter().map(|byte| i32::from(byte.cast_signed()).pow(2)).sum::<i32>();
    let squares = squares as f32;
    squares.sqrt()
}

/// The scalar product of a vector and a fingerprint.
#[must_use]
#[inline]
pub fn product_of(vector: &[i16; DIMENSIONS], fingerprint: &[u8]) -> i32 {
    // Both as numbers of 16 bits: processors multiply eight pairs of these at once.
    let pairs = vector.iter().zip(fingerprint);
    pairs.map(|(number, byte)| i32::from(*number) * i32::from(i16::from(byte.cast_signed()))).sum()
}
