//! BM25F's frequencies, from the patterns of words and the lengths of fields.

use super::fields::{FIELDS, FieldCombination, SearchField};
use super::patterns::Patterns;

/// BM25's k1.
const SATURATION: f32 = 1.2;
/// Lengths of up to this are kept as they are.
const EXACT_LENGTH_MAX: u32 = 128;
/// A longer one is kept to one part in twenty.
const LENGTH_STEP: f64 = 1.05;

/// The lengths of a product's fields, a byte each.
pub type FieldLengths = [u8; FIELDS];

/// Lengths as bytes.
#[must_use]
pub fn pack_lengths(lengths: &[u32; FIELDS]) -> FieldLengths {
    lengths.map(pack_length)
}

fn pack_length(length: u32) -> u8 {
    if length <= EXACT_LENGTH_MAX {
        return length as u8;
    }
    let steps = (f64::from(length) / f64::from(EXACT_LENGTH_MAX)).ln() / LENGTH_STEP.ln();
    (f64::from(EXACT_LENGTH_MAX) + steps.round()).min(f64::from(u8::MAX)) as u8
}

fn unpack_length(packed: u8) -> f32 {
    let over = u32::from(packed).saturating_sub(EXACT_LENGTH_MAX);
    if over == 0 {
        return f32::from(packed);
    }
    (f64::from(EXACT_LENGTH_MAX) * LENGTH_STEP.powf(f64::from(over))) as f32
}

/// Weight of an occurrence in each field of one product.
pub type Norms = [f32; FIELDS];

/// The weights of a shop's words.
pub struct Weights {
    weighing: FieldCombination,
    /// By the number of the pattern: counts.
    patterns: Vec<[f32; FIELDS]>,
    /// By the number of the pattern: true if the word stands in attributes and description alone.
    in_details_only: Vec<bool>,
    /// By field and packed length.
    norms: Vec<[f32; 256]>,
}

impl Weights {
    /// The weights for these patterns and mean lengths.
    #[must_use]
    pub fn new(weighing: FieldCombination, patterns: &Patterns, averages: &[f32; FIELDS]) -> Self {
        let mut counts = vec![[0.0; FIELDS]];
        counts.extend(patterns.patterns().iter().map(|pattern| pattern.map(f32::from)));
        counts.resize(256, [0.0; FIELDS]);
        let in_details_only = counts.iter().map(stands_in_details_only).collect();
        let norms = SearchField::ALL.map(|field| {
            std::array::from_fn(|packed| {
                let length = unpack_length(u8::try_from(packed).unwrap_or(u8::MAX));
                weighing.norm(field, length, averages)
            })
        });
        Self { weighing, patterns: counts, in_details_only, norms: norms.to_vec() }
    }

    /// Weights of an occurrence in each field of a product with these lengths.
    #[must_use]
    #[inline]
    pub fn norms(&self, lengths: &[u8]) -> Norms {
        let mut norms = [1.0; FIELDS];
        for ((norm, of_field), length) in norms.iter_mut().zip(&self.norms).zip(lengths) {
            *norm = of_field[usize::from(*length)];
        }
        if self.weighing == FieldCombination::Flat { FieldCombination::flat(&norms) } else { norms }
    }

    /// Returns true if a word with the pattern of this number stands in attributes and description alone.
    #[must_use]
    #[inline]
    pub fn is_in_details_only(&self, number: u8) -> bool {
        self.in_details_only.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// The weighed frequency of a word with the pattern of this number.
    #[must_use]
    #[inline]
    pub fn frequency(&self, number: u32, norms: &Norms) -> f32 {
        let Some(counts) = self.patterns.get(number as usize) else { return 0.0 };
        let mut frequency = 0.0;
        for (count, norm) in counts.iter().zip(norms) {
            frequency += count * norm;
        }
        frequency
    }
}

/// A frequency saturated, 0 to 2.2: the first occurrences of a word say most.
#[must_use]
#[inline]
pub fn saturate(frequency: f32) -> f32 {
    (SATURATION + 1.0) * frequency / (frequency + SATURATION)
}

fn stands_in_details_only(counts: &[f32; FIELDS]) -> bool {
    let stands = |fields: &[SearchField]| fields.iter().any(|field| counts[*field as usize] > 0.0);
    let texts = [SearchField::Attributes, SearchField::Description];
    let names = [SearchField::Title, SearchField::Brand, SearchField::Categories, SearchField::Sku];
    stands(&texts) && !stands(&names)
}
