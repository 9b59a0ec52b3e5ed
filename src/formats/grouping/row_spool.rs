//! Rows whose product has others anywhere in the file: sealed on the disk, and read back product by product.
//!
//! In memory are two sorters of fixed size, whatever the file holds. Products come in the order of their first rows, so
//! that the spool is read nearly from front to back.

use std::io::{self, Write};

use xxhash_rust::xxh3::xxh3_128;

use crate::blobs::{Blob, BlobWriter, Blobs};
use crate::catalogue::snapshot_sort::Sorter;
use crate::formats::draft_row::{DraftRow, RowRole};
use crate::keys::Sealer;
use crate::limits::{FEED_GROUP_BYTES, FEED_GROUP_ROWS};

/// Entries of a sorter in memory; others are on the disk.
const RUN_ENTRIES: usize = 64 * 1024;
/// Binds the sealed rows to their use.
const AAD: &[u8] = b"row of a foreign feed";

const KEY_BYTES: usize = 16;
const ENTRY_BYTES: usize = KEY_BYTES + 8 + 8 + 4 + 1;
const ALIAS_BYTES: usize = 2 * KEY_BYTES;
const ORDERED_BYTES: usize = 8 + ENTRY_BYTES;

/// Rows on their way to the disk.
pub struct RowSpool {
    blobs: Blobs,
    rows: BlobWriter,
    sealer: Sealer,
    entries: Sorter<ENTRY_BYTES>,
    aliases: Sorter<ALIAS_BYTES>,
    json: Vec<u8>,
}

/// The rows of one product.
#[derive(Default)]
pub struct RowGroup {
    /// Key that they share.
    pub key: String,
    /// Its rows in the file's order, at most [`FEED_GROUP_ROWS`].
    pub rows: Vec<DraftRow>,
    /// Part of the product's rows that these are.
    pub part: GroupPart,
}

/// Part of the rows of one key: a key may have more rows than memory holds.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum GroupPart {
    /// All of them.
    #[default]
    Whole,
    /// The first of several parts.
    First,
    /// A part after the first.
    Further,
}

impl RowSpool {
    /// An empty spool in a file of `blobs`, under a key that lives as long as the spool.
    ///
    /// # Errors
    /// When there is no file to write to, or no randomness.
    pub fn create(blobs: &Blobs) -> io::Result<Self> {
        let sealer = Sealer::ephemeral().map_err(io::Error::other)?;
        Ok(Self {
            blobs: blobs.clone(),
            rows: blobs.create()?,
            sealer,
            entries: Sorter::new(blobs, RUN_ENTRIES),
            aliases: Sorter::new(blobs, RUN_ENTRIES),
            json: Vec::new(),
        })
    }

    /// Keeps a row of the product `group`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn push(&mut self, group: &str, row: &DraftRow) -> io::Result<()> {
        self.json.clear();
        serde_json::to_writer(&mut self.json, &(group, row))?;
        let sealed = self.sealer.seal(AAD, &self.json).map_err(io::Error::other)?;
        let key = hash_key(group);
        let length = u32::try_from(sealed.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let is_parent = row.role == RowRole::Parent;
        let entry = Entry { key, number: row.place.number, offset: self.rows.bytes(), length, is_parent };
        self.rows.write_all(&sealed)?;
        self.entries.push(entry.to_bytes())?;
        for alias in &row.group_aliases {
            let mut record = [0; ALIAS_BYTES];
            record[..KEY_BYTES].copy_from_slice(&hash_key(alias));
            record[KEY_BYTES..].copy_from_slice(&key);
            self.aliases.push(record)?;
        }
        Ok(())
    }

    /// All rows, product by product, in the order of the products' first rows.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn into_groups(mut self) -> io::Result<RowGroups> {
        let blob = self.rows.read_back()?;
        let mut by_key = Sorter::new(&self.blobs, RUN_ENTRIES);
        let mut aliases = self.aliases.into_sorted()?.peekable();
        for entry in self.entries.into_sorted()? {
            let mut entry = Entry::from_bytes(&entry?);
            // The first alias of a name counts: a SKU that two products list is a variant of one.
            while let Some(Ok(alias)) = aliases.peek() {
                if alias[..KEY_BYTES] >= entry.key[..] {
                    break;
                }
                aliases.next();
            }
            match aliases.peek() {
                // A parent that another one lists keeps its own variants.
                Some(Ok(alias)) if alias[..KEY_BYTES] == entry.key[..] && !entry.is_parent => {
                    entry.key.copy_from_slice(&alias[KEY_BYTES..]);
                }
                Some(Err(_)) => drop(aliases.next().transpose()?),
                _ => {}
            }
            by_key.push(entry.to_bytes())?;
        }
        let mut ordered = Sorter::new(&self.blobs, RUN_ENTRIES);
        let mut group = ([0; KEY_BYTES], 0);
        for record in by_key.into_sorted()? {
            let entry = Entry::from_bytes(&record?);
            if group.1 == 0 || group.0 != entry.key {
                group = (entry.key, entry.number);
            }
            ordered.push(entry.to_ordered(group.1))?;
        }
        let entries = Box::new(ordered.into_sorted()?);
        Ok(RowGroups { _rows: self.rows, blob, sealer: self.sealer, entries, next: None, cut_key: None })
    }
}

