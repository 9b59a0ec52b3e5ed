//! Cuts a file into its lines, each held whole up to the size of a row.

use std::io::{self, BufRead, BufReader, Read};

use crate::limits;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line that is not blank.
pub(super) struct FileLine<'a> {
    /// Its bytes with one `\n` at the end; nothing of a line that is too long.
    pub(super) bytes: &'a [u8],
    /// Offset of its first byte in the file.
    pub(super) offset: u64,
    /// True if it is longer than a row may be.
    pub(super) is_oversize: bool,
}

/// Reads lines that end with `\n` or `\r\n`, the last one also with the file.
pub(super) struct Lines<R> {
    source: BufReader<R>,
    line: Vec<u8>,
    offset: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source: BufReader::with_capacity(64 * 1024, source), line: Vec::new(), offset: 0 }
    }

    /// The next line that is not blank.
    pub(super) fn next_filled(&mut self) -> io::Result<Option<FileLine<'_>>> {
        loop {
            let offset = self.offset;
            let Some(length) = self.next()? else { return Ok(None) };
            self.offset += length;
            let is_oversize = length > limits::FEED_ROW_BYTES as u64;
            if offset == 0 && self.line.starts_with(BYTE_ORDER_MARK) {
                self.line.drain(..BYTE_ORDER_MARK.len());
            }
            if is_oversize || !self.line.trim_ascii().is_empty() {
                let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
                let end = self.line.iter().rposition(|byte| !is_end(byte)).map_or(0, |last| last + 1);
                self.line.truncate(end);
                self.line.push(b'\n');
                return Ok(Some(FileLine { bytes: &self.line, offset, is_oversize }));
            }
        }
    }

    /// Reads one line into the buffer, or the beginning of a line that is too long; returns its length.
    fn next(&mut self) -> io::Result<Option<u64>> {
        self.line.clear();
        let mut length = 0;
        loop {
            let some = match self.source.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                some => some?,
            };
            if some.is_empty() {
                return Ok(Some(length).filter(|length| *length > 0));
            }
            let end = memchr::memchr(b'\n', some);
            let taken = end.map_or(some.len(), |end| end + 1);
            let room = limits::FEED_ROW_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(&some[..taken.min(room)]);
            self.source.consume(taken);
            length += taken as u64;
            if end.is_some() {
                return Ok(Some(length));
            }
        }
    }
}
