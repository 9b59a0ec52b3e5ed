//! The bytes of a snapshot, the same for its writer and its reader.
//!
//! ```text
//! frames     zstd of rows, then xxh3-64 of it; a row: its number in the feed (8 bytes), id length, row length
//!            (4 bytes each), id, row
//! index      table of `IndexEntry`, sorted by the hash of the id: the live rows
//! dead       table of `Place`, sorted: rows whose id came again later in the feed
//! directory  table of `Frame`, in feed order
//! footer     counts of the tables, from which every position follows, and a checksum
//! ```
//! Numbers are big-endian, so that records sort as bytes. Every byte is under a checksum, and each checksum is
//! seeded with its position in the file, so that a piece read from a wrong place is noticed too.

use aws_lc_rs::digest;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Bytes of a checksum.
pub(super) const SUM_BYTES: usize = 8;
/// Bytes of the number and the two lengths in front of a row.
pub(super) const ROW_HEAD_BYTES: usize = 16;
const MAGIC: [u8; 8] = *b"LETHESNP";
/// Raised with every change of the format.
const VERSION: u32 = 2;

/// The checksum of a piece at `offset` of its file.
pub(super) fn checksum(piece: &[u8], offset: u64) -> [u8; SUM_BYTES] {
    xxh3_64_with_seed(piece, offset).to_be_bytes()
}

/// Splits the checksum off a piece at `offset`; `None` when it does not match.
pub(super) fn verify_checksum(piece: &[u8], offset: u64) -> Option<&[u8]> {
    let (content, sum) = piece.split_last_chunk::<SUM_BYTES>()?;
    (checksum(content, offset) == *sum).then_some(content)
}

/// The first half of the SHA-256 of an id. Making two ids that share it is infeasible (2^64 work), so equal hashes are
/// taken for equal ids; a fast hash without a key would let one row replace another on purpose.
pub(super) fn id_hash(id: &str) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&digest::digest(&digest::SHA256, id.as_bytes()).as_ref()[..16]);
    half
}

/// Reads fields off the front of a record of fixed size.
struct FieldReader<'a>(&'a [u8]);

impl FieldReader<'_> {
    fn read_array<const N: usize>(&mut self) -> [u8; N] {
        let mut field = [0; N];
        if let Some((first, rest)) = self.0.split_first_chunk() {
            field = *first;
            self.0 = rest;
        }
        field
    }

    fn u32(&mut self) -> u32 {
        u32::from_be_bytes(self.read_array())
    }

    fn u64(&mut self) -> u64 {
        u64::from_be_bytes(self.read_array())
    }
}

/// Puts fields one after the other into a record of fixed size; they must fill it.
fn record<const N: usize>(fields: &[&[u8]]) -> [u8; N] {
    let mut record = [0; N];
    let mut at = 0;
    for field in fields {
        record[at..at + field.len()].copy_from_slice(field);
        at += field.len();
    }
    debug_assert_eq!(at, N);
    record
}

/// The place of a row: the offset of its frame in the file, and its own in the decoded frame. Sorts in feed order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowOffset {
    pub frame_offset: u64,
    pub row_offset: u32,
}

impl RowOffset {
    pub const BYTES: usize = 12;

    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        record(&[&self.frame_offset.to_be_bytes(), &self.row_offset.to_be_bytes()])
    }

    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut fields = FieldReader(bytes);
        Self { frame_offset: fields.u64(), row_offset: fields.u32() }
    }
}

/// A place with the size of its frame, enough to read the row. Sorts in feed order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowPlace {
    pub place: RowOffset,
    pub frame_bytes: u32,
}

impl RowPlace {
    pub const BYTES: usize = RowOffset::BYTES + 4;

    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        record(&[&self.place.to_bytes(), &self.frame_bytes.to_be_bytes()])
    }

    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut fields = FieldReader(bytes);
        Self { place: RowOffset::from_bytes(&fields.read_array()), frame_bytes: fields.u32() }
    }

    /// Two places, which sort by the first.
    pub const PAIR_BYTES: usize = 2 * Self::BYTES;

    pub fn pair_to_bytes(first: Self, second: Self) -> [u8; Self::PAIR_BYTES] {
        record(&[&first.to_bytes(), &second.to_bytes()])
    }

    pub fn pair_from_bytes(bytes: &[u8; Self::PAIR_BYTES]) -> (Self, Self) {
        let mut fields = FieldReader(bytes);
        (Self::from_bytes(&fields.read_array()), Self::from_bytes(&fields.read_array()))
    }
}

