//! Text whose bytes and lines are counted while a reader of records takes them.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use encoding_rs::WINDOWS_1252;

use super::decoded_text::WINDOW_BYTES;
use super::fault::RecordFault;
use crate::formats::draft_row::RecordPlace;

/// Buffered text that knows its place and how much of it one record may take.
///
/// Consuming is only an addition: lines and repaired places are counted when they are asked for, or when their bytes
/// leave the buffer.
pub(super) struct CountedText<R> {
    source: R,
    buffer: Vec<u8>,
    /// Offset of the buffer's first byte.
    base: u64,
    /// Bytes of the buffer that were consumed.
    start: usize,
    /// End of the bytes that may be given out; the bytes after it are the beginning of a letter.
    ready: usize,
    is_ended: bool,
    /// Line of the byte at `counted`.
    line: u64,
    /// Bytes of the buffer whose lines are counted, never more than `start`.
    counted: usize,
    /// Index of the mark, until its line is known.
    mark: Option<usize>,
    marked_line: u64,
    marked_offset: u64,
    /// Offset from which on `fill_buf` fails.
    limit: u64,
    is_repairing: bool,
    /// Offsets of repaired bytes that were not yet counted as consumed.
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
            base: 0,
            start: 0,
            ready: 0,
            is_ended: false,
            line: 1,
            counted: 0,
            mark: None,
            marked_line: 1,
            marked_offset: 0,
            limit: u64::MAX,
            is_repairing: false,
            repaired: VecDeque::new(),
            repairs: 0,
        }
    }

    /// Text that is made valid UTF-8: each invalid byte is read as windows-1252.
    pub(super) fn with_repair(source: R) -> Self {
        Self { is_repairing: true, ..Self::new(source) }
    }

    /// Offset of the next byte, from 0.
    pub(super) const fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Line of the next byte, from 1.
    fn count_line(&mut self) -> u64 {
        self.settle_mark();
        self.count_lines_to(self.start);
        self.line
    }

    /// Place of the next byte, where the record `number` begins.
    pub(super) fn place(&mut self, number: u64) -> RecordPlace {
        RecordPlace { number, line: self.count_line(), offset: self.offset() }
    }

    /// Marks the next byte: its place can be asked for after it was consumed.
    pub(super) const fn mark(&mut self) {
        self.mark = Some(self.start);
        self.marked_offset = self.offset();
    }

    /// Place of the marked byte, where the record `number` begins.
    pub(super) fn marked_place(&mut self, number: u64) -> RecordPlace {
        self.settle_mark();
        RecordPlace { number, line: self.marked_line, offset: self.marked_offset }
    }

    fn settle_mark(&mut self) {
        if let Some(mark) = self.mark.take() {
            self.count_lines_to(mark);
            self.marked_line = self.line;
        }
    }

    fn count_lines_to(&mut self, end: usize) {
        let uncounted = self.buffer.get(self.counted..end).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', uncounted).count() as u64;
        self.counted = self.counted.max(end);
    }

    /// Number of repaired places in the text that was consumed.
    pub(super) fn count_repairs(&mut self) -> u64 {
        let offset = self.offset();
        while self.repaired.front().is_some_and(|repaired| *repaired < offset) {
            self.repaired.pop_front();
            self.repairs += 1;
        }
        self.repairs
    }

    /// Sets the number of bytes that may be consumed before `fill_buf` fails.
    pub(super) const fn set_allowance(&mut self, bytes: usize) {
        self.limit = self.offset().saturating_add(bytes as u64);
    }

    /// True when the allowance is used up.
    pub(super) const fn is_allowance_used(&self) -> bool {
        self.offset() >= self.limit
    }

    /// True when nothing follows.
    pub(super) const fn is_at_end(&self) -> bool {
        self.is_ended && self.start == self.ready
    }

    /// The text is broken at the next byte.
    pub(super) fn report_malformed(&mut self, reason: &'static str) -> RecordFault {
        RecordFault::Malformed { reason, line: self.count_line(), offset: self.offset() }
    }

    /// The text ends too early.
    pub(super) fn report_truncated(&mut self) -> RecordFault {
        RecordFault::Truncated { line: self.count_line(), offset: self.offset() }
    }

    /// As [`Self::peek_bytes`], with the place of an error.
    pub(super) fn peek(&mut self, count: usize) -> Result<&[u8], RecordFault> {
        let offset = self.offset();
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
    pub(super) fn skip_while(
        &mut self,
        mut is_skipped: impl FnMut(u8) -> bool,
    ) -> Result<Option<u8>, RecordFault> {
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

    #[cold]
    fn refill(&mut self) -> io::Result<()> {
        self.count_line();
        self.count_repairs();
        self.buffer.drain(..self.start);
        self.base += self.start as u64;
        self.ready -= self.start;
        self.counted = 0;
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
            self.repaired.push_back(self.base + self.buffer.len() as u64);
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
    #[inline]
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_allowance_used() {
            return Err(io::Error::other("a record is too large"));
        }
        self.peek_bytes(1)
    }

    #[inline]
    fn consume(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.ready);
    }
}

#[cfg(test)]
#[path = "counted_text_tests.rs"]
mod tests;
