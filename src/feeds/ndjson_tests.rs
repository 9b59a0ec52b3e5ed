//! NDJSON: the same rows as in one JSON object, one a line.

use super::testing::{Owned, Trickle, import, pieces};
use super::{FaultReason, FeedPart, IssueCode};
use crate::limits;
use proptest::prelude::*;
use std::io::Read;

const HEADER: &str = r#"{"FileType":"ndjson","Version":2}"#;

/// A feed of these lines below the header.
fn feed(lines: &[&str]) -> String {
    format!("{HEADER}\n{}\n", lines.join("\n"))
}

/// Section, number and bytes of each row.
fn rows(text: &str) -> Vec<(FeedPart, u64, String)> {
    let (pieces, end) = pieces(text.as_bytes());
    assert_eq!(end, Ok(()), "{text}");
    let row = |piece| match piece {
        Owned::Row(section, number, offset, json) => {
            assert!(text.as_bytes()[usize::try_from(offset).expect("small")..].starts_with(&json));
            Some((section, number, String::from_utf8(json).expect("text")))
        }
        _ => None,
    };
    pieces.into_iter().filter_map(row).collect()
}

fn fault(text: &str) -> String {
    pieces(text.as_bytes()).1.expect_err(text)
}

#[test]
fn rows_belong_to_the_marker_above_them() {
    let text = feed(&[
        r#"{"Type":"Products"}"#,
        r#"{"Id":1}"#,
        r#"{"Type":"Simple","Id":2}"#,
        r#"{"Type":"Brand"}"#,
        r#"{"Id":3}"#,
        r#"{"Type":"Users"}"#,
        r#"{"Type":"Products"}"#,
        r#"{"Id":4}"#,
    ]);
    let row = |section, number, json: &str| (section, number, json.to_owned());
    let expected = [
        row(FeedPart::PRODUCTS, 1, r#"{"Id":1}"#),
        row(FeedPart::PRODUCTS, 2, r#"{"Type":"Simple","Id":2}"#),
        row(FeedPart::BRANDS, 1, r#"{"Id":3}"#),
        row(FeedPart::PRODUCTS, 3, r#"{"Id":4}"#),
    ];
    assert_eq!(rows(&text), expected);
    let (pieces, _) = pieces(text.as_bytes());
    assert!(pieces.contains(&Owned::Section(FeedPart::Users)), "a section may have no rows");
}

#[test]
fn line_ends_blank_lines_stray_commas_and_rows_that_are_none_do_not_matter() {
    let expected = [
        (FeedPart::PRODUCTS, 1, r#"{"Id":1}"#.to_owned()),
        (FeedPart::PRODUCTS, 2, r#"{"Id":2, "a":"x"}"#.to_owned()),
    ];
    for text in [
        feed(&[r#"{"Type":"Products"}"#, r#"{"Id":1}"#, r#"{"Id":2, "a":"x"}"#]),
        "\u{feff}\n{\"fileType\" : \"NDJSON\"} \r\n\r\n \t\r\n{\"Type\":\"Products\"},\r\n{\"Id\":1},\r\n,\r\n[]\r\nnull\r\n\
         ,{\"Id\":2, \"a\":\"x\"} \t"
            .to_owned(),
    ] {
        assert_eq!(rows(&text), expected, "{text}");
    }
}

#[test]
fn sections_nobody_knows_mean_nothing_whatever_stands_there() {
    let text = feed(&[
        r#"{"Type":"Settings"}"#,
        r#"{"Products":[{"Id":9}]}"#,
        "no JSON",
        &"x".repeat(limits::FEED_ROW_BYTES + 1),
        r#"{"Type":"Products"}"#,
        r#"{"Id":1}"#,
    ]);
    assert_eq!(rows(&text), [(FeedPart::PRODUCTS, 1, r#"{"Id":1}"#.to_owned())]);
}

#[test]
fn a_broken_line_is_one_bad_row_and_spoils_no_other() {
    let text = feed(&[
        r#"{"Type":"Products"}"#,
        r#"{"Id":1,"Title":"17" wide"}"#,
        r#"{"Id":2,"Tags":["a"}"#,
        r#"{"Id":3"#,
        r#"{"Id":4}{"Id":5}"#,
        r#"{"Id":6}"#,
    ]);
    let imported = import(text.as_bytes()).expect("a feed");
    let bad: Vec<_> = imported.bad().iter().map(|issue| (issue.row, issue.code)).collect();
    assert_eq!(bad, [1, 2, 3, 4].map(|row| (row, IssueCode::RowSyntax)));
    assert_eq!(imported.rows.len(), 1);
    assert_eq!(imported.rows[0].1, "6");
}

#[test]
fn a_line_over_the_limit_is_one_bad_row_that_takes_no_memory() {
    let filler = "x".repeat(limits::FEED_ROW_BYTES);
    let large = format!(r#"{{"Id":2,"T":"{filler}"}}"#);
    let text = feed(&[r#"{"Type":"Products"}"#, r#"{"Id":1}"#, &large, r#"{"Id":3}"#]);
    let (found, end) = pieces(Trickle(text.as_bytes(), 10_007));
    assert_eq!(end, Ok(()));
    assert!(matches!(found[2], Owned::Oversize(FeedPart::PRODUCTS, 2, _)));
    assert!(matches!(&found[3], Owned::Row(FeedPart::PRODUCTS, 3, _, json) if json == br#"{"Id":3}"#));
}

#[test]
fn a_line_of_exactly_the_largest_size_is_a_row() {
    let row = |bytes: usize| format!(r#"{{"T":"{}"}}"#, "x".repeat(bytes - 8));
    let text =
        feed(&[r#"{"Type":"Products"}"#, &row(limits::FEED_ROW_BYTES), &row(limits::FEED_ROW_BYTES + 1)]);
    for found in [pieces(text.as_bytes()).0, pieces(Trickle(text.as_bytes(), 10_007)).0] {
        assert!(matches!(&found[1], Owned::Row(_, 1, _, json) if json.len() == limits::FEED_ROW_BYTES));
        assert!(matches!(found[2], Owned::Oversize(_, 2, _)));
    }
}

#[test]
fn a_line_over_the_limit_ends_with_the_line_break_that_comes_later() {
    let first = format!("{HEADER}\n{{\"Type\":\"Products\"}}\n{}", "x".repeat(limits::FEED_ROW_BYTES + 1));
    let (found, end) = pieces(first.as_bytes().chain(&b"\n{\"Id\":2}\n"[..]));
    assert_eq!(end, Ok(()));
    assert!(matches!(found[1], Owned::Oversize(FeedPart::PRODUCTS, 1, _)));
    assert_eq!(
        found[2..],
        [Owned::Row(FeedPart::PRODUCTS, 2, first.len() as u64 + 1, br#"{"Id":2}"#.to_vec())]
    );
}

#[test]
fn what_leaves_a_rows_place_open_is_a_fault() {
    let at = |reason: FaultReason, offset: usize| reason.at_offset(offset as u64).to_string();
    let below = HEADER.len() + 1;
    assert_eq!(fault(&feed(&[r#"{"Id":1}"#])), at(FaultReason::MarkerMissing, below));
    assert_eq!(fault(&feed(&["no JSON"])), at(FaultReason::MarkerMissing, below));
    assert_eq!(
        fault(&feed(&[r#"{"Type":"Categories}"#, r#"{"Id":1}"#])),
        at(FaultReason::MarkerMalformed, below)
    );
    assert_eq!(fault(&feed(&[r#"{"Type":["Brands"]}"#])), at(FaultReason::MarkerMalformed, below));
}

#[test]
fn a_last_line_needs_no_line_break_but_its_end() {
    let whole = format!("{HEADER}\n{{\"Type\":\"Products\"}}\n{{\"Id\":1}}\n{{\"Id\":2}}");
    assert_eq!(rows(&whole).len(), 2);
    for cut in 1..8 {
        let text = &whole[..whole.len() - cut];
        assert_eq!(fault(text), FaultReason::Truncated.at_offset(text.len() as u64).to_string(), "{text}");
    }
}

#[test]
fn a_header_alone_has_no_sections_and_other_kinds_of_file_no_lines() {
    assert_eq!(pieces(HEADER.as_bytes()), (Vec::new(), Ok(())));
    for header in ["{}", r#"{"FileType":"json"}"#, r#"{"Version":2,"Other":"ndjson"}"#] {
        let text = format!("{header}\n{{\"Type\":\"Products\"}}\n");
        assert_eq!(fault(&text), FaultReason::TrailingText.at_offset(header.len() as u64 + 1).to_string());
    }
}

/// Rows as one line of JSON each, good and bad ones.
fn row() -> impl Strategy<Value = String> {
    prop_oneof![
        (0_u8..9, "\\PC{0,8}")
            .prop_map(|(id, title)| serde_json::json!({"Id": id, "Title": title}).to_string()),
        Just("{\"Title\":\"\\u2028\\n\"}".to_owned()),
        Just("[]".to_owned()),
        Just("7".to_owned()),
        Just("{\"Id\":tru}".to_owned()),
        Just(r#"{"Type":"Simple","Id":"a"}"#.to_owned()),
    ]
}

proptest! {
    #[test]
    fn the_same_rows_make_the_same_pieces_in_both_forms(
        sections in prop::collection::vec((0_usize..4, prop::collection::vec(row(), 0..5)), 0..5),
        size in 1_usize..50,
        ends_with_crlf in any::<bool>(),
    ) {
        let name = |at: usize| FeedPart::ALL[at].as_str();
        let end = if ends_with_crlf { "\r\n" } else { "\n" };
        let mut lines = vec![HEADER.to_owned()];
        let mut members = vec![r#""Version":2"#.to_owned()];
        for (section, rows) in &sections {
            members.push(format!("\"{}\":[{}]", name(*section), rows.join(",")));
            lines.push(format!("{{\"Type\":\"{}\"}}", name(*section)));
            lines.extend(rows.iter().cloned());
        }
        let json = format!("{{{}}}", members.join(","));
        let ndjson = lines.join(end) + end;
        let without_offsets = |(pieces, end): (Vec<Owned>, Result<(), String>)| {
            let pieces = pieces.into_iter().map(|piece| match piece {
                Owned::Row(section, number, _, json) => Owned::Row(section, number, 0, json),
                other => other,
            });
            (pieces.collect::<Vec<_>>(), end)
        };
        prop_assert_eq!(
            without_offsets(pieces(json.as_bytes())),
            without_offsets(pieces(Trickle(ndjson.as_bytes(), size)))
        );
    }

    #[test]
    fn no_bytes_below_the_header_make_it_panic_or_loop(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = [HEADER.as_bytes(), b"\n{\"Type\":\"Products\"}\n", &bytes[..]].concat();
        prop_assert_eq!(pieces(&text[..]), pieces(Trickle(&text, 3)));
    }
}
