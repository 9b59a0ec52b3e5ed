//! The strict check at its edges, and every escape as it is read and written.

use super::value::JsonValue;
use super::{Malformed, unescape, write_text};

/// The value that a text is, without white space around it.
fn check(text: &str) -> Result<&str, Malformed> {
    JsonValue::check(text).map(JsonValue::as_sent)
}

#[test]
fn white_space_around_a_value_is_passed_over_and_nothing_else_is() {
    assert_eq!(check(" \t\r\n[7]\n "), Ok("[7]"));
    for text in ["", " ", "7 8", "\u{a0}7", "7\u{b}"] {
        assert_eq!(check(text), Err(Malformed::Syntax), "{text:?}");
    }
}

#[test]
fn surrogates_stand_in_pairs_from_the_first_to_the_last() {
    for text in [r#""\ud800\udc00""#, r#""\udbff\udfff""#, r#""\ud7ff""#, r#""\ue000""#] {
        assert_eq!(check(text), Ok(text));
    }
    for text in [
        r#""\ud800""#,
        r#""\ud800x""#,
        r#""\ud800\udbff""#,
        r#""\ud800\ue000""#,
        r#""\udbffxudc00""#,
        r#""\udc00""#,
        r#""\udfff\udc00""#,
    ] {
        assert_eq!(check(text), Err(Malformed::LoneSurrogate), "{text}");
    }
    for text in [r#""\u00g0""#, r#""\u004""#, r#""\ud800\u00g0""#, r#""\x41""#] {
        assert_eq!(check(text), Err(Malformed::Syntax), "{text}");
    }
}

#[test]
fn a_key_is_found_again_whatever_stands_before_it() {
    assert_eq!(check(r#"{"y":1,"y":2}"#), Err(Malformed::DuplicateKey));
    for nested in [r#"{"a":1,"b":{"x":0,"c":5,"c":5}}"#, r#"{"a":1,"b":[{"x":0,"y":5,"\u0079": 5}]}"#] {
        assert_eq!(check(nested), Ok(nested));
    }
}

#[test]
fn a_number_is_too_large_beyond_the_largest_double_however_it_is_written() {
    let largest = "9".repeat(308);
    let larger = "9".repeat(309);
    for number in [largest.clone(), format!("-{largest}"), "1.7e308".to_owned(), format!("{largest}.5")] {
        assert_eq!(check(&number), Ok(number.as_str()));
    }
    for number in [larger.clone(), format!("-{larger}"), "1.8e308".to_owned(), format!("{larger}.5")] {
        assert_eq!(check(&number), Err(Malformed::NumberTooLarge), "{number}");
    }
}

#[test]
fn every_escape_is_read_and_control_characters_are_written_as_others_write_them() {
    let sent = r#"\"\\\/\b\f\n\r\t\u0000\u001F\ud800\udc00\udbff\udfff."#;
    assert_eq!(unescape(sent), "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}\u{10000}\u{10ffff}.");
    for code in 0..=0x20_u8 {
        let text = char::from(code).to_string();
        let mut out = Vec::new();
        write_text(&text, &mut out);
        assert_eq!(String::from_utf8(out).expect("text"), serde_json::to_string(&text).expect("JSON"));
    }
}
