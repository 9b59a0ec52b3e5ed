//! Text of a file in any usual encoding, as UTF-8.

use std::borrow::Cow;
use std::io::{self, Chain, Cursor, Read};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};
use memchr::memmem;

/// Bytes by which the encoding is told; also the size of one read.
pub(super) const WINDOW_BYTES: usize = 64 * 1024;
/// Bytes in which an XML declaration has to begin: warnings of a shop's system stand before some.
const DECLARATION_BYTES: usize = 4 * 1024;
/// Bytes by which UTF-16 without a mark is told.
const UTF_16_BYTES: usize = 512;

/// Bytes of a file as UTF-8, without a byte order mark.
///
/// Bytes that are invalid beyond the first `WINDOW_BYTES` of a text taken for UTF-8 pass unchanged: the readers of
/// records decide value by value.
pub struct DecodedText<R: Read> {
    text: DecodeReaderBytes<Chain<Cursor<Vec<u8>>, R>, Vec<u8>>,
    encoding: &'static Encoding,
}

impl<R: Read> DecodedText<R> {
    /// Reads the first `WINDOW_BYTES` of `source` and tells its encoding by them.
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

/// Text of a value that may be no UTF-8: windows-1252 then.
pub(super) fn decode_value(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

#[cfg(test)]
#[path = "decoded_text_tests.rs"]
mod tests;
