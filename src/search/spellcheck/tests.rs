//! Queries that are corrected, and queries that are left alone.

mod tables;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::distance::WordPattern;
use super::{
    ChangeKind, CorrectedQuery, Corrector, Dictionary, ExtraKnowledge, ProductTexts, WordCorrection,
    WordCounter, WordEntry, WordStatistics,
};
use crate::search::text::{Analyser, ShopLanguage};

/// A shop of a few titles, each with this number of products.
fn words(titles: &[(&str, usize)]) -> WordStatistics {
    let mut counter = WordCounter::new(Arc::new(Analyser::new(ShopLanguage::English)));
    for (title, products) in titles {
        for _ in 0..*products {
            counter.add(&ProductTexts { title, ..ProductTexts::default() });
        }
    }
    counter.finish()
}

fn shop() -> Corrector {
    let titles = [
        ("wireless keyboard", 40),
        ("headphones for gaming", 30),
        ("money box", 20),
        ("xbox one console", 15),
        ("power bank", 12),
        ("notebook", 12),
        ("café machine", 3),
        ("teh", 1),
    ];
    let analyser = Arc::new(Analyser::new(ShopLanguage::English));
    let dictionary = Arc::new(Dictionary::new(ShopLanguage::English, ["honey", "kettle", "bony"]));
    Corrector::new(Arc::new(words(&titles)), analyser, dictionary)
}

fn unchanged(query: &str) -> CorrectedQuery {
    CorrectedQuery { searched: query.to_owned(), changes: Vec::new(), did_you_mean: None }
}

fn change(from: &str, to: &str, kind: ChangeKind) -> WordCorrection {
    WordCorrection { from: from.to_owned(), to: to.to_owned(), kind }
}

#[test]
fn the_likeliest_word_is_searched() {
    let corrected = shop().correct("Wirless  keybaord, black");
    assert_eq!(corrected.searched, "wireless  keyboard, black");
    let expected = [
        change("Wirless", "wireless", ChangeKind::Replaced),
        change("keybaord", "keyboard", ChangeKind::Replaced),
    ];
    assert_eq!(corrected.changes, expected);
    assert_eq!(corrected.did_you_mean, None);
}

#[test]
fn blanks_are_added_and_taken_away() {
    let corrected = shop().correct("powerbank");
    assert_eq!(corrected.changes, [change("powerbank", "power bank", ChangeKind::Split)]);
    let corrected = shop().correct("note book box");
    assert_eq!(corrected.searched, "notebook box");
    assert_eq!(corrected.changes, [change("note book", "notebook", ChangeKind::Joined)]);
}

#[test]
fn a_known_word_is_never_touched() {
    for query in ["xbox one", "teh", "boxes", "consoles for the money", "keyboards"] {
        assert_eq!(shop().correct(query), unchanged(query));
    }
}

#[test]
fn a_word_of_the_language_is_never_replaced_silently() {
    let corrected = shop().correct("honey box");
    assert_eq!(corrected.searched, "honey box");
    assert_eq!(corrected.changes, []);
    assert_eq!(corrected.did_you_mean.as_deref(), Some("money box"));
    assert_eq!(shop().correct("kettles"), unchanged("kettles"));
}

#[test]
fn a_word_that_only_looks_alike_is_offered() {
    let corrected = shop().correct("headphphonz");
    assert_eq!(corrected.searched, "headphphonz");
    assert_eq!(corrected.did_you_mean.as_deref(), Some("headphones"));
}

#[test]
fn a_short_word_two_edits_away_is_not_meant() {
    assert_eq!(shop().correct("mqneyy"), unchanged("mqneyy"));
    assert_eq!(shop().correct("consqlee").searched, "console");
}