/// Place of a sealed row.
#[derive(Clone, Copy)]
struct Entry {
    key: [u8; KEY_BYTES],
    /// Number of the record, from 1.
    number: u64,
    offset: u64,
    length: u32,
    is_parent: bool,
}

impl Entry {
    /// Bytes that sort by key, then by number.
    fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..16].copy_from_slice(&self.key);
        bytes[16..24].copy_from_slice(&self.number.to_be_bytes());
        bytes[24..32].copy_from_slice(&self.offset.to_be_bytes());
        bytes[32..36].copy_from_slice(&self.length.to_be_bytes());
        bytes[36] = u8::from(self.is_parent);
        bytes
    }

    fn from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&bytes[..16]);
        let mut length = [0; 4];
        length.copy_from_slice(&bytes[32..36]);
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_be_bytes(number)
        };
        let length = u32::from_be_bytes(length);
        Self { key, number: number(16), offset: number(24), length, is_parent: bytes[36] == 1 }
    }

    /// Bytes that sort by the first row of the product, then as [`Entry::to_bytes`].
    fn to_ordered(self, first_number: u64) -> [u8; ORDERED_BYTES] {
        let mut bytes = [0; ORDERED_BYTES];
        bytes[..8].copy_from_slice(&first_number.to_be_bytes());
        bytes[8..].copy_from_slice(&self.to_bytes());
        bytes
    }

    fn from_ordered(bytes: &[u8; ORDERED_BYTES]) -> Self {
        let mut entry = [0; ENTRY_BYTES];
        entry.copy_from_slice(&bytes[8..]);
        Self::from_bytes(&entry)
    }
}

fn hash_key(key: &str) -> [u8; KEY_BYTES] {
    xxh3_128(key.as_bytes()).to_be_bytes()
}

/// Products of a spool, one after the other.
pub struct RowGroups {
    /// Its file is removed with it.
    _rows: BlobWriter,
    blob: Blob,
    sealer: Sealer,
    entries: Box<dyn Iterator<Item = io::Result<[u8; ORDERED_BYTES]>> + Send>,
    next: Option<Entry>,
    /// Key of the group that was cut, whose further rows come next.
    cut_key: Option<[u8; KEY_BYTES]>,
}

impl RowGroups {
    /// The rows of the next product, or the next part of them; `None` at the end.
    ///
    /// # Errors
    /// When the disk refuses, or a row is damaged.
    pub fn next_group(&mut self) -> io::Result<Option<RowGroup>> {
        let Some(first) = self.take_entry()? else { return Ok(None) };
        let mut group = RowGroup::default();
        if self.cut_key.take() == Some(first.key) {
            group.part = GroupPart::Further;
        }
        let mut bytes = 0;
        let mut entry = first;
        loop {
            let (key, row) = self.read_row(&entry)?;
            if group.rows.is_empty() || row.role == RowRole::Parent {
                group.key = key;
            }
            group.rows.push(row);
            bytes += entry.length as usize;
            entry = match self.take_entry()? {
                Some(next) if next.key == first.key => next,
                next => {
                    self.next = next;
                    return Ok(Some(group));
                }
            };
            if group.rows.len() == FEED_GROUP_ROWS || bytes + entry.length as usize > FEED_GROUP_BYTES {
                self.next = Some(entry);
                self.cut_key = Some(first.key);
                if group.part == GroupPart::Whole {
                    group.part = GroupPart::First;
                }
                return Ok(Some(group));
            }
        }
    }

    fn take_entry(&mut self) -> io::Result<Option<Entry>> {
        if let Some(entry) = self.next.take() {
            return Ok(Some(entry));
        }
        let record = self.entries.next().transpose()?;
        Ok(record.map(|record| Entry::from_ordered(&record)))
    }

    fn read_row(&self, entry: &Entry) -> io::Result<(String, DraftRow)> {
        let mut sealed = vec![0; entry.length as usize];
        self.blob.read_exact_at(&mut sealed, entry.offset)?;
        let opened = self.sealer.open(AAD, &sealed).map_err(io::Error::other)?;
        Ok(serde_json::from_slice(&opened)?)
    }
}
