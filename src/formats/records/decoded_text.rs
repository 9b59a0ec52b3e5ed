//! Text of a file in any usual encoding, as UTF-8; its bytes and lines counted while a reader of records takes them.

use std::collections::VecDeque;
use std::io::{self, BufRead, Chain, Cursor, Read};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};
use memchr::memmem;

use super::fault::RecordFault;
use super::record::RecordValue;

/// Bytes by which the encoding is told; also the size of one read.
pub(super) const WINDOW_BYTES: usize = 64 * 1024;
/// Bytes in which an XML declaration has to begin: warnings of a shop's system stand before some.
const DECLARATION_BYTES: usize = 4 * 1024;
/// Bytes by which UTF-16 without a mark is told.
const UTF_16_BYTES: usize = 512;
/// Beginnings of a feed in XML, after the `<`.
const XML_ROOTS: [&[u8]; 6] = [b"?xml", b"rss", b"feed", b"rdf:RDF", b"RDF", b"atom:feed"];
/// Longest name of a column. [`super::COLUMNS_MAX`] names of this length still fit in the memory of an import.
const COLUMN_NAME_BYTES: usize = 1024;

/// Bytes of a file as UTF-8, without a byte order mark.
///
/// Bytes that are invalid beyond the first [`WINDOW_BYTES`] of a text taken for UTF-8 pass unchanged: the readers of
/// records decide value by value.
pub struct DecodedText<R: Read> {
    text: DecodeReaderBytes<Chain<Cursor<Vec<u8>>, R>, Vec<u8>>,
    encoding: &'static Encoding,
}

impl<R: Read> DecodedText<R> {
    /// Reads the first [`WINDOW_BYTES`] of `source` and tells its encoding by them.
    ///
    /// # Errors
    /// Errors of `source`.
    pub fn open(mut source: R) -> io::Result<Self> {
        let mut head = Vec::new();
        source.by_ref().take(WINDOW_BYTES as u64).read_to_end(&mut head)?;
        let encoding = find_encoding(&head);
        let mut builder = DecodeReaderBytesBuilder::new();
        if encoding == UTF_8 {
            builder.bom_sniffing(false).strip_bom(true);
        } else {
            builder.encoding(Some(encoding));
        }
        Ok(Self { text: builder.build(Cursor::new(head).chain(source)), encoding })
    }

    /// Name of the encoding in the Encoding Standard: `UTF-8`, `UTF-16LE`, `windows-1252`, …
    #[must_use]
    pub fn encoding_name(&self) -> &'static str {
        self.encoding.name()
    }
}

impl<R: Read> Read for DecodedText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.text.read(buffer)
    }
}

/// Encoding of a file that begins with `head`.
fn find_encoding(head: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    if let Some(encoding) = find_unmarked_utf_16(head) {
        return encoding;
    }
    // A declaration that could be read byte by byte is not UTF-16, and one of UTF-8 is often wrong.
    match find_declared_encoding(head) {
        Some(encoding) if encoding != UTF_8 && encoding.is_ascii_compatible() => encoding,
        _ if is_utf_8(head) => UTF_8,
        _ => WINDOWS_1252,
    }
}

/// UTF-16 of mostly Latin text, which has a zero at every second place.
fn find_unmarked_utf_16(head: &[u8]) -> Option<&'static Encoding> {
    let units = head.get(..UTF_16_BYTES).unwrap_or(head).chunks_exact(2);
    let count = units.len();
    let first_zeros = units.clone().filter(|unit| unit.first() == Some(&0)).count();
    let second_zeros = units.filter(|unit| unit.last() == Some(&0)).count();
    let is_mostly = |zeros: usize| count >= 2 && zeros * 10 >= count * 7;
    match (first_zeros, second_zeros) {
        (0, zeros) if is_mostly(zeros) => Some(UTF_16LE),
        (zeros, 0) if is_mostly(zeros) => Some(UTF_16BE),
        _ => None,
    }
}

/// Encoding that an XML declaration names. It stands first, or begins a line, or follows the markup of a warning.
fn find_declared_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.get(..DECLARATION_BYTES).unwrap_or(head);
    let (before, declaration) = head.split_at(memmem::find(head, b"<?xml")?);
    let is_at_start = before.trim_ascii().is_empty() || matches!(before.last(), Some(b'\n' | b'\r' | b'>'));
    let (declaration, _) = declaration.split_at(memmem::find(declaration, b"?>")?);
    let (_, named) = declaration.split_at(memmem::find(declaration, b"encoding")?);
    let value = named.strip_prefix(b"encoding")?.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let label = value.split(|byte| byte == quote).next()?;
    Encoding::for_label_no_replacement(label).filter(|_| is_at_start)
}