#[test]
fn what_may_be_a_name_is_searched_as_it_is_typed() {
    let titles = [
        ("facebook portal", 30),
        ("lamp shade", 20),
        ("lantern", 20),
        ("basket", 20),
        ("casket oak", 9),
        ("red cap", 2),
        ("blue cup", 3),
    ];
    let analyser = Arc::new(Analyser::new(ShopLanguage::English));
    let dictionary = Arc::new(Dictionary::empty(ShopLanguage::English));
    let corrector = Corrector::new(Arc::new(words(&titles)), analyser, dictionary);
    for (query, meant, is_sure) in [
        // Two edits in a word of less than eight letters, and another first letter.
        ("macbook", "facebook", false),
        // Four letters; a neighbour makes sure.
        ("lamo", "lamp", false),
        ("lamo shade", "lamp shade", true),
        // Two edits from eight letters on.
        ("lantxrm", "lantern", false),
        ("lantxrnx", "lantern", true),
        // Another first letter: one edit from a common word, two that are swapped, a neighbour seen thrice.
        ("tantern", "lantern", true),
        ("rasket", "basket", true),
        ("tasket oak", "casket oak", true),
        ("abskets", "basket", false),
        ("absket", "basket", true),
        ("ted cap", "red cap", false),
    ] {
        let corrected = corrector.correct(query);
        let offered = corrected.did_you_mean.as_deref();
        if is_sure {
            assert_eq!((corrected.searched.as_str(), offered), (meant, None), "{query}");
        } else {
            assert_eq!(corrected.searched, query);
            assert!(offered.is_none_or(|offered| offered == meant), "{query}: {offered:?}");
        }
    }
}

#[test]
fn a_word_that_the_shop_writes_as_two_is_split_before_it_is_replaced() {
    let titles = [("t shirt", 3), ("tshort", 40), ("x lamp", 2), ("wi fi", 1), ("cat 6 cable", 2)];
    let analyser = Arc::new(Analyser::new(ShopLanguage::English));
    let dictionary = Arc::new(Dictionary::empty(ShopLanguage::English));
    let corrector = Corrector::new(Arc::new(words(&titles)), analyser, dictionary);
    for (query, to) in [("tshirt", "t shirt"), ("wifi", "wi fi"), ("cat6", "cat 6")] {
        assert_eq!(corrector.correct(query).changes, [change(query, to, ChangeKind::Split)]);
    }
    // A part of one letter needs to be seen thrice.
    assert_eq!(corrector.correct("xlamp").changes, []);
}

#[test]
fn a_stem_of_two_letters_says_nothing_of_longer_words() {
    let analyser = Arc::new(Analyser::new(ShopLanguage::English));
    let statistics = Arc::new(words(&[("gas", 5), ("gaming mouse", 20)]));
    assert_eq!(analyser.stem("gaing"), "ga");
    assert!(statistics.has_stem("gas"));
    let with_ga = Arc::new(words(&[("ga", 5), ("gaming mouse", 20)]));
    let dictionary = Arc::new(Dictionary::empty(ShopLanguage::English));
    let corrector = Corrector::new(with_ga, analyser, dictionary);
    assert!(corrector.is_known("ga"));
    assert_eq!(corrector.correct("gaing mouse").searched, "gaming mouse");
    assert!(corrector.is_known("looking"), "a word of speech");
}

#[test]
fn words_with_digits_and_short_words_are_left() {
    for query in ["keyb0ard", "bx", "mny", "12345", "東京", "", "  ", "\"'*", "ke"] {
        assert_eq!(shop().correct(query), unchanged(query));
    }
}

#[test]
fn a_text_of_unknown_words_is_no_typing_error() {
    let query = ["keybord"; 9].join(" ");
    assert_eq!(shop().correct(&query), unchanged(&query));
    assert_eq!(shop().correct(&["keybord"; 8].join(" ")).changes.len(), 8);
    let long = "keybord ".repeat(100_000);
    assert_eq!(shop().correct(&long), unchanged(&long));
}

#[test]
fn words_that_came_after_the_statistics_are_known() {
    let beside = ExtraKnowledge { has_stem: &|stem| stem == "keybord", ..ExtraKnowledge::NOTHING };
    assert_eq!(shop().correct_beside("keybord", beside), unchanged("keybord"));
}

