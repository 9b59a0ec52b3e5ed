//! Title that the variants of a product share.

use std::collections::HashSet;

/// Separators that stand between a title and the values of its options.
const SEPARATORS: [char; 9] = ['-', '–', '—', ',', '/', '|', '(', ':', ';'];

/// Words of the first title that stand in all others too, in their order and without separators at the end; empty if
/// there is none.
#[must_use]
pub fn find_shared_title<'a>(mut titles: impl Iterator<Item = &'a str>) -> String {
    let Some(first) = titles.next() else { return String::new() };
    let mut shared: Vec<&str> = first.split_whitespace().collect();
    for title in titles {
        let words: HashSet<&str> = title.split_whitespace().collect();
        shared.retain(|word| words.contains(word));
    }
    let is_separator = |letter: char| SEPARATORS.contains(&letter);
    // What stood between two separators may be gone.
    shared.dedup_by(|next, word| [next, word].iter().all(|word| word.chars().all(is_separator)));
    shared.join(" ").trim_matches(|letter| is_separator(letter) || letter.is_whitespace()).to_owned()
}

/// Returns true if two titles are those of variants: of the words of the shorter, without the values of options, at
/// least half stand in the other.
#[must_use]
pub fn is_same_product(one: &str, other: &str, values: &[&str]) -> bool {
    let one_words = words_without(one, values);
    let other_words = words_without(other, values);
    let fewest = one_words.len().min(other_words.len());
    let shared = one_words.iter().filter(|word| other_words.contains(word)).count();
    if fewest == 0 { one_words.len() == other_words.len() } else { 2 * shared >= fewest }
}

/// Words in lower case that hold a letter or digit and are not among those of `values`; the first fifty.
fn words_without(title: &str, values: &[&str]) -> Vec<String> {
    let is_between = |letter: char| !letter.is_alphanumeric();
    let split = |text: &str| {
        let words = text.split(is_between).filter(|word| !word.is_empty()).take(50);
        words.map(str::to_lowercase).collect::<Vec<_>>()
    };
    let left_out: Vec<String> = values.iter().flat_map(|value| split(value)).collect();
    split(title).into_iter().filter(|word| !left_out.contains(word)).collect()
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
        assert!(is_same_product("Oak chair red", "Oak chair blue", &["red", "blue"]));
        assert!(is_same_product("Red", "Blue", &["Red", "Blue"]));
        assert!(!is_same_product("Oak chair", "Steel lamp", &[]));
        assert!(!is_same_product("Chair red", "Lamp red", &["Red"]), "a shared value is no shared title");
        assert!(is_same_product("Oak chair", "Oak table", &[]), "one of two words");
    }
}
