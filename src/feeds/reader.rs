//! Streams a feed or delta as sections and raw rows, with bounded memory.
//!
//! The document is a JSON object whose members named after a section hold lists of rows. It reads
//! what real senders write: a byte order mark, stray commas, an object or `""` or `null` for a
//! list. Anything else that is not JSON is a [`FeedFault`]. An object that announces lines is the
//! first line of NDJSON (`ndjson`).

use std::io::Read;

use super::fault::{FaultReason, FeedFault};
use super::fields::misnamed;
use super::issue::Issue;
use super::json;
use super::json_cutter::{Cutter, CutterStep};
use super::ndjson::{self, ConsumedValue, NdjsonLine};
use super::read_buffer::ReadBuffer;
use super::section::FeedPart;
use crate::limits;

pub use super::feed_piece::FeedPiece;
pub use super::raw_row::{RawRow, RowOrigin, UnknownSection};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads one feed document or delta body.
pub struct FeedReader<R> {
    buffer: ReadBuffer<R>,
    cutter: Cutter,
    state: ReaderState,
    /// Rows seen so far, by [`FeedPart::index`].
    counts: [u64; FeedPart::ALL.len()],
    /// The first object announced that lines follow it.
    is_ndjson: bool,
    fault: Option<(FaultReason, u64)>,
}

#[derive(Clone, Copy)]
enum ReaderState {
    Start,
    /// Between the members of the document.
    Members {
        separated: bool,
    },
    /// Between the rows of a section that ends with the byte `close`.
    Rows {
        section: FeedPart,
        close: u8,
        separated: bool,
    },
    /// Between the lines of NDJSON.
    Lines(Below),
    End,
}

/// Section that the marker above a line named.
#[derive(Clone, Copy)]
enum Below {
    /// No marker came yet.
    Nothing,
    Section(FeedPart),
    /// No section: its rows mean nothing.
    Unknown,
}

/// A piece without its bytes.
enum PieceHead {
    Section(FeedPart),
    Row(FeedPart, u64, ConsumedValue),
    Unknown(UnknownSection),
    End,
}

impl<R: Read> FeedReader<R> {
    /// Reads from `source`, which returns the decoded (not compressed) bytes.
    pub fn new(source: R) -> Self {
        Self {
            buffer: ReadBuffer::new(source),
            cutter: Cutter::default(),
            state: ReaderState::Start,
            counts: [0; FeedPart::ALL.len()],
            is_ndjson: false,
            fault: None,
        }
    }