#[test]
fn words_that_have_synonyms_are_left() {
    let beside = ExtraKnowledge {
        has_synonyms: &|stem| ["keybord", "note"].contains(&stem),
        ..ExtraKnowledge::NOTHING
    };
    for query in ["keybord", "keybords", "note book", "note"] {
        assert_eq!(shop().correct_beside(query, beside), unchanged(query), "{query}");
    }
    assert_eq!(shop().correct_beside("keybord wirless", beside).searched, "keybord wireless");
    assert_eq!(shop().correct("note book").searched, "notebook");
}

#[test]
fn a_pair_counts_once_for_each_product() {
    let statistics = words(&[("red shoe red shoe", 3), ("red 2 shoe", 5)]);
    assert_eq!(statistics.pair("red", "shoe"), 3);
    assert_eq!(statistics.pair("shoe", "red"), 3);
    assert_eq!(
        statistics.word("red"),
        Some(WordEntry {
            products: 8,
            titles: 8,
            is_prominent: true,
            is_in_title_or_category: true,
            is_brand: false
        })
    );
    assert_eq!((statistics.pair("red", "2"), statistics.pair("2", "shoe")), (5, 5));
    assert!(statistics.has_stem("2"));
    assert!(!statistics.has_stem("3"));
}

#[test]
fn the_field_of_a_word_is_known() {
    let mut counter = WordCounter::new(Arc::new(Analyser::new(ShopLanguage::English)));
    counter.add(&ProductTexts {
        title: "lamp",
        brand: "lux",
        categories: &["light"],
        others: &["a lamp bulb"],
    });
    let statistics = counter.finish();
    for (word, titles, [is_prominent, is_in_title_or_category, is_brand]) in [
        ("lamp", 1, [true, true, false]),
        ("lux", 0, [true, false, true]),
        ("light", 0, [true, true, false]),
        ("bulb", 0, [false; 3]),
    ] {
        let expected = WordEntry { products: 1, titles, is_prominent, is_in_title_or_category, is_brand };
        assert_eq!(statistics.word(word), Some(expected), "{word}");
    }
    assert_eq!(statistics.pair("lamp", "lux"), 0, "two fields are not side by side");
}

#[test]
fn statistics_are_the_same_after_being_stored() {
    let statistics = words(&[("wireless keyboard 2.4 ghz", 40), ("keyboard wireless", 3), ("été", 1)]);
    let blob = statistics.encode();
    assert_eq!(WordStatistics::decode(&blob), Ok(statistics));
    for end in 0..blob.len() {
        assert!(WordStatistics::decode(&blob[..end]).is_err());
    }
    let empty = words(&[]);
    assert_eq!(WordStatistics::decode(&empty.encode()), Ok(empty.clone()));
    let analyser = Arc::new(Analyser::new(ShopLanguage::English));
    let dictionary = Arc::new(Dictionary::empty(ShopLanguage::English));
    let corrector = Corrector::new(Arc::new(empty), analyser, dictionary);
    assert_eq!(corrector.correct("anything goes"), unchanged("anything goes"));
}

#[test]
fn the_embedded_list_has_other_forms_too() {
    let dictionary = Dictionary::of_system(ShopLanguage::English, &[]);
    assert!(dictionary.len() > 40_000);
    for word in ["honey", "kettles", "colour", "color", "shampoo"] {
        assert!(dictionary.has(word), "{word}");
    }
    for word in ["keybord", "hedphones"] {
        assert!(!dictionary.has(word), "{word}");
    }
}

#[test]
fn system_dictionaries_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("de_DE.dic"), b"3\nRegen/S\nJacke/N\nGr\xfc\xdfe\n").expect("written");
    let folders = [Path::new("/nowhere"), folder.path()];
    let dictionary = Dictionary::of_system(ShopLanguage::German, &folders);
    assert_eq!(dictionary.len(), 3);
    for word in ["regen", "jacken", "grusse", "regenjacke", "regensjacken"] {
        assert!(dictionary.has(word), "{word}");
    }
    assert!(!dictionary.has("regenjakce"));
}

