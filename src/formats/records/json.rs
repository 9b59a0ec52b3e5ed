//! Records of JSON: objects of a list, or one a line.
//!
//! The records of a document that is an object are its first member that is a list of objects, except for lists that
//! never hold products ([`OTHER_LISTS`]). An object inside the document is searched for lists of a known name only
//! ([`RECORD_LISTS`]): others hold links, options and the like.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use serde_json::{Map, Value};

use super::decoded_text::{CountedText, limit_name, write_value};
use super::fault::RecordFault;
use super::headings::Headings;
use super::record::{Record, RecordFinding, RecordSource, RecordValue};
use crate::feeds::IssueCode;
use crate::formats::draft_row::RecordPlace;
use crate::limits::FEED_ROW_BYTES;

/// Lists at the top of a document that are not its records.
const OTHER_LISTS: [&str; 7] =
    ["brands", "categories", "collections", "errors", "links", "users", "warnings"];
/// Lists inside an object of the document that are its records.
const RECORD_LISTS: [&str; 10] =
    ["products", "items", "data", "entries", "results", "records", "rows", "nodes", "offers", "articles"];
/// Deepest nesting, as of `serde_json`.
const DEPTH_LEVELS: usize = 128;
/// Values that one object may hold: each takes far more memory than its text.
const NODES_MAX: usize = 200_000;
/// Longest name of a member outside the records that is told from others.
const MEMBER_BYTES: usize = 64;

const BROKEN: &str = "the JSON is broken here; write the feed by a JSON encoder";
const TOO_DEEP: &str = "the JSON is nested more than 128 deep; send a list of products";
const NO_LIST: &str = "the feed is neither a list nor an object; send a list of products";

