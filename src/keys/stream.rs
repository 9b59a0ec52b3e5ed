//! Sealing what does not fit in memory: spools of uploads and payloads.
//!
//! STREAM (Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption and its Nonce-Reuse
//! Misuse-Resistance, CRYPTO 2015): fixed chunks sealed one by one, each with its number and a flag for the
//! last one in the nonce, so that a stream that was cut, reordered or spliced does not open. The format:
//! version (1) | salt (32) | chunks of 64 KiB, each with a tag (16). Only the last chunk is shorter than
//! 64 KiB, and it is always there, if need be empty.

use super::fault::KeyFault;
use super::sealer::{Sealer, TAG_BYTES};
use aws_lc_rs::aead::{Aad, LessSafeKey, NONCE_LEN, Nonce};
use aws_lc_rs::rand;
use std::io::{self, Read, Write};
use zeroize::Zeroizing;

const VERSION: u8 = 1;
const SALT_BYTES: usize = 32;
const HEADER_BYTES: usize = 1 + SALT_BYTES;
const CHUNK_BYTES: usize = 64 * 1024;

/// The key of one stream and the number of its next chunk.
struct Chunks {
    key: LessSafeKey,
    aad: Vec<u8>,
    next: u64,
}

impl Chunks {
    fn new(sealer: &Sealer, aad: &[u8], header: &[u8; HEADER_BYTES]) -> Result<Self, KeyFault> {
        let version = header[0];
        let salt = &header[1..];
        if version != VERSION {
            return Err(KeyFault::SealVersion { version });
        }
        Ok(Self { key: sealer.stream_key(salt)?, aad: aad.to_vec(), next: 0 })
    }

    fn seal(&mut self, chunk: &mut Vec<u8>, last: bool) -> Result<(), KeyFault> {
        let nonce = self.nonce(last)?;
        self.key.seal_in_place_append_tag(nonce, Aad::from(&self.aad), chunk)?;
        Ok(())
    }

    /// Opens in place; gives the length of the plaintext.
    fn open(&mut self, chunk: &mut [u8], last: bool) -> Result<usize, KeyFault> {
        let nonce = self.nonce(last)?;
        let opened = self.key.open_in_place(nonce, Aad::from(&self.aad), chunk);
        opened.map(|plain| plain.len()).map_err(|_| KeyFault::SealBroken)
    }

    /// Number (8, big-endian) | zero (3) | 1 for the last chunk. Every number is used once.
    fn nonce(&mut self, last: bool) -> Result<Nonce, KeyFault> {
        let mut nonce = [0; NONCE_LEN];
        nonce[..8].copy_from_slice(&self.next.to_be_bytes());
        nonce[NONCE_LEN - 1] = u8::from(last);
        self.next = self.next.checked_add(1).ok_or(KeyFault::TooLong)?;
        Ok(Nonce::assume_unique_for_key(nonce))
    }
}

/// Seals the bytes written to it. Without [`SealedWriter::finish`] the stream has no end and does not read as whole.
/// `flush` cannot push out a chunk that is not full. After a fault every write fails.
pub struct SealedWriter<W: Write> {
    inner: W,
    chunks: Chunks,
    plain: Zeroizing<Vec<u8>>,
    broken: bool,
}

impl<W: Write> SealedWriter<W> {
    /// Starts a stream; `aad` says where it belongs and must be the same to read it.
    ///
    /// # Errors
    /// When the system gives no random bytes or the sink refuses the header.
    pub fn new(sealer: &Sealer, aad: &[u8], mut inner: W) -> io::Result<Self> {
        let mut header = [VERSION; HEADER_BYTES];
        rand::fill(&mut header[1..]).map_err(|failed| as_io(failed.into()))?;
        let chunks = Chunks::new(sealer, aad, &header).map_err(as_io)?;
        inner.write_all(&header)?;
        let plain = Zeroizing::new(Vec::with_capacity(CHUNK_BYTES + TAG_BYTES));
        Ok(Self { inner, chunks, plain, broken: false })
    }

    /// Writes the last chunk and returns the sink, flushed but not synced.
    ///
    /// # Errors
    /// When the chunk cannot be sealed or written, or an earlier one could not.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_chunk(true)?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn write_chunk(&mut self, last: bool) -> io::Result<()> {
        if self.broken {
            return Err(as_io(KeyFault::SealBroken));
        }
        self.broken = true; // until it is written: half a chunk cannot be continued
        self.chunks.seal(&mut self.plain, last).map_err(as_io)?;
        self.inner.write_all(&self.plain)?;
        self.plain.clear();
        self.broken = false;
        Ok(())
    }
}

impl<W: Write> Write for SealedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.broken {
            return Err(as_io(KeyFault::SealBroken));
        }
        let fitting = bytes.len().min(CHUNK_BYTES - self.plain.len());
        self.plain.extend_from_slice(&bytes[..fitting]);
        if self.plain.len() == CHUNK_BYTES {
            self.write_chunk(false)?;
        }
        Ok(fitting)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Reads the output of a [`SealedWriter`]. Ends (reads 0 bytes) only after the last chunk was verified; everything
