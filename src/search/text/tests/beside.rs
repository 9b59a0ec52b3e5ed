//! Tokens beside the words of a text.

use super::*;
use crate::search::text::{BesideKind, TextPart, TypedText};

/// The tokens of one kind, each with the part of the text that it stands for.
fn tokens(kind: BesideKind, text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    english().for_each_part(text, &mut |part| {
        if let TextPart::Beside(token) = part
            && token.kind == kind
        {
            found.push((token.word.to_owned(), &text[token.start..token.end]));
        }
    });
    found
}

#[test]
fn a_token_stands_beside_the_words_that_it_covers() {
    for (kind, text, word, covered) in [
        (BesideKind::Join, "A Wi-Fi router", "wifi", "Wi-Fi"),
        (BesideKind::Join, "T‑shirt", "tshirt", "T‑shirt"),
        (BesideKind::Join, "cable (USB-C)", "usbc", "USB-C"),
        (BesideKind::Join, "WH-1000XM4", "wh1000xm4", "WH-1000XM4"),
        (BesideKind::Join, "Jeans A.P.C. blue", "apc", "A.P.C"),
        (BesideKind::Join, "U.S.B", "usb", "U.S.B"),
        (BesideKind::Join, "AC/DC shirt", "acdc", "AC/DC"),
        (BesideKind::Join, "H&M", "hm", "H&M"),
        (BesideKind::Join, "AT&T", "att", "AT&T"),
        (BesideKind::Join, "É-bike", "ebike", "É-bike"),
        (BesideKind::Decimal, "15.6 inch", "15.6", "15.6"),
        (BesideKind::Decimal, "a 15,6\" display", "15.6", "15,6"),
        (BesideKind::Decimal, "3.5mm jack", "3.5", "3.5mm"),
        (BesideKind::Decimal, "size 7.10", "7.10", "7.10"),
        (BesideKind::Decimal, "802.11ac.", "802.11", "802.11ac"),
        (BesideKind::Decimal, "123456789.123", "123456789.123", "123456789.123"),
        (BesideKind::Sign, "Galaxy S23+ case", "s23+", "S23+"),
        (BesideKind::Sign, "C++", "c++", "C++"),
        (BesideKind::Sign, "C#, the book", "c#", "C#"),
        (BesideKind::Sign, "18+, adults", "18+", "18+"),
    ] {
        assert_eq!(tokens(kind, text), [(word.to_owned(), covered)], "{text}");
    }
}

#[test]
fn most_words_have_no_token_beside_them() {
    for text in [
        "hand-made, well known",
        "wi - fi",
        "wi--fi",
        "10-20 and 1/2",
        "internationally-known",
        "abcdefghijklmnopqr-abc",
        "mother/child and/or",
        "1.2.3",
        "192.168.1.1",
        "12.05.2026",
        "1,299.99",
        "1234567890.5",
        "15.6789",
        "v1.5 .5 5.",
        "a+b c++++ #1",
        "a. b, c & d",
        "東-京 東京+",
        "1&1",
    ] {
        for kind in [BesideKind::Join, BesideKind::Decimal, BesideKind::Sign] {
            assert!(tokens(kind, text).is_empty(), "{text}");
        }
    }
}

#[test]
fn a_row_of_more_than_twenty_initials_is_no_name() {
    let twenty = "a.".repeat(20);
    assert_eq!(tokens(BesideKind::Join, &twenty), [("a".repeat(20), &twenty[..39])]);
    assert!(tokens(BesideKind::Join, &"a.".repeat(21)).is_empty());
}

#[test]
fn the_term_of_a_token_is_a_stem_or_has_its_prefix() {
    let mut found = Vec::new();
    english().for_each_part("two A.B.C. of 15.6 low-cars s23+", &mut |part| {
        if let TextPart::Beside(token) = part {
            found.push(token.term.to_owned());
        }
    });
    assert_eq!(found, ["abc", "\u{3}15.6", "lowcar", "\u{4}s23+"]);
}

#[test]
fn words_are_the_same_with_and_without_the_tokens_beside_them() {
    let text = "Wi-Fi 6, A.P.C. 15.6\" s23+ and AC/DC";
    let mut words = Vec::new();
    english().for_each_part(text, &mut |part| {
        if let TextPart::Word(token) = part {
            words.push((token.word.to_owned(), token.position));
        }
    });
    let positions: Vec<u32> = words.iter().map(|(_, position)| *position).collect();
    assert_eq!(positions, (0..12).collect::<Vec<u32>>());
    let words: Vec<String> = words.into_iter().map(|(word, _)| word).collect();
    assert_eq!(words, english().words(text));
}

#[test]
fn a_typed_decimal_is_one_word() {
    let typed = TypedText::parse("15.6 inch s23+ wi-fi 3.5mm 15", &english());
    let words: Vec<_> = typed.words.iter().map(|word| (word.word.as_str(), word.stem.as_str())).collect();
    let expected = [
        ("15.6", "\u{3}15.6"),
        ("inch", "inch"),
        ("s23", "s23"),
        ("wi", "wi"),
        ("fi", "fi"),
        ("3.5", "\u{3}3.5"),
        ("15", "15"),
    ];
    assert_eq!(words, expected);
    assert_eq!(typed.signs, ["\u{4}s23+"]);
}

#[test]
fn typed_initials_are_one_word_and_two_letters_are_not() {
    let words = |text: &str| -> Vec<String> {
        TypedText::parse(text, &english()).words.into_iter().map(|word| word.word).collect()
    };
    assert_eq!(words("A.P.C. jeans"), ["apc", "jeans"]);
    assert_eq!(words("blue A.P.C. u.s.a."), ["blue", "apc", "usa"]);
    assert_eq!(words("h&m A.P.C."), ["h", "m", "apc"]);
    assert_eq!(words("wi-fi a b c"), ["wi", "fi", "a", "b", "c"]);
    assert_eq!(words("a.c. unit"), ["a", "c", "unit"]);
    assert_eq!(words("shirt s/m/l"), ["shirt", "s", "m", "l"]);
}
