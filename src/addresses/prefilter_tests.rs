//! The prefilter lets no text pass that the matcher would find, and stops little else.

use super::may_hold_address;
use crate::addresses::{holds_address, without_addresses};
use proptest::prelude::*;

#[test]
fn harmless_texts_and_payloads_do_not_open_the_gate() {
    for text in [
        r#"{"Products":[{"Id":"1","Title":"caf\u00e9 \ud83d\ude00 100 %","Link":"https:\/\/s.test\/a%20b?x=4&y=2"}]}"#,
        r#"{"Description":"<p class=\"x\" style=\"width:100%\">Tom &amp; Jerry&nbsp;&uuml;<br\/>\r\n50 %</p>"}"#,
        r#"{"Description":"\u003Cp class=\u0022x\u0022\u003E \u0026 A\u0026B"}"#,
        r#"{"C":"C:\\temp 50%–60% &nbsp; &quot;"}"#,
        "",
    ] {
        assert!(!may_hold_address(text.as_bytes()), "{text}");
    }
    assert!(may_hold_address(b"\xff"), "what is no text may hold anything");
}

/// One letter, encoded once.
fn encoded(letter: char, way: u8) -> String {
    let code = letter as u32;
    let bytes =
        |sign: char| letter.to_string().bytes().map(|byte| format!("{sign}{byte:02X}")).collect::<String>();
    match way {
        1 => bytes('%'),
        2 => format!("&#{code};"),
        3 => format!("&#x{code:x};"),
        4 if code < 0x1_0000 => format!("\\u{code:04x}"),
        5 if code < 0x100 => format!("\\x{code:02x}"),
        6 => format!("\\u{{{code:x}}}"),
        7 => format!("\\{code:x} "),
        8 => bytes('='),
        9 if letter.is_ascii_graphic() => {
            char::from_u32(code + 0xFEE0).map_or_else(String::new, String::from)
        }
        10 => format!("{letter}\u{2060}"),
        11 => format!("\u{1}{letter}"),
        12 => format!("&#{code:020}"),
        13 if letter == '&' => "&amp;".to_owned(),
        _ => letter.to_string(),
    }
}

fn rewritten(text: &str, ways: &[u8]) -> String {
    text.chars().zip(ways.iter().cycle()).map(|(letter, way)| encoded(letter, *way)).collect()
}

/// A text as JSON, with some letters escaped without need.
fn as_json(text: &str, ways: &[u8]) -> String {
    let escape = |(letter, way): (char, &u8)| match (letter, way % 3) {
        (letter, 0) => letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect(),
        ('/', 1) => "\\/".to_owned(),
        _ => {
            let json = serde_json::to_string(&letter.to_string()).expect("a text");
            json[1..json.len() - 1].to_owned()
        }
    };
    let inner: String = text.chars().zip(ways.iter().cycle()).map(escape).collect();
    format!("{{\"Products\":[{{\"Title\":\"{inner}\"}}]}}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// For every address that the matcher finds in a text, the gate passes the text and every JSON of it.
    #[test]
    fn the_gate_is_wider_than_the_matcher(
        text in prop::sample::select(vec!["ada@shop.test", "Ask a@b.de!", "é_@ü.test x", "\"a\"@b.co", "x\\@a.bc"]),
        layers in prop::collection::vec(prop::collection::vec(0_u8..24, 1..9), 0..4),
        json in prop::collection::vec(0_u8..9, 1..9),
    ) {
        let written = layers.iter().fold(text.to_owned(), |text, ways| rewritten(&text, ways));
        if without_addresses(&written).is_some() {
            prop_assert!(may_hold_address(written.as_bytes()), "{written}");
            let json = as_json(&written, &json);
            prop_assert!(may_hold_address(json.as_bytes()), "{json}");
        }
    }

    /// The same for all letters that encodings are made of. The matcher calls the gate first, so here it is called
    /// without.
    #[test]
    fn no_text_of_signs_passes_the_gate_unseen(
        text in "(a|b|4|0|6|;|#|x|u|&|&amp;|%|25|=|\\\\|\\{|\\}|＠|％|\u{2060}|\u{1}|@|\\.| |é){1,24}",
        json in prop::collection::vec(0_u8..9, 1..9),
    ) {
        let text = format!("{text}shop.test");
        let is_one = crate::addresses::decode::Readings::decode(&text).iter().any(|(_, reading)| reading.contains('@'));
        if is_one {
            prop_assert!(may_hold_address(text.as_bytes()), "{text}");
            let json = as_json(&text, &json);
            prop_assert!(may_hold_address(json.as_bytes()), "{json}");
        }
        prop_assert_eq!(holds_address(&text), without_addresses(&text).is_some());
    }
}
