//! Tests of JSON documents and lines.

use std::fmt::Write as _;
use std::io::{Cursor, Read};

use proptest::prelude::*;

use super::JsonRecords;
use crate::formats::records::fault::RecordFault;
use crate::formats::records::headings::Headings;
use crate::formats::records::record::{FeedRecord, RecordSource};
use crate::limits::FEED_ROW_BYTES;

/// Gives out one byte at a time.
struct SingleBytes<'a>(&'a [u8]);

impl Read for SingleBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(buffer.get_mut(..count).unwrap())
    }
}

fn read_records(source: impl Read, is_lines: bool) -> (Vec<FeedRecord>, Headings, Option<RecordFault>) {
    let mut records = JsonRecords::new(source, is_lines);
    let mut headings = Headings::default();
    let mut record = FeedRecord::default();
    let mut all = Vec::new();
    loop {
        match records.read_record(&mut headings, &mut record) {
            Ok(true) => all.push(record.clone()),
            Ok(false) => return (all, headings, None),
            Err(fault) => return (all, headings, Some(fault)),
        }
    }
}

/// Records as `column=value` with bars between, one a line; then the fault.
fn describe(source: impl Read, is_lines: bool) -> String {
    let (records, headings, fault) = read_records(source, is_lines);
    let mut lines = String::new();
    for record in records {
        assert_eq!(
            record.json.is_some(),
            record.findings.iter().all(|f| format!("{:?}", f.code) == "TextNotUtf8")
        );
        let name = |column| headings.name(column);
        let values = record.values.iter().map(|value| format!("{}={}", name(value.column), value.text));
        let findings = record.findings.iter().map(|finding| format!("{:?}", finding.code));
        writeln!(lines, "{}", values.chain(findings).collect::<Vec<_>>().join("|")).unwrap();
    }
    fault.into_iter().for_each(|fault| writeln!(lines, "{fault}").unwrap());
    lines
}

fn describe_document(text: impl AsRef<[u8]>) -> String {
    describe(text.as_ref(), false)
}

fn describe_lines(text: impl AsRef<[u8]>) -> String {
    describe(text.as_ref(), true)
}

#[test]
fn an_object_becomes_a_tree_and_flat_values() {
    let text = r#"[{"id":1,"t":" A \"b\" ","price":{"amount":12.5,"in":{"x":true}},"n":null,"e":" ",
        "tags":["a",2,null,""],"variants":[{"id":9}],"grid":[[1]],"o":{}}]"#;
    assert_eq!(describe_document(text), "id=1|t=A \"b\"|price.amount=12.5|price.in.x=true|tags=a|tags=2\n");
    let (records, ..) = read_records(text.as_bytes(), false);
    let json = records[0].json.as_ref().unwrap();
    assert_eq!((&json["variants"][0]["id"], json.len()), (&serde_json::json!(9), 9));
}

