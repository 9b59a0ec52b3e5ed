//! Feeds: any bytes, in pieces of any size, through the reader and every normaliser, and as an order file.
//!
//! Must hold: no panic; the same rows however the bytes arrive; a normal form is JSON, and normalising it again
//! gives the same bytes.

#![no_main]

use std::io::Read;

use lethe::feeds::orders::{OrderReader, OrderRow};
use lethe::feeds::reader::{FeedPiece, FeedReader, RawRow, RowOrigin};
use lethe::feeds::rows::{self, ItemKey, NormaliserContext};
use lethe::feeds::{FeedPart, Issue};
use lethe::work::delta_read;

/// Gives the bytes in pieces of one size.
struct Pieces<'a> {
    rest: &'a [u8],
    piece_bytes: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.piece_bytes.min(buffer.len()).min(self.rest.len());
        let (piece, rest) = self.rest.split_at(length);
        buffer[..length].copy_from_slice(piece);
        self.rest = rest;
        Ok(length)
    }
}

type Row = (FeedPart, u64, u64, Vec<u8>);

/// All rows of a feed, and whether it ended well.
fn rows_of(source: impl Read) -> (Vec<Row>, bool) {
    let mut reader = FeedReader::new(source);
    let mut found = Vec::new();
    loop {
        match reader.next_piece() {
            Ok(None) => return (found, true),
            Ok(Some(FeedPiece::Row(row))) => {
                found.push((row.section, row.number, row.offset, row.json.to_vec()))
            }
            Ok(Some(FeedPiece::Section(_) | FeedPiece::Issue(_) | FeedPiece::Unknown(_))) => {}
            Err(_) => return (found, false),
        }
    }
}

type Line = Result<(u64, String, String, String), (u64, &'static str)>;

/// All lines of an order file, and whether it ended well.
fn lines_of(source: impl Read) -> (Vec<Line>, bool) {
    let mut found = Vec::new();
    let Ok(mut reader) = OrderReader::new(source) else { return (found, false) };
    loop {
        match reader.next_row() {
            Ok(None) => return (found, true),
            Ok(Some(Ok(OrderRow::Cancelled { offset, order_id, .. }))) => {
                found.push(Ok((offset, order_id, String::new(), String::new())));
            }
            Ok(Some(Ok(OrderRow::Line(line)))) => {
                let who = format!("{} {} {}", line.user_id, line.email, line.account_id);
                found.push(Ok((line.offset, line.order_id, line.product, who)));
            }
            Ok(Some(Err(issue))) => found.push(Err((issue.offset, issue.code.as_str()))),
            Err(_) => return (found, false),
        }
    }
}

fn normal(row: &RawRow<'_>, issues: &mut Vec<Issue>) -> Option<(ItemKey, Vec<u8>)> {
    let noticed = rows::RowObservations::default();
    let context = NormaliserContext {
        default_currency: Some("EUR"),
        account_tag: &|text| format!("tag-{}", text.len()),
        noticed: Some(&noticed),
    };
    let mut out = Vec::new();
    let key = match row.section {
        FeedPart::Items(_) => rows::normalise_item(row, &context, &mut out, issues),
        FeedPart::Users => {
            delta_read::profile(row, &context, &|_| false, issues);
            None
        }
        FeedPart::DeleteAccountPrices => rows::deleted_account_price(row, &context, issues),
        FeedPart::DeleteProducts | FeedPart::DeleteUsers => {
            rows::deleted_id(row, issues);
            None
        }
        _ => {
            rows::category_change(row, lethe::limits::MEMBERSHIPS, &context, issues);
            None
        }
    }?;
    Some((key, out))
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&first, feed)) = input.split_first() else { return };
    let in_pieces = || Pieces { rest: feed, piece_bytes: usize::from(first % 61) + 1 };
    let whole = rows_of(feed);
    assert!(whole == rows_of(in_pieces()), "the rows depend on how the bytes arrive");
    assert!(lines_of(feed) == lines_of(in_pieces()), "the lines depend on how the bytes arrive");
    let mut issues = Vec::new();
    for (section, number, offset, json) in &whole.0 {
        let row =
            RawRow { section: *section, number: *number, offset: *offset, origin: RowOrigin::Feed, json };
        let Some((key, out)) = normal(&row, &mut issues) else { continue };
        if *section == FeedPart::DeleteAccountPrices {
            continue;
        }
        assert!(serde_json::from_slice::<serde_json::Value>(&out).is_ok(), "a normal form is not JSON");
        if matches!(*section, FeedPart::CATEGORIES | FeedPart::BRANDS) {
            let again = RawRow { json: &out, ..row };
            let Some((same, twice)) = normal(&again, &mut issues) else { panic!("a normal form is refused") };
            assert!(same == key && twice == out, "a normal form is not its own normal form");
        }
    }
});
