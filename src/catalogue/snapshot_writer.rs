//! Writes a snapshot: rows in feed order in, one published blob out.

use std::io::{self, ErrorKind, Write};

use itertools::Itertools;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Compressor;

use super::snapshot_format::{Footer, Frame, IndexEntry, RowOffset, RowPlace, checksum, id_hash, push_row};
use super::snapshot_sort::Sorter;
use super::snapshot_table::write_table;
use crate::blobs::{BlobName, Blobs, HashedBlob, Hold};
use crate::limits::{SNAPSHOT_FRAME_BYTES, SNAPSHOT_ID_BYTES, SNAPSHOT_ROW_BYTES, SNAPSHOT_RUN_ENTRIES};

/// Level of zstd. The negative ones cost as much for a feed as a whole: they save in searching and lose in hashing and
/// writing a larger blob (`cargo bench --bench throughput -- snapshot` measures the level that stands here).
const LEVEL: i32 = 1;

/// Result of writing a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnapshotSummary {
    /// Name of the published blob: the SHA-256 of its bytes. The same rows in the same order give the same name.
    pub name: BlobName,
    /// Rows of the snapshot, each id counted once.
    pub rows: u64,
    /// Size of the blob in bytes.
    pub bytes: u64,
    /// Rows left out because their id came again later.
    pub duplicates: u64,
}

/// Writes one snapshot in bounded memory. Dropped unfinished, it leaves no file.
pub struct SnapshotWriter {
    blobs: Blobs,
    run_entries: usize,
    file: HashedBlob,
    compressor: Compressor<'static>,
    /// Rows of the frame being filled, and their entries, which learn its size when it is written.
    frame: Vec<u8>,
    frame_entries: Vec<IndexEntry>,
    compressed: Vec<u8>,
    index: Sorter<{ IndexEntry::BYTES }>,
    frames: Sorter<{ Frame::BYTES }>,
}

impl SnapshotWriter {
    /// Begins a snapshot.
    ///
    /// # Errors
    /// When the disk refuses the file.
    pub fn create(blobs: &Blobs) -> io::Result<Self> {
        Self::with_run(blobs, SNAPSHOT_RUN_ENTRIES)
    }

    /// Begins a snapshot that sorts `run_entries` index entries of 40 bytes in memory at a time. The blob does not
    /// depend on it.
    ///
    /// # Errors
    /// When the disk refuses the file.
    pub fn with_run(blobs: &Blobs, run_entries: usize) -> io::Result<Self> {
        Ok(Self {
            blobs: blobs.clone(),
            run_entries,
            file: HashedBlob::create(blobs)?,
            compressor: Compressor::new(LEVEL)?,
            frame: Vec::new(),
            frame_entries: Vec::new(),
            compressed: Vec::new(),
            index: Sorter::new(blobs, run_entries),
            frames: Sorter::new(blobs, run_entries),
        })
    }

    /// Adds a row with its number in the feed. If rows have the same id the last one stays.
    ///
    /// # Errors
    /// `InvalidInput` for an id or a row over the limits (the row is left out), or the fault of the disk; after that
    /// the writer is of no more use.
    pub fn push(&mut self, number: u64, id: &str, row: &[u8]) -> io::Result<()> {
        if id.len() > SNAPSHOT_ID_BYTES || row.len() > SNAPSHOT_ROW_BYTES {
            return Err(ErrorKind::InvalidInput.into());
        }
        let place = RowOffset { frame_offset: self.file.bytes(), row_offset: self.frame.len() as u32 };
        let at = RowPlace { place, frame_bytes: 0 };
        self.frame_entries.push(IndexEntry { id_hash: id_hash(id), at, content_hash: xxh3_64(row) });
        push_row(&mut self.frame, number, id, row);
        if self.frame.len() < SNAPSHOT_FRAME_BYTES { Ok(()) } else { self.write_frame() }
    }

    fn write_frame(&mut self) -> io::Result<()> {
        let offset = self.file.bytes();
        self.compressed.clear();
        self.compressed.reserve(zstd::zstd_safe::compress_bound(self.frame.len()));
        self.compressor.compress_to_buffer(&self.frame[..], &mut self.compressed)?;
        let sum = checksum(&self.compressed, offset);
        self.compressed.extend_from_slice(&sum);
        self.file.write_all(&self.compressed)?;

        let bytes = self.compressed.len() as u32;
        for mut entry in self.frame_entries.drain(..) {
            entry.at.frame_bytes = bytes;
            self.index.push(entry.to_bytes())?;
        }
        self.frame.clear();
        self.frames.push(Frame { offset, bytes }.to_bytes())
    }

    /// Writes the tables and publishes the blob, which the sweep leaves alone as long as the `hold` exists.
    ///
    /// # Errors
    /// When the disk refuses; nothing is published then.
    pub fn finish(mut self, hold: &Hold) -> io::Result<SnapshotSummary> {
        if !self.frame.is_empty() {
            self.write_frame()?;
        }
        let Self { blobs, run_entries, mut file, index, frames, .. } = self;
        let frames_bytes = file.bytes();

        let mut superseded = Sorter::new(&blobs, run_entries);
        let last_of_each_id = index.into_sorted()?.coalesce(|earlier, later| match (earlier, later) {
            (Ok(earlier), Ok(later)) if earlier[..16] == later[..16] => {
                Ok(superseded.push(IndexEntry::from_bytes(&earlier).at.place.to_bytes()).map(|()| later))
            }
            pair => Err(pair),
        });
        let rows = write_sorted(&mut file, last_of_each_id)?;

        let dead = write_sorted(&mut file, superseded.into_sorted()?)?;
        let frames = write_sorted(&mut file, frames.into_sorted()?)?;

        let footer = Footer { frames_bytes, rows, dead, frames };
        file.write_all(&footer.to_bytes(file.bytes()))?;
        let (name, bytes) = file.publish(hold)?;
        Ok(SnapshotSummary { name, rows, bytes, duplicates: dead })
    }
}

fn write_sorted<const N: usize>(
    file: &mut HashedBlob,
    sorted: impl Iterator<Item = io::Result<[u8; N]>>,
) -> io::Result<u64> {
    let offset = file.bytes();
    write_table(file, offset, sorted)
}
