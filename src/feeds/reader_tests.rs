//! Cutting feeds into rows, whatever the sender and however the bytes arrive.

use super::testing::{Owned, Trickle, pieces};
use super::{FaultReason, FeedFault, FeedPart, FeedPiece, FeedReader, UnknownSection};
use crate::limits;
use proptest::prelude::*;
use std::io::Read;

fn rows(text: &str) -> Vec<(FeedPart, u64, String)> {
    let (pieces, end) = pieces(text.as_bytes());
    end.expect("a feed");
    let row = |piece| match piece {
        Owned::Row(section, number, offset, json) => {
            assert!(text.as_bytes()[usize::try_from(offset).expect("small")..].starts_with(&json));
            Some((section, number, String::from_utf8(json).expect("text")))
        }
        _ => None,
    };
    pieces.into_iter().filter_map(row).collect()
}

fn fault(text: &[u8]) -> (FaultReason, u64) {
    let mut reader = FeedReader::new(text);
    loop {
        match reader.next_piece() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("accepted: {}", String::from_utf8_lossy(text)),
            Err(FeedFault::Malformed { reason, offset }) => {
                let again = reader.next_piece().err().map(|fault| fault.to_string());
                assert_eq!(again, Some(reason.at_offset(offset).to_string()), "a fault stays");
                return (reason, offset);
            }
            Err(other) => panic!("a slice can be read: {other}"),
        }
    }
}

#[test]
fn stray_commas_and_left_out_rows_are_no_rows() {
    let text = "\u{feff} {,\"Version\": 2,, \"Products\": [,{\"Id\":1},,null,[ ],{},\n{\"Id\":2},],} \r\n";
    let expected =
        [(FeedPart::PRODUCTS, 1, "{\"Id\":1}".to_owned()), (FeedPart::PRODUCTS, 2, "{\"Id\":2}".to_owned())];
    assert_eq!(rows(text), expected);
}

#[test]
fn a_section_may_be_an_object_empty_or_there_twice() {
    let text =
        r#"{"products":{"0":{"Id":1},"7":{"Id":2}},"Brand":"","Users":null,"Categories":[],"PRODUCTS":[3]}"#;
    let (found, end) = pieces(text.as_bytes());
    assert_eq!(end, Ok(()));
    let sections: Vec<_> = found
        .iter()
        .filter_map(|piece| if let Owned::Section(section) = piece { Some(*section) } else { None })
        .collect();
    let expected =
        [FeedPart::PRODUCTS, FeedPart::BRANDS, FeedPart::Users, FeedPart::CATEGORIES, FeedPart::PRODUCTS];
    assert_eq!(sections, expected);
    let numbers: Vec<_> = rows(text).into_iter().map(|(_, number, json)| (number, json)).collect();
    assert_eq!(numbers[2], (3, "3".to_owned()), "numbers go on in the second list");
}

#[test]
fn scalar_rows_of_a_delta_are_cut_too() {
    let text = r#"{"AppKey":"k","Secret":"s","Products":[],"DeleteProducts":[12,"a,]b" ,null,-1.5e3,true]}"#;
    let found: Vec<_> = rows(text).into_iter().map(|(_, _, json)| json).collect();
    assert_eq!(found, ["12", "\"a,]b\"", "-1.5e3", "true"]);
}

