//! Edges of words and measures: marks, scripts and long words; numbers that only look like measures.

use super::*;

/// The words of a text, each with the part of the text that it stands for.
fn words_with_parts(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    Analyser::new(ShopLanguage::Other).for_each_word(text, &mut |token| {
        found.push((token.word.to_owned(), &text[token.start..token.end]));
    });
    found
}

#[test]
fn a_mark_belongs_to_the_letter_before_it() {
    for (text, word) in [
        ("новыи\u{306}", "новый"),
        ("a\u{306}", "a"),
        // Half-width kana: the voiced mark, the half-voiced mark, and the last letter of several.
        ("\u{ff76}\u{ff9e}", "\u{30ac}"),
        ("\u{ff8a}\u{ff9f}", "\u{30d1}"),
        ("\u{ff7d}\u{ff8a}\u{ff9f}", "\u{30b9}\u{30d1}"),
    ] {
        assert_eq!(words_with_parts(text), [(word.to_owned(), text)], "{text}");
    }
}

#[test]
fn words_end_where_the_script_changes() {
    let words = Analyser::new(ShopLanguage::Other).words("東京abc 東京é京a");
    assert_eq!(words, ["東京", "abc", "東京", "e", "京", "a"]);
}

#[test]
fn an_s_after_an_apostrophe_is_no_word_and_any_other_s_is() {
    assert_eq!(fold_text("Women's size S, l'or 's tv’s"), "women size s l or s tv");
}

#[test]
fn a_word_is_read_to_its_64th_byte_and_stands_for_all_of_it() {
    let long = "a".repeat(64);
    let longer = format!("{long}b");
    assert_eq!(words_with_parts(&longer), [(long.clone(), longer.as_str())]);
    let whole = format!("{}b", &long[1..]);
    assert_eq!(words_with_parts(&whole), [(whole.clone(), whole.as_str())]);
}

#[test]
fn numbers_that_only_look_like_measures_are_none() {
    for text in ["5 m2", "dv15 cm", "5 x kg", "3D-10 cm", "7"] {
        assert_eq!(english().units(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn each_part_of_a_number_is_read_as_its_language_writes_it() {
    let german = Analyser::new(ShopLanguage::German);
    let english = english();
    for (analyser, text, unit) in [
        (&english, "100,000 mAh", "100000mah"),
        (&english, "1,000.50 kg", "1000.5kg"),
        (&english, "1,000,000 mAh", "1000000mah"),
        (&english, "12,345,678.90 kg", "12345678.9kg"),
        (&english, "1,000,50 kg", "1000.5kg"),
        (&english, "0,500 l", "0.5l"),
        (&english, "2,5 kg", "2.5kg"),
        (&english, "1.500 kg", "1.5kg"),
        (&english, "1234,567 g", "1234.567g"),
        (&german, "1.500 kg", "1500kg"),
        (&german, "1,500 kg", "1.5kg"),
        (&german, "1.000.000,5 mAh", "1000000.5mah"),
        (&english, "10 20 cm", "20cm"),
        (&english, "15’’ frame", "15in"),
        (&english, "15 -in frame", "15in"),
        (&english, "2X3×4 * 5 mm", "2x3x4x5mm"),
        (&english, "20x30", "20x30"),
    ] {
        assert_eq!(analyser.units(text), [unit], "{text}");
    }
}

#[test]
fn turkish_words_of_ascii_letters_follow_the_general_rule() {
    for (language, word, lower) in [
        (ShopLanguage::Turkish, "IKEA", "ikea"),
        (ShopLanguage::Turkish, "IŞIK", "ışık"),
        (ShopLanguage::English, "IŞIK", "işik"),
    ] {
        assert_eq!(language.lower_case(word), lower, "{word}");
    }
}
