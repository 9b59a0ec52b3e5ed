//! Lines of NDJSON: one row a line, below a line that names its section.
//!
//! ```text
//! {"FileType":"ndjson","Version":2}
//! {"Type":"Products"}
//! {"Id":"1","Title":"Teapot"}
//! ```

use std::io::Read;

use super::fault::{FaultReason, FeedFault};
use super::json::Malformed;
use super::json::value::JsonValue;
use super::read_buffer::ReadBuffer;
use crate::limits;

/// The value of `FileType` in the first object that announces lines.
const FILE_TYPE: &str = "ndjson";

/// Returns true if a member of the first object announces lines below it.
pub(super) fn announces_lines(name: &str, value: impl FnOnce() -> Option<String>) -> bool {
    name.eq_ignore_ascii_case("FileType")
        && value().is_some_and(|value| value.eq_ignore_ascii_case(FILE_TYPE))
}

/// Meaning of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NdjsonLine {
    /// The rows below belong to the section of this name, or to no known section.
    Marker(String),
    /// It names a section in an unreadable way, so that the section of the rows below is unknown.
    BrokenMarker,
    /// Anything else, also a line that is not JSON.
    Row,
}

/// Reads a line without white space around it. A marker is an object of one member, `Type`.
pub(super) fn line(bytes: &[u8]) -> NdjsonLine {
    if !begins_with_type(bytes) {
        return NdjsonLine::Row;
    }
    let text = String::from_utf8_lossy(bytes);
    let mut members = match JsonValue::check(&text) {
        Ok(object) => object.entries(),
        Err(Malformed::Syntax) => return NdjsonLine::BrokenMarker,
        Err(_) => return NdjsonLine::Row,
    };
    match (members.next(), members.next()) {
        (Some((_, name)), None) => match name.decode_text() {
            Some(name) => NdjsonLine::Marker(name.into_owned()),
            None => NdjsonLine::BrokenMarker,
        },
        _ => NdjsonLine::Row,
    }
}

/// Looked at in every row, so nothing is read yet.
fn begins_with_type(line: &[u8]) -> bool {
    let Some(name) = line.strip_prefix(b"{") else { return false };
    let Some(name) = name.trim_ascii_start().strip_prefix(b"\"") else { return false };
    name.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"Type\""))
}

/// Consumes the line at the position, but not its line break.
pub(super) fn cut_line<R: Read>(buffer: &mut ReadBuffer<R>) -> Result<ConsumedValue, FeedFault> {
    let offset = buffer.offset();
    let mut scanned = 0;
    let mut is_oversize = false;
    let mut is_last = false;
    loop {
        let more = &buffer.ahead()[scanned..];
        let end = memchr::memchr(b'\n', more);
        scanned += end.unwrap_or(more.len());
        is_oversize |= scanned > limits::FEED_ROW_BYTES;
        if end.is_some() || is_last {
            break;
        }
        if is_oversize {
            buffer.consume(scanned);
            scanned = 0;
        }
        is_last = !buffer.read_more()?;
    }
    let line = trim_line(&buffer.ahead()[..scanned]);
    if is_last && !is_oversize && is_cut_off(line) {
        return Err(FaultReason::Truncated.at_offset(buffer.offset() + scanned as u64));
    }
    let length = line.len();
    buffer.consume(length);
    Ok(ConsumedValue { offset, length, is_oversize })
}

/// The line without the signs that may follow its value: white space, the half of a CR LF, a stray comma.
fn trim_line(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\t' | b'\r' | b','] = line {
        line = rest;
    }
    line
}

/// Returns true if a last line without a line break is an incomplete value: the rows after it are missing too.
fn is_cut_off(line: &[u8]) -> bool {
    JsonValue::check(&String::from_utf8_lossy(line)).err() == Some(Malformed::Syntax)
}

/// A value that was consumed; its last `length` bytes are in the buffer unless it is oversize.
#[derive(Clone, Copy)]
pub(super) struct ConsumedValue {
    pub(super) offset: u64,
    pub(super) length: usize,
    pub(super) is_oversize: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_an_object_of_one_member_called_type() {
        assert_eq!(line(br#"{"Type":"Products"}"#), NdjsonLine::Marker("Products".to_owned()));
        assert_eq!(line(br#"{ "type" : "br\u0061nd" }"#), NdjsonLine::Marker("brand".to_owned()));
        assert_eq!(line(br#"{"Type":"Settings"}"#), NdjsonLine::Marker("Settings".to_owned()));
        for row in [&br#"{"Type":"Simple","Id":"1"}"#[..], br#"{"Types":"Products"}"#, b"{\"Id\":", b"7"] {
            assert_eq!(line(row), NdjsonLine::Row);
        }
        for broken in [&br#"{"Type":"Products"#[..], br#"{"Type":5}"#, br#"{"Type":Products}"#] {
            assert_eq!(line(broken), NdjsonLine::BrokenMarker);
        }
    }
}
