//! Reads a snapshot: one section of an account's catalogue, immutable, looked up by id or streamed in feed order.

use std::io::{self, ErrorKind};
use std::iter::Peekable;
use std::sync::Arc;

use zstd::bulk::Decompressor;

pub use super::snapshot_format::IndexEntry;
use super::snapshot_format::{
    Footer, FooterFault, Frame, FrameRow, ROW_HEAD_BYTES, RowOffset, RowPlace, id_hash, row_at,
    verify_checksum,
};
use super::snapshot_table::{RecordTable, TableIter, table_bytes};
use crate::blobs::{Blob, BlobName, Hold};
use crate::limits::{SNAPSHOT_FRAME_BYTES, SNAPSHOT_ID_BYTES, SNAPSHOT_ROW_BYTES};

/// Largest decoded frame: the row that fills it closes it.
const FRAME_DECODED_BYTES: usize =
    SNAPSHOT_FRAME_BYTES + ROW_HEAD_BYTES + SNAPSHOT_ID_BYTES + SNAPSHOT_ROW_BYTES;

/// A row of a snapshot: its id and its bytes as they were pushed.
pub type SnapshotRow = (String, Vec<u8>);

/// Failure to read a snapshot. All these faults are Lethe's.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotFault {
    /// There is no blob of this name.
    #[error("the snapshot is missing")]
    Missing,
    /// The blob is not what was written: cut short, or with changed bytes.
    #[error("the snapshot is damaged")]
    Damaged,
    /// The blob was written by another version of the program.
    #[error("the snapshot has format version {0}, which this program does not read")]
    Version(u32),
    /// The disk refused.
    #[error("the snapshot cannot be read")]
    Io(#[source] io::Error),
}

impl From<io::Error> for SnapshotFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidData | ErrorKind::UnexpectedEof => Self::Damaged,
            ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

/// An open snapshot. Cloning shares it; readers in several threads do not disturb each other.
#[derive(Clone)]
pub struct Snapshot {
    inner: Arc<SnapshotInner>,
}

struct SnapshotInner {
    blob: Blob,
    frames_bytes: u64,
    index: RecordTable<{ IndexEntry::BYTES }>,
    dead: RecordTable<{ RowOffset::BYTES }>,
    directory: RecordTable<{ Frame::BYTES }>,
    rows: u64,
}

impl Snapshot {
    /// Opens a published snapshot; reads its footer only.
    ///
    /// # Errors
    /// `Missing`, `Version`, `Damaged` when the footer is damaged, `Io` when the disk refuses.
    pub fn open(files: &Hold, name: &BlobName) -> Result<Self, SnapshotFault> {
        let blob = files.open_blob(name)?;
        let end = blob.bytes().checked_sub(Footer::BYTES as u64).ok_or(SnapshotFault::Damaged)?;
        let mut footer = [0; Footer::BYTES];
        blob.read_exact_at(&mut footer, end)?;
        let footer = Footer::from_bytes(&footer, end).map_err(|fault| match fault {
            FooterFault::Damaged => SnapshotFault::Damaged,
            FooterFault::Version(version) => SnapshotFault::Version(version),
        })?;
        let [dead_offset, directory_offset] = table_offsets(&footer, end).ok_or(SnapshotFault::Damaged)?;
        Ok(Self {
            inner: Arc::new(SnapshotInner {
                index: RecordTable::new(blob.clone(), footer.frames_bytes, footer.rows),
                dead: RecordTable::new(blob.clone(), dead_offset, footer.dead),
                directory: RecordTable::new(blob.clone(), directory_offset, footer.frames),
                blob,
                frames_bytes: footer.frames_bytes,
                rows: footer.rows,
            }),
        })
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.inner.rows
    }

    /// True if there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row of an id. Reads a few blocks of the index and decodes one frame.
    ///
    /// # Errors
    /// `Damaged` when the bytes it reads are damaged; `Io` when the disk refuses.
    pub fn get(&self, id: &str) -> Result<Option<Vec<u8>>, SnapshotFault> {
        Ok(self.get_with_number(id)?.map(|(_, row)| row))
    }

    /// The row of an id with its number in the feed.
    ///
    /// # Errors
    /// As [`Snapshot::get`].
    pub fn get_with_number(&self, id: &str) -> Result<Option<(u64, Vec<u8>)>, SnapshotFault> {
        let Some(IndexEntry { at, .. }) = self.find_entry(id)? else {
            return Ok(None);
        };
        let mut decoder = FrameDecoder::new()?;
        decoder.open(&self.inner, at.place.frame_offset, at.frame_bytes)?;
        let found = decoder.decode_row(at.place.row_offset as usize)?;
        Ok((found.id == id).then(|| (found.number, found.row.to_vec())))
    }

