//! Work of odd texts, counted: it grows with the text, whatever stands in it.

use super::*;
use crate::search::text::{BesideKind, TextPart, TypedText};

/// Parts that a text gives, and the bytes of their words and terms.
#[derive(Default)]
struct Steps {
    parts: usize,
    bytes: usize,
    decimals: usize,
    longest: usize,
}

fn count_steps(text: &str) -> Steps {
    let mut steps = Steps::default();
    english().for_each_part(text, &mut |part| {
        let (word, is_decimal) = match part {
            TextPart::Word(token) => (token.word, false),
            TextPart::Beside(token) => (token.word, token.kind == BesideKind::Decimal),
        };
        steps.parts += 1;
        steps.bytes += word.len() + part.term().len();
        steps.decimals += usize::from(is_decimal);
        steps.longest = steps.longest.max(word.len());
    });
    steps
}

#[test]
fn odd_texts_give_a_bounded_number_of_parts() {
    // A letter of each of twelve scripts, some written without spaces.
    let scripts = "aбγשعअท東한აԱፊ";
    let number = "1".repeat(40);
    for text in [
        "a".repeat(10_000),
        "wi-fi-".repeat(500),
        "-".repeat(500),
        "a-".repeat(500),
        "1a".repeat(500_000),
        "1 a".repeat(300_000),
        scripts.repeat(20_000),
        scripts.split("").collect::<Vec<_>>().join("-").repeat(2_000),
        format!("{number}.{number}"),
        format!("{number}.{number}mm {number}+"),
        "1.".repeat(20),
        "1.5,".repeat(1_000),
        "1.5 ".repeat(1_000),
        "a.".repeat(50_000),
        "a+".repeat(50_000),
        "+#".repeat(50_000),
        "с'".repeat(50_000),
        "カ\u{3099}".repeat(10_000),
        "e\u{301}".repeat(10_000),
    ] {
        let steps = count_steps(&text);
        let begin: String = text.chars().take(20).collect();
        assert!(steps.parts <= text.len(), "{begin}: {} parts", steps.parts);
        assert!(steps.bytes <= 6 * text.len(), "{begin}: {} bytes", steps.bytes);
        assert!(steps.longest <= 80, "{begin}: a word of {} bytes", steps.longest);
    }
}

#[test]
fn a_decimal_of_forty_digits_is_none() {
    let number = "1".repeat(40);
    for text in [format!("{number}.5"), format!("5.{number}"), format!("{number}.{number}")] {
        assert_eq!(count_steps(&text).decimals, 0, "{text}");
        assert_eq!(TypedText::parse(&text, &english()).words.len(), 2, "{text}");
    }
    assert_eq!(count_steps("5.5").decimals, 1);
}