#[test]
fn numbers_stay_as_written_in_flat_values() {
    let text =
        r#"{"s":"9.90","v":[{"p":1.10}],"p":12.50,"i":-3,"in":{"x":0.30},"l":[1.0,2.20],"e":1.5E2,"b":7.0,
        "id":123456789012345678901234}"#
            .replace('\n', " ");
    let expected = "s=9.90|p=12.50|i=-3|in.x=0.30|l=1.0|l=2.20|e=150.0|b=7.0|id=123456789012345678901234\n";
    assert_eq!(describe_lines(&text), expected);
    assert_eq!(describe_document(format!("[{text}]")), expected);
    // The last member of a name counts, so that the order of the numbers is another.
    assert_eq!(describe_lines(r#"{"a":1.50,"b":2.50,"a":3.50}"#), "a=3.5|b=2.50\n");
}

#[test]
fn the_records_are_a_list_or_the_first_list_of_objects() {
    for text in [
        r#"[{"id":1},{"id":2}]"#,
        " \u{feff}[ ]".trim_start(),
        r#"{"products":[{"id":1},{"id":2}],"more":[{"id":3}],"x":{"items":[{"id":4}]}}"#,
        r#"{"ids":[1,[2,"]"]],"none":[],"n":-1.5e3,"s":"}","t":true,"stock":[{"id":1},{"id":2}]}"#,
        r#"{"data":{"count":2,"products":[{"id":1},{"id":2}],"a":{"b":[{}]}},"z":null}"#,
        r#"{"meta":{"pages":[{"id":7}],"x":{"items":[{"id":8}]}},"Items":[{"id":1},{"id":2}]}"#,
        r#"{"categories":[{"id":7}],"products":[{"id":1},{"id":2}]}"#,
    ] {
        let expected = if text.contains("id") { "id=1\nid=2\n" } else { "" };
        assert_eq!(describe_document(text), expected, "{text}");
    }
    assert_eq!(describe_document(""), "");
    assert_eq!(describe_document(r#"{"id":1,"t":"x"}"#), "");
}

#[test]
fn elements_that_are_no_objects_are_findings() {
    assert_eq!(
        describe_document(r#"[1,{"id":1},"a]",[{"id":2}],null]"#),
        "RowSyntax\nid=1\nRowSyntax\nRowSyntax\nRowSyntax\n"
    );
}

#[test]
fn a_broken_document_is_told_with_its_place() {
    let broken = "the JSON is broken here; write the feed by a JSON encoder";
    for (text, place) in [
        ("[{\"id\":1},\n{\"id\":}]", "(line 2, byte 11)"),
        ("[{\"id\":1},\n{\n\n\"id\" 1}]", "(line 4, byte 11)"),
        ("[{\"id\":1}\n{\"id\":2}]", "(line 2, byte 10)"),
        ("[{\"id\":1}] x", "(line 1, byte 11)"),
        ("[{\"id\":1},]", "(line 1, byte 10)"),
        ("[{\"id\":1}}", "(line 1, byte 9)"),
    ] {
        assert_eq!(describe_document(text).lines().last().unwrap(), format!("{broken} {place}"), "{text}");
    }
    for text in ["{\"a\" 1}", "{,\"a\":1}", "{\"a\":1,}", "{a:1}", "{\"a\":[1}}", "{\"a\":1 \"b\":2}", "{}{}"]
    {
        assert!(describe_document(text).starts_with(broken), "{text}");
    }
    assert!(describe_document("<html>").starts_with("the feed is neither a list nor an object"));
}

#[test]
fn every_cut_of_a_document_is_told() {
    let text = r#"{"n":{"a":[1,"\""]},"data":{"products":[{"id":1,"t":"x"},{"id":2}],"z":1},"y":"é"} "#;
    for end in 1..text.len() - 1 {
        let (_, _, fault) = read_records(&text.as_bytes()[..end], false);
        assert!(matches!(fault, Some(RecordFault::Truncated { .. })), "{end}: {fault:?}");
    }
    assert_eq!(describe_document(text), "id=1|t=x\nid=2\n");
}

#[test]
fn a_line_is_a_record_and_a_broken_one_a_finding() {
    assert_eq!(
        describe_lines("\u{feff}{\"id\":1}\r\n\n  \n{\"id\":}\n[1]\n{\"id\":2} x\n{\"id\":3}"),
        "id=1\nRowSyntax\nRowSyntax\nRowSyntax\nid=3\n"
    );
    assert_eq!(
        describe_lines("{\"id\":1}\n{\"id\":2,"),
        "id=1\nthe feed ends in its middle; it was cut off (line 2, byte 17)\n"
    );
    assert_eq!(describe_lines("{\"id\":1}\n{\"id\":2,\n"), "id=1\nRowSyntax\n");
}

#[test]
fn a_record_knows_its_number_line_and_offset() {
    for (text, is_lines) in [("\n{\"id\":\"ü\"}\n\n {\"id\":2}", true), ("[{\n\"a\":1},\n\n {}\n]", false)] {
        let (records, ..) = read_records(text.as_bytes(), is_lines);
        let places: Vec<_> = records.iter().map(|record| record.place).collect();
        let described: Vec<_> = places.iter().map(|place| (place.number, place.line, place.offset)).collect();
        let expected = if is_lines { [(1, 2, 1), (2, 4, 15)] } else { [(1, 1, 1), (2, 4, 13)] };
        assert_eq!(described, expected, "{text}");
    }
}

#[test]
fn objects_that_are_too_large_are_findings_in_bounded_memory() {
    let large =
        || Cursor::new(r#"{"id":1,"t":""#).chain(std::io::repeat(b'x').take(100 << 20)).chain(&b"\"}"[..]);
    let document = Cursor::new("[").chain(large()).chain(&b",{\"id\":2}]"[..]);
    assert_eq!(describe(document, false), "RowTooLarge\nid=2\n");
    assert_eq!(describe(large().chain(&b"\n{\"id\":2}\n"[..]), true), "RowTooLarge\nid=2\n");
    let mut records = JsonRecords::new(large(), true);
    assert!(records.read_record(&mut Headings::default(), &mut FeedRecord::default()).unwrap());
    assert!(records.value.capacity() <= 2 * FEED_ROW_BYTES);
}

#[test]
fn objects_of_too_many_values_are_findings() {
    let many = format!("{{\"a\":[{}0]}}", "0,".repeat(300_000));
    assert_eq!(describe_lines(format!("{many}\n{{\"id\":2}}\n")), "RowTooLarge\nid=2\n");
    assert_eq!(describe_document(format!("[{many},{{\"id\":2}}]")), "RowTooLarge\nid=2\n");
    let text = format!("{{\"id\":\"{}\"}}", ",".repeat(300_000));
    assert!(describe_lines(&text).starts_with("id=,,"));
}

#[test]
fn deep_nesting_ends_the_document() {
    let deep = "[".repeat(1_000_000);
    assert!(describe_document(format!("[{{\"a\":{deep}")).contains("nested more than 128 deep"));
    assert!(describe_document(format!("{{\"a\":{deep}")).contains("nested more than 128 deep"));
    assert_eq!(describe_lines(format!("{{\"a\":{deep}\n{{\"id\":1}}")), "RowSyntax\nid=1\n");
}

#[test]
fn bytes_that_are_no_utf_8_are_repaired_and_told_at_their_record() {
    let text = b"[{\"a\":\"\xC3\xBC\"},{\"a\":\"caf\xE9\\u0000\"},{\"a\":\"z\"}]";
    assert_eq!(describe_document(text), "a=ü\na=café|TextNotUtf8\na=z\n");
    assert_eq!(describe_lines(b"{\"a\":\"\xE9\"}\n{\"a\":\"z\"}"), "a=é|TextNotUtf8\na=z\n");
}

#[test]
fn names_without_end_are_cut() {
    let name = "n".repeat(1_000_000);
    let (_, headings, _) = read_records(format!("[{{\"{name}\":1}}]").as_bytes(), false);
    assert!(headings.names()[0].len() <= 1024);
}

fn arbitrary_json() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"{"[..],
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\"",
        b"\\",
        b"\"id\":",
        b"{\"id\":1}",
        b"\n",
        b" ",
        b"1",
        b"null",
        b"\"products\":[",
        b"\"data\":{",
        b"\xFC",
        b"\xC3\xBC",
        b"\0",
        b"\xEF\xBB\xBF",
        b"-",
        b"x",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn mutated_json() -> impl Strategy<Value = Vec<u8>> {
    let text = "{\"n\":[1,\"\\\"]\"],\"data\":{\"products\":[{\"id\":1,\"p\":{\"a\":1.5}},\n{\"id\":\"é\"}]},\"z\":null}\n";
    (prop::collection::vec((0..text.len(), any::<u8>()), 0..3), 0..=text.len()).prop_map(
        move |(changes, end)| {
            let mut bytes = text.as_bytes().to_vec();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            bytes.truncate(end);
            bytes
        },
    )
}

proptest! {
    #[test]
    fn any_json_reads_alike_in_pieces_and_at_once(
        json in prop_oneof![arbitrary_json(), mutated_json()],
        is_lines in any::<bool>(),
    ) {
        let (whole, _, fault) = read_records(json.as_slice(), is_lines);
        let (pieces, _, other) = read_records(SingleBytes(&json), is_lines);
        prop_assert_eq!(whole, pieces);
        prop_assert_eq!(format!("{fault:?}"), format!("{other:?}"));
    }

    #[test]
    fn no_object_of_a_valid_list_is_lost(ids in prop::collection::vec("[a-z\"\\\\{}\\[\\],:é]{0,6}z", 0..10)) {
        let list: Vec<_> = ids.iter().map(|id| serde_json::json!({"id": id})).collect();
        let (records, _, fault) = read_records(serde_json::to_vec_pretty(&list).unwrap().as_slice(), false);
        prop_assert!(fault.is_none());
        let texts: Vec<_> = records.iter().map(|record| record.values[0].text.clone()).collect();
        prop_assert_eq!(texts, ids);
    }
}
