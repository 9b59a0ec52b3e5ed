//! Patterns, weights and words of a product.

use super::*;
use crate::search::document::ProductDocument;
use crate::search::text::{Analyser, ShopLanguage};

#[test]
fn the_commonest_pattern_has_the_smallest_number() {
    let counts = PatternMap::from_iter([([0, 0, 0, 0, 0, 1], 10), ([1, 0, 0, 0, 0, 1], 30)]);
    let patterns = Patterns::from_counts(&counts);
    assert_eq!((patterns.number(&[1, 0, 0, 0, 0, 1]), patterns.number(&[0, 0, 0, 0, 0, 1])), (1, 2));
}

#[test]
fn a_pattern_without_a_number_gets_that_of_the_nearest() {
    let patterns = Patterns::from_counts(&PatternMap::default());
    assert_eq!(patterns.number(&[1, 0, 0, 0, 0, 9]), patterns.number(&[1, 0, 0, 0, 0, 1]));
    assert_eq!(patterns.number(&[0, 0, 0, 0, 0, 12]), patterns.number(&[0, 0, 0, 0, 0, 3]));
}

#[test]
fn a_word_in_a_short_title_weighs_more_than_one_in_a_long_description() {
    let patterns = Patterns::from_counts(&PatternMap::default());
    let weights = Weights::new(FieldCombination::Fields, &patterns, &[8.0, 1.0, 2.0, 1.0, 10.0, 50.0]);
    let norms = weights.norms(&pack_lengths(&[4, 1, 2, 1, 10, 300]));
    let title = weights.saturated_frequency(u32::from(patterns.number(&[1, 0, 0, 0, 0, 0])), &norms);
    let description = weights.saturated_frequency(u32::from(patterns.number(&[0, 0, 0, 0, 0, 1])), &norms);
    assert!(title > 2.0 * description, "{title} and {description}");
}

#[test]
fn two_words_that_the_shop_also_writes_as_one_are_a_pair() {
    let analyser = Analyser::new(ShopLanguage::parse("en").expect("a language"));
    let document = ProductDocument { title: "Hard drive case".to_owned(), ..ProductDocument::default() };
    let joins: WordSet = [key_of("harddrive")].into_iter().collect();
    let mut bag = WordBag::default();
    bag.fill(&analyser, &document, &joins, &mut |_, _| {});
    let stems: Vec<&str> = bag.entries().iter().map(|entry| bag.stem(entry)).collect();
    assert!(stems.iter().any(|stem| stem.starts_with(PAIR)), "{stems:?}");
    assert_eq!(stems.iter().filter(|stem| stem.starts_with(PAIR)).count(), 1);
    assert_eq!(bag.lengths()[0], 3);
}