/// else is an error of kind `InvalidData` that carries a [`KeyFault`].
pub struct SealedReader<R: Read> {
    inner: R,
    chunks: Chunks,
    chunk: Zeroizing<Vec<u8>>,
    plain: std::ops::Range<usize>,
    at: StreamState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamState {
    Amid,
    Ended,
    Broken,
}

impl<R: Read> SealedReader<R> {
    /// Reads the head of a stream.
    ///
    /// # Errors
    /// When the source cannot be read, ends within the header, or has another format.
    pub fn new(sealer: &Sealer, aad: &[u8], mut inner: R) -> io::Result<Self> {
        let mut header = [0; HEADER_BYTES];
        if fill(&mut inner, &mut header)? < HEADER_BYTES {
            return Err(as_io(KeyFault::SealBroken));
        }
        let chunks = Chunks::new(sealer, aad, &header).map_err(as_io)?;
        let chunk = Zeroizing::new(vec![0; CHUNK_BYTES + TAG_BYTES]);
        Ok(Self { inner, chunks, chunk, plain: 0..0, at: StreamState::Amid })
    }

    fn read_chunk(&mut self) -> io::Result<()> {
        self.at = StreamState::Broken; // until the chunk is verified
        let length = fill(&mut self.inner, &mut self.chunk)?;
        let last = length < self.chunk.len();
        let plain = self.chunks.open(&mut self.chunk[..length], last).map_err(as_io)?;
        self.plain = 0..plain;
        self.at = if last { StreamState::Ended } else { StreamState::Amid };
        Ok(())
    }
}

impl<R: Read> Read for SealedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.plain.is_empty() {
            match self.at {
                StreamState::Ended => return Ok(0),
                StreamState::Broken => return Err(as_io(KeyFault::SealBroken)),
                StreamState::Amid => self.read_chunk()?,
            }
        }
        let length = into.len().min(self.plain.len());
        let from = self.plain.start;
        into[..length].copy_from_slice(&self.chunk[from..from + length]);
        self.plain.start += length;
        Ok(length)
    }
}

