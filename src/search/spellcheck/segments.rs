//! A word of letters and digits that the shop writes as several: `iphone15promax`. It is segmented by dynamic
//! programming over its bytes.

use std::cmp::Reverse;
use std::ops::Range;

use super::statistics::WordStatistics;

/// Fewest letters of a part that begins or ends within a row of letters.
const INNER_LETTERS: usize = 3;
/// Fewest products that have each part.
const PART_PRODUCTS: u32 = 2;

/// A part that ends at some byte of the word, in the best row of parts that leads to it.
struct WordPart {
    number: u32,
    start: usize,
    /// Words of the row, with this one.
    words: usize,
    /// The fewest products that have two neighbours of the row side by side.
    weakest: u32,
    /// The place of the part before among those that end where this one begins.
    before: Option<usize>,
}

/// The fewest words of the shop that make up a word of letters and digits, with blanks between them. It is cut where a
/// letter meets a digit, and within letters; any two neighbours are side by side in a product.
pub(super) fn segment_word(statistics: &WordStatistics, word: &str) -> Option<String> {
    let runs = split_runs(word);
    if runs.len() < 2 {
        return None;
    }
    let mut by_end: Vec<Vec<WordPart>> = (0..=word.len()).map(|_| Vec::new()).collect();
    for run in runs {
        // Parts in the order of their beginnings: all that end where one begins are there.
        for Range { start, end } in list_parts(word, run) {
            let Some(number) = statistics.find(&word[start..end]) else { continue };
            if statistics.entry(number).is_some_and(|entry| entry.products >= PART_PRODUCTS) {
                let part = lead_to(statistics, number, start, &by_end[start]);
                by_end[end].extend(part);
            }
        }
    }
    let last = by_end.last()?.iter().min_by_key(|part| (part.words, Reverse(part.weakest)))?;
    let mut texts = Vec::with_capacity(last.words);
    let mut part = last;
    loop {
        texts.push(statistics.text(part.number)?);
        let Some(before) = part.before else { break };
        part = by_end.get(part.start)?.get(before)?;
    }
    texts.reverse();
    Some(texts.join(" "))
}

/// The part with the best row of parts before it.
fn lead_to(statistics: &WordStatistics, number: u32, start: usize, before: &[WordPart]) -> Option<WordPart> {
    if start == 0 {
        return Some(WordPart { number, start, words: 1, weakest: u32::MAX, before: None });
    }
    let rows = before.iter().enumerate().filter_map(|(place, last)| {
        let seen = statistics.pair_of_numbers(last.number, number);
        let weakest = last.weakest.min(seen);
        let words = last.words + 1;
        (seen > 0).then_some(WordPart { number, start, words, weakest, before: Some(place) })
    });
    rows.min_by_key(|row| (row.words, Reverse(row.weakest)))
}

/// The bytes of each row of letters, and of each row of digits.
fn split_runs(word: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut was_digit = None;
    for (at, sign) in word.char_indices() {
        let end = at + sign.len_utf8();
        match runs.last_mut() {
            Some(run) if was_digit == Some(sign.is_ascii_digit()) => run.end = end,
            _ => runs.push(at..end),
        }
        was_digit = Some(sign.is_ascii_digit());
    }
    runs
}

/// The bytes of the parts of a run, by their beginnings: digits stay together.
fn list_parts(word: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let text = &word[run.clone()];
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return vec![run];
    }
    let mut places: Vec<usize> = text.char_indices().map(|(at, _)| run.start + at).collect();
    places.push(run.end);
    let mut parts = Vec::new();
    for (first, from) in places.iter().enumerate() {
        for to in places.iter().skip(first + INNER_LETTERS) {
            parts.push(*from..*to);
        }
    }
    if places.len() <= INNER_LETTERS {
        parts.push(run);
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::search::spellcheck::{ProductTexts, WordCounter};
    use crate::search::text::{Analyser, ShopLanguage};

    fn statistics(titles: &[&str]) -> WordStatistics {
        let mut counter = WordCounter::new(Arc::new(Analyser::new(ShopLanguage::English)));
        for title in titles.iter().chain(titles).copied() {
            counter.add(&ProductTexts { title, ..ProductTexts::default() });
        }
        counter.finish()
    }

    #[test]
    fn a_word_is_cut_where_letters_meet_digits_and_within_letters() {
        let phones =
            statistics(&["Apple iPhone 15 Pro Max", "PS 5 slim", "Galaxy s 23", "promax 3", "cat 6 cable"]);
        for (word, parts) in [
            ("iphone15promax", Some("iphone 15 pro max")),
            ("iphone15", Some("iphone 15")),
            ("ps5", Some("ps 5")),
            ("s23", Some("s 23")),
            ("promax3", Some("promax 3")),
            ("cat6cable", Some("cat 6 cable")),
            // Words of the shop that are never side by side, a word that it lacks, letters alone.
            ("cat15", None),
            ("15iphone", None),
            ("iphone16", None),
            ("promax", None),
            ("", None),
        ] {
            assert_eq!(segment_word(&phones, word).as_deref(), parts, "{word}");
        }
    }

    #[test]
    fn a_word_of_one_product_is_no_part() {
        let mut counter = WordCounter::new(Arc::new(Analyser::new(ShopLanguage::English)));
        counter.add(&ProductTexts { title: "cat 6", ..ProductTexts::default() });
        assert_eq!(segment_word(&counter.finish(), "cat6"), None);
    }

    #[test]
    fn the_work_for_the_longest_word_is_bounded() {
        let alternating = "a1".repeat(32);
        assert_eq!(split_runs(&alternating).len(), 64);
        let cuts =
            |word: &str| split_runs(word).into_iter().map(|run| list_parts(word, run).len()).sum::<usize>();
        assert_eq!(cuts(&alternating), 64);
        assert_eq!(cuts(&format!("{}1", "a".repeat(63))), 61 * 62 / 2 + 1);
    }
}
