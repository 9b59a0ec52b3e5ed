//! The bytes of a feed as they are to be read: decompressed, counted, and cut off when they grow beyond measure.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;

use super::content_coding::{ContentCoding, MAGIC_BYTES};
use super::fault::{FetchFault, SourceFault};
use super::fetch_limits::FetchLimits;
use super::wire::{FetchProgress, WireReader};
use crate::limits;

/// Bytes read at once.
const PIECE_BYTES: usize = 64 * 1024;

/// The decoded bytes of a feed. Reading blocks, so do it on a thread that may. Dropping it cancels a download.
///
/// A feed is whole only when a read has returned 0. An error carries a [`FetchFault`] (see [`FetchFault::from_io`]),
/// or is one of the feed's source. After it every read fails.
pub struct FeedBytes {
    state: DecodeState,
    bounds: Bounds,
}

type Layer = Box<dyn BufRead + Send>;

enum DecodeState {
    /// Nothing read yet: `declared` compressions are expected.
    Unopened {
        wire: Layer,
        declared: usize,
    },
    Open(Layer),
    Failed(FetchFault),
}

impl FeedBytes {
    /// Undoes the compressions of the sent bytes.
    #[must_use]
    pub fn new(wire: WireReader<impl Read + Send + 'static>) -> Self {
        let bounds = Bounds { limits: wire.limits.clone(), progress: wire.progress.clone() };
        let declared = wire.declared;
        let wire = Box::new(BufReader::with_capacity(PIECE_BYTES, wire));
        Self { state: DecodeState::Unopened { wire, declared }, bounds }
    }

    /// Reads the next piece away from the threads that serve the network, and gives the reader back. A piece that is
    /// not full is the last.
    ///
    /// # Errors
    /// As reading.
    pub async fn read_piece(mut self, bytes: usize) -> io::Result<(Self, Vec<u8>)> {
        let reading = tokio::task::spawn_blocking(move || {
            let mut piece = Vec::with_capacity(bytes);
            let read = self.by_ref().take(bytes as u64).read_to_end(&mut piece);
            read.map(|_| (self, piece))
        });
        reading.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    }

    fn read_on(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let ended = DecodeState::Failed(FetchFault::truncated_body());
        let mut layer = match std::mem::replace(&mut self.state, ended) {
            DecodeState::Unopened { wire, declared } => peel(wire, declared, &self.bounds)?,
            DecodeState::Open(layer) => layer,
            DecodeState::Failed(fault) => return Err(fault.into_io()),
        };
        let count = layer.read(into)?;
        self.bounds.check(self.bounds.progress.count_decoded(count))?;
        self.state = DecodeState::Open(layer);
        Ok(count)
    }
}

impl Read for FeedBytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.read_on(into).map_err(|error| match error.downcast() {
            Ok(SourceFault(error)) => error,
            Err(error) => {
                let fault = FetchFault::of_decoding(&error);
                self.state = DecodeState::Failed(fault.clone());
                fault.into_io()
            }
        })
    }
}

/// Undoes the compressions that the bytes show, whether declared or not.
fn peel(wire: Layer, declared: usize, bounds: &Bounds) -> io::Result<Layer> {
    let mut layer = wire;
    for depth in 0.. {
        let mut head = Vec::new();
        (&mut layer).take(MAGIC_BYTES).read_to_end(&mut head)?;
        let Some(coding) = ContentCoding::recognise(&head) else {
            return plain(head, layer, depth >= declared);
        };
        if depth == limits::FEED_COMPRESSIONS {
            break;
        }
        let decoder = coding.decoder(Box::new(Cursor::new(head).chain(layer)))?;
        layer = Box::new(BufReader::new(Metered { inner: decoder, count: 0, bounds: bounds.clone() }));
    }
    Err(FetchFault::lasting("the feed is compressed more than twice").into_io())
}

/// The layer whose first bytes show no compression; an error if more were declared than found.
fn plain(head: Vec<u8>, rest: Layer, as_declared: bool) -> io::Result<Layer> {
    if as_declared {
        return Ok(Box::new(Cursor::new(head).chain(rest)));
    }
    let kind = if head.is_empty() { io::ErrorKind::UnexpectedEof } else { io::ErrorKind::InvalidData };
    Err(kind.into())
}

/// The limits of growth, together with the wire bytes they are measured against.
#[derive(Clone)]
struct Bounds {
    limits: FetchLimits,
    progress: Arc<FetchProgress>,
}

impl Bounds {
    /// Checks that a stage may have given `decoded` bytes by now.
    fn check(&self, decoded: u64) -> io::Result<()> {
        if decoded > self.limits.decoded_bytes {
            return Err(FetchFault::lasting("the feed is too large once decompressed").into_io());
        }
        let ratio_bound = self.progress.wire_bytes().saturating_mul(self.limits.ratio_max);
        if decoded > limits::FEED_RATIO_FREE_BYTES && decoded > ratio_bound {
            return Err(FetchFault::lasting("the feed grows too much when decompressed").into_io());
        }
        Ok(())
    }
}

/// A decoder's output, bounded: the outer of two compressions may be the bomb.
struct Metered<R> {
    inner: R,
    count: u64,
    bounds: Bounds,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.count += count as u64;
        self.bounds.check(self.count)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reason for which a stage may not have given this number of bytes after 6000 bytes on the wire.
    fn refusal(decoded: u64, limits: FetchLimits) -> Option<String> {
        let mut wire = WireReader::new(io::repeat(7).take(6000), None, 0, limits, Arc::default());
        io::copy(&mut wire, &mut io::sink()).unwrap();
        let bounds = Bounds { limits: wire.limits.clone(), progress: wire.progress() };
        let refused = bounds.check(decoded).err();
        refused.map(|error| FetchFault::from_io(&error).unwrap().reason.clone())
    }

    #[test]
    fn a_feed_grows_up_to_exactly_its_bounds() {
        let usual = FetchLimits { ratio_max: 200, ..FetchLimits::default() };
        let grown = Some("the feed grows too much when decompressed".to_owned());
        assert_eq!(refusal(1_200_000, usual.clone()), None);
        assert_eq!(refusal(1_200_001, usual.clone()), grown.clone());
        let narrow = FetchLimits { ratio_max: 1, ..usual.clone() };
        assert_eq!(refusal(1_048_576, narrow.clone()), None, "a MiB is free");
        assert_eq!(refusal(1_048_577, narrow), grown);
        let endless = FetchLimits { ratio_max: u64::MAX, decoded_bytes: 2_000_000, ..usual };
        assert_eq!(refusal(2_000_000, endless.clone()), None);
        assert_eq!(refusal(2_000_001, endless), Some("the feed is too large once decompressed".to_owned()));
    }
}
