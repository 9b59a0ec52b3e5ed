//! Counts the words of a catalogue, product by product.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use crate::search::codec::SortedTexts;
use crate::search::text::{Analyser, BesideKind, TextPart, TextToken, is_spaced};

use super::statistics::{WordEntry, WordStatistics};

/// The texts of a product.
#[derive(Clone, Copy, Default)]
pub struct ProductTexts<'p> {
    /// Its title.
    pub title: &'p str,
    /// The name of its brand.
    pub brand: &'p str,
    /// The names of its categories.
    pub categories: &'p [&'p str],
    /// Everything else that is searched: description, attributes, SKU.
    pub others: &'p [&'p str],
}

/// Place of a text in a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordField {
    /// The title.
    Title,
    /// A brand.
    Brand,
    /// A category.
    Category,
    /// Any other.
    Other,
}

/// Flag of a word that is the whole name of a brand.
const BRAND: u32 = 8;
/// Flag of a word in a title or category.
const IN_TITLE_OR_CATEGORY: u32 = 4;
/// Flag of a word in a title.
const IN_TITLE: u32 = 2;
/// Flag of a word in a title, brand or category.
const PROMINENT: u32 = 1;
/// Number of the flags.
const FLAG_BITS: u32 = 4;
/// Bytes of the longest word with digits that is counted: a longer one is the number of a single product.
const NUMBERED_BYTES_MAX: usize = 20;

/// Counts words. Either [`WordCounter::add`], or [`WordCounter::field`], the field's parts and so on for each field,
/// and [`WordCounter::end`]: so that a caller who needs the tokens too finds them once.
pub struct WordCounter {
    analyser: Arc<Analyser>,
    /// Each word's number.
    numbers: HashMap<Box<str>, u32, Quick>,
    entries: Vec<WordEntry>,
    pairs: HashMap<u64, u32, Quick>,
    stems: HashMap<Box<str>, (), Quick>,
    product: ProductWords,
}

/// Words and pairs found in the product that is being counted.
#[derive(Default)]
struct ProductWords {
    field: Option<WordField>,
    /// Number of the words before the text.
    before: usize,
    /// The word before.
    last: Option<LastWord>,
    /// The words, each as `number << FLAG_BITS | flags`.
    words: Vec<u64>,
    pairs: Vec<u64>,
}

impl ProductWords {
    /// Ends a text: a word that is a brand by itself is a name, whatever it is made of.
    fn end_text(&mut self) {
        if self.field == Some(WordField::Brand)
            && let [word] = &mut self.words[self.before..]
        {
            *word |= u64::from(BRAND);
        }
        self.before = self.words.len();
        self.field = None;
    }
}

/// A word that another may follow.
#[derive(Clone, Copy)]
struct LastWord {
    number: u32,
    position: u32,
    ends_in_digit: bool,
}

impl LastWord {
    /// Returns true if a word is beside it, and the two are not parts of one number.
    fn is_before(self, token: &TextToken<'_>) -> bool {
        let digits = self.ends_in_digit && token.word.starts_with(|first: char| first.is_ascii_digit());
        self.position + 1 == token.position && !digits
    }
}

impl WordCounter {
    /// Counts nothing yet.
    #[must_use]
    pub fn new(analyser: Arc<Analyser>) -> Self {
        Self {
            analyser,
            numbers: HashMap::default(),
            entries: Vec::new(),
            pairs: HashMap::default(),
            stems: HashMap::default(),
            product: ProductWords::default(),
        }
    }

    /// Counts a product.
    pub fn add(&mut self, product: &ProductTexts<'_>) {
        self.add_text(WordField::Title, product.title);
        self.add_text(WordField::Brand, product.brand);
        for category in product.categories {
            self.add_text(WordField::Category, category);
        }
        for other in product.others {
            self.add_text(WordField::Other, other);
        }
        self.end();
    }

    fn add_text(&mut self, field: WordField, text: &str) {
        self.field(field);
        let analyser = Arc::clone(&self.analyser);
        analyser.for_each_part(text, &mut |part| self.count_part(&part));
    }

    /// Begins a text of the product: words of two texts are not side by side.
    pub fn field(&mut self, field: WordField) {
        self.product.end_text();
        self.product.field = Some(field);
        self.product.last = None;
    }

    /// Counts a word of the text that was begun, or the stem of a join.
    pub fn count_part(&mut self, part: &TextPart<'_>) {
        match part {
            TextPart::Word(token) => self.count_word(token),
            TextPart::Beside(beside) if beside.kind == BesideKind::Join => self.keep_stem(beside.term),
            TextPart::Beside(_) => {}
        }
    }

