//! The compressions a feed may come in: what the header declares and what the first bytes show.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use super::fault::FetchFault;
use crate::limits;

/// What is asked for in `Accept-Encoding`.
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
            Self::Gzip => Box::new(MultiGzDecoder::new(encoded)),
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(encoded)?;
                // red: outbound::tests::bodies::a_window_that_needs_much_memory_is_refused
                let most = mutant!("any-window-is-decoded", limits::FEED_ZSTD_WINDOW_LOG2, 27);
                decoder.window_log_max(most)?;
                Box::new(decoder)
            }
        })
    }
}

/// How many compressions an answer declares.
///
/// # Errors
/// A final fault when it declares one that was not asked for.
pub(super) fn declared(headers: &HeaderMap) -> Result<usize, FetchFault> {
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
