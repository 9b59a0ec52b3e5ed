//! Random numbers that are the same everywhere for the same seed. Not for secrets.

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
pub struct SampleRandom(u64);

/// The golden ratio in 64 bits: the increment of the paper.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

impl SampleRandom {
    /// Numbers of row `number` of a stream, so that each row can be made without the rows before it.
    pub fn new(seed: u64, stream: u64, number: u64) -> Self {
        let mut random = Self(seed ^ stream.rotate_right(8));
        random.0 = random.next() ^ number.wrapping_mul(GAMMA);
        random.0 = random.next();
        random
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound - 1`; `bound` is small and not 0, so the bias does not matter.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// One of `choices`.
    pub fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_reference_implementation() {
        let mut random = SampleRandom(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
