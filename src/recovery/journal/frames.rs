//! The bytes of the journal: a header, then one frame for each record, each chained to the one before and sealed.
//!
//! Header: magic `LETHEJRN` (8) | version u32 (4) | key set (16) | CRC-32 of these (4). Frame: length of the sealed
//! record u32 (4) | its complement (4) | number u64 (8) | chain (32) | sealed record | CRC-32 of all before (4).
//! Integers are little-endian. The chain is SHA-256 of (the chain before | number | sealed record), the first of the
//! header. The length stands twice so that a frame cut by a crash differs from a damaged one.

use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use crate::keys::{KeyFault, Sealer};
use crate::people::subject::SubjectId;

const MAGIC: &[u8; 8] = b"LETHEJRN";
const VERSION: u32 = 1;
/// Size of the header.
pub const HEADER_BYTES: usize = 32;
const HEAD_BYTES: usize = 48;
const CRC_BYTES: usize = 4;

/// Content of a frame.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
pub enum JournalItem {
    /// An erasure or a consent of a person.
    Record(Record),
    /// A copy of an entry that is already in the store's ledger of an account.
    Entry {
        /// Number of the account. Entries without one belong to a ledger that all accounts shared, and have no use.
        #[serde(default)]
        account: i64,
        /// Its number in the ledger, from 0. From there on the journal's entries of this account belong to another
        /// ledger.
        number: u64,
        /// Its exact line.
        line: String,
    },
}

/// Kind of a record.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JournalRecordKind {
    /// A person is forgotten: subjects are destroyed, tags are suppressed.
    Erasure,
    /// A person came back of their own will: tags are lifted.
    Consent,
}

/// A keyed hash that recognises a forgotten identifier.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq)]
pub struct TagEntry {
    /// The suppression tag.
    pub tag: [u8; 16],
    /// Kind of the identifier, as it stands in the store.
    pub kind: i64,
    /// Version of the rules of spelling.
    pub version: i64,
}

/// A record: enough to do an erasure again on an older state of the store, without anything that names a person.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
pub struct Record {
    /// Kind of the record.
    pub kind: JournalRecordKind,
    /// Random id of the erasure or consent; it is recorded once.
    pub id: [u8; 16],
    /// Number of the account.
    pub account: i64,
    /// Random ids of the person's subjects.
    pub subjects: Vec<SubjectId>,
    /// Lookup tag of the requested identifier: orders of others that came with it are erased, and links from it. The
    /// first of `tags` is its suppression tag.
    pub asked: Option<[u8; 16]>,
    /// Tags that recognise the person.
    pub tags: Vec<TagEntry>,
    /// Time of the request, in milliseconds since 1970.
    pub at: i64,
}

/// A place after a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JournalPosition {
    /// Records up to here.
    pub records: u64,
    /// Chain value up to here.
    pub chain: [u8; 32],
    /// Bytes up to here.
    pub bytes: u64,
}

/// Content after the last whole record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JournalTail {
    /// Nothing.
    Nothing,
    /// A record that was being written when the power failed; it was never acknowledged.
    Torn,
    /// Something that was a record.
    Damaged,
}

/// Result of checking the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Header {
    /// It is one with this set of keys.
    Fits,
    /// It is no header, or of an unknown version.
    Damaged,
    /// It is of another set.
    Foreign,
}

/// The header of a set's journal.
pub fn header(set: [u8; 16]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..28].copy_from_slice(&set);
    let crc = crc32fast::hash(&header[..28]).to_le_bytes();
    header[28..].copy_from_slice(&crc);
    header
}

/// Reads a header.
pub fn read_header(bytes: &[u8], set: [u8; 16]) -> Header {
    match bytes.first_chunk::<HEADER_BYTES>() {
        Some(found) if *found == header(set) => Header::Fits,
        Some(found) if found[..12] == header(set)[..12] && crc_holds(found) => Header::Foreign,
        _ => Header::Damaged,
    }
}

/// The place after the header.
pub fn start(set: [u8; 16]) -> JournalPosition {
    JournalPosition { records: 0, chain: sha256(&[&header(set)]), bytes: HEADER_BYTES as u64 }
}