/// One row in the index. Its bytes sort by the hash of the id, then in feed order.
#[derive(Clone, Copy)]
pub struct IndexEntry {
    /// The first half of the SHA-256 of the row's id; equal in two snapshots for the same id.
    pub id_hash: [u8; 16],
    /// The xxh3-64 of the row's bytes; equal in two snapshots for an unchanged row.
    pub content_hash: u64,
    pub(super) at: RowPlace,
}

impl IndexEntry {
    pub(super) const BYTES: usize = 40;

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        record(&[&self.id_hash, &self.at.to_bytes(), &self.content_hash.to_be_bytes()])
    }

    pub(super) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut fields = FieldReader(bytes);
        Self {
            id_hash: fields.read_array(),
            at: RowPlace::from_bytes(&fields.read_array()),
            content_hash: fields.u64(),
        }
    }
}

/// One frame in the directory.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub offset: u64,
    pub bytes: u32,
}

impl Frame {
    pub const BYTES: usize = 12;

    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        record(&[&self.offset.to_be_bytes(), &self.bytes.to_be_bytes()])
    }

    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut fields = FieldReader(bytes);
        Self { offset: fields.u64(), bytes: fields.u32() }
    }
}

/// The end of the file.
#[derive(Clone, Copy)]
pub(super) struct Footer {
    /// Bytes of all frames.
    pub frames_bytes: u64,
    /// Live rows: records of the index.
    pub rows: u64,
    /// Records of the list of dead rows.
    pub dead: u64,
    /// Records of the directory.
    pub frames: u64,
}

/// Reason why the last bytes of a file are no footer.
pub(super) enum FooterFault {
    Damaged,
    Version(u32),
}

impl Footer {
    pub const BYTES: usize = 8 + 4 + 4 * 8 + SUM_BYTES;

    /// The footer as it stands at `offset`.
    pub fn to_bytes(self, offset: u64) -> [u8; Self::BYTES] {
        let content: [u8; Self::BYTES - SUM_BYTES] = record(&[
            &MAGIC,
            &VERSION.to_be_bytes(),
            &self.frames_bytes.to_be_bytes(),
            &self.rows.to_be_bytes(),
            &self.dead.to_be_bytes(),
            &self.frames.to_be_bytes(),
        ]);
        record(&[&content, &checksum(&content, offset)])
    }

    /// Reads a footer that lies at `offset` in the file.
    ///
    /// # Errors
    /// When it is damaged or names an unknown version.
    pub fn from_bytes(bytes: &[u8; Self::BYTES], offset: u64) -> Result<Self, FooterFault> {
        let mut fields = FieldReader(verify_checksum(bytes, offset).ok_or(FooterFault::Damaged)?);
        if fields.read_array() != MAGIC {
            return Err(FooterFault::Damaged);
        }
        match fields.u32() {
            VERSION => Ok(Self {
                frames_bytes: fields.u64(),
                rows: fields.u64(),
                dead: fields.u64(),
                frames: fields.u64(),
            }),
            other => Err(FooterFault::Version(other)),
        }
    }
}

/// Appends a row to the bytes of a frame. Lengths are within the limits, far below 4 GiB.
pub(super) fn push_row(frame: &mut Vec<u8>, number: u64, id: &str, row: &[u8]) {
    frame.extend_from_slice(&number.to_be_bytes());
    frame.extend_from_slice(&(id.len() as u32).to_be_bytes());
    frame.extend_from_slice(&(row.len() as u32).to_be_bytes());
    frame.extend_from_slice(id.as_bytes());
    frame.extend_from_slice(row);
}

/// A row in a decoded frame.
pub(super) struct FrameRow<'a> {
    /// Its number in the feed.
    pub number: u64,
    pub id: &'a str,
    pub row: &'a [u8],
    /// Offset of the next frame.
    pub next_offset: usize,
}

/// Reads the row at `offset` of a decoded frame. `None` when no whole row is there.
pub(super) fn row_at(frame: &[u8], offset: usize) -> Option<FrameRow<'_>> {
    let (head, rest) = frame.get(offset..)?.split_first_chunk::<ROW_HEAD_BYTES>()?;
    let mut head = FieldReader(head);
    let number = head.u64();
    let id_bytes = head.u32() as usize;
    let row_bytes = head.u32() as usize;
    let (id, rest) = rest.split_at_checked(id_bytes)?;
    let id = std::str::from_utf8(id).ok()?;
    let row = rest.get(..row_bytes)?;
    Some(FrameRow { number, id, row, next_offset: offset + ROW_HEAD_BYTES + id_bytes + row_bytes })
}
