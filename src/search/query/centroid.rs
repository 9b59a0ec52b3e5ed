//! The hit centroid (docs/ranking.md, "Lifts"): the common traits of the best products lift the products that share
//! them, so that a notebook comes before the bag for it.

use crate::search::index::{DIMENSIONS, product_of};

/// Most products that make the centroid: the best ones.
pub const CENTROID_PRODUCTS_MAX: usize = 50;
/// With fewer matches at the highest coverage there is no centroid.
pub const CENTROID_MATCHES_MIN: usize = 10;
/// Boost of a product that is exactly like the centroid.
pub const CENTROID_WORTH: f32 = 0.2;

/// A sum of fingerprints, as whole numbers, so that comparing is quick and the same everywhere.
pub struct Centroid {
    numbers: [i16; DIMENSIONS],
    length: f32,
}

impl Centroid {
    /// Centroid of fingerprints, each with its length and its weight.
    #[must_use]
    pub fn new<'f>(fingerprints: impl Iterator<Item = (&'f [u8], f32, f32)>) -> Self {
        let mut sums = [0.0_f32; DIMENSIONS];
        for (fingerprint, length, weight) in fingerprints.filter(|(_, length, _)| *length > 0.0) {
            let scale = weight / length;
            for (sum, byte) in sums.iter_mut().zip(fingerprint) {
                *sum += scale * f32::from(byte.cast_signed());
            }
        }
        let highest = sums.iter().fold(0.0_f32, |highest, sum| highest.max(sum.abs()));
        if highest <= 0.0 {
            return Self { numbers: [0; DIMENSIONS], length: 0.0 };
        }
        let numbers = sums.map(|sum| (sum / highest * f32::from(i16::MAX)).round() as i16);
        let length = numbers.iter().map(|number| f32::from(*number).powi(2)).sum::<f32>().sqrt();
        Self { numbers, length }
    }

    /// The cosine of the angle between the centroid and a fingerprint of this length; 0 if either is empty.
    #[must_use]
    pub fn cosine(&self, fingerprint: &[u8], length: f32) -> f32 {
        self.cosine_of(product_of(&self.numbers, fingerprint), length)
    }

    /// The same for a known scalar product.
    #[must_use]
    #[inline]
    pub fn cosine_of(&self, product: i32, length: f32) -> f32 {
        let lengths = self.length * length;
        if lengths > 0.0 { product as f32 / lengths } else { 0.0 }
    }

    /// Its numbers, for scalar products.
    #[must_use]
    pub const fn numbers(&self) -> &[i16; DIMENSIONS] {
        &self.numbers
    }
}