    /// The hash of the row's bytes, as in [`Snapshot::index`]; reads the index only.
    ///
    /// # Errors
    /// `Damaged` when the bytes it reads are damaged; `Io` when the disk refuses.
    pub fn content_hash(&self, id: &str) -> Result<Option<u64>, SnapshotFault> {
        Ok(self.find_entry(id)?.map(|entry| entry.content_hash))
    }

    fn find_entry(&self, id: &str) -> Result<Option<IndexEntry>, SnapshotFault> {
        let hash = id_hash(id);
        let at_or_after = self.inner.index.seek(|entry| entry[..16] < hash[..])?.next().transpose()?;
        Ok(at_or_after.map(|entry| IndexEntry::from_bytes(&entry)).filter(|entry| entry.id_hash == hash))
    }

    /// The index: an entry for each row to compare snapshots, sorted by the hash of the id.
    ///
    /// # Errors
    /// An item is an error when the file is damaged or cannot be read; the iterator ends after it.
    pub fn index(&self) -> impl Iterator<Item = Result<IndexEntry, SnapshotFault>> + use<> {
        self.inner.index.iter().map(|entry| Ok(IndexEntry::from_bytes(&entry?)))
    }

    /// All rows in feed order; a row whose id came more than once stands where it came last. Ends after an error.
    ///
    /// # Errors
    /// `Io` when nothing can be decoded.
    pub fn rows(&self) -> Result<SnapshotRows, SnapshotFault> {
        let SnapshotInner { directory, dead, .. } = &*self.inner;
        SnapshotRows::new(self, directory.iter(), dead.iter())
    }

    /// Numbers of the first rows that were left out because their id came again later, in feed order, at most
    /// `at_most`. Decodes a frame for each.
    ///
    /// # Errors
    /// `Damaged` when the bytes it reads are damaged; `Io` when the disk refuses.
    pub fn list_superseded(&self, at_most: usize) -> Result<Vec<u64>, SnapshotFault> {
        let SnapshotInner { directory, dead, .. } = &*self.inner;
        let mut decoder = FrameDecoder::new()?;
        let mut numbers = Vec::new();
        for place in dead.iter().take(at_most) {
            let RowOffset { frame_offset, row_offset } = RowOffset::from_bytes(&place?);
            let frame = directory.seek(|frame| Frame::from_bytes(frame).offset < frame_offset)?.next();
            let frame = Frame::from_bytes(&frame.ok_or(SnapshotFault::Damaged)??);
            decoder.open(&self.inner, frame.offset, frame.bytes)?;
            numbers.push(decoder.decode_row(row_offset as usize)?.number);
        }
        Ok(numbers)
    }

    /// The rows at `places`, decoding each frame once when the places are sorted.
    pub(super) fn rows_at<P: Iterator<Item = io::Result<RowPlace>>>(
        &self,
        places: P,
    ) -> Result<impl Iterator<Item = Result<SnapshotRow, SnapshotFault>> + use<P>, SnapshotFault> {
        let mut rows = self.rows_anywhere()?;
        Ok(places.map(move |place| rows.row(place?)))
    }

    /// Reads rows at any places.
    pub(super) fn rows_anywhere(&self) -> Result<RowsAnywhere, SnapshotFault> {
        Ok(RowsAnywhere { snapshot: self.clone(), decoder: FrameDecoder::new()? })
    }
}

/// Reads rows at places one after the other; a frame that follows itself is decoded once.
pub(super) struct RowsAnywhere {
    snapshot: Snapshot,
    decoder: FrameDecoder,
}

impl RowsAnywhere {
    /// The row of an id, as [`Snapshot::get`] returns it; a row in the frame that was read last is not decoded again.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn get(&mut self, id: &str) -> Result<Option<Vec<u8>>, SnapshotFault> {
        let Some(entry) = self.snapshot.find_entry(id)? else { return Ok(None) };
        let (found, row) = self.row(entry.at)?;
        Ok((found == id).then_some(row))
    }

    /// The row at a place.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn row(&mut self, RowPlace { place, frame_bytes }: RowPlace) -> Result<SnapshotRow, SnapshotFault> {
        if self.decoder.offset != Some(place.frame_offset) {
            self.decoder.open(&self.snapshot.inner, place.frame_offset, frame_bytes)?;
        }
        Ok(self.decoder.row(place.row_offset as usize)?.0)
    }
}

/// Offsets of the dead list and of the directory; `None` when the counts do not add up to a file that ends with the
/// footer at `end`.
fn table_offsets(footer: &Footer, end: u64) -> Option<[u64; 2]> {
    let dead = footer.frames_bytes.checked_add(table_bytes(footer.rows, IndexEntry::BYTES)?)?;
    let directory = dead.checked_add(table_bytes(footer.dead, RowOffset::BYTES)?)?;
    let footer_offset = directory.checked_add(table_bytes(footer.frames, Frame::BYTES)?)?;
    (footer_offset == end).then_some([dead, directory])
}

