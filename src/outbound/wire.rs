//! The bytes of a feed as they were sent: over the network, in a file, or in a spool that was written on their way.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::{Buf, Bytes};
use tokio_util::task::AbortOnDropHandle;

use super::fault::{FetchFault, SourceFault};
use super::fetch_limits::FetchLimits;
use crate::limits;

/// Progress of reading; safe to read from any thread.
#[derive(Default)]
pub struct FetchProgress {
    wire_bytes: AtomicU64,
    decoded_bytes: AtomicU64,
    content_length: AtomicU64,
}

impl FetchProgress {
    /// Number of bytes read, as they were sent.
    #[must_use]
    pub fn wire_bytes(&self) -> u64 {
        self.wire_bytes.load(Relaxed)
    }

    /// Bytes handed to the reader.
    #[cfg(test)]
    pub(super) fn decoded_bytes(&self) -> u64 {
        self.decoded_bytes.load(Relaxed)
    }

    /// Total number of bytes, as they were sent, if that is known.
    #[must_use]
    pub fn content_length(&self) -> Option<u64> {
        Some(self.content_length.load(Relaxed)).filter(|length| *length > 0)
    }

    /// Counts the bytes that a reader got, and returns the sum.
    pub(super) fn count_decoded(&self, count: usize) -> u64 {
        self.decoded_bytes.fetch_add(count as u64, Relaxed) + count as u64
    }
}

/// The bytes of a feed as they were sent, counted, and bounded in number. Reading blocks.
pub struct WireReader<R> {
    source: R,
    /// Number of compressions that the sender declared.
    pub(super) declared: usize,
    pub(super) limits: FetchLimits,
    pub(super) progress: Arc<FetchProgress>,
}

impl<R: Read> WireReader<R> {
    pub(super) fn new(
        source: R,
        length: Option<u64>,
        declared: usize,
        limits: FetchLimits,
        progress: Arc<FetchProgress>,
    ) -> Self {
        progress.content_length.store(length.unwrap_or(0), Relaxed);
        Self { source, declared, limits, progress }
    }

    /// Progress of its reading.
    #[must_use]
    pub fn progress(&self) -> Arc<FetchProgress> {
        self.progress.clone()
    }

    /// The same bytes from another source that holds all of them; counted again in `progress`.
    pub fn with_source<S: Read>(self, to: S, progress: Arc<FetchProgress>) -> WireReader<S> {
        let length = Some(self.progress.wire_bytes());
        WireReader::new(to, length, self.declared, self.limits, progress)
    }
}

impl<R: Read> WireReader<UserFile<R>> {
    /// Bytes of a file or pipe of this machine, which holds `length` bytes if that is known.
    #[must_use]
    pub fn of_file(file: R, length: Option<u64>, progress: Arc<FetchProgress>) -> Self {
        Self::new(UserFile(file), length, 0, FetchLimits::default(), progress)
    }
}

impl<R: Read> Read for WireReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = loop {
            match self.source.read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let count = read.map_err(SourceFault::wrap)?;
        let wire_bytes = self.progress.wire_bytes.fetch_add(count as u64, Relaxed) + count as u64;
        if wire_bytes > self.limits.wire_bytes { Err(FetchFault::too_large().into_io()) } else { Ok(count) }
    }
}

/// A file that the user named; its faults are the user's.
pub struct UserFile<R>(R);

impl<R: Read> Read for UserFile<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|error| match error.kind() {
            kind @ io::ErrorKind::Interrupted => kind.into(),
            kind => FetchFault::lasting(format!("the file cannot be read: {kind}")).into_io(),
        })
    }
}

impl WireReader<BodyReader> {
    /// Bytes that are handed over while they are read, and the sender that takes them: each piece, then the end.
    /// Without the end they count as cut off.
    #[must_use]
    pub fn with_sender() -> (flume::Sender<BodyChunk>, Self) {
        let (sender, pieces) = flume::bounded(limits::FETCH_PIECES_WAITING);
        let arriving = BodyReader { pieces, piece: Bytes::new(), has_ended: false, _download: None };
        (sender, Self::new(arriving, None, 0, FetchLimits::default(), Arc::default()))
    }
}

/// A piece of the body, its end, or why there is no more.
pub type BodyChunk = Result<Option<Bytes>, FetchFault>;

/// A body as it arrives. Dropping it cancels the download.
pub struct BodyReader {
    pieces: flume::Receiver<BodyChunk>,
    piece: Bytes,
    has_ended: bool,
    _download: Option<AbortOnDropHandle<()>>,
}

impl BodyReader {
    pub(super) fn new(pieces: flume::Receiver<BodyChunk>, download: AbortOnDropHandle<()>) -> Self {
        Self { pieces, piece: Bytes::new(), has_ended: false, _download: Some(download) }
    }
}

