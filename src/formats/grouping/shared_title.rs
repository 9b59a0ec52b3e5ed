//! Title that the variants of a product share.

use std::collections::{HashMap, HashSet};

/// Separators that stand between a title and the values of its options.
const SEPARATORS: [char; 9] = ['-', '–', '—', ',', '/', '|', '(', ':', ';'];

/// Words of a title that are read; a longer one is a description.
const TITLE_WORDS_MAX: usize = 50;
/// Words of an option's value that are read.
const VALUE_WORDS_MAX: usize = 10;
/// Number of titles of which one may be a mistake of its writer; a category has few that fit.
const TITLES_PER_MISTAKE: usize = 10;

/// Words of the first title that stand in all others too, in their order and without separators at the end; empty if
/// there is none.
#[must_use]
pub fn find_shared_title<'a>(mut titles: impl Iterator<Item = &'a str>) -> String {
    let Some(first) = titles.next() else { return String::new() };
    let mut shared: Vec<&str> = first.split_whitespace().take(TITLE_WORDS_MAX).collect();
    for title in titles {
        let words: HashSet<&str> = title.split_whitespace().take(TITLE_WORDS_MAX).collect();
        shared.retain(|word| words.contains(word));
    }
    let is_separator = |letter: char| SEPARATORS.contains(&letter);
    // What stood between two separators may be gone.
    shared.dedup_by(|next, word| [next, word].iter().all(|word| word.chars().all(is_separator)));
    shared.join(" ").trim_matches(|letter| is_separator(letter) || letter.is_whitespace()).to_owned()
}

/// Returns true if nine titles in ten are those of variants of one product: without the `values` of options, at least
/// half of the words of the shorter stand in the other. Each is compared with the most typical one, so that the order
/// of the rows does not matter: a feed that is sorted anew must give the same products.
#[must_use]
pub fn are_of_one_product<'a>(titles: &[&str], values: impl Iterator<Item = &'a str>) -> bool {
    let left_out: HashSet<String> =
        values.flat_map(|value| split_words(value).take(VALUE_WORDS_MAX)).collect();
    let read_words = |title: &&str| {
        split_words(title).take(TITLE_WORDS_MAX).filter(|word| !left_out.contains(word)).collect::<Vec<_>>()
    };
    let titles: Vec<Vec<String>> = titles.iter().map(read_words).collect();
    let Some(typical) = find_typical(&titles) else { return true };
    let mistakes = titles.iter().filter(|words| !share_half(typical, words)).count();
    mistakes * TITLES_PER_MISTAKE <= titles.len()
}

/// The title whose words stand in most others; of several, the last in the alphabet.
fn find_typical(titles: &[Vec<String>]) -> Option<&Vec<String>> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in titles.iter().flatten() {
        *counts.entry(word).or_default() += 1;
    }
    let score = |words: &[String]| {
        let sum: usize = words.iter().filter_map(|word| counts.get(word.as_str())).sum();
        sum * TITLE_WORDS_MAX / words.len().max(1)
    };
    titles.iter().max_by_key(|words| (score(words), *words))
}

fn share_half(one: &[String], other: &[String]) -> bool {
    let fewest = one.len().min(other.len());
    let shared = one.iter().filter(|word| other.contains(word)).count();
    if fewest == 0 { one.len() == other.len() } else { 2 * shared >= fewest }
}

/// Words in lower case that hold a letter or digit.
fn split_words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_title_lacks_the_values_of_options() {
        let shared = |titles: &[&str]| find_shared_title(titles.iter().copied());
        assert_eq!(shared(&["Oak chair - Red / S", "Oak chair - Red / M"]), "Oak chair - Red");
        assert_eq!(shared(&["Oak chair (red)", "Oak chair (blue)"]), "Oak chair");
        assert_eq!(shared(&["Oak chair - Red - Large", "Oak chair - Blue - Large"]), "Oak chair - Large");
        assert_eq!(shared(&["Men's black watch", "Men's blue watch", "Men's red watch"]), "Men's watch");
        assert_eq!(shared(&["Oak chair"]), "Oak chair");
        assert_eq!(shared(&["Oak chair", "Oakchair"]), "");
        assert_eq!(shared(&[]), "");
    }

    #[test]
    fn titles_of_variants_share_half_of_their_words_without_the_values() {
        let are = |titles: &[&str], values: &[&str]| are_of_one_product(titles, values.iter().copied());
        assert!(are(&["Oak chair red", "Oak chair blue"], &["red", "blue"]));
        assert!(are(&["Red", "Blue"], &["Red", "Blue"]));
        assert!(!are(&["Oak chair", "Steel lamp"], &[]));
        assert!(!are(&["Chair red", "Lamp red"], &["Red"]), "a shared value is no shared title");
        assert!(are(&["Oak chair", "Oak table"], &[]), "one of two words");
    }

    #[test]
    fn the_order_of_the_titles_does_not_matter_and_one_in_ten_may_be_a_mistake() {
        let mut titles = vec!["Oak chair"; 9];
        titles.push("Steel lamp");
        for _ in 0..titles.len() {
            titles.rotate_left(1);
            assert!(are_of_one_product(&titles, [].into_iter()), "{titles:?}");
        }
        titles[0] = "Steel lamp";
        titles[1] = "Steel lamp";
        for _ in 0..titles.len() {
            titles.rotate_left(1);
            assert!(!are_of_one_product(&titles, [].into_iter()), "{titles:?}");
        }
    }

    #[test]
    fn long_titles_and_values_of_thousands_of_rows_take_little_time() {
        let started = std::time::Instant::now();
        let text =
            |seed: usize| (0..60).map(|word| format!("w{}", seed * 60 + word)).collect::<Vec<_>>().join(" ");
        let titles: Vec<String> = (0..3_000).map(text).collect();
        let values: Vec<String> = (5_000..8_000).map(text).collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        assert!(!are_of_one_product(&titles, values.iter().map(String::as_str)));
        let long = "a ".repeat(1_000_000);
        let shared = find_shared_title(std::iter::once(long.as_str()).chain(vec!["a"; 3_000]));
        assert_eq!(shared, vec!["a"; TITLE_WORDS_MAX].join(" "));
        assert!(started.elapsed() < std::time::Duration::from_secs(10));
    }
}
