//! Letters and marks of other scripts.

use super::*;

#[test]
fn vowel_signs_of_arabic_and_hebrew_are_left_out() {
    for (with_signs, without) in [
        ("كِتَابٌ", "كتاب"),
        ("مُحَمَّد", "محمد"),
        ("أحمر", "احمر"),
        ("ســاعة", "ساعة"),
        ("שָׁלוֹם", "שלום"),
        ("\u{fb2a}", "ש"),
        ("ᾳ", "α"),
    ] {
        assert_eq!(fold_text(with_signs), without, "{with_signs}");
    }
}

#[test]
fn vowel_signs_of_other_scripts_are_letters() {
    for (first, second) in [("किताब", "कताब"), ("ที่", "ทำ"), ("ދަ", "ދި")] {
        assert_ne!(fold_text(first), fold_text(second), "{first}");
    }
}

#[test]
fn kana_keep_their_voicing_however_they_are_written() {
    for (text, folded) in [
        ("ガ", "ガ"),
        ("カ\u{3099}", "ガ"),
        ("ｶﾞ", "ガ"),
        ("パ", "パ"),
        ("ハ\u{309a}", "パ"),
        ("ぶ", "ぶ"),
        ("パン", "パン"),
    ] {
        assert_eq!(fold_text(text), folded, "{text}");
    }
    assert_ne!(fold_text("ハン"), fold_text("パン"));
}

#[test]
fn letters_of_korean_syllables_are_composed() {
    let analyser = Analyser::new(ShopLanguage::Other);
    let decomposed = "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}";
    assert_eq!(fold_text(decomposed), "한국");
    assert_eq!(analyser.words(decomposed), analyser.words("한국"));
    assert_eq!(fold_text("\u{ff8a}\u{ff9f}\u{1112}\u{1161}"), "パ하");
    assert_eq!(fold_text("\u{1112} \u{1161}"), "\u{1112} \u{1161}");
}

#[test]
fn an_apostrophe_inside_a_cyrillic_word_is_left_out() {
    for text in ["сім'я", "сім’я", "сім\u{2bc}я", "сім\u{2b9}я", "СІМ'Я"] {
        assert_eq!(fold_text(text), "сімя", "{text}");
    }
    for (text, folded) in [
        ("'сім' я", "сім я"),
        ("сім'", "сім"),
        ("l'or", "l or"),
        ("сім'a", "сім a"),
        ("Women\u{2bc}s", "women"),
        ("сім''я", "сім я"),
    ] {
        assert_eq!(fold_text(text), folded, "{text}");
    }
}

#[test]
fn a_mark_at_the_end_of_a_word_is_within_its_bounds() {
    let text = "cafe\u{301} noir";
    let mut ends = Vec::new();
    english().for_each_word(text, &mut |token| ends.push(&text[token.start..token.end]));
    assert_eq!(ends, ["cafe\u{301}", "noir"]);
}