    fn count_word(&mut self, token: &TextToken<'_>) {
        let flags = match self.product.field {
            Some(WordField::Title) => IN_TITLE | PROMINENT | IN_TITLE_OR_CATEGORY,
            Some(WordField::Category) => PROMINENT | IN_TITLE_OR_CATEGORY,
            Some(WordField::Brand) => PROMINENT,
            Some(WordField::Other) | None => 0,
        };
        let is_counted = is_of_letters(token.word) || (flags != 0 && is_numbered(token.word));
        if !is_counted {
            return self.keep_stem(token.stem);
        }
        let number = self.number(token);
        self.product.words.push(u64::from(number) << FLAG_BITS | u64::from(flags));
        if let Some(last) = self.product.last.filter(|last| last.is_before(token)) {
            self.product.pairs.push(u64::from(last.number) << 32 | u64::from(number));
        }
        let ends_in_digit = token.word.ends_with(|last: char| last.is_ascii_digit());
        self.product.last = Some(LastWord { number, position: token.position, ends_in_digit });
    }

    fn keep_stem(&mut self, stem: &str) {
        if !self.stems.contains_key(stem) {
            self.stems.insert(stem.into(), ());
        }
    }

    fn number(&mut self, token: &TextToken<'_>) -> u32 {
        if let Some(number) = self.numbers.get(token.word) {
            return *number;
        }
        self.keep_stem(token.stem);
        // A shop with four thousand million different words would not fit into memory.
        let number = self.entries.len() as u32;
        self.numbers.insert(token.word.into(), number);
        self.entries.push(WordEntry::default());
        number
    }

    /// Ends a product: each of its words counts once.
    pub fn end(&mut self) {
        self.product.end_text();
        self.product.words.sort_unstable();
        self.product.words.dedup();
        let mut last = None;
        for word in self.product.words.drain(..) {
            let number = (word >> FLAG_BITS) as usize;
            let entry = &mut self.entries[number];
            entry.products += u32::from(last != Some(number));
            entry.titles += u32::from(word & u64::from(IN_TITLE) != 0);
            entry.is_prominent |= word & u64::from(PROMINENT) != 0;
            entry.is_in_title_or_category |= word & u64::from(IN_TITLE_OR_CATEGORY) != 0;
            entry.is_brand |= word & u64::from(BRAND) != 0;
            last = Some(number);
        }
        self.product.pairs.sort_unstable();
        self.product.pairs.dedup();
        for pair in self.product.pairs.drain(..) {
            *self.pairs.entry(pair).or_default() += 1;
        }
        self.product.last = None;
        self.product.before = 0;
    }

    /// The statistics of the counted words.
    #[must_use]
    pub fn finish(self) -> WordStatistics {
        // More letters than one piece of memory holds cannot have been counted in memory: then nothing is known.
        let words: Vec<&str> = self.numbers.keys().map(AsRef::as_ref).collect();
        let words = SortedTexts::new(words).unwrap_or_default();
        let stems = SortedTexts::new(self.stems.into_keys().collect()).unwrap_or_default();
        let mut ranks = vec![0; self.entries.len()];
        let mut entries = vec![WordEntry::default(); words.len()];
        for (word, number) in &self.numbers {
            if let Some(rank) = words.find(word) {
                ranks[*number as usize] = rank;
                entries[rank as usize] = self.entries[*number as usize];
            }
        }
        let rank = |number: u64| u64::from(ranks[(number & u64::from(u32::MAX)) as usize]);
        let mut pairs: Vec<(u64, u32)> = self
            .pairs
            .iter()
            .map(|(pair, products)| (rank(pair >> 32) << 32 | rank(*pair), *products))
            .collect();
        pairs.sort_unstable();
        let mut starts = Vec::with_capacity(words.len() + 1);
        for first in 0..=words.len() as u64 {
            starts.push(pairs.partition_point(|(pair, _)| pair >> 32 < first) as u32);
        }
        let seconds = pairs.iter().map(|(pair, _)| (pair & u64::from(u32::MAX)) as u32).collect();
        let pairs = pairs.iter().map(|(_, products)| *products).collect();
        WordStatistics { words, entries, starts, seconds, pairs, stems }
    }
}

/// Returns true if a folded word has only letters, of a script with spaces: only such words are corrected.
pub(super) fn is_of_letters(word: &str) -> bool {
    if word.is_ascii() {
        word.bytes().all(|byte| byte.is_ascii_lowercase())
    } else {
        word.chars().all(|letter| letter.is_alphabetic() && is_spaced(letter))
    }
}

/// Returns true if a folded word has digits, and may be the name of more than one thing: `15`, `cat6`.
fn is_numbered(word: &str) -> bool {
    word.len() <= NUMBERED_BYTES_MAX
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// A quick hash of texts from shops' own rows; it is not proof against texts made to collide, so the count of a
/// catalogue may slow down by such a text and never goes wrong.
#[derive(Clone, Copy, Default)]
struct Quick;

impl BuildHasher for Quick {
    type Hasher = QuickHasher;

    fn build_hasher(&self) -> QuickHasher {
        QuickHasher(0)
    }
}

struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxhash_rust::xxh3::xxh3_64_with_seed(bytes, self.0);
    }

    fn write_u8(&mut self, _end: u8) {}

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(number ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}