#[test]
fn other_members_mean_nothing_but_must_be_json() {
    assert_eq!(rows(r#"{"Format":"x","New":{"Products":[{"Id":1}]},"Products":[]}"#), []);
    assert_eq!(fault(br#"{"Version":02}"#), (FaultReason::ValueMalformed, 11));
    assert_eq!(fault(br#"{"Version":nul,"Products":[]}"#), (FaultReason::ValueMalformed, 11));
}

#[test]
fn a_section_name_may_be_escaped() {
    assert_eq!(rows(r#"{"Pr\u006fducts":[{"Id":1}]}"#).len(), 1);
}

#[test]
fn what_is_no_feed_is_refused_with_its_reason_and_place() {
    use FaultReason as Is;
    for (text, expected) in [
        ("", (Is::Empty, 0)),
        (" \n", (Is::Empty, 2)),
        ("<!doctype html>", (Is::Markup, 0)),
        ("\u{0}{", (Is::NotText, 0)),
        ("[]", (Is::NotObject, 0)),
        ("null", (Is::NotObject, 0)),
        ("{", (Is::Truncated, 1)),
        (r#"{"Products":[{"Id":1}"#, (Is::Truncated, 21)),
        (r#"{"Products":[{"Id":1}]"#, (Is::Truncated, 22)),
        (r#"{"Products":[{"Id":"1"#, (Is::Truncated, 21)),
        (r#"{"Products":"#, (Is::Truncated, 12)),
        (r#"{"Products"#, (Is::Truncated, 10)),
        (r#"{"Products":[]} {"#, (Is::TrailingText, 16)),
        (r#"{Products:[]}"#, (Is::NameExpected, 1)),
        (r#"{"Products" []}"#, (Is::ColonMissing, 12)),
        (r#"{"Products":[] "Users":[]}"#, (Is::CommaMissing, 15)),
        (r#"{"Products":[{"Id":1} {"Id":2}]}"#, (Is::CommaMissing, 22)),
        (r#"{"Products":[1 2]}"#, (Is::CommaMissing, 15)),
        (r#"{"Products":[:]}"#, (Is::ValueExpected, 13)),
        (r#"{"Products":,}"#, (Is::ValueExpected, 12)),
        (r#"{"Version":,"a":1}"#, (Is::ValueExpected, 11)),
        (r#"{"Version":"#, (Is::Truncated, 11)),
        (r#"{"Products":{"0":}}"#, (Is::ValueExpected, 17)),
        (r#"{"Products":{"0" 1}}"#, (Is::ColonMissing, 17)),
        (r#"{"Products":{1:{}}}"#, (Is::NameExpected, 13)),
        (r#"{"Products":{"0":1]}"#, (Is::BracketMismatch, 18)),
        (r#"{"Products":5}"#, (Is::SectionNotList, 12)),
        (r#"{"Products":"x"}"#, (Is::SectionNotList, 12)),
        (r#"{"Products":[{"Id":1}}"#, (Is::BracketMismatch, 21)),
        (r#"{"Products":[{"Tags":["a"},{"Id":2}]}"#, (Is::BracketMismatch, 25)),
        (r#"{"Products":[{"Title":"17" wide"},{"Id":2}]}"#, (Is::QuoteMisplaced, 27)),
    ] {
        assert_eq!(fault(text.as_bytes()), expected, "{text}");
    }
    assert_eq!(fault(b"\xff\xfe{\0").0, Is::NotText);
    assert_eq!(fault(b"\x1f\x8b\x08").0, Is::NotText);
}

#[test]
fn no_sentence_about_a_fault_quotes_the_feed() {
    let sentence = pieces(&br#"{"Users":[{"Email":"ann@b.test"}] secret"#[..]).1.expect_err("a fault");
    assert_eq!(sentence, "a quoted section name is expected here (at byte 34)");
}

#[test]
fn a_row_over_the_limit_is_skipped_and_the_rows_beside_it_stay() {
    for filler in ["x".repeat(limits::FEED_ROW_BYTES), "\\\\".repeat(limits::FEED_ROW_BYTES)] {
        let text = format!(r#"{{"Products":[{{"Id":1}},{{"Id":2,"T":"{filler}"}},{{"Id":3}}]}}"#);
        let (found, end) = pieces(Trickle(text.as_bytes(), 10_007));
        assert_eq!(end, Ok(()));
        assert_eq!(found[2], Owned::Oversize(FeedPart::PRODUCTS, 2, 22));
        assert!(matches!(&found[3], Owned::Row(FeedPart::PRODUCTS, 3, _, json) if json == br#"{"Id":3}"#));
    }
}

#[test]
fn a_row_of_exactly_the_largest_size_is_a_row() {
    let row = |bytes: usize| format!(r#"{{"T":"{}"}}"#, "x".repeat(bytes - 8));
    let largest = row(limits::FEED_ROW_BYTES);
    let larger = row(limits::FEED_ROW_BYTES + 1);
    let (found, end) = pieces(format!(r#"{{"Products":[{largest},{larger}]}}"#).as_bytes());
    assert_eq!(end, Ok(()));
    assert!(matches!(&found[1], Owned::Row(_, 1, _, json) if json.len() == limits::FEED_ROW_BYTES));
    assert!(matches!(found[2], Owned::Oversize(_, 2, _)));
}

#[test]
fn a_row_over_the_limit_ends_with_the_first_byte_that_comes_later() {
    let filler = "x".repeat(limits::FEED_ROW_BYTES + 1 - br#"{"T":""#.len());
    let first = format!(r#"{{"Products":[{{"T":"{filler}"#);
    let (found, end) = pieces(first.as_bytes().chain(&br#""},{"Id":2}]}"#[..]));
    assert_eq!(end, Ok(()));
    let next = first.len() as u64 + 3;
    let expected = [
        Owned::Oversize(FeedPart::PRODUCTS, 1, 13),
        Owned::Row(FeedPart::PRODUCTS, 2, next, br#"{"Id":2}"#.to_vec()),
    ];
    assert!(found[1..] == expected, "the row after the large one stays");
}

#[test]
fn a_number_of_exactly_the_largest_size_is_a_row_though_its_end_comes_later() {
    let first = format!(r#"{{"DeleteProducts":[{}"#, "1".repeat(limits::FEED_ROW_BYTES));
    let (found, end) = pieces(first.as_bytes().chain(&b"]}"[..]));
    assert_eq!(end, Ok(()));
    assert!(matches!(&found[1], Owned::Row(_, 1, 19, json) if json.len() == limits::FEED_ROW_BYTES));
    assert_eq!(found.len(), 2);
}

#[test]
fn a_part_whose_name_is_like_a_sections_is_told_if_it_may_hold_rows() {
    let large = "x".repeat(limits::FEED_ROW_BYTES);
    let text = format!(
        r#"{{"Product":"{large}","Items":[{{"Id":1}}],"Brandz":{{}},"items":7,"Own":[1],"Users":[]}}"#
    );
    let unknown = |name: &str, meant| {
        let offset = text.find(&format!("\"{name}\"")).expect("a name") as u64;
        Owned::Unknown(UnknownSection { name: name.to_owned(), meant, offset })
    };
    let (found, end) = pieces(text.as_bytes());
    assert_eq!(end, Ok(()));
    let expected = [
        unknown("Product", FeedPart::PRODUCTS),
        unknown("Items", FeedPart::PRODUCTS),
        unknown("Brandz", FeedPart::BRANDS),
        Owned::Section(FeedPart::Users),
    ];
    assert_eq!(found, expected);
}

#[test]
fn nesting_without_end_takes_no_memory_and_ends_in_a_fault() {
    let text = format!(r#"{{"Products":[{}"#, "[".repeat(limits::FEED_CUT_DEPTH_LEVELS + 1));
    assert_eq!(fault(text.as_bytes()).0, FaultReason::TooDeep);
}

#[test]
fn a_reader_that_fails_is_told_apart_from_a_bad_feed_and_may_be_asked_again() {
    struct Flaky(u8);
    impl Read for Flaky {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => (&br#"{"Products":["#[..]).read(into),
                2 => Err(std::io::ErrorKind::Interrupted.into()),
                3 => Err(std::io::ErrorKind::TimedOut.into()),
                4 => (&b"7]}"[..]).read(into),
                _ => Ok(0),
            }
        }
    }
    let mut reader = FeedReader::new(Flaky(0));
    assert!(reader.next_piece().is_ok());
    assert!(matches!(reader.next_piece(), Err(FeedFault::Read { offset: 13, .. })));
    assert!(matches!(reader.next_piece(), Ok(Some(FeedPiece::Row(_)))));
    assert!(matches!(reader.next_piece(), Ok(None)));
}

#[test]
fn a_reader_that_fails_in_front_of_a_feed_sent_no_empty_one() {
    struct Broken(u8);
    impl Read for Broken {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            if self.0 == 1 { (&b" \n"[..]).read(into) } else { Err(std::io::ErrorKind::TimedOut.into()) }
        }
    }
    let mut reader = FeedReader::new(Broken(0));
    assert!(matches!(reader.next_piece(), Err(FeedFault::Read { offset: 2, .. })));
}

#[test]
fn a_reader_that_fails_within_a_row_is_told_by_the_bytes_that_came() {
    struct Silent;
    impl Read for Silent {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::TimedOut.into())
        }
    }
    let mut reader = FeedReader::new((&br#"{"Products":[{"Id"#[..]).chain(Silent));
    assert!(matches!(reader.next_piece(), Ok(Some(FeedPiece::Section(_)))));
    assert!(matches!(reader.next_piece(), Err(FeedFault::Read { offset: 17, .. })));
}

/// Text made of the pieces that matter to the cutter.
fn feed_like() -> impl Strategy<Value = Vec<u8>> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\"Id\"",
        "\"Products\":[",
        "{\"Id\":1}",
        "null",
        "7",
        " ",
        "\\\"",
        "\u{fffd}",
        "]}",
        "{\"Products\":[",
        "\"a\":\"b\\\\\"",
    ]);
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat().into_bytes())
}

proptest! {
    #[test]
    fn pieces_do_not_depend_on_how_the_bytes_arrive(tail in feed_like(), size in 1_usize..9) {
        let text = [br#"{"Version":2,"Users":["a",{"x":"\"}"}],"Products":[{"Id":1},"#, &tail[..]].concat();
        prop_assert_eq!(pieces(Trickle(&text, size)), pieces(&text[..]));
        prop_assert_eq!(pieces(Trickle(&tail, size)), pieces(&tail[..]));
    }

    #[test]
    fn no_bytes_make_it_panic_or_loop(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (_, _) = pieces(&bytes[..]);
        let text = [b"{\"Products\":[", &bytes[..]].concat();
        let (_, _) = pieces(&text[..]);
    }
}