/// True for valid UTF-8 whose last letter may be cut off.
fn is_utf_8(head: &[u8]) -> bool {
    match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) if error.error_len().is_some() => false,
        // In a whole file, a first foreign letter at its very end is rather one of a single-byte encoding.
        Err(error) => head.len() >= WINDOW_BYTES || !head.iter().take(error.valid_up_to()).all(u8::is_ascii),
    }
}

/// Offset at which an XML document begins: its declaration or root, after warnings of the shop's system.
pub(super) fn find_xml_start(window: &[u8]) -> usize {
    let blank = window.len() - window.trim_ascii_start().len();
    let text = window.get(blank..).unwrap_or_default();
    if text.starts_with(b"<?") || text.starts_with(b"<!") {
        return blank;
    }
    // A root of another name begins with the first tag; its records come before any of the known beginnings.
    let mut first = None;
    for at in memchr::memchr_iter(b'<', window) {
        first = first.or(Some(at));
        let name = read_tag_name(window, at);
        if XML_ROOTS.contains(&name) || name.eq_ignore_ascii_case(b"!doctype") {
            return at;
        }
        if is_xml_record(name) {
            break;
        }
    }
    first.unwrap_or(blank)
}

/// True if the root or a record of a feed begins in `window`.
pub(super) fn has_xml_feed(window: &[u8]) -> bool {
    let mut names = memchr::memchr_iter(b'<', window).map(|at| read_tag_name(window, at));
    names.any(|name| XML_ROOTS.contains(&name) || is_xml_record(name))
}

/// True for the local name of a record's element.
pub(super) fn is_xml_record(local_name: &[u8]) -> bool {
    local_name == b"item" || local_name == b"entry"
}

/// Name of the tag whose `<` is at `at`; empty for one of more than ten bytes.
fn read_tag_name(window: &[u8], at: usize) -> &[u8] {
    let tag = window.get(at + 1..).unwrap_or_default();
    let tag = tag.get(..11).unwrap_or(tag);
    let end = tag.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
    end.and_then(|end| tag.get(..end)).unwrap_or_default()
}

