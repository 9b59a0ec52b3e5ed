//! Sorts any number of fixed-size records in bounded memory: sorted runs on the disk, merged at the end.

use std::io;

use itertools::{Either, Itertools};

use super::snapshot_table::{RecordTable, write_table};
use crate::blobs::{BlobWriter, Blobs};

/// Collects records of `N` bytes and returns them sorted as bytes.
pub struct Sorter<const N: usize> {
    blobs: Blobs,
    run_records: usize,
    records: Vec<[u8; N]>,
    spilled: Option<Spilled>,
}

/// One unpublished blob holds all runs, one after the other.
struct Spilled {
    blob: BlobWriter,
    /// Offset and records of each run.
    runs: Vec<(u64, u64)>,
}

impl<const N: usize> Sorter<N> {
    /// Creates an empty sorter that holds up to `run_records` records in memory and the others in a file of `blobs`.
    #[must_use]
    pub fn new(blobs: &Blobs, run_records: usize) -> Self {
        Self { blobs: blobs.clone(), run_records: run_records.max(1), records: Vec::new(), spilled: None }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When a full run cannot be written to the disk.
    pub fn push(&mut self, record: [u8; N]) -> io::Result<()> {
        if self.records.len() == self.run_records {
            self.spill()?;
        }
        if self.records.capacity() == 0 {
            // At once: growing would copy, and touch twice the memory. Unused memory is not touched.
            self.records.reserve_exact(self.run_records);
        }
        self.records.push(record);
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        let spilled = match &mut self.spilled {
            Some(spilled) => spilled,
            none => none.insert(Spilled { blob: self.blobs.create()?, runs: Vec::new() }),
        };
        self.records.sort_unstable();
        let offset = spilled.blob.bytes();
        let records = write_table(&mut spilled.blob, offset, self.records.drain(..).map(Ok))?;
        spilled.runs.push((offset, records));
        Ok(())
    }

    /// Returns all records in order.
    ///
    /// # Errors
    /// When the sorted runs cannot be read back. An item is an error when a run is damaged; it comes before
    /// the records after it.
    pub fn into_sorted(mut self) -> io::Result<impl Iterator<Item = io::Result<[u8; N]>> + use<N>> {
        self.records.sort_unstable();
        let in_memory = self.records.into_iter().map(Ok);
        let Some(mut spilled) = self.spilled else {
            return Ok(Either::Left(in_memory));
        };
        let blob = spilled.blob.read_back()?;
        let runs = spilled.runs.iter().map(|&(offset, records)| {
            Either::Left(RecordTable::<N>::new(blob.clone(), offset, records).iter())
        });
        let merged = runs.chain([Either::Right(in_memory)]).kmerge_by(comes_first);
        Ok(Either::Right(merged))
    }
}

fn comes_first<const N: usize>(one: &io::Result<[u8; N]>, other: &io::Result<[u8; N]>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one < other,
        (one, _) => one.is_err(),
    }
}
