//! Records of JSON: objects of a list, or one a line.
//!
//! The records of a document that is an object are its first member that is a list of objects, except for lists that
//! never hold products (`OTHER_LISTS`). An object inside the document is searched for lists of a known name only
//! (`RECORD_LISTS`): others hold links, options and the like.

use std::io::{BufRead, Read};

use serde_json::{Map, Value};

use super::counted_text::CountedText;
use super::fault::RecordFault;
use super::flat_values::FlatValues;
use super::float_texts::FloatTexts;
use super::headings::{ColumnSequence, Headings};
use super::record::{FeedRecord, RecordFinding, RecordSource};
use super::value_cutter::{BROKEN, ValueCutter, has_too_many_nodes, is_blank};
use crate::feeds::IssueCode;
use crate::limits::FEED_ROW_BYTES;

/// Lists at the top of a document that are not its records.
const OTHER_LISTS: [&str; 7] =
    ["brands", "categories", "collections", "errors", "links", "users", "warnings"];
/// Lists inside an object of the document that are its records.
const RECORD_LISTS: [&str; 10] =
    ["products", "items", "data", "entries", "results", "records", "rows", "nodes", "offers", "articles"];
/// Longest name of a member outside the records that is told from others.
const MEMBER_BYTES: usize = 64;

const NO_LIST: &str = "the feed is neither a list nor an object; send a list of products";

/// Records of JSON.
pub struct JsonRecords<R: Read> {
    text: CountedText<R>,
    /// Bytes of the value that was read last.
    value: Vec<u8>,
    /// Path of a nested member, while its column is looked up.
    path: String,
    columns: ColumnSequence,
    stage: Stage,
    /// Objects around the list of records.
    depth: usize,
    number: u64,
}

/// Part of the file that is read next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Lines of objects.
    Lines,
    /// Before the list of records.
    Beginning,
    /// In the list of records, before its first element.
    FirstElement,
    /// In the list of records, after an element.
    NextElement,
    /// Behind it.
    End,
}

/// Part of the file that was read.
struct FilePart {
    is_kept: bool,
    is_ended: bool,
}

impl<R: Read> JsonRecords<R> {
    /// Reads `source`, decoded text: objects one a line if `is_lines`, else a document with a list of objects.
    #[must_use]
    pub fn new(source: R, is_lines: bool) -> Self {
        let stage = if is_lines { Stage::Lines } else { Stage::Beginning };
        let text = CountedText::with_repair(source);
        let columns = ColumnSequence::default();
        Self { text, value: Vec::new(), path: String::new(), columns, stage, depth: 0, number: 0 }
    }

    /// The next byte that is not blank, without consuming it, where the document cannot end.
    fn peek_token(&mut self) -> Result<u8, RecordFault> {
        self.text.skip_while(is_blank)?.ok_or_else(|| self.text.report_truncated())
    }

    /// Reads what `cutter` finds to be one value; false if it is too large, and is not kept.
    fn read_value(&mut self, mut cutter: ValueCutter, limit: usize) -> Result<bool, RecordFault> {
        let part = self.read_until(limit, |bytes| cutter.find_end(bytes))?;
        let is_kept = part.is_kept && !cutter.has_too_many_nodes();
        if part.is_ended { Ok(is_kept) } else { Err(self.text.report_truncated()) }
    }

    /// Reads to the end that `find_end` tells, or that of the file; up to `limit` bytes are kept in `value`.
    fn read_until(
        &mut self,
        limit: usize,
        mut find_end: impl FnMut(&[u8]) -> Result<Option<usize>, &'static str>,
    ) -> Result<FilePart, RecordFault> {
        self.value.clear();
        let mut is_kept = true;
        loop {
            let read = self.text.peek(1)?;
            let end = match find_end(read) {
                Ok(end) => end,
                Err(reason) => return Err(self.text.report_malformed(reason)),
            };
            let part = read.get(..end.unwrap_or(read.len())).unwrap_or_default();
            is_kept &= self.value.len() + part.len() <= limit;
            if is_kept {
                self.value.extend_from_slice(part);
            }
            let count = part.len();
            let is_at_end = read.is_empty();
            self.text.consume(count);
            if end.is_some() || is_at_end {
                return Ok(FilePart { is_kept, is_ended: end.is_some() });
            }
        }
    }

    /// Goes to the list of records; false if there is none.
    fn find_list(&mut self) -> Result<bool, RecordFault> {
        self.text.skip_mark()?;
        match self.text.skip_while(is_blank)? {
            None => Ok(false),
            Some(b'[') => {
                self.text.consume(1);
                Ok(true)
            }
            Some(b'{') => {
                self.text.consume(1);
                self.depth = 1;
                self.walk_members(true, true)
            }
            Some(_) => Err(self.text.report_malformed(NO_LIST)),
        }
    }

    /// Goes over the members of the document's objects; true when a list of records begins.
    fn walk_members(&mut self, mut is_first: bool, is_searching: bool) -> Result<bool, RecordFault> {
        while self.depth > 0 {
            match self.peek_token()? {
                b'}' => {
                    self.text.consume(1);
                    self.depth -= 1;
                    is_first = false;
                    continue;
                }
                b',' if !is_first => self.text.consume(1),
                b'"' if is_first => {}
                _ => return Err(self.text.report_malformed(BROKEN)),
            }
            let name = self.read_member_name()?;
            is_first = false;
            match self.peek_token()? {
                b'[' if is_searching && self.may_hold_records(&name) => {
                    self.text.consume(1);
                    if self.peek_token()? == b'{' {
                        return Ok(true);
                    }
                    self.read_value(ValueCutter::inside_list(), 0)?;
                }
                b'{' if is_searching && self.depth == 1 => {
                    self.text.consume(1);
                    self.depth = 2;
                    is_first = true;
                }
                _ => {
                    self.read_value(ValueCutter::default(), 0)?;
                }
            }
        }
        Ok(false)
    }

