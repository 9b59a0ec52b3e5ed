//! Many short texts in one piece of memory, found by their number or by themselves.

use xxhash_rust::xxh3::xxh3_64;

/// No text: a free place in the table.
const FREE: u32 = u32::MAX;

/// Sorted texts without repetitions. A text's number is its rank; it is found in a few tens of nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct SortedTexts {
    letters: String,
    /// The end of each in `letters`.
    ends: Vec<u32>,
    /// By hash, open addressing: the numbers of texts. At least half of the places are free.
    table: Vec<u32>,
}

impl PartialEq for SortedTexts {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.letters == other.letters
    }
}

impl SortedTexts {
    /// Sorts the texts; repetitions are left out. `None` when they are too many: 4 GiB together.
    #[must_use]
    pub fn new<T: AsRef<str>>(mut texts: Vec<T>) -> Option<Self> {
        texts.sort_unstable_by(|one, other| one.as_ref().cmp(other.as_ref()));
        texts.dedup_by(|one, other| one.as_ref() == other.as_ref());
        let mut sorted = Self::default();
        for text in &texts {
            sorted.push(text.as_ref())?;
        }
        sorted.index();
        Some(sorted)
    }

    /// Adds a text, which has to come after all others.
    pub(super) fn push(&mut self, text: &str) -> Option<()> {
        if self.len().checked_sub(1).and_then(|last| self.text_at(last)).is_some_and(|last| last >= text) {
            return None;
        }
        let end = u32::try_from(self.letters.len() + text.len()).ok()?;
        self.letters.push_str(text);
        self.ends.push(end);
        Some(())
    }

    /// Makes the table after the last text was added.
    pub(super) fn index(&mut self) {
        let places = (self.len() * 2).next_power_of_two();
        let mut table = vec![FREE; places];
        for (number, text) in (0..).zip(self.iter()) {
            let mut at = place(text, places);
            while table[at] != FREE {
                at = (at + 1) & (places - 1);
            }
            table[at] = number;
        }
        self.table = table;
    }

    /// Number of texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no texts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a number.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&str> {
        self.text_at(number as usize)
    }

    fn text_at(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)? as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.letters.get(start..end)
    }

    /// The number of a text.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<u32> {
        let places = self.table.len();
        let mut at = place(text, places);
        loop {
            let number = *self.table.get(at)?;
            if number == FREE {
                return None;
            }
            if self.get(number) == Some(text) {
                return Some(number);
            }
            at = (at + 1) & (places - 1);
        }
    }

    /// The numbers of the texts that begin so.
    #[must_use]
    pub fn beginning_with(&self, start: &str) -> std::ops::Range<u32> {
        let first = self.first_that(|text| text >= start);
        let last = self.first_that(|text| text > start && !text.starts_with(start));
        first..last.max(first)
    }

    /// The first for which the test holds, where it holds for all after it.
    fn first_that(&self, test: impl Fn(&str) -> bool) -> u32 {
        let mut low = 0;
        let mut high = self.len();
        while low < high {
            let middle = low.midpoint(high);
            if self.text_at(middle).is_some_and(&test) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low as u32
    }

    /// All texts, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|at| self.text_at(at).unwrap_or_default())
    }
}

/// The first place to look for a text; `places` is a power of two, or zero for no table.
fn place(text: &str, places: usize) -> usize {
    xxh3_64(text.as_bytes()) as usize & places.wrapping_sub(1)
}
