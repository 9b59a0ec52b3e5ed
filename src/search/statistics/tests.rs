//! Patterns, weights and words of a product.

mod compounds;

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
    let title = weights.frequency(u32::from(patterns.number(&[1, 0, 0, 0, 0, 0])), &norms);
    let description = weights.frequency(u32::from(patterns.number(&[0, 0, 0, 0, 0, 1])), &norms);
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

#[test]
fn a_length_is_kept_as_it_is_up_to_128_and_then_to_one_part_in_twenty() {
    assert_eq!(pack_lengths(&[0, 1, 128, 135, 300, u32::MAX]), [0, 1, 128, 129, 145, 255]);
    assert_eq!(pack_lengths(&[129, 127, 65, 2, 3, 4]), [128, 127, 65, 2, 3, 4]);
}

#[test]
fn plain_patterns_have_numbers_and_the_rarest_of_many_have_none() {
    let plain = Patterns::from_counts(&PatternMap::default());
    let first =
        [[1, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]];
    assert_eq!((plain.patterns().len(), &plain.patterns()[..5]), (23, &first[..]));
    assert_eq!(plain.patterns()[6], [1, 1, 0, 0, 0, 0]);
    // The first is the commonest.
    let pattern = |number: u8| [0, 0, 0, 0, 4 + number / 30, 4 + number % 30];
    let counts = PatternMap::from_iter((0..240).map(|number| (pattern(number), 1_000 - u64::from(number))));
    let many = Patterns::from_counts(&counts);
    assert_eq!(many.patterns().len(), 250);
    let numbers = [0, 1, 226].map(|number| many.number(&pattern(number)));
    assert_eq!(numbers, [1, 2, 227]);
    assert_ne!(many.patterns()[usize::from(many.number(&pattern(227))) - 1], pattern(227), "the nearest");
    assert_eq!(many.number(&[1, 0, 0, 0, 0, 0]), 228);
    assert_eq!(pattern_of(&[0, 1, 15, 16, 300, u16::MAX]), [0, 1, 15, 15, 15, 15]);
}

#[test]
fn a_frequency_is_saturated_as_bm25f_says() {
    let patterns = Patterns::from_counts(&PatternMap::default());
    let assert_near = |found: f32, expected: f32| assert!((found - expected).abs() < 1e-5, "{found}");
    // A field that no product has divides nothing.
    let plain = Weights::new(FieldCombination::Fields, &patterns, &[0.0; FIELDS]);
    let norms = plain.norms(&pack_lengths(&[4; FIELDS]));
    assert_eq!(norms, [2.0, 2.0, 1.0, 1.0, 0.5, 1.0]);
    let of = |pattern: &FrequencyPattern| u32::from(patterns.number(pattern));
    assert_near(saturate(plain.frequency(of(&[1, 0, 0, 0, 0, 0]), &norms)), 2.2 * 2.0 / 3.2);
    assert_near(saturate(plain.frequency(of(&[1, 0, 0, 0, 0, 1]), &norms)), 2.2 * 3.0 / 4.2);
    assert_eq!([0, 256].map(|number| saturate(plain.frequency(number, &norms))), [0.0, 0.0]);
    // Twice as long as the mean.
    let fields = Weights::new(FieldCombination::Fields, &patterns, &[5.0; FIELDS]);
    let norms = fields.norms(&pack_lengths(&[10; FIELDS]));
    for (norm, expected) in
        norms.into_iter().zip([2.0 / 1.3, 2.0 / 1.3, 1.0 / 1.3, 1.0 / 1.3, 0.5 / 1.75, 1.0 / 1.75])
    {
        assert_near(norm, expected);
    }
    // The title counts three times in one text of 40 words on average, of which this has 80.
    let flat = Weights::new(FieldCombination::Flat, &patterns, &[5.0; FIELDS]);
    let norms = flat.norms(&pack_lengths(&[10; FIELDS]));
    for (norm, expected) in norms.into_iter().zip([3.0, 1.0, 1.0, 1.0, 1.0, 1.0]) {
        assert_near(norm, expected / 1.75);
    }
}

#[test]
fn a_word_that_only_attributes_or_description_hold_is_known_by_its_pattern() {
    let patterns = Patterns::from_counts(&PatternMap::default());
    let weights = Weights::new(FieldCombination::Fields, &patterns, &[1.0; FIELDS]);
    for (pattern, expected) in [
        ([0, 0, 0, 0, 1, 0], true),
        ([0, 0, 0, 0, 0, 2], true),
        ([1, 0, 0, 0, 0, 1], false),
        ([0, 1, 0, 0, 0, 0], false),
        ([0, 0, 1, 0, 0, 0], false),
        ([0, 0, 0, 1, 0, 0], false),
    ] {
        assert_eq!(weights.is_in_details_only(patterns.number(&pattern)), expected, "{pattern:?}");
    }
    assert!(!weights.is_in_details_only(0) && !weights.is_in_details_only(u8::MAX));
}

#[test]
fn a_bag_counts_each_stem_in_each_field() {
    let analyser = Analyser::new(ShopLanguage::English);
    let document = ProductDocument {
        title: "Oak desk, oak".to_owned(),
        brand: "Oakworks".to_owned(),
        category_names: vec!["Desks".to_owned()],
        tags: vec!["desk".to_owned()],
        description: "Desk 5 kg".to_owned(),
        ..ProductDocument::default()
    };
    let mut bag = WordBag::default();
    // What it was filled with before is gone.
    for _ in 0..2 {
        bag.fill(&analyser, &document, &NoJoinedWords, &mut |_, _| {});
    }
    let counted: Vec<_> = bag.entries().iter().map(|entry| (bag.stem(entry), entry.counts)).collect();
    let unit = format!("{UNIT}5kg");
    let expected = [
        ("oak", [2, 0, 0, 0, 0, 0]),
        ("desk", [1, 0, 2, 0, 0, 1]),
        ("oakwork", [0, 1, 0, 0, 0, 0]),
        ("5", [0, 0, 0, 0, 0, 1]),
        ("kg", [0, 0, 0, 0, 0, 1]),
        (unit.as_str(), [0, 0, 0, 0, 0, 1]),
    ];
    assert_eq!(counted, expected);
    assert_eq!(*bag.lengths(), [3, 1, 2, 0, 0, 3]);
}

#[test]
fn a_token_beside_the_words_counts_in_its_field_and_not_in_its_length() {
    let analyser = Analyser::new(ShopLanguage::English);
    let document = ProductDocument {
        title: "Wi-Fi camera 15.6 S23+".to_owned(),
        sku: "AB&amp;C".to_owned(),
        ..ProductDocument::default()
    };
    let mut bag = WordBag::default();
    bag.fill(&analyser, &document, &NoJoinedWords, &mut |_, _| {});
    let counts = |stem: &str| {
        let entry = bag.entries().iter().find(|entry| bag.stem(entry) == stem);
        entry.map(|entry| entry.counts)
    };
    for term in ["wifi", "\u{3}15.6", "\u{4}s23+", "wi", "6"] {
        assert_eq!(counts(term), Some([1, 0, 0, 0, 0, 0]), "{term}");
    }
    assert_eq!(counts("abc"), Some([0, 0, 0, 1, 0, 0]), "characters of a number are decoded");
    assert_eq!(*bag.lengths(), [6, 0, 0, 2, 0, 0]);
}