    fn may_hold_records(&self, name: &str) -> bool {
        let is_among = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if self.depth == 1 { !is_among(&OTHER_LISTS) } else { is_among(&RECORD_LISTS) }
    }

    /// Reads a member's name and the colon; a long one becomes empty.
    fn read_member_name(&mut self) -> Result<String, RecordFault> {
        if self.peek_token()? != b'"' {
            return Err(self.text.report_malformed(BROKEN));
        }
        let is_kept = self.read_value(ValueCutter::default(), MEMBER_BYTES)?;
        let name = if is_kept { serde_json::from_slice(&self.value) } else { Ok(String::new()) };
        if self.peek_token()? != b':' {
            return Err(self.text.report_malformed(BROKEN));
        }
        self.text.consume(1);
        name.map_err(|_| self.text.report_malformed(BROKEN))
    }

    /// Reads the next element of the list; false at its end, when the rest of the document has been read too.
    fn read_element(
        &mut self,
        headings: &mut Headings,
        record: &mut FeedRecord,
    ) -> Result<bool, RecordFault> {
        match (self.peek_token()?, self.stage) {
            (b']', _) => {
                self.text.consume(1);
                self.walk_members(false, false)?;
                return Ok(false);
            }
            (b',', Stage::NextElement) => self.text.consume(1),
            (_, Stage::FirstElement) => {}
            _ => return Err(self.text.report_malformed(BROKEN)),
        }
        self.stage = Stage::NextElement;
        let token = self.peek_token()?;
        self.start_record(record);
        let repairs = self.text.count_repairs();
        if token != b'{' {
            self.read_value(ValueCutter::default(), 0)?;
            record.findings.push(find_in_record(IssueCode::RowSyntax));
            return Ok(true);
        }
        if !self.read_value(ValueCutter::default(), FEED_ROW_BYTES)? {
            record.findings.push(find_in_record(IssueCode::RowTooLarge));
            return Ok(true);
        }
        let object = serde_json::from_slice(&self.value).map_err(|error| RecordFault::Malformed {
            reason: BROKEN,
            line: record.place.line + (error.line() as u64).saturating_sub(1),
            offset: record.place.offset,
        })?;
        self.fill_record(object, repairs, headings, record)?;
        Ok(true)
    }

    /// Reads the next record of the document; false at the end of the file.
    fn read_document(
        &mut self,
        headings: &mut Headings,
        record: &mut FeedRecord,
    ) -> Result<bool, RecordFault> {
        if self.stage == Stage::Beginning {
            self.stage = if self.find_list()? { Stage::FirstElement } else { Stage::End };
        }
        if self.stage != Stage::End && self.read_element(headings, record)? {
            return Ok(true);
        }
        self.stage = Stage::End;
        let is_end = self.text.skip_while(is_blank)?.is_none();
        if is_end { Ok(false) } else { Err(self.text.report_malformed(BROKEN)) }
    }

    /// Reads the next line that is not blank; false at the end of the file.
    fn read_line(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<bool, RecordFault> {
        if self.text.offset() == 0 {
            self.text.skip_mark()?;
        }
        if self.text.skip_while(is_blank)?.is_none() {
            return Ok(false);
        }
        self.start_record(record);
        let repairs = self.text.count_repairs();
        let line = self.read_until(FEED_ROW_BYTES, |bytes| Ok(memchr::memchr(b'\n', bytes)))?;
        if !line.is_kept || has_too_many_nodes(&self.value) {
            record.findings.push(find_in_record(IssueCode::RowTooLarge));
            return Ok(true);
        }
        match serde_json::from_slice(&self.value) {
            Ok(object) => self.fill_record(object, repairs, headings, record)?,
            Err(error) if error.is_eof() && !line.is_ended => return Err(self.text.report_truncated()),
            Err(_) => record.findings.push(find_in_record(IssueCode::RowSyntax)),
        }
        Ok(true)
    }

    fn start_record(&mut self, record: &mut FeedRecord) {
        self.number += 1;
        record.place = self.text.place(self.number);
    }

    /// Gives `record` the object and its values; `repairs` is the count before it.
    fn fill_record(
        &mut self,
        object: Map<String, Value>,
        repairs: u64,
        headings: &mut Headings,
        record: &mut FeedRecord,
    ) -> Result<(), RecordFault> {
        self.path.clear();
        let mut flat = FlatValues {
            path: &mut self.path,
            headings,
            columns: &mut self.columns,
            floats: FloatTexts::new(&self.value),
            values: &mut record.values,
            count: 0,
        };
        flat.add_members(&object)?;
        let count = flat.count;
        record.values.truncate(count);
        record.json = Some(object);
        if self.text.count_repairs() > repairs {
            record.findings.push(find_in_record(IssueCode::TextNotUtf8));
        }
        Ok(())
    }
}

impl<R: Read> RecordSource for JsonRecords<R> {
    fn read_record(&mut self, headings: &mut Headings, record: &mut FeedRecord) -> Result<bool, RecordFault> {
        record.start_next();
        let outcome = match self.stage {
            Stage::Lines => self.read_line(headings, record),
            _ => self.read_document(headings, record),
        };
        if record.json.is_none() {
            record.values.clear();
        }
        outcome
    }
}

const fn find_in_record(code: IssueCode) -> RecordFinding {
    RecordFinding { code, column: String::new() }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
