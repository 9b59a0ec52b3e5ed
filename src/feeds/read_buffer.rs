//! The part of a feed that is in memory: a buffer that moves over a reader and grows for one row.

use super::fault::FeedFault;
use crate::limits;
use std::io::{ErrorKind, Read};

/// First size; a row larger than this makes it grow.
const START_BYTES: usize = 64 * 1024;
/// Last size: more than the largest row, so that an oversize row is always noticed.
const MAX_BYTES: usize = limits::FEED_ROW_BYTES + limits::FEED_WINDOW_SPARE_BYTES;

/// Bytes of a reader from a moving position on.
pub(super) struct ReadBuffer<R> {
    source: R,
    buffer: Vec<u8>,
    /// The next byte to consume.
    at: usize,
    /// End of the bytes read so far.
    end: usize,
    /// Offset in the feed of the first byte of the buffer.
    base: u64,
}

impl<R: Read> ReadBuffer<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, buffer: vec![0; START_BYTES], at: 0, end: 0, base: 0 }
    }

    /// Offset in the feed of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// The bytes in memory from the position on.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.buffer[self.at..self.end]
    }

    /// The last `length` consumed bytes; valid until more is read.
    pub(super) fn behind(&self, length: usize) -> &[u8] {
        &self.buffer[self.at - length..self.at]
    }

    pub(super) fn consume(&mut self, length: usize) {
        self.at += length;
    }

    /// The next byte, read if need be; `None` at the end of the feed.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, FeedFault> {
        while self.at == self.end {
            if !self.read_more()? {
                return Ok(None);
            }
        }
        Ok(Some(self.buffer[self.at]))
    }

    /// Reads at least one more byte after those in memory; false at the end of the feed.
    pub(super) fn read_more(&mut self) -> Result<bool, FeedFault> {
        self.make_room();
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(length) => {
                    self.end += length;
                    return Ok(length > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(FeedFault::Read { offset: self.base + self.end as u64, source }),
            }
        }
    }

    fn make_room(&mut self) {
        if self.at > 0 {
            self.buffer.copy_within(self.at..self.end, 0);
            self.base += self.at as u64;
            (self.at, self.end) = (0, self.end - self.at);
        }
        if self.end == self.buffer.len() {
            // Callers consume rows over the limit piece by piece, so the largest size is never full.
            self.buffer.resize((self.buffer.len() * 2).min(MAX_BYTES), 0);
        }
    }
}
