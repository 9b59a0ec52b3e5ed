//! Records of a table: CSV, TSV and their relatives.
//!
//! The first line that is not blank is the heading. A line may have fewer fields than the heading: the last ones are
//! empty then. A line with text in more fields, or with one field in a table of three columns or more (a sentence of
//! the exporting system, the rest of a broken description), is a finding.

use std::io::{BufRead, Read};

use csv_core::ReadRecordResult;

use super::counted_text::CountedText;
use super::decoded_text::{WINDOW_BYTES, decode_value};
use super::fault::RecordFault;
use super::headings::Headings;
use super::record::{FeedRecord, RecordFinding, RecordSource, trim_text, write_value};
use crate::feeds::IssueCode;
use crate::formats::draft_row::RecordPlace;
use crate::limits::{FEED_COLUMNS, FEED_ROW_BYTES};

/// Delimiters that a heading line is searched for; the first of those that occur equally often.
const DELIMITERS: [u8; 4] = [b'\t', b';', b',', b'|'];
/// First size of the buffer of a line.
const LINE_BYTES: usize = 16 * 1024;
/// Columns from which on a line with a single field is no row.
const SINGLE_FIELD_COLUMNS: usize = 3;

/// Records of a table.
pub struct DelimitedRecords<R: Read> {
    text: CountedText<R>,
    delimiter: Option<u8>,
    parser: csv_core::Reader,
    /// Fields of the current line, one after the other, unquoted.
    fields: Vec<u8>,
    /// Bytes of `fields` that the current line uses.
    used: usize,
    /// Ends of the fields in `fields`; one more than there are columns, for text beyond them.
    ends: Vec<usize>,
    /// Number of fields of the current line, at most the length of `ends`.
    count: usize,
    /// Column of each field; empty until the heading was read.
    columns: Vec<usize>,
    number: u64,
}

impl<R: Read> DelimitedRecords<R> {
    /// Reads the table in `source`, decoded text. The heading line tells the delimiter if it is `None`.
    #[must_use]
    pub fn new(source: R, delimiter: Option<u8>) -> Self {
        Self {
            text: CountedText::new(source),
            delimiter,
            parser: csv_core::Reader::new(),
            fields: vec![0; LINE_BYTES],
            used: 0,
            ends: vec![0; FEED_COLUMNS + 1],
            count: 0,
            columns: Vec::new(),
            number: 0,
        }
    }

    /// Tells the delimiter and the use of quotes, then interns the names of the columns; false for an empty file.
    fn read_heading(&mut self, headings: &mut Headings) -> Result<bool, RecordFault> {
        self.text.skip_mark()?;
        self.text.skip_while(is_line_end)?;
        let window = self.text.peek(WINDOW_BYTES)?;
        let separator = find_separator_line(window);
        let skipped = separator.map_or(0, |(_, length)| length);
        let window = window.get(skipped..).unwrap_or_default();
        let delimiter = self.delimiter.or(separator.map(|(delimiter, _)| delimiter));
        let delimiter = delimiter.unwrap_or_else(|| find_delimiter(window));
        // A tab stands in no text, so that exporters of TSV need no quotes, and most write none.
        let has_quotes = delimiter != b'\t' || has_quoted_fields(window, delimiter);
        self.parser = csv_core::ReaderBuilder::new().delimiter(delimiter).quoting(has_quotes).build();
        self.text.consume(skipped);
        self.parser.set_line(self.text.place(0).line);
        if self.cut_line()?.is_none() {
            return Ok(false);
        }
        if self.count > FEED_COLUMNS {
            return Err(RecordFault::TooManyColumns);
        }
        let mut start = 0;
        for (index, end) in self.ends.iter().take(self.count).enumerate() {
            let name = decode_value(self.fields.get(start..*end).unwrap_or_default()).replace('\0', "");
            let name = match name.trim() {
                "" => format!("column {}", index + 1),
                name => name.to_owned(),
            };
            self.columns.push(headings.intern(&name)?);
            start = *end;
        }
        self.ends.truncate(self.columns.len() + 1);
        Ok(true)
    }

