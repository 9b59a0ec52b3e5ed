//! The inverted fingerprints of a segment: for each of their numbers, the products in which it is not 0. A product has
//! few such numbers, so that comparing one with all others reads a small part of their fingerprints.

use tantivy::DocId;

use super::fingerprint::{DIMENSIONS, length_of};

/// Products in a block: as many sums as fit into the processor's cache.
const BLOCK: usize = 1 << 14;

/// The fingerprints of a segment, by their numbers.
pub struct TurnedFingerprints {
    blocks: Vec<FingerprintBlock>,
    /// The length of each fingerprint as a vector.
    lengths: Vec<f32>,
}

/// Some products of a segment: three bytes for each number that is not 0.
struct FingerprintBlock {
    /// The end of each number's products, all one after the other.
    ends: [u32; DIMENSIONS],
    /// Places in the block.
    places: Vec<u16>,
    values: Vec<i8>,
}

impl TurnedFingerprints {
    /// Inverts the fingerprints of this number of products; a product without a fingerprint is like no other.
    #[must_use]
    pub fn new<'f>(products: DocId, fingerprint: impl Fn(DocId) -> &'f [u8]) -> Self {
        let all: Vec<DocId> = (0..products).collect();
        Self {
            blocks: all.chunks(BLOCK).map(|block| FingerprintBlock::new(block, &fingerprint)).collect(),
            lengths: all.iter().map(|doc| length_of(fingerprint(*doc))).collect(),
        }
    }

    /// Calls `take` with each product whose scalar product with the vector is more than 0: with that, and the length of
    /// the fingerprint.
    pub fn each_like(&self, vector: &[i16; DIMENSIONS], mut take: impl FnMut(DocId, i32, f32)) {
        let mut sums = [0_i32; BLOCK];
        let mut doc: DocId = 0;
        for (block, lengths) in self.blocks.iter().zip(self.lengths.chunks(BLOCK)) {
            sums.fill(0);
            block.add(vector, &mut sums);
            for (sum, length) in sums.iter().zip(lengths) {
                if *sum > 0 {
                    take(doc, *sum, *length);
                }
                doc += 1;
            }
        }
    }
}

impl FingerprintBlock {
    fn new<'f>(products: &[DocId], fingerprint: &impl Fn(DocId) -> &'f [u8]) -> Self {
        let mut ends = [0_u32; DIMENSIONS];
        let numbers =
            |doc: DocId| fingerprint(doc).iter().enumerate().take(DIMENSIONS).filter(|(_, byte)| **byte != 0);
        for doc in products {
            numbers(*doc).for_each(|(number, _)| ends[number] += 1);
        }
        let mut next = [0_u32; DIMENSIONS];
        let mut end = 0;
        for (next, of_number) in next.iter_mut().zip(&mut ends) {
            *next = end;
            end += *of_number;
            *of_number = end;
        }
        let mut block = Self { ends, places: vec![0; end as usize], values: vec![0; end as usize] };
        for (place, doc) in (0..=u16::MAX).zip(products) {
            for (number, byte) in numbers(*doc) {
                let at = next[number] as usize;
                block.places[at] = place;
                block.values[at] = byte.cast_signed();
                next[number] += 1;
            }
        }
        block
    }

    /// Adds the products' scalar products with the vector to `sums`.
    fn add(&self, vector: &[i16; DIMENSIONS], sums: &mut [i32; BLOCK]) {
        let mut start = 0;
        for (factor, end) in vector.iter().zip(&self.ends) {
            let range = start..*end as usize;
            start = range.end;
            if *factor == 0 {
                continue;
            }
            for (place, value) in self.places[range.clone()].iter().zip(&self.values[range]) {
                sums[usize::from(*place)] += i32::from(*factor) * i32::from(*value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fingerprint::product_of;
    use super::*;

    #[test]
    fn sums_are_the_scalar_products_in_every_block() {
        let products = BLOCK + 700;
        let mut random = 1_u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random >> 24
        };
        let mut fingerprints = vec![[0_u8; DIMENSIONS]; products];
        for fingerprint in fingerprints.iter_mut().skip(1) {
            for _ in 0..next() % 40 {
                fingerprint[next() as usize] = (next() as i32 - 127).clamp(-127, 127).to_le_bytes()[0];
            }
        }
        let vector: [i16; DIMENSIONS] = std::array::from_fn(|number| match number % 3 {
            0 => 0,
            _ => (next() as i16 - 128) * 255,
        });
        let count = DocId::try_from(products).expect("few");
        let turned = TurnedFingerprints::new(count, |doc| match doc {
            5 => &[],
            doc => &fingerprints[doc as usize],
        });
        let mut found = Vec::new();
        turned.each_like(&vector, |doc, sum, length| found.push((doc, sum, length)));
        let expected = (0..count).zip(&fingerprints).filter(|(doc, _)| *doc != 5);
        let expected = expected.map(|(doc, bytes)| (doc, product_of(&vector, bytes), length_of(bytes)));
        let expected: Vec<_> = expected.filter(|(_, sum, _)| *sum > 0).collect();
        assert!(expected.len() > 1_000 && expected.last().is_some_and(|last| last.0 as usize > BLOCK));
        assert_eq!(found, expected);
    }
}
