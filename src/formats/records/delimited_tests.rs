//! Tests of tables.

use std::fmt::Write as _;
use std::io::Read;

use proptest::prelude::*;

use super::DelimitedRecords;
use crate::feeds::IssueCode;
use crate::formats::records::fault::RecordFault;
use crate::formats::records::headings::Headings;
use crate::formats::records::record::{FeedRecord, RecordSource};

/// Gives out one byte at a time.
struct SingleBytes<'a>(&'a [u8]);

impl Read for SingleBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(buffer.get_mut(..count).unwrap())
    }
}

fn read_records<R: Read>(
    mut records: DelimitedRecords<R>,
) -> (Vec<FeedRecord>, Headings, Option<RecordFault>) {
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
fn describe(bytes: &[u8], delimiter: Option<u8>) -> String {
    let (records, headings, fault) = read_records(DelimitedRecords::new(bytes, delimiter));
    let mut lines = String::new();
    for record in records {
        let name = |column| headings.name(column);
        let values = record.values.iter().map(|value| format!("{}={}", name(value.column), value.text));
        let findings = record.findings.iter().map(|finding| format!("{:?} {}", finding.code, finding.column));
        writeln!(lines, "{}", values.chain(findings).collect::<Vec<_>>().join("|").trim_end()).unwrap();
    }
    fault.into_iter().for_each(|fault| writeln!(lines, "{fault}").unwrap());
    lines
}

#[test]
fn a_line_becomes_the_values_of_its_columns() {
    let csv = b"id,title,price\r\n1,\" A \"\"big\"\" chair, red\",9.50\r\n\r\n2,,3\r\n";
    assert_eq!(describe(csv, None), "id=1|title=A \"big\" chair, red|price=9.50\nid=2|price=3\n");
}

#[test]
fn the_heading_tells_the_delimiter() {
    for delimiter in [",", ";", "\t", "|"] {
        let csv = ["id", "\"a,b;c|d,e;f|g\"", "c\n1", "2", "3"].join(delimiter);
        assert_eq!(describe(csv.as_bytes(), None), "id=1|a,b;c|d,e;f|g=2|c=3\n", "{delimiter:?}");
    }
    assert_eq!(describe(b"id;a,b,c\n1;2\n", Some(b';')), "id=1|a,b,c=2\n");
    assert_eq!(describe(b"sep=|\r\nid|a,b,c\r\n1|2\r\n", None), "id=1|a,b,c=2\n");
    assert_eq!(describe(b"id\n1\n", None), "id=1\n");
}

#[test]
fn marks_blank_lines_and_lines_of_delimiters_are_skipped() {
    assert_eq!(describe(b"\xEF\xBB\xBF\n\nid,b\n\n , \n\n1,2\n,\n", None), "id=1|b=2\n");
    assert_eq!(describe(b"", None), "");
    assert_eq!(describe(b"\xEF\xBB\xBF\r\n", None), "");
    assert_eq!(describe(b"id,b", None), "");
}

#[test]
fn columns_without_a_name_are_numbered_and_a_name_may_repeat() {
    assert_eq!(describe(b"id,, id\n1,2,3\n", None), "id=1|column 2=2|id=3\n");
}

#[test]
fn quotes_are_letters_in_a_tsv_whose_fields_are_not_quoted() {
    let open = "id\ttitle\n1\t\"Best\" chair\n2\t27\" screen\n3\t\"open\n4\tb\n";
    assert_eq!(
        describe(open.as_bytes(), None),
        "id=1|title=\"Best\" chair\nid=2|title=27\" screen\nid=3|title=\"open\nid=4|title=b\n"
    );
    let quoted = "id\t\"title\"\n1\t\"a\tb\nc \"\"d\"\"\"\n";
    assert_eq!(describe(quoted.as_bytes(), None), "id=1|title=a\tb\nc \"d\"\n");
}

#[test]
fn a_line_with_the_wrong_number_of_fields_is_a_finding() {
    let csv = b"id,b,c\n1,2\n1,2,3,,\n1,2,3,, x\nTotal: 3 rows\n5,6,7\n";
    assert_eq!(describe(csv, None), "id=1|b=2\nid=1|b=2|c=3\nRowFields\nRowFields\nid=5|b=6|c=7\n");
    assert_eq!(describe(b"id,stock\n7\n", None), "id=7\n");
}

#[test]
fn a_record_knows_its_number_line_and_offset() {
    let csv = b"id,b\n\"1\n\",2\n\n\r\nx,y";
    let (records, _, fault) = read_records(DelimitedRecords::new(&csv[..], None));
    let places: Vec<_> = records.iter().map(|record| record.place).collect();
    assert!(fault.is_none());
    let described: Vec<_> = places.iter().map(|place| (place.number, place.line, place.offset)).collect();
    assert_eq!(described, [(1, 2, 5), (2, 6, 15)]);
}

#[test]
fn a_file_that_ends_in_quotes_is_cut_off_and_one_without_a_last_line_end_is_not() {
    assert_eq!(
        describe(b"id,b\n1,\"2", None),
        "the feed ends in its middle; it was cut off (line 2, byte 5)\n"
    );
    assert_eq!(describe(b"id,b\n1,2\n\"", None).lines().count(), 2);
    assert_eq!(describe(b"id,b\n1,\"2\n\"", None), "id=1|b=2\n");
    assert_eq!(describe(b"id,b\n1,", None), "id=1\n");
}

#[test]
fn a_value_that_is_no_utf_8_is_read_as_windows_1252() {
    assert_eq!(
        describe(b"id,b,\xFCber\n\xC3\xBC,caf\xE9 \x80,z\n", None),
        "id=ü|b=café €|über=z|TextNotUtf8 b\n"
    );
    // The two halves of a letter in neighbouring fields are no letter.
    assert_eq!(describe(b"a,b\n\xC3,\xBC\n", None), "a=Ã|b=¼|TextNotUtf8 a|TextNotUtf8 b\n");
}

#[test]
fn zeros_are_removed() {
    assert_eq!(describe(b"i\0d,b\n\0 1\0,\0\n", None), "id=1\n");
}

#[test]
fn a_quotation_mark_that_is_not_closed_is_found_in_bounded_memory() {
    let csv = (&b"id,b\n1,2\n3,\""[..]).chain(std::io::repeat(b'x').take(1 << 30));
    let mut records = DelimitedRecords::new(csv, None);
    let mut headings = Headings::default();
    let mut record = FeedRecord::default();
    assert!(records.read_record(&mut headings, &mut record).unwrap());
    let fault = records.read_record(&mut headings, &mut record).unwrap_err();
    assert!(matches!(fault, RecordFault::Malformed { line: 3, offset: 9, .. }), "{fault}");
    assert!(records.fields.len() <= crate::limits::FEED_ROW_BYTES);
}

#[test]
fn columns_without_end_are_refused_and_fields_without_end_are_a_finding() {
    let heading = "a,".repeat(1_000_000);
    assert!(describe(heading.as_bytes(), None).contains("10,000 columns"));
    let wide = format!("id,b\n1,2{}\n1,2{}x\n3,4\n", ",".repeat(100_000), ",".repeat(100_000));
    assert_eq!(describe(wide.as_bytes(), None), "id=1|b=2\nRowFields\nid=3|b=4\n");
}

#[test]
fn a_record_is_cleared_before_the_next() {
    let csv = b"id,b,c\n1,2,3\nx\n4,,\n";
    let (records, ..) = read_records(DelimitedRecords::new(&csv[..], None));
    let counts: Vec<_> = records.iter().map(|record| (record.values.len(), record.findings.len())).collect();
    assert_eq!(counts, [(3, 0), (0, 1), (1, 0)]);
    assert_eq!(records[1].findings[0].code, IssueCode::RowFields);
}

fn arbitrary_table() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b","[..],
        b";",
        b"\t",
        b"\"",
        b"\"\"",
        b"\n",
        b"\r\n",
        b"\r",
        b"id",
        b"price",
        b"\0",
        b"\xFC",
        b"\xC3\xBC",
        b"\xEF\xBB\xBF",
        b" ",
        b"sep=;",
        b"1",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_table_reads_alike_in_pieces_and_at_once(csv in arbitrary_table()) {
        let (whole, _, fault) = read_records(DelimitedRecords::new(csv.as_slice(), None));
        let (pieces, _, other) = read_records(DelimitedRecords::new(SingleBytes(&csv), None));
        prop_assert_eq!(whole, pieces);
        prop_assert_eq!(format!("{fault:?}"), format!("{other:?}"));
    }

    #[test]
    fn a_written_table_is_read_back(rows in prop::collection::vec(prop::collection::vec("[a-z\",;\n|]{1,6}z", 3), 1..8)) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["id", "b", "c"]).unwrap();
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let csv = writer.into_inner().unwrap();
        let (records, _, fault) = read_records(DelimitedRecords::new(csv.as_slice(), None));
        prop_assert!(fault.is_none());
        let texts = |record: &FeedRecord| record.values.iter().map(|value| value.text.clone()).collect::<Vec<_>>();
        let trimmed: Vec<Vec<_>> =
            rows.iter().map(|row| row.iter().map(|text| text.trim().to_owned()).collect()).collect();
        prop_assert_eq!(records.iter().map(texts).collect::<Vec<_>>(), trimmed);
    }
}
