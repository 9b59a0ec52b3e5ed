//! Storage of one copy of a key file: a file, or in tests a disk that crashes where it is told to.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::disk;

/// Bytes that are read and overwritten in place.
pub(super) trait Medium: Send + Sync {
    /// Number of bytes.
    fn length(&self) -> io::Result<u64>;
    /// Fills `into` from a place on.
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<()>;
    /// Overwrites from a place on; beyond the end it appends.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;
    /// Makes everything written so far durable.
    fn sync(&self) -> io::Result<()>;
}

impl Medium for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(into, at)
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        disk::overwrite(self, bytes, at)
    }

    fn sync(&self) -> io::Result<()> {
        disk::sync(self)
    }
}