    /// The next piece; `None` once the document has ended well.
    ///
    /// # Errors
    /// [`FeedFault::Malformed`] when the document is no feed, also at each further call; or when the source cannot be
    /// read.
    pub fn next_piece(&mut self) -> Result<Option<FeedPiece<'_>>, FeedFault> {
        if let Some((reason, offset)) = self.fault {
            return Err(reason.at_offset(offset));
        }
        let found = self.find_piece().inspect_err(|fault| {
            if let FeedFault::Malformed { reason, offset } = fault {
                self.fault = Some((*reason, *offset));
            }
        })?;
        Ok(match found {
            PieceHead::End => None,
            PieceHead::Section(section) => Some(FeedPiece::Section(section)),
            PieceHead::Unknown(unknown) => Some(FeedPiece::Unknown(unknown)),
            PieceHead::Row(section, number, ConsumedValue { offset, is_oversize: true, .. }) => {
                Some(FeedPiece::Issue(Issue::oversize(section, number, offset)))
            }
            PieceHead::Row(section, number, ConsumedValue { offset, length, .. }) => {
                Some(FeedPiece::Row(RawRow {
                    section,
                    number,
                    offset,
                    origin: RowOrigin::Feed,
                    json: self.buffer.behind(length),
                }))
            }
        })
    }

    fn find_piece(&mut self) -> Result<PieceHead, FeedFault> {
        loop {
            let found = match self.state {
                ReaderState::Start => self.start()?,
                ReaderState::Members { separated } => self.member(separated)?,
                ReaderState::Rows { section, close, separated } => self.row(section, close, separated)?,
                ReaderState::Lines(below) => self.line(below)?,
                ReaderState::End => Some(self.end()?),
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    fn start(&mut self) -> Result<Option<PieceHead>, FeedFault> {
        for expected in BYTE_ORDER_MARK {
            if self.buffer.peek()? != Some(*expected) {
                break;
            }
            self.buffer.consume(1);
        }
        let first = self.skip_space()?;
        let reason = match first {
            Some(b'{') => {
                self.buffer.consume(1);
                self.state = ReaderState::Members { separated: true };
                return Ok(None);
            }
            None => FaultReason::Empty,
            Some(b'<') => FaultReason::Markup,
            // A byte order mark of UTF-16, NUL, the first byte of gzip and zstd.
            Some(0xFE | 0xFF | 0x00 | 0x1F | 0x28) => FaultReason::NotText,
            Some(_) => FaultReason::NotObject,
        };
        Err(self.fault_here(reason))
    }

    fn member(&mut self, separated: bool) -> Result<Option<PieceHead>, FeedFault> {
        let (next, comma) = self.skip_separators()?;
        match next {
            Some(b'}') => {
                self.buffer.consume(1);
                self.state =
                    if self.is_ndjson { ReaderState::Lines(Below::Nothing) } else { ReaderState::End };
                return Ok(None);
            }
            Some(b'"') if separated || comma => {}
            Some(b'"') => return Err(self.fault_here(FaultReason::CommaMissing)),
            Some(_) => return Err(self.fault_here(FaultReason::NameExpected)),
            None => return Err(self.fault_here(FaultReason::Truncated)),
        }
        let name = self.consume_value()?;
        let offset = name.offset;
        let name = self.text(name).unwrap_or_default();
        self.colon()?;
        self.state = ReaderState::Members { separated: false };
        if let Some(section) = FeedPart::parse_lenient(&name) {
            return self.begin(section).map(Some);
        }
        let value = self.skip_value()?;
        self.is_ndjson |= ndjson::announces_lines(&name, || self.text(value));
        let holds_rows = value.is_oversize || matches!(self.bytes(value).first(), Some(b'[' | b'{'));
        Ok(if holds_rows { unknown_section(name, offset) } else { None })
    }

    /// The text of a string that was just consumed; `None` for anything else.
    fn text(&self, string: ConsumedValue) -> Option<String> {
        let quoted = std::str::from_utf8(self.bytes(string)).ok()?;
        json::value::JsonValue::check(quoted).ok()?.decode_text().map(Into::into)
    }

    /// The bytes of the value just consumed; none if it is oversize.
    fn bytes(&self, cut: ConsumedValue) -> &[u8] {
        if cut.is_oversize { &[] } else { self.buffer.behind(cut.length) }
    }

    fn begin(&mut self, section: FeedPart) -> Result<PieceHead, FeedFault> {
        let close = match self.value_start()? {
            b'[' => b']',
            b'{' => b'}',
            _ => {
                let cut = self.consume_value()?;
                if !matches!(self.bytes(cut), b"null" | b"\"\"") {
                    return Err(FaultReason::SectionNotList.at_offset(cut.offset));
                }
                return Ok(PieceHead::Section(section));
            }
        };
        self.buffer.consume(1);
        self.state = ReaderState::Rows { section, close, separated: true };
        Ok(PieceHead::Section(section))
    }

    /// A member that is no section: its value must be JSON, and is ignored.
    fn skip_value(&mut self) -> Result<ConsumedValue, FeedFault> {
        self.value_start()?;
        let cut = self.consume_value()?;
        if !cut.is_oversize {
            // Wrong letters in an unused value are not worth the feed; wrong syntax is.
            let text = String::from_utf8_lossy(self.buffer.behind(cut.length));
            if json::value::JsonValue::check(&text).err() == Some(json::Malformed::Syntax) {
                return Err(FaultReason::ValueMalformed.at_offset(cut.offset));
            }
        }
        Ok(cut)
    }

    fn row(&mut self, section: FeedPart, close: u8, separated: bool) -> Result<Option<PieceHead>, FeedFault> {
        let (next, comma) = self.skip_separators()?;
        let Some(next) = next else { return Err(self.fault_here(FaultReason::Truncated)) };
        if next == close {
            self.buffer.consume(1);
            self.state = ReaderState::Members { separated: false };
            return Ok(None);
        }
        if matches!(next, b']' | b'}') {
            return Err(self.fault_here(FaultReason::BracketMismatch));
        }
        if !separated && !comma {
            return Err(self.fault_here(FaultReason::CommaMissing));
        }
        if close == b'}' {
            if next != b'"' {
                return Err(self.fault_here(FaultReason::NameExpected));
            }
            self.consume_value()?;
            self.colon()?;
        }
        self.value_start()?;
        self.state = ReaderState::Rows { section, close, separated: false };
        let cut = self.consume_value()?;
        Ok(self.number_row(section, cut))
    }

    /// Numbers the row; `None` for `null`, `[]` and `{}`, which are not rows.
    fn number_row(&mut self, section: FeedPart, cut: ConsumedValue) -> Option<PieceHead> {
        if is_nothing(self.bytes(cut)) {
            return None;
        }
        let count = &mut self.counts[section.index()];
        *count += 1;
        Some(PieceHead::Row(section, *count, cut))
    }

    /// A line of NDJSON. The beginning and end of a row are always known: a broken one spoils no other.
    fn line(&mut self, below: Below) -> Result<Option<PieceHead>, FeedFault> {
        if self.skip_separators()?.0.is_none() {
            return Ok(Some(PieceHead::End));
        }
        let cut = ndjson::cut_line(&mut self.buffer)?;
        match (ndjson::line(self.bytes(cut)), below) {
            (NdjsonLine::Marker(name), _) => {
                let section = FeedPart::parse_lenient(&name);
                self.state = ReaderState::Lines(section.map_or(Below::Unknown, Below::Section));
                Ok(section.map(PieceHead::Section).or_else(|| unknown_section(name, cut.offset)))
            }
            (NdjsonLine::BrokenMarker, _) => Err(FaultReason::MarkerMalformed.at_offset(cut.offset)),
            (NdjsonLine::Row, Below::Section(section)) => Ok(self.number_row(section, cut)),
            (NdjsonLine::Row, Below::Unknown) => Ok(None),
            (NdjsonLine::Row, Below::Nothing) => Err(FaultReason::MarkerMissing.at_offset(cut.offset)),
        }
    }

    fn end(&mut self) -> Result<PieceHead, FeedFault> {
        match self.skip_space()? {
            None => Ok(PieceHead::End),
            Some(_) => Err(self.fault_here(FaultReason::TrailingText)),
        }
    }

    fn colon(&mut self) -> Result<(), FeedFault> {
        match self.skip_space()? {
            Some(b':') => {
                self.buffer.consume(1);
                Ok(())
            }
            Some(_) => Err(self.fault_here(FaultReason::ColonMissing)),
            None => Err(self.fault_here(FaultReason::Truncated)),
        }
    }

    /// The first byte of the value that must come now.
    fn value_start(&mut self) -> Result<u8, FeedFault> {
        match self.skip_space()? {
            None => Err(self.fault_here(FaultReason::Truncated)),
            Some(b',' | b':' | b']' | b'}') => Err(self.fault_here(FaultReason::ValueExpected)),
            Some(first) => Ok(first),
        }
    }

    /// Consumes the value that begins at the position.
    fn consume_value(&mut self) -> Result<ConsumedValue, FeedFault> {
        self.cutter.restart();
        let offset = self.buffer.offset();
        let mut scanned = 0;
        let mut is_oversize = false;
        loop {
            let piece = &self.buffer.ahead()[scanned..];
            match self.cutter.advance(piece) {
                Ok(CutterStep::End(length)) => {
                    let length = scanned + length;
                    self.buffer.consume(length);
                    is_oversize |= length > limits::FEED_ROW_BYTES;
                    return Ok(ConsumedValue { offset, length, is_oversize });
                }
                Ok(CutterStep::More(length)) => scanned += length,
                Err((reason, at)) => {
                    return Err(reason.at_offset(self.buffer.offset() + (scanned + at) as u64));
                }
            }
            if is_oversize || scanned > limits::FEED_ROW_BYTES {
                is_oversize = true;
                self.buffer.consume(scanned);
                scanned = 0;
            }
            if !self.buffer.read_more()? {
                let unread = self.buffer.ahead().len() as u64;
                return Err(FaultReason::Truncated.at_offset(self.buffer.offset() + unread));
            }
        }
    }

    fn skip_space(&mut self) -> Result<Option<u8>, FeedFault> {
        loop {
            match self.buffer.peek()? {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.buffer.consume(1),
                next => return Ok(next),
            }
        }
    }

    /// The next byte that is neither white space nor a comma, and whether there was a comma.
    fn skip_separators(&mut self) -> Result<(Option<u8>, bool), FeedFault> {
        let mut comma = false;
        loop {
            match self.skip_space()? {
                Some(b',') => {
                    comma = true;
                    self.buffer.consume(1);
                }
                next => return Ok((next, comma)),
            }
        }
    }

    fn fault_here(&self, reason: FaultReason) -> FeedFault {
        reason.at_offset(self.buffer.offset())
    }
}

/// A section of a name that is like one.
fn unknown_section(name: String, offset: u64) -> Option<PieceHead> {
    let meant = misnamed::section_meant(&name)?;
    Some(PieceHead::Unknown(UnknownSection { name, meant, offset }))
}

/// `null`, `[]` and `{}` stand for a row that the sender left out.
fn is_nothing(json: &[u8]) -> bool {
    match json {
        b"null" => true,
        [b'[', inside @ .., b']'] | [b'{', inside @ .., b'}'] => inside.iter().all(u8::is_ascii_whitespace),
        _ => false,
    }
}