/// Rows of a snapshot in feed order, one frame in memory.
pub struct SnapshotRows {
    snapshot: Snapshot,
    frames: TableIter<{ Frame::BYTES }>,
    dead: Peekable<TableIter<{ RowOffset::BYTES }>>,
    decoder: FrameDecoder,
    next_offset: usize,
    ended: bool,
}

impl SnapshotRows {
    /// The rows of `frames`; `dead` must begin no later than the first frame.
    fn new(
        snapshot: &Snapshot,
        frames: TableIter<{ Frame::BYTES }>,
        dead: TableIter<{ RowOffset::BYTES }>,
    ) -> Result<Self, SnapshotFault> {
        let snapshot = snapshot.clone();
        let dead = dead.peekable();
        let decoder = FrameDecoder::new()?;
        Ok(Self { snapshot, frames, dead, decoder, next_offset: 0, ended: false })
    }

    fn next_row(&mut self) -> Result<Option<SnapshotRow>, SnapshotFault> {
        loop {
            if self.next_offset == self.decoder.decoded.len() {
                let Some(frame) = self.frames.next().transpose()? else {
                    return Ok(None);
                };
                let frame = Frame::from_bytes(&frame);
                self.decoder.open(&self.snapshot.inner, frame.offset, frame.bytes)?;
                self.next_offset = 0;
            }
            let offset = self.next_offset;
            let (row, next_offset) = self.decoder.row(offset)?;
            self.next_offset = next_offset;
            if !self.is_dead(offset)? {
                return Ok(Some(row));
            }
        }
    }

    fn is_dead(&mut self, row_offset: usize) -> Result<bool, SnapshotFault> {
        let here = (self.decoder.offset, row_offset);
        let position = |place: &[u8; _]| {
            let place = RowOffset::from_bytes(place);
            (Some(place.frame_offset), place.row_offset as usize)
        };
        while let Some(place) =
            self.dead.next_if(|dead| dead.as_ref().map_or(true, |at| position(at) <= here))
        {
            if position(&place?) == here {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Iterator for SnapshotRows {
    type Item = Result<SnapshotRow, SnapshotFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let row = self.next_row().transpose();
        self.ended = !matches!(row, Some(Ok(_)));
        row
    }
}

/// Reads frames, using its buffers again.
struct FrameDecoder {
    decompressor: Decompressor<'static>,
    compressed: Vec<u8>,
    decoded: Vec<u8>,
    /// Offset of the frame in `decoded`.
    offset: Option<u64>,
}

impl FrameDecoder {
    fn new() -> Result<Self, SnapshotFault> {
        let decompressor = Decompressor::new()?;
        Ok(Self { decompressor, compressed: Vec::new(), decoded: Vec::new(), offset: None })
    }

    /// Reads the frame of `bytes` bytes at `offset` of the file, checks and decodes it.
    fn open(&mut self, snapshot: &SnapshotInner, offset: u64, bytes: u32) -> Result<(), SnapshotFault> {
        self.offset = None;
        if offset.checked_add(bytes.into()).is_none_or(|end| end > snapshot.frames_bytes) {
            return Err(SnapshotFault::Damaged);
        }
        self.compressed.resize(bytes as usize, 0);
        snapshot.blob.read_exact_at(&mut self.compressed, offset)?;
        let content = verify_checksum(&self.compressed, offset).ok_or(SnapshotFault::Damaged)?;
        self.decoded.clear();
        self.decoded.reserve(decoded_bytes(content).ok_or(SnapshotFault::Damaged)?);
        let decoded = self.decompressor.decompress_to_buffer(content, &mut self.decoded);
        decoded.map_err(|_| SnapshotFault::Damaged)?;
        self.offset = Some(offset);
        Ok(())
    }

    /// The row at `offset` of the decoded frame, and the offset of the next one.
    fn row(&self, offset: usize) -> Result<(SnapshotRow, usize), SnapshotFault> {
        let FrameRow { id, row, next_offset, number: _ } = self.decode_row(offset)?;
        Ok(((id.to_owned(), row.to_vec()), next_offset))
    }

    fn decode_row(&self, offset: usize) -> Result<FrameRow<'_>, SnapshotFault> {
        row_at(&self.decoded, offset).ok_or(SnapshotFault::Damaged)
    }
}

/// Decoded size that the frame states; `None` if it states no size, or a larger one than a writer would put there.
fn decoded_bytes(frame: &[u8]) -> Option<usize> {
    let bytes = zstd::zstd_safe::get_frame_content_size(frame).ok()??;
    usize::try_from(bytes).ok().filter(|bytes| *bytes <= FRAME_DECODED_BYTES)
}