    fn read_row(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<bool, RecordFault> {
        if self.columns.is_empty() && !self.read_heading(headings)? {
            return Ok(false);
        }
        while let Some(place) = self.cut_line()? {
            if self.has_wrong_fields() {
                record.values.clear();
                record.findings.push(RecordFinding { code: IssueCode::RowFields, column: String::new() });
            } else {
                self.fill_record(headings, record);
            }
            // A line of delimiters alone is as blank as an empty one.
            if !record.values.is_empty() || !record.findings.is_empty() {
                self.number += 1;
                record.place = RecordPlace { number: self.number, ..place };
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Cuts the next line that is not blank into `fields` and `ends`; `None` at the end of the file.
    fn cut_line(&mut self) -> Result<Option<RecordPlace>, RecordFault> {
        let mut blank_lines = 0;
        let next = self.text.skip_while(|byte| {
            blank_lines += u64::from(byte == b'\n');
            is_line_end(byte)
        })?;
        if next.is_none() {
            return Ok(None);
        }
        // The parser counts lines anyway.
        self.parser.set_line(self.parser.line() + blank_lines);
        let place = RecordPlace { number: self.number, line: self.parser.line(), offset: self.text.offset() };
        self.used = 0;
        self.count = 0;
        loop {
            let read = self.text.peek(1)?;
            // A last line that is not ended gets its end here; within quotes it stays open, which tells a cut file.
            let is_end = read.is_empty();
            let input = if is_end { b"\n" } else { read };
            let fields = self.fields.get_mut(self.used..).unwrap_or_default();
            let ends = self.ends.get_mut(self.count..).unwrap_or_default();
            let (result, read, written, ended) = self.parser.read_record(input, fields, ends);
            self.used += written;
            self.count += ended;
            if !is_end {
                self.text.consume(read);
            }
            match result {
                ReadRecordResult::Record => return Ok(Some(place)),
                ReadRecordResult::InputEmpty if !is_end => {}
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {
                    return Err(RecordFault::Truncated { line: place.line, offset: place.offset });
                }
                ReadRecordResult::OutputFull => self.grow_fields(place)?,
                ReadRecordResult::OutputEndsFull => self.reuse_last_end()?,
            }
        }
    }

    fn grow_fields(&mut self, place: RecordPlace) -> Result<(), RecordFault> {
        if self.fields.len() >= FEED_ROW_BYTES {
            return Err(RecordFault::Malformed {
                reason: "the row that begins here is larger than 4 MiB; a quotation mark was probably not closed",
                line: place.line,
                offset: place.offset,
            });
        }
        self.fields.resize(FEED_ROW_BYTES.min(self.fields.len() * 2), 0);
        Ok(())
    }

    /// Keeps one end for all fields beyond the columns: only their text counts.
    fn reuse_last_end(&mut self) -> Result<(), RecordFault> {
        if self.columns.is_empty() {
            return Err(RecordFault::TooManyColumns);
        }
        self.count = self.columns.len();
        Ok(())
    }

    /// True if the line has no row's number of fields.
    fn has_wrong_fields(&self) -> bool {
        let width = self.columns.len();
        if self.count == 1 && width >= SINGLE_FIELD_COLUMNS {
            return true;
        }
        let last_end = width.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(0);
        let beyond = self.fields.get(last_end..self.used).unwrap_or_default();
        self.count > width && beyond.iter().any(|byte| !byte.is_ascii_whitespace() && *byte != 0)
    }

    /// Writes the values of the line over those of `record`, whose memory is used again.
    fn fill_record(&self, headings: &Headings, record: &mut FeedRecord) {
        let fields = self.fields.get(..self.used).unwrap_or_default();
        // One check for the whole line; it fails between two fields that are only valid together.
        let whole = std::str::from_utf8(fields).ok().filter(|_| memchr::memchr(0, fields).is_none());
        let mut start = 0;
        let mut kept = 0;
        for (column, end) in self.columns.iter().zip(self.ends.iter().take(self.count)) {
            if let Some(text) = whole.and_then(|whole| whole.get(start..*end)) {
                kept += usize::from(write_value(&mut record.values, kept, *column, trim_text(text)));
            } else {
                let bytes = fields.get(start..*end).unwrap_or_default();
                let text = decode_value(bytes).replace('\0', "");
                let is_kept = write_value(&mut record.values, kept, *column, text.trim());
                kept += usize::from(is_kept);
                if std::str::from_utf8(bytes).is_err() && is_kept {
                    let column = headings.name(*column).to_owned();
                    record.findings.push(RecordFinding { code: IssueCode::TextNotUtf8, column });
                }
            }
            start = *end;
        }
        record.values.truncate(kept);
    }
}

impl<R: Read> RecordSource for DelimitedRecords<R> {
    fn read_record(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<bool, RecordFault> {
        record.start_next();
        let outcome = self.read_row(headings, record);
        if !matches!(outcome, Ok(true)) {
            record.values.clear();
        }
        outcome
    }
}

/// Delimiter and length of a first line such as `sep=;`, which spreadsheets write.
fn find_separator_line(window: &[u8]) -> Option<(u8, usize)> {
    let (name, rest) = window.split_at_checked(4)?;
    let (delimiter, rest) = rest.split_first()?;
    let is_separator = name.eq_ignore_ascii_case(b"sep=") && DELIMITERS.contains(delimiter);
    let ends = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    (is_separator && ends > 0).then_some((*delimiter, 5 + ends))
}

/// The delimiter that occurs most often in the heading, outside quotes; a comma if none does.
fn find_delimiter(window: &[u8]) -> u8 {
    let mut is_quoted = false;
    let quoted_line = window.split(|byte| {
        is_quoted ^= *byte == b'"';
        !is_quoted && matches!(byte, b'\n' | b'\r')
    });
    let heading = quoted_line.into_iter().next().unwrap_or_default();
    let count_unquoted = |delimiter: u8| {
        let unquoted = heading.split(|byte| *byte == b'"').step_by(2);
        unquoted.map(|part| memchr::memchr_iter(delimiter, part).count()).sum::<usize>()
    };
    let mut best = (b',', 0);
    for delimiter in DELIMITERS {
        let count = count_unquoted(delimiter);
        if count > best.1 {
            best = (delimiter, count);
        }
    }
    best.0
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// True if fields are enclosed in quotes: each that begins with one ends with one too.
fn has_quoted_fields(window: &[u8], delimiter: u8) -> bool {
    let is_end = |byte: u8| byte == delimiter || is_line_end(byte);
    let mut has_any = false;
    let mut at = 0;
    while let Some(byte) = window.get(at) {
        if *byte == b'"' {
            let Some(end) = find_closing_quote(window, at + 1) else { break };
            if window.get(end + 1).is_some_and(|next| !is_end(*next)) {
                return false;
            }
            has_any = true;
            at = end + 1;
        }
        let rest = window.get(at..).unwrap_or_default();
        let Some(end) = rest.iter().position(|byte| is_end(*byte)) else { break };
        at += end + 1;
    }
    has_any
}

/// Index of the quote that closes a field; a doubled one is a quote in its text.
fn find_closing_quote(window: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr::memchr(b'"', window.get(at..)?)?;
        if window.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
#[path = "delimited_tests.rs"]
mod tests;
