//! Statistics of a shop's words: how many products have each, in which fields, and next to which other words.

use crate::search::codec::{BlobFormat, PackedFault, Packer, SortedTexts, Unpacker};

const FORM: BlobFormat = BlobFormat { kind: *b"LWRD", version: 3 };

/// Statistics of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordEntry {
    /// Products with it in any text; for a word with digits, in title, brand or category.
    pub products: u32,
    /// Products with it in their title.
    pub titles: u32,
    /// True if it stands in a title, brand or category.
    pub is_prominent: bool,
    /// True if it stands in a title or category.
    pub is_in_title_or_category: bool,
    /// True if it is the whole name of a brand.
    pub is_brand: bool,
}

/// Words (folded, unstemmed; those with digits only of titles, brands and categories), the pairs that stand side by
/// side, and the stems of all words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordStatistics {
    pub(super) words: SortedTexts,
    /// By the number of the word.
    pub(super) entries: Vec<WordEntry>,
    /// By the number of a pair's first word: the start of its pairs in `seconds`; one more than words.
    pub(super) starts: Vec<u32>,
    /// The second words of pairs, rising for each first.
    pub(super) seconds: Vec<u32>,
    /// In how many products each pair stands.
    pub(super) pairs: Vec<u32>,
    /// Stems of all words, including those with digits, and of joins such as `t-shirt`.
    pub(super) stems: SortedTexts,
}

impl WordStatistics {
    /// Statistics of a folded word.
    #[must_use]
    pub fn word(&self, word: &str) -> Option<WordEntry> {
        self.entry(self.find(word)?)
    }

    /// The number of a folded word.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<u32> {
        self.words.find(word)
    }

    /// The word of a number.
    #[must_use]
    pub fn text(&self, number: u32) -> Option<&str> {
        self.words.get(number)
    }

    /// Statistics of the word of a number.
    #[must_use]
    pub fn entry(&self, number: u32) -> Option<WordEntry> {
        self.entries.get(number as usize).copied()
    }

    /// All words with their statistics, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, WordEntry)> {
        self.words.iter().zip(self.entries.iter().copied())
    }

    /// Number of products in which the second folded word follows the first.
    #[must_use]
    pub fn pair(&self, first: &str, second: &str) -> u32 {
        match (self.words.find(first), self.words.find(second)) {
            (Some(first), Some(second)) => self.pair_of_numbers(first, second),
            _ => 0,
        }
    }

    pub(super) fn pair_of_numbers(&self, first: u32, second: u32) -> u32 {
        let start = self.starts[first as usize] as usize;
        let end = self.starts[first as usize + 1] as usize;
        self.seconds[start..end].binary_search(&second).map_or(0, |at| self.pairs[start + at])
    }

    /// Returns true if any word of the shop has this stem.
    #[must_use]
    pub fn has_stem(&self, stem: &str) -> bool {
        self.stems.find(stem).is_some()
    }

    /// Stems of all words and joins, sorted.
    pub fn stems(&self) -> impl Iterator<Item = &str> {
        self.stems.iter()
    }

    /// As a blob.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut packer = Packer::new(FORM);
        packer.sorted_texts(&self.words);
        packer.sorted_texts(&self.stems);
        for entry in &self.entries {
            let flags = [entry.is_prominent, entry.is_in_title_or_category, entry.is_brand];
            let flags = flags.iter().rev().fold(0, |bits, flag| bits << 1 | u64::from(*flag));
            packer.number(u64::from(entry.products) << 3 | flags);
            packer.number(u64::from(entry.titles));
        }
        let mut pairs = self.seconds.iter().zip(&self.pairs);
        for bounds in self.starts.windows(2) {
            let count = bounds[1] - bounds[0];
            packer.number(u64::from(count));
            let mut last = 0;
            for (second, products) in pairs.by_ref().take(count as usize) {
                packer.number(u64::from(second - last));
                packer.number(u64::from(*products));
                last = *second;
            }
        }
        packer.finish()
    }

    /// Reads a blob.
    ///
    /// # Errors
    /// When the blob is torn or of another form.
    pub fn decode(blob: &[u8]) -> Result<Self, PackedFault> {
        let mut unpacker = Unpacker::new(blob, FORM)?;
        let words = unpacker.sorted_texts()?;
        let stems = unpacker.sorted_texts()?;
        let mut entries = Vec::with_capacity(words.len());
        for _ in 0..words.len() {
            let products = unpacker.number()?;
            entries.push(WordEntry {
                products: u32::try_from(products >> 3).map_err(|_| PackedFault::Torn)?,
                titles: unpacker.small()?,
                is_prominent: products & 1 == 1,
                is_in_title_or_category: products & 2 == 2,
                is_brand: products & 4 == 4,
            });
        }
        let mut statistics = Self { words, entries, starts: vec![0], stems, ..Self::default() };
        for _ in 0..statistics.words.len() {
            statistics.read_pairs(&mut unpacker)?;
        }
        if unpacker.is_at_end() { Ok(statistics) } else { Err(PackedFault::Torn) }
    }

    fn read_pairs(&mut self, unpacker: &mut Unpacker<'_>) -> Result<(), PackedFault> {
        let mut second = 0_u32;
        for _ in 0..unpacker.count()? {
            second = second.checked_add(unpacker.small()?).ok_or(PackedFault::Torn)?;
            self.seconds.push(second);
            self.pairs.push(unpacker.small()?);
        }
        self.starts.push(u32::try_from(self.seconds.len()).map_err(|_| PackedFault::Torn)?);
        Ok(())
    }
}