/// Text of a value that may be no UTF-8: windows-1252 then.
pub(super) fn decode_value(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

/// The name, or the beginning of one that is too long to be kept.
pub(super) fn limit_name(name: &str) -> &str {
    let end = (0..=COLUMN_NAME_BYTES.min(name.len())).rev().find(|end| name.is_char_boundary(*end));
    name.get(..end.unwrap_or(0)).unwrap_or(name)
}

/// Writes a value over the one at `index` of `values`, whose memory is used again; false for an empty text, which is
/// left out.
pub(super) fn write_value(values: &mut Vec<RecordValue>, index: usize, column: usize, text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    match values.get_mut(index) {
        Some(value) => {
            value.column = column;
            value.text.clear();
            value.text.push_str(text);
        }
        None => values.push(RecordValue { column, text: text.to_owned() }),
    }
    true
}

/// Buffered text that knows its place and how much of it one record may take.
pub(super) struct CountedText<R> {
    source: R,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were consumed.
    start: usize,
    /// End of the bytes that may be given out; the bytes after it are the beginning of a letter.
    ready: usize,
    is_ended: bool,
    offset: u64,
    line: u64,
    /// Bytes that may still be consumed; `fill_buf` fails when none are left.
    allowance: u64,
    is_repairing: bool,
    /// Offsets of repaired bytes that were not consumed yet.
    repaired: VecDeque<u64>,
    /// Number of repaired places that were consumed.
    repairs: u64,
}

impl<R: Read> CountedText<R> {
    /// Text as it is.
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            start: 0,
            ready: 0,
            is_ended: false,
            offset: 0,
            line: 1,
            allowance: u64::MAX,
            is_repairing: false,
            repaired: VecDeque::new(),
            repairs: 0,
        }
    }

    /// Text that is made valid UTF-8: each invalid byte is read as windows-1252.
    pub(super) fn with_repair(source: R) -> Self {
        Self { is_repairing: true, ..Self::new(source) }
    }

    /// Line of the next byte, from 1.
    pub(super) const fn line(&self) -> u64 {
        self.line
    }

    /// Offset of the next byte, from 0.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// Number of repaired places in the text that was consumed.
    pub(super) const fn repairs(&self) -> u64 {
        self.repairs
    }

    /// Sets the number of bytes that may be consumed before `fill_buf` fails.
    pub(super) const fn set_allowance(&mut self, bytes: usize) {
        self.allowance = bytes as u64;
    }

    /// True when the allowance is used up.
    pub(super) const fn is_allowance_used(&self) -> bool {
        self.allowance == 0
    }

    /// True when nothing follows.
    pub(super) const fn is_at_end(&self) -> bool {
        self.is_ended && self.start == self.ready
    }

    /// The text is broken at the next byte.
    pub(super) const fn report_malformed(&self, reason: &'static str) -> RecordFault {
        RecordFault::Malformed { reason, line: self.line, offset: self.offset }
    }

    /// The text ends too early.
    pub(super) const fn report_truncated(&self) -> RecordFault {
        RecordFault::Truncated { line: self.line, offset: self.offset }
    }

    /// As [`Self::peek_bytes`], with the place of an error.
    pub(super) fn peek(&mut self, count: usize) -> Result<&[u8], RecordFault> {
        let offset = self.offset;
        self.peek_bytes(count).map_err(|source| RecordFault::Read { offset, source })
    }

    /// Skips a byte order mark.
    pub(super) fn skip_mark(&mut self) -> Result<(), RecordFault> {
        if self.peek(3)?.starts_with(b"\xEF\xBB\xBF") {
            self.consume(3);
        }
        Ok(())
    }

    /// Skips all bytes that `is_skipped` is true for, and returns the next one; `None` at the end of the file.
    pub(super) fn skip_while(&mut self, is_skipped: fn(u8) -> bool) -> Result<Option<u8>, RecordFault> {
        loop {
            let read = self.peek(1)?;
            let count = read.iter().take_while(|byte| is_skipped(**byte)).count();
            let next = read.get(count).copied();
            let is_end = read.is_empty();
            self.consume(count);
            if next.is_some() || is_end {
                return Ok(next);
            }
        }
    }

    /// The next bytes without consuming them: at least `count`, fewer only at the end of the file.
    fn peek_bytes(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.ready - self.start < count && !self.is_ended {
            self.refill()?;
        }
        Ok(self.buffer.get(self.start..self.ready).unwrap_or_default())
    }

    fn refill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.ready -= self.start;
        self.start = 0;
        self.buffer.reserve(WINDOW_BYTES);
        let count = self.source.by_ref().take(WINDOW_BYTES as u64).read_to_end(&mut self.buffer)?;
        self.is_ended = count < WINDOW_BYTES;
        if self.is_repairing {
            self.repair();
        } else {
            self.ready = self.buffer.len();
        }
        Ok(())
    }

    /// Makes the bytes after `ready` valid, except for a letter whose rest has not been read.
    fn repair(&mut self) {
        let read = self.buffer.get(self.ready..).unwrap_or_default();
        match std::str::from_utf8(read) {
            Ok(_) => self.ready = self.buffer.len(),
            Err(error) if error.error_len().is_none() && !self.is_ended => self.ready += error.valid_up_to(),
            Err(_) => self.replace_invalid(),
        }
    }

    fn replace_invalid(&mut self) {
        let read = self.buffer.split_off(self.ready);
        let mut rest = read.as_slice();
        while let Err(error) = std::str::from_utf8(rest) {
            let (valid, after) = rest.split_at(error.valid_up_to());
            self.buffer.extend_from_slice(valid);
            let Some(count) = error.error_len().or(self.is_ended.then_some(after.len())) else {
                self.ready = self.buffer.len();
                self.buffer.extend_from_slice(after);
                return;
            };
            let (invalid, after) = after.split_at(count);
            self.repaired.push_back(self.offset + self.buffer.len() as u64);
            let letters = WINDOWS_1252.decode_without_bom_handling(invalid).0;
            self.buffer.extend_from_slice(letters.as_bytes());
            rest = after;
        }
        self.buffer.extend_from_slice(rest);
        self.ready = self.buffer.len();
    }
}

impl<R: Read> Read for CountedText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for CountedText<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.allowance == 0 {
            return Err(io::Error::other("a record is too large"));
        }
        self.peek_bytes(1)
    }

    fn consume(&mut self, count: usize) {
        let end = self.start.saturating_add(count).min(self.ready);
        let taken = self.buffer.get(self.start..end).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', taken).count() as u64;
        self.offset += taken.len() as u64;
        self.allowance = self.allowance.saturating_sub(taken.len() as u64);
        self.start = end;
        while self.repaired.front().is_some_and(|offset| *offset < self.offset) {
            self.repaired.pop_front();
            self.repairs += 1;
        }
    }
}

#[cfg(test)]
#[path = "decoded_text_tests.rs"]
mod tests;
