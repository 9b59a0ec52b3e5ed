//! Edit distance of two words, in typing errors.

/// A word prepared for being compared with many others.
pub(super) struct WordPattern {
    letters: Vec<char>,
    /// The distinct letters, and the places of each.
    places: Vec<(char, u64)>,
}

impl WordPattern {
    /// `None` for a word of more than 64 letters.
    pub(super) fn new(word: &str) -> Option<Self> {
        let letters: Vec<char> = word.chars().collect();
        if letters.is_empty() || letters.len() > 64 {
            return None;
        }
        let mut places: Vec<(char, u64)> = Vec::new();
        for (at, letter) in letters.iter().enumerate() {
            match places.iter_mut().find(|(known, _)| known == letter) {
                Some((_, bits)) => *bits |= 1 << at,
                None => places.push((*letter, 1 << at)),
            }
        }
        Some(Self { letters, places })
    }

    pub(super) fn letters(&self) -> &[char] {
        &self.letters
    }

    fn bits(&self, letter: char) -> u64 {
        self.places.iter().find(|(known, _)| *known == letter).map_or(0, |(_, bits)| *bits)
    }

    /// The letters to be added, dropped, replaced or swapped with their neighbours (Damerau's distance in its
    /// restricted form), by Hyyrö's bit-parallel method (A bit-vector algorithm for computing Levenshtein and Damerau
    /// edit distances, 2003).
    pub(super) fn distance(&self, other: &str) -> usize {
        let mut rises = u64::MAX;
        let mut falls = 0_u64;
        let mut diagonal = 0_u64;
        let mut bits_before = 0_u64;
        let mut distance = self.letters.len();
        let last = 1_u64 << (self.letters.len() - 1);
        for letter in other.chars() {
            let bits = self.bits(letter);
            let swapped = ((!diagonal & bits) << 1) & bits_before;
            diagonal = ((bits & rises).wrapping_add(rises) ^ rises) | bits | falls | swapped;
            let right = falls | !(diagonal | rises);
            let left = rises & diagonal;
            distance += usize::from(right & last != 0);
            distance -= usize::from(left & last != 0);
            let right = right << 1 | 1;
            rises = left << 1 | !(diagonal | right);
            falls = right & diagonal;
            bits_before = bits;
        }
        distance
    }
}

/// Letters of a word, sorted into 32 kinds, as a set of bits: every edit changes at most one of each side.
pub(super) fn letter_set(word: &str) -> u32 {
    word.chars().fold(0, |set, letter| set | 1 << (letter as u32 % 32))
}

/// The trigrams of a word with blanks around it.
pub(super) fn trigrams(word: &str, grams: &mut Vec<[char; 3]>) {
    grams.clear();
    let mut gram = [' ', ' ', ' '];
    for letter in word.chars().chain([' ']) {
        gram = [gram[1], gram[2], letter];
        grams.push(gram);
    }
    grams.sort_unstable();
    grams.dedup();
}

/// Dice's coefficient of two sorted sets.
pub(super) fn dice(one: &[[char; 3]], other: &[[char; 3]]) -> f64 {
    let common = one.iter().filter(|gram| other.binary_search(gram).is_ok()).count();
    2.0 * common as f64 / (one.len() + other.len()) as f64
}