/// The definition, for comparison.
fn slow_distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
    for row in 0..=one.len() {
        for column in 0..=other.len() {
            table[row][column] = if row == 0 || column == 0 {
                row + column
            } else {
                let is_other = usize::from(one[row - 1] != other[column - 1]);
                let mut least = (table[row - 1][column] + 1)
                    .min(table[row][column - 1] + 1)
                    .min(table[row - 1][column - 1] + is_other);
                if row > 1
                    && column > 1
                    && one[row - 1] == other[column - 2]
                    && one[row - 2] == other[column - 1]
                {
                    least = least.min(table[row - 2][column - 2] + 1);
                }
                least
            };
        }
    }
    table[one.len()][other.len()]
}

mod any_text {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn distances_are_those_of_the_definition(one in "[abcé]{1,64}", other in "[abcé]{0,70}") {
            let pattern = WordPattern::new(&one).expect("short");
            prop_assert_eq!(pattern.distance(&other), slow_distance(&one, &other));
        }

        #[test]
        fn any_query_is_corrected_to_a_text(query in "(\\PC|[a-z ]){0,80}") {
            let corrected = shop().correct(&query);
            if corrected.changes.is_empty() {
                prop_assert_eq!(corrected.searched, query);
            }
        }
    }
}

#[test]
fn words_of_one_product_that_are_typing_errors_are_found() {
    let titles = [
        ("wireless keyboard", 40),
        ("wirless mouse", 1),
        ("keyboards", 1),
        ("mouse bony", 30),
        ("horse jar", 30),
        ("house jar", 1),
        ("nouse", 1),
        ("kettle", 25),
        ("nettle", 1),
        ("kettel", 1),
    ];
    let analyser = Arc::new(Analyser::new(ShopLanguage::English));
    let dictionary = Arc::new(Dictionary::new(ShopLanguage::English, ["horse", "house"]));
    let corrector = Corrector::new(Arc::new(words(&titles)), analyser, dictionary);
    let mut mistyped = corrector.find_mistyped();
    mistyped.sort();
    let expected = [("kettel", "kettle"), ("wirless", "wireless")];
    assert_eq!(mistyped, expected.map(|(word, meant)| (word.to_owned(), meant.to_owned())));
}

#[test]
fn the_word_that_is_meant_is_the_one_that_comparing_all_finds() {
    // Words of few letters: most have several that are one edit away.
    let letter = |number: usize| char::from(b"abx"[number % 3]);
    let word = |number: usize| -> String {
        let scattered = (number + 1).wrapping_mul(0x9e37_79b9) >> 7;
        (0..5 + number % 3).map(|place| letter(scattered / 3_usize.pow(place as u32))).collect()
    };
    let all: BTreeSet<String> = (0..900).map(word).collect();
    let titles: Vec<_> = all
        .iter()
        .zip(0..)
        .map(|(word, number)| (word.as_str(), if number % 3 == 0 { 1 } else { 18 + number % 5 }))
        .collect();
    let statistics = Arc::new(words(&titles));
    let analyser = Arc::new(Analyser::new(ShopLanguage::English));
    let dictionary = Arc::new(Dictionary::empty(ShopLanguage::English));
    let corrector = Corrector::new(Arc::clone(&statistics), Arc::clone(&analyser), dictionary);
    let found: BTreeMap<_, _> = corrector.find_mistyped().into_iter().collect();
    let mut expected = BTreeMap::new();
    for (word, _) in titles.iter().filter(|(_, products)| *products == 1) {
        let pattern = WordPattern::new(word).expect("short");
        let near = titles.iter().filter(|(other, products)| {
            *products >= 20 && other[..1] == word[..1] && pattern.distance(other) == 1
        });
        let Some((meant, _)) = near.max_by_key(|(other, products)| (*products, Reverse(*other))) else {
            continue;
        };
        let is_form =
            meant.starts_with(word) || word.starts_with(meant) || analyser.stem(meant) == analyser.stem(word);
        if !is_form {
            expected.insert((*word).to_owned(), (*meant).to_owned());
        }
    }
    assert!(expected.len() > 50, "{}", expected.len());
    assert_eq!(found, expected);
}