/// Makes the frame of an item after `at`; returns it with the place after it.
///
/// # Errors
/// [`KeyFault::TooLong`] when the item is too long, or when the cryptographic library refuses.
pub fn frame(
    at: &JournalPosition,
    sealer: &Sealer,
    item: &JournalItem,
) -> Result<(Vec<u8>, JournalPosition), KeyFault> {
    let number = at.records + 1;
    let plain = serde_json::to_vec(item).map_err(|_| KeyFault::TooLong)?;
    let sealed = sealer.seal(&aad(number, &at.chain), &plain)?;
    let length = u32::try_from(sealed.len()).map_err(|_| KeyFault::TooLong)?;
    let chain = chain_hash(at, number, &sealed);
    let mut bytes = Vec::with_capacity(HEAD_BYTES + sealed.len() + CRC_BYTES);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&(!length).to_le_bytes());
    bytes.extend_from_slice(&number.to_le_bytes());
    bytes.extend_from_slice(&chain);
    bytes.extend_from_slice(&sealed);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    let behind = JournalPosition { records: number, chain, bytes: at.bytes + bytes.len() as u64 };
    Ok((bytes, behind))
}

/// Reads records from `at` on, and returns where they end and the content after them.
pub fn read_records(
    bytes: &[u8],
    mut at: JournalPosition,
    sealer: &Sealer,
    each: &mut dyn FnMut(JournalPosition, JournalItem),
) -> (JournalPosition, JournalTail) {
    loop {
        let rest = usize::try_from(at.bytes).ok().and_then(|from| bytes.get(from..)).unwrap_or_default();
        match next(rest, &at, sealer) {
            Ok((behind, item)) => {
                at = behind;
                each(at, item);
            }
            Err(rest) => return (at, rest),
        }
    }
}

fn next(
    rest: &[u8],
    at: &JournalPosition,
    sealer: &Sealer,
) -> Result<(JournalPosition, JournalItem), JournalTail> {
    if rest.is_empty() {
        return Err(JournalTail::Nothing);
    }
    // A file that was made longer before its bytes came.
    if rest.iter().all(|byte| *byte == 0) {
        return Err(JournalTail::Torn);
    }
    let Some(lengths) = rest.first_chunk::<8>() else { return Err(JournalTail::Torn) };
    let [length, complement] = [&lengths[..4], &lengths[4..]].map(u32_of);
    if length != !complement {
        return Err(JournalTail::Damaged);
    }
    let total = HEAD_BYTES + length as usize + CRC_BYTES;
    let frame = rest.get(..total).ok_or(JournalTail::Torn)?;
    let number = at.records + 1;
    let sealed = &frame[HEAD_BYTES..total - CRC_BYTES];
    let chain = chain_hash(at, number, sealed);
    if !crc_holds(frame) || frame[8..16] != number.to_le_bytes() || frame[16..HEAD_BYTES] != chain {
        return Err(JournalTail::Damaged);
    }
    let plain = sealer.open(&aad(number, &at.chain), sealed).map_err(|_| JournalTail::Damaged)?;
    let item = serde_json::from_slice(&plain).map_err(|_| JournalTail::Damaged)?;
    Ok((JournalPosition { records: number, chain, bytes: at.bytes + total as u64 }, item))
}

fn chain_hash(at: &JournalPosition, number: u64, sealed: &[u8]) -> [u8; 32] {
    sha256(&[&at.chain, &number.to_le_bytes(), sealed])
}

fn aad(number: u64, chain: &[u8; 32]) -> Vec<u8> {
    [b"lethe/journal/v1/".as_slice(), &number.to_le_bytes(), chain].concat()
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, &parts.concat()).as_ref());
    hash
}

fn u32_of(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// True if the last four bytes are the CRC of those before.
fn crc_holds(bytes: &[u8]) -> bool {
    let (body, crc) = bytes.split_at(bytes.len().saturating_sub(CRC_BYTES));
    crc32fast::hash(body) == u32_of(crc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_bound_to_its_number_and_to_all_before_it() {
        let number = [2_u8, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(aad(2, &[7; 32]), [b"lethe/journal/v1/".as_slice(), &number, &[7_u8; 32]].concat());
    }
}
