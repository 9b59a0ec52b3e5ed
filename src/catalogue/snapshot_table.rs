//! Sorted records of one fixed size in a blob, in blocks that each carry a checksum.
//!
//! A snapshot's index, its directory and its list of dead rows are tables, and so are the sorted runs from which
//! they are merged. Damage is an [`ErrorKind::InvalidData`].

use std::io::{self, ErrorKind, Write};

use super::snapshot_format::{SUM_BYTES, checksum, verify_checksum};
use crate::blobs::Blob;

/// Records of one block: a block of the widest record is about a page of the disk.
const BLOCK_RECORDS: usize = 100;

/// Bytes of a table of `records` records of `width` bytes; `None` when no file can be so large.
pub(super) fn table_bytes(records: u64, width: usize) -> Option<u64> {
    let sums = records.div_ceil(BLOCK_RECORDS as u64).checked_mul(SUM_BYTES as u64)?;
    records.checked_mul(width as u64)?.checked_add(sums)
}

/// Writes a table at `offset` of the file that `out` appends to, and returns the number of its records.
pub(super) fn write_table<const N: usize>(
    out: &mut impl Write,
    mut offset: u64,
    sorted: impl Iterator<Item = io::Result<[u8; N]>>,
) -> io::Result<u64> {
    let mut records = 0;
    let mut block = Vec::with_capacity(N * BLOCK_RECORDS + SUM_BYTES);
    for record in sorted {
        block.extend_from_slice(&record?);
        records += 1;
        if block.len() == N * BLOCK_RECORDS {
            offset += write_block(out, offset, &mut block)?;
        }
    }
    if !block.is_empty() {
        write_block(out, offset, &mut block)?;
    }
    Ok(records)
}

fn write_block(out: &mut impl Write, offset: u64, block: &mut Vec<u8>) -> io::Result<u64> {
    let sum = checksum(block, offset);
    block.extend_from_slice(&sum);
    out.write_all(block)?;
    let bytes = block.len() as u64;
    block.clear();
    Ok(bytes)
}

/// A table for reading. Cloning shares the blob.
#[derive(Clone)]
pub(super) struct RecordTable<const N: usize> {
    blob: Blob,
    offset: u64,
    records: u64,
}

impl<const N: usize> RecordTable<N> {
    /// The table of `records` records at `offset` of `blob`.
    pub fn new(blob: Blob, offset: u64, records: u64) -> Self {
        Self { blob, offset, records }
    }

    /// All records in order.
    pub fn iter(&self) -> TableIter<N> {
        TableIter { table: self.clone(), block: Vec::new(), next_block: 0, next_in_block: 0 }
    }

    /// The records from the first one on that is not `before`; `before` must hold for a first part of the table and for
    /// no record after it.
    ///
    /// # Errors
    /// When the table is damaged or cannot be read.
    pub fn seek(&self, before: impl Fn(&[u8; N]) -> bool) -> io::Result<TableIter<N>> {
        let mut from = 0;
        let mut to = self.blocks();
        let mut found = self.iter();
        // The block sought is the last one whose first record is before; it stays in `found` when met.
        while from < to {
            let middle = from + (to - from) / 2;
            let block = self.read_block(middle)?;
            let records = block.as_chunks::<N>().0;
            if records.first().is_some_and(&before) {
                found.next_in_block = records.partition_point(&before);
                found.block = block;
                found.next_block = middle + 1;
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Ok(found)
    }

    fn blocks(&self) -> u64 {
        self.records.div_ceil(BLOCK_RECORDS as u64)
    }

    /// The records of a block, one after the other.
    fn read_block(&self, block: u64) -> io::Result<Vec<u8>> {
        let offset = self.offset + block * (N * BLOCK_RECORDS + SUM_BYTES) as u64;
        let records = (self.records - block * BLOCK_RECORDS as u64).min(BLOCK_RECORDS as u64) as usize;
        let mut bytes = vec![0; records * N + SUM_BYTES];
        self.blob.read_exact_at(&mut bytes, offset)?;
        verify_checksum(&bytes, offset).ok_or(ErrorKind::InvalidData)?;
        bytes.truncate(records * N);
        Ok(bytes)
    }
}

/// Records of a table in order, one block in memory. Ends after an error.
pub(super) struct TableIter<const N: usize> {
    table: RecordTable<N>,
    block: Vec<u8>,
    next_block: u64,
    next_in_block: usize,
}

impl<const N: usize> Iterator for TableIter<N> {
    type Item = io::Result<[u8; N]>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.block.as_chunks::<N>().0.get(self.next_in_block) {
                self.next_in_block += 1;
                return Some(Ok(*record));
            }
            if self.next_block == self.table.blocks() {
                return None;
            }
            match self.table.read_block(self.next_block) {
                Ok(block) => self.block = block,
                Err(error) => {
                    (self.block, self.next_block) = (Vec::new(), self.table.blocks());
                    return Some(Err(error));
                }
            }
            self.next_block += 1;
            self.next_in_block = 0;
        }
    }
}