/// Records of JSON.
pub struct JsonRecords<R: Read> {
    text: CountedText<R>,
    /// Bytes of the value that was read last.
    value: Vec<u8>,
    /// Path of a nested member, while its column is looked up.
    path: String,
    /// Columns of the values of former records, by their order.
    columns: Vec<usize>,
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
        Self { text, value: Vec::new(), path: String::new(), columns: Vec::new(), stage, depth: 0, number: 0 }
    }

    /// The next byte that is not blank, without consuming it, where the document cannot end.
    fn peek_token(&mut self) -> Result<u8, RecordFault> {
        self.text.skip_while(is_blank)?.ok_or_else(|| self.text.report_truncated())
    }

    /// Reads what `cutter` finds to be one value; false if it is too large, and is not kept.
    fn read_value(&mut self, mut cutter: ValueCutter, limit: usize) -> Result<bool, RecordFault> {
        let part = self.read_until(limit, |bytes| cutter.find_end(bytes))?;
        let is_kept = part.is_kept && cutter.nodes <= NODES_MAX;
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
    fn read_element(&mut self, headings: &mut Headings, record: &mut Record) -> Result<bool, RecordFault> {
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
        let repairs = self.text.repairs();
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
    fn read_document(&mut self, headings: &mut Headings, record: &mut Record) -> Result<bool, RecordFault> {
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
    fn read_line(&mut self, headings: &mut Headings, record: &mut Record) -> Result<bool, RecordFault> {
        if self.text.offset() == 0 {
            self.text.skip_mark()?;
        }
        if self.text.skip_while(is_blank)?.is_none() {
            return Ok(false);
        }
        self.start_record(record);
        let repairs = self.text.repairs();
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

    fn start_record(&mut self, record: &mut Record) {
        self.number += 1;
        record.place =
            RecordPlace { number: self.number, line: self.text.line(), offset: self.text.offset() };
    }

    /// Gives `record` the object and its values; `repairs` is the count before it.
    fn fill_record(
        &mut self,
        object: Map<String, Value>,
        repairs: u64,
        headings: &mut Headings,
        record: &mut Record,
    ) -> Result<(), RecordFault> {
        self.path.clear();
        let mut flat = FlatValues {
            path: &mut self.path,
            headings,
            values: &mut record.values,
            columns: &mut self.columns,
            count: 0,
        };
        flat.add_members(&object)?;
        let count = flat.count;
        record.values.truncate(count);
        record.json = Some(object);
        if self.text.repairs() > repairs {
            record.findings.push(find_in_record(IssueCode::TextNotUtf8));
        }
        Ok(())
    }
}

impl<R: Read> RecordSource for JsonRecords<R> {
    fn read_record(&mut self, headings: &mut Headings, record: &mut Record) -> Result<bool, RecordFault> {
        record.findings.clear();
        record.json = None;
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

/// Values of an object, flat.
struct FlatValues<'a> {
    path: &'a mut String,
    headings: &'a mut Headings,
    values: &'a mut Vec<RecordValue>,
    /// Columns of former records' values by their order: the next record mostly has the same.
    columns: &'a mut Vec<usize>,
    count: usize,
}

impl FlatValues<'_> {
    fn add_members(&mut self, object: &Map<String, Value>) -> Result<(), RecordFault> {
        for (name, value) in object {
            let length = self.path.len();
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(limit_name(name));
            match value {
                Value::Object(object) => self.add_members(object)?,
                Value::Array(list) if list.iter().any(|value| value.is_object() || value.is_array()) => {}
                Value::Array(list) => list.iter().try_for_each(|value| self.add_scalar(value))?,
                _ => self.add_scalar(value)?,
            }
            self.path.truncate(length);
        }
        Ok(())
    }

    fn add_scalar(&mut self, value: &Value) -> Result<(), RecordFault> {
        let text: Cow<'_, str> = match value {
            Value::String(text) if text.contains('\0') => text.replace('\0', "").into(),
            Value::String(text) => text.into(),
            Value::Null => return Ok(()),
            _ => value.to_string().into(),
        };
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        let name = limit_name(self.path);
        let index = self.count;
        let known = self.columns.get(index).copied().filter(|column| self.headings.name(*column) == name);
        let column = known.map_or_else(|| self.headings.intern(name), Ok)?;
        self.columns.resize(self.columns.len().max(index + 1), 0);
        self.columns.get_mut(index).into_iter().for_each(|known| *known = column);
        self.count += usize::from(write_value(self.values, index, column, text));
        Ok(())
    }
}

/// Finds the end of a value by its strings and brackets; `serde_json` reads what is inside.
#[derive(Default)]
struct ValueCutter {
    /// Closing brackets that are awaited.
    closing: Vec<u8>,
    is_in_string: bool,
    is_escaped: bool,
    is_scalar: bool,
    /// Number of values so far, about.
    nodes: usize,
}

impl ValueCutter {
    /// Cuts the rest of a list whose bracket was read.
    fn inside_list() -> Self {
        Self { closing: vec![b']'], ..Self::default() }
    }

    /// Number of the next bytes that belong to the value if it ends in them, else `None`.
    ///
    /// # Errors
    /// The sentence, for brackets that do not match.
    fn find_end(&mut self, bytes: &[u8]) -> Result<Option<usize>, &'static str> {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            at += 1;
            if self.is_in_string {
                at += self.skip_string(bytes.get(at - 1..).unwrap_or_default());
                if !self.is_in_string && self.closing.is_empty() {
                    return Ok(Some(at));
                }
                continue;
            }
            if self.is_scalar && (is_blank(*byte) || matches!(byte, b',' | b'}' | b']')) {
                return Ok(Some(at - 1));
            }
            match byte {
                b'"' if !self.is_scalar => self.is_in_string = true,
                b'{' | b'[' if self.closing.len() == DEPTH_LEVELS => return Err(TOO_DEEP),
                b'{' => self.open(b'}'),
                b'[' => self.open(b']'),
                b'}' | b']' if self.closing.pop() != Some(*byte) => return Err(BROKEN),
                b'}' | b']' if self.closing.is_empty() => return Ok(Some(at)),
                b',' => self.nodes += 1,
                b'-' | b'0'..=b'9' | b't' | b'f' | b'n' if self.closing.is_empty() => self.is_scalar = true,
                _ if self.closing.is_empty() && !self.is_scalar => return Err(BROKEN),
                _ => {}
            }
        }
        Ok(None)
    }

    fn open(&mut self, closing: u8) {
        self.closing.push(closing);
        self.nodes += 1;
    }

    /// Number of bytes after the first that belong to the string.
    fn skip_string(&mut self, bytes: &[u8]) -> usize {
        if std::mem::take(&mut self.is_escaped) {
            return 0;
        }
        let Some(end) = memchr::memchr2(b'"', b'\\', bytes) else { return bytes.len() - 1 };
        self.is_escaped = bytes.get(end) == Some(&b'\\');
        self.is_in_string = self.is_escaped;
        end
    }
}

fn has_too_many_nodes(line: &[u8]) -> bool {
    let mut cutter = ValueCutter::default();
    line.len() > NODES_MAX && cutter.find_end(line).is_ok() && cutter.nodes > NODES_MAX
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

const fn find_in_record(code: IssueCode) -> RecordFinding {
    RecordFinding { code, column: String::new() }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