/// Reads until the buffer is full or the source ends; returns the number of bytes.
fn fill(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match source.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

fn as_io(fault: KeyFault) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORED_CHUNK: usize = CHUNK_BYTES + TAG_BYTES;

    fn sealer() -> Sealer {
        Sealer::new(Zeroizing::new(vec![9; 32])).unwrap()
    }

    fn sealed(plain: &[u8]) -> Vec<u8> {
        let mut writer = SealedWriter::new(&sealer(), b"spool/1", Vec::new()).unwrap();
        writer.write_all(plain).unwrap();
        writer.finish().unwrap()
    }

    fn opened(aad: &[u8], stored: &[u8]) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        SealedReader::new(&sealer(), aad, stored)?.read_to_end(&mut plain)?;
        Ok(plain)
    }

    fn plain(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at / 251 + at) as u8).collect()
    }

    #[test]
    fn a_stream_of_every_length_around_a_chunk_comes_back() {
        for length in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 200_001] {
            assert!(opened(b"spool/1", &sealed(&plain(length))).unwrap() == plain(length), "{length} bytes");
        }
    }

    #[test]
    fn a_stream_cut_anywhere_does_not_read_as_whole() {
        let whole = sealed(&plain(2 * CHUNK_BYTES + 100));
        let chunk_ends = [0, 1, 2].map(|chunks| HEADER_BYTES + chunks * STORED_CHUNK);
        for cut in chunk_ends.into_iter().chain([0, 5, HEADER_BYTES + 9, whole.len() - 1]) {
            let error = opened(b"spool/1", &whole[..cut]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "cut at {cut}");
        }
    }

    #[test]
    fn a_stream_that_was_never_finished_does_not_read_as_whole() {
        let mut stored = Vec::new();
        let mut writer = SealedWriter::new(&sealer(), b"spool/1", &mut stored).unwrap();
        writer.write_all(&plain(2 * CHUNK_BYTES)).unwrap();
        drop(writer);
        assert!(opened(b"spool/1", &stored).is_err());
    }

    #[test]
    fn chunks_cannot_change_places_or_be_left_out_or_repeated() {
        let whole = sealed(&plain(2 * CHUNK_BYTES + 100));
        let (head, rest) = whole.split_at(HEADER_BYTES);
        let (one, rest) = rest.split_at(STORED_CHUNK);
        let (two, last) = rest.split_at(STORED_CHUNK);
        assert!(opened(b"spool/1", &[head, one, two, last].concat()).is_ok());
        for parts in [[head, two, one, last], [head, one, &[], last], [head, one, one, last]] {
            assert!(opened(b"spool/1", &parts.concat()).is_err());
        }
        assert!(opened(b"spool/1", &[&whole[..], last].concat()).is_err());
    }

    #[test]
    fn chunks_of_another_stream_or_place_do_not_open() {
        let one = sealed(&plain(CHUNK_BYTES + 1));
        let other = sealed(&plain(CHUNK_BYTES + 1));
        let spliced = [&one[..HEADER_BYTES + STORED_CHUNK], &other[HEADER_BYTES + STORED_CHUNK..]].concat();
        assert!(opened(b"spool/1", &spliced).is_err());
        assert!(opened(b"spool/2", &one).is_err());
    }

    #[test]
    fn a_chunk_from_the_middle_does_not_open_as_the_last_one() {
        let chunks = || Chunks::new(&sealer(), b"", &[VERSION; HEADER_BYTES]).ok().unwrap();
        for last in [false, true] {
            let mut chunk = b"anna".to_vec();
            chunks().seal(&mut chunk, last).unwrap();
            assert!(chunks().open(&mut chunk.clone(), !last).is_err());
            assert!(chunks().open(&mut chunk, last).is_ok());
        }
    }

    #[test]
    fn a_flipped_bit_is_found_and_the_reader_stays_broken() {
        let mut stored = sealed(&plain(10));
        *stored.last_mut().unwrap() ^= 1;
        let sealer = sealer();
        let mut reader = SealedReader::new(&sealer, b"spool/1", &stored[..]).unwrap();
        assert!(reader.read(&mut [0; 4]).is_err());
        assert!(reader.read(&mut [0; 4]).is_err());
    }

    #[test]
    fn after_a_failed_write_the_writer_refuses_to_go_on() {
        let mut room = [0; HEADER_BYTES + 10];
        let mut writer = SealedWriter::new(&sealer(), b"spool/1", &mut room[..]).unwrap();
        assert!(writer.write_all(&plain(CHUNK_BYTES)).is_err());
        assert!(writer.write_all(b"x").is_err());
        assert!(writer.finish().is_err());
    }

    /// A source that gives a byte at a time, is interrupted before each, and breaks at the end if it is told to.
    struct Slow<'a>(&'a [u8], bool, bool);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            match (self.0.split_first(), self.1, self.2) {
                (_, true, _) => Err(io::ErrorKind::Interrupted.into()),
                (None, _, true) => Err(io::ErrorKind::TimedOut.into()),
                (None, ..) => Ok(0),
                (Some((first, rest)), ..) => {
                    into[0] = *first;
                    self.0 = rest;
                    Ok(1)
                }
            }
        }
    }

    #[test]
    fn a_slow_source_is_read_whole_and_a_broken_one_is_told_once_and_is_no_end() {
        let stored = sealed(&plain(300));
        let read = |breaks| {
            let mut reader = SealedReader::new(&sealer(), b"spool/1", Slow(&stored, false, breaks)).unwrap();
            let mut plain = Vec::new();
            let outcome = reader.read_to_end(&mut plain).map(|_| plain);
            (outcome, reader.read(&mut [0; 4]))
        };
        let (whole, after) = read(false);
        assert_eq!((whole.unwrap(), after.unwrap()), (plain(300), 0));
        let (broken, after) = read(true);
        assert_eq!(broken.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(after.unwrap_err().kind(), io::ErrorKind::InvalidData);
        let head = SealedReader::new(&sealer(), b"", Slow(&stored[..9], false, true));
        assert_eq!(head.err().map(|error| error.kind()), Some(io::ErrorKind::TimedOut));
    }

    #[test]
    fn a_stream_is_read_a_few_bytes_at_a_time() {
        let stored = sealed(&plain(CHUNK_BYTES + 7));
        let mut reader = SealedReader::new(&sealer(), b"spool/1", stored.as_slice()).unwrap();
        let mut read = Vec::new();
        let mut few = [0; 1000];
        loop {
            match reader.read(&mut few).unwrap() {
                0 => break,
                length => read.extend_from_slice(&few[..length]),
            }
        }
        assert!(read == plain(CHUNK_BYTES + 7));
    }

    #[test]
    fn a_stream_of_another_version_is_told_with_its_number() {
        let mut stored = sealed(b"anna");
        stored[0] = 2;
        let error = opened(b"spool/1", &stored).unwrap_err();
        assert_eq!(error.to_string(), "a sealed record has version 2, which this program does not know");
    }

    /// Counts flushes.
    #[derive(Default)]
    struct Sink(Vec<u8>, usize);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.1 += 1;
            Ok(())
        }
    }

    #[test]
    fn the_sink_is_flushed_when_asked_and_at_the_end_and_gets_whole_chunks() {
        let mut writer = SealedWriter::new(&sealer(), b"spool/1", Sink::default()).unwrap();
        assert_eq!(writer.inner.0.len(), HEADER_BYTES);
        writer.write_all(&plain(CHUNK_BYTES - 1)).unwrap();
        writer.flush().unwrap();
        assert_eq!((writer.inner.0.len(), writer.inner.1), (HEADER_BYTES, 1));
        assert_eq!(writer.write(&[1, 2]).unwrap(), 1);
        assert_eq!(writer.inner.0.len(), HEADER_BYTES + STORED_CHUNK);
        let Sink(stored, flushes) = writer.finish().unwrap();
        assert_eq!((stored.len(), flushes), (HEADER_BYTES + STORED_CHUNK + TAG_BYTES, 2));
    }
}
