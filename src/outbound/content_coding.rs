//! The compressions of a feed: the declared ones in the header, and the detected ones in the first bytes.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use super::fault::FetchFault;
use crate::limits;

/// Compressions asked for in `Accept-Encoding`.
pub(super) const ACCEPTED: &str = "gzip, zstd, identity";

/// Bytes needed to recognise a compression.
pub(super) const MAGIC_BYTES: u64 = 4;

/// A compression that can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentCoding {
    Gzip,
    Zstd,
}

impl ContentCoding {
    /// Recognises a compression by the first [`MAGIC_BYTES`]; no JSON text begins like one.
    pub(super) fn recognise(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            // A frame, or a skippable frame before the first.
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Decodes all members or frames and checks their trailers.
    pub(super) fn decoder(self, encoded: Box<dyn BufRead + Send>) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Gzip => Box::new(GzipMembers::new(encoded)),
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(encoded)?;
                let most = limits::FEED_ZSTD_WINDOW_LOG2;
                decoder.window_log_max(most)?;
                Box::new(decoder)
            }
        })
    }
}

/// First bytes of every member of a gzip file.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// The members of a gzip file, in sequence, decoded as they arrive. Zeros after the last one are padding, as for
/// gzip(1); anything else there is damage. flate2's own reader of several members takes up to nine bytes after the
/// last one for a cut header, and a feed that looks truncated is fetched again for a day.
struct GzipMembers {
    /// `None` after the last member.
    member: Option<GzDecoder<GzipMember>>,
    /// Members that ended in a row, with no content since the first one.
    ended: u32,
}

/// Most members that may end without content in between: each costs as much as one with some, and gives nothing at
/// which its reader could be stopped.
const ENDED_MEMBERS: u32 = 1000;

type Encoded = Box<dyn BufRead + Send>;
/// The magic, where it was read to see whether there is another member, and the rest.
type GzipMember = io::Chain<&'static [u8], Encoded>;

impl GzipMembers {
    fn new(encoded: Encoded) -> Self {
        let first: &'static [u8] = &[];
        Self { member: Some(GzDecoder::new(first.chain(encoded))), ended: 0 }
    }
}

impl Read for GzipMembers {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            let count = member.read(into)?;
            if count > 0 {
                self.ended = 0;
                return Ok(count);
            }
            self.ended += 1;
            if self.ended > ENDED_MEMBERS {
                return Err(io::ErrorKind::InvalidData.into());
            }
            // The member is whole: its trailer has been compared.
            if let Some(whole) = self.member.take() {
                let (_, rest) = whole.into_inner().into_inner();
                self.member = next_member(rest)?;
            }
        }
        Ok(0)
    }
}

/// The member that follows a whole one; `None` at the end, or when only zeros are left.
///
/// # Errors
/// `InvalidData` when something else follows, `UnexpectedEof` when a member ends within its magic.
fn next_member(mut rest: Encoded) -> io::Result<Option<GzDecoder<GzipMember>>> {
    let Some(first) = waiting(&mut rest)?.first().copied() else { return Ok(None) };
    if first == 0 {
        skip_zeros(rest)?;
        return Ok(None);
    }
    for expected in GZIP_MAGIC {
        let Some(byte) = waiting(&mut rest)?.first().copied() else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        if byte != *expected {
            return Err(io::ErrorKind::InvalidData.into());
        }
        rest.consume(1);
    }
    Ok(Some(GzDecoder::new(GZIP_MAGIC.chain(rest))))
}

fn skip_zeros(mut rest: Encoded) -> io::Result<()> {
    loop {
        let padding = waiting(&mut rest)?;
        let length = padding.len();
        if length == 0 {
            return Ok(());
        }
        if padding.iter().any(|byte| *byte != 0) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        rest.consume(length);
    }
}

/// Waits for bytes and returns those that have come; none at the end. A signal does not end the waiting.
fn waiting(encoded: &mut Encoded) -> io::Result<&[u8]> {
    while encoded.fill_buf().is_err_and(|fault| fault.kind() == io::ErrorKind::Interrupted) {}
    encoded.fill_buf()
}

/// Counts the compressions that an answer declares.
///
/// # Errors
/// A final fault when it declares one that was not asked for.
pub(super) fn count_codings(headers: &HeaderMap) -> Result<usize, FetchFault> {
    let mut count = 0;
    for value in headers.get_all(CONTENT_ENCODING) {
        for coding in value.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            match coding.to_ascii_lowercase().as_slice() {
                b"" | b"identity" => {}
                b"gzip" | b"x-gzip" | b"zstd" => count += 1,
                _ => {
                    return Err(FetchFault::lasting(
                        "the feed's content encoding is not gzip, zstd or identity",
                    ));
                }
            }
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn a_read_of_nothing_is_no_end() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"lamp").unwrap();
        let encoded = io::Cursor::new(encoder.finish().unwrap());
        let mut decoded = ContentCoding::Gzip.decoder(Box::new(encoded)).unwrap();
        assert_eq!(decoded.read(&mut []).unwrap(), 0);
        let mut text = String::new();
        decoded.read_to_string(&mut text).unwrap();
        assert_eq!(text, "lamp");
    }
}
