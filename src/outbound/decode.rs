//! The bytes of a feed as they are to be read: decompressed, counted, and cut off when they grow beyond measure.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;

use super::content_coding::{ContentCoding, MAGIC_BYTES};
use super::fault::FetchFault;
use super::fetch_limits::FetchLimits;
use crate::limits;

/// A piece of the body, its end, or why there is no more.
pub(super) type Piece = Result<Option<Bytes>, FetchFault>;

/// How much of a file is read at once.
const FILE_PIECE_BYTES: usize = 64 * 1024;

/// How far a download is; safe to read from any thread.
#[derive(Default)]
pub struct FetchProgress {
    wire_bytes: AtomicU64,
    decoded_bytes: AtomicU64,
    content_length: AtomicU64,
}

impl FetchProgress {
    /// Bytes of body taken off the wire.
    #[must_use]
    pub fn wire_bytes(&self) -> u64 {
        self.wire_bytes.load(Relaxed)
    }

    /// Bytes handed to the reader.
    #[cfg(test)]
    pub(super) fn decoded_bytes(&self) -> u64 {
        self.decoded_bytes.load(Relaxed)
    }

    /// Bytes on the wire that the server announced, if it did.
    #[must_use]
    pub fn content_length(&self) -> Option<u64> {
        Some(self.content_length.load(Relaxed)).filter(|length| *length > 0)
    }

    pub(super) fn announce(&self, content_length: Option<u64>) {
        self.content_length.store(content_length.unwrap_or(0), Relaxed);
    }
}

/// The decoded bytes of a feed. Reading blocks, so do it on a thread that may. Dropping it cancels the download.
///
/// A feed is whole only when a read has returned 0. Every error carries a [`FetchFault`] (see
/// [`FetchFault::from_io`]) and is given again by every later read.
pub struct FeedBytes {
    state: State,
    bounds: Bounds,
    _download: AbortOnDropHandle<()>,
}

type Layer = Box<dyn BufRead + Send>;

enum State {
    /// Nothing read yet: `declared` compressions are expected.
    Unopened {
        wire: Wire,
        declared: usize,
    },
    Open(Layer),
    Failed(FetchFault),
}

impl FeedBytes {
    pub(super) fn new(
        pieces: flume::Receiver<Piece>,
        download: AbortOnDropHandle<()>,
        declared: usize,
        limits: FetchLimits,
        progress: Arc<FetchProgress>,
    ) -> Self {
        let bounds = Bounds { limits, progress };
        let wire = Wire { pieces, piece: Bytes::new(), ended: false, bounds: bounds.clone() };
        Self { state: State::Unopened { wire, declared }, bounds, _download: download }
    }

    /// The same bytes from a file or pipe of this machine, which holds `length` bytes if that is known. It is read on
    /// a thread of `runtime`, and bounded in size as a download is.
    #[must_use]
    pub fn from_file(
        file: impl Read + Send + 'static,
        length: Option<u64>,
        runtime: &Handle,
        progress: Arc<FetchProgress>,
    ) -> Self {
        progress.announce(length);
        let (to_reader, pieces) = flume::bounded(limits::FETCH_PIECES_WAITING);
        let reading = runtime.spawn_blocking(move || pass_on(file, &to_reader));
        Self::new(pieces, AbortOnDropHandle::new(reading), 0, FetchLimits::default(), progress)
    }

    fn read_on(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let ended = State::Failed(FetchFault::truncated());
        let mut layer = match std::mem::replace(&mut self.state, ended) {
            State::Unopened { wire, declared } => peel(wire, declared, &self.bounds)?,
            State::Open(layer) => layer,
            State::Failed(fault) => return Err(fault.into_io()),
        };
        let count = layer.read(into)?;
        let decoded = self.bounds.progress.decoded_bytes.fetch_add(count as u64, Relaxed) + count as u64;
        self.bounds.check(decoded)?;
        self.state = State::Open(layer);
        Ok(count)
    }
}

impl Read for FeedBytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.read_on(into).map_err(|error| {
            let fault = FetchFault::of_decoding(&error);
            self.state = State::Failed(fault.clone());
            fault.into_io()
        })
    }
}

/// Undoes the compressions that the bytes show, whether declared or not.
fn peel(wire: Wire, declared: usize, bounds: &Bounds) -> io::Result<Layer> {
    let mut layer: Layer = Box::new(wire);
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
    /// Whether a stage may have given `decoded` bytes by now.
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

/// The body as it arrives.
struct Wire {
    pieces: flume::Receiver<Piece>,
    piece: Bytes,
    ended: bool,
    bounds: Bounds,
}

impl Wire {
    fn next(&mut self) -> Result<(), FetchFault> {
        // Without an end marker the download was torn down, which must not look like a whole feed.
        let piece = self.pieces.recv().unwrap_or_else(|_| Err(FetchFault::truncated()))?;
        let Some(piece) = piece else {
            self.ended = true;
            return Ok(());
        };
        let length = piece.len() as u64;
        let wire_bytes = self.bounds.progress.wire_bytes.fetch_add(length, Relaxed) + length;
        if wire_bytes > self.bounds.limits.wire_bytes {
            return Err(too_large());
        }
        self.piece = piece;
        Ok(())
    }
}

impl BufRead for Wire {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.piece.is_empty() && !self.ended {
            self.next().map_err(FetchFault::into_io)?;
        }
        Ok(&self.piece)
    }

    fn consume(&mut self, count: usize) {
        bytes::Buf::advance(&mut self.piece, count);
    }
}

impl Read for Wire {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

/// Sends a file on in pieces, and how it ended; until nobody wants more.
fn pass_on(mut file: impl Read, to_reader: &flume::Sender<Piece>) {
    loop {
        let mut piece = vec![0; FILE_PIECE_BYTES];
        let read = match file.read(&mut piece) {
            Ok(0) => Ok(None),
            Ok(read) => {
                piece.truncate(read);
                Ok(Some(Bytes::from(piece)))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(FetchFault::lasting(format!("the file cannot be read: {}", error.kind()))),
        };
        let is_last = !matches!(read, Ok(Some(_)));
        if to_reader.send(read).is_err() || is_last {
            return;
        }
    }
}

/// The fault of a body above the wire limit, announced or not.
pub(super) fn too_large() -> FetchFault {
    FetchFault::lasting("the feed is too large")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_download_that_was_torn_down_does_not_look_whole() {
        let (to_reader, pieces) = flume::bounded(4);
        let download = AbortOnDropHandle::new(tokio::spawn(std::future::ready(())));
        let mut bytes = FeedBytes::new(pieces, download, 0, FetchLimits::default(), Arc::default());
        to_reader.send(Ok(Some(Bytes::from_static(b"{}")))).unwrap();
        drop(to_reader);
        let error = bytes.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(FetchFault::from_io(&error), Some(&FetchFault::truncated()));
    }
}