impl Read for BodyReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && !self.has_ended {
            // Without an end marker the download was torn down, which must not look like a whole feed.
            let piece = self.pieces.recv().unwrap_or_else(|_| Err(FetchFault::truncated_body()));
            match piece.map_err(FetchFault::into_io)? {
                Some(piece) => self.piece = piece,
                None => self.has_ended = true,
            }
        }
        let count = self.piece.len().min(into.len());
        self.piece.copy_to_slice(&mut into[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbound::FeedBytes;

    #[tokio::test]
    async fn bytes_that_are_handed_over_are_read_in_pieces_to_their_end() {
        let (sender, wire) = WireReader::with_sender();
        for piece in [Some("abc"), Some("de"), None] {
            sender.send(Ok(piece.map(Bytes::from))).expect("a reader");
        }
        let (source, piece) = FeedBytes::new(wire).read_piece(4).await.expect("a piece");
        assert_eq!(piece, b"abcd");
        let (_, piece) = source.read_piece(4).await.expect("the last");
        assert_eq!(piece, b"e");
        // Without an end they were cut off.
        let (sender, wire) = WireReader::with_sender();
        sender.send(Ok(Some("abc".into()))).expect("a reader");
        drop(sender);
        let fault = FeedBytes::new(wire).read_piece(4).await.map(|(_, piece)| piece).expect_err("cut off");
        assert_eq!(FetchFault::from_io(&fault), Some(&FetchFault::truncated_body()));
    }

    #[tokio::test]
    async fn a_download_that_was_torn_down_does_not_look_whole() {
        let (to_reader, pieces) = flume::bounded(4);
        let download = AbortOnDropHandle::new(tokio::spawn(std::future::ready(())));
        let arriving = BodyReader::new(pieces, download);
        let mut bytes =
            FeedBytes::new(WireReader::new(arriving, None, 0, FetchLimits::default(), Arc::default()));
        to_reader.send(Ok(Some(Bytes::from_static(b"{}")))).unwrap();
        drop(to_reader);
        let error = bytes.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(FetchFault::from_io(&error), Some(&FetchFault::truncated_body()));
    }

    #[test]
    fn a_fault_of_the_disk_is_no_fault_of_the_feed() {
        struct Torn;
        impl Read for Torn {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::UnexpectedEof.into())
            }
        }
        let wire = || WireReader::new(Torn, None, 0, FetchLimits::default(), Arc::default());
        let error = FeedBytes::new(wire()).read(&mut [0]).unwrap_err();
        assert_eq!((FetchFault::from_io(&error), error.kind()), (None, io::ErrorKind::UnexpectedEof));
        let named = WireReader::of_file(Torn, None, Arc::default());
        let error = FeedBytes::new(named).read(&mut [0]).unwrap_err();
        assert!(FetchFault::from_io(&error).unwrap().reason.starts_with("the file cannot be read"));
    }

    #[test]
    fn a_length_is_told_if_it_is_known() {
        for (length, told) in [(None, None), (Some(0), None), (Some(1), Some(1)), (Some(7), Some(7))] {
            let wire = WireReader::new(io::empty(), length, 0, FetchLimits::default(), Arc::default());
            assert_eq!(wire.progress().content_length(), told);
        }
    }

    #[test]
    fn bytes_are_read_up_to_exactly_the_limit_and_from_a_spool_again() {
        let limits = FetchLimits { wire_bytes: 3, ..FetchLimits::default() };
        let wire = |sent: &'static [u8]| WireReader::new(sent, None, 0, limits.clone(), Arc::default());
        let mut within = wire(b"abc");
        assert_eq!(io::read_to_string(&mut within).unwrap(), "abc");
        let again = Arc::<FetchProgress>::default();
        let mut spooled = within.with_source(io::repeat(b'x').take(3), again.clone());
        assert_eq!((again.wire_bytes(), again.content_length()), (0, Some(3)));
        assert_eq!(io::read_to_string(&mut spooled).unwrap(), "xxx");
        assert_eq!(again.wire_bytes(), 3);
        let error = wire(b"abcd").read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(FetchFault::from_io(&error), Some(&FetchFault::too_large()));
    }

    #[test]
    fn a_read_that_was_interrupted_is_made_again() {
        struct Interrupted(usize);
        impl Read for Interrupted {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                if self.0 < 3 { Err(io::ErrorKind::Interrupted.into()) } else { (&b"abc"[..]).read(into) }
            }
        }
        for count in [2, 3] {
            let mut into = vec![0; count];
            let mut wire = WireReader::new(Interrupted(0), None, 0, FetchLimits::default(), Arc::default());
            assert_eq!(wire.read(&mut into).unwrap(), count);
            assert_eq!((&into[..], wire.progress().wire_bytes()), (&b"abc"[..count], count as u64));
        }
    }
}
