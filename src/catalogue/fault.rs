//! Failure of a catalogue file or of the store that names it.

use super::snapshot::SnapshotFault;
use crate::disk;
use crate::store::StoreFault;

/// A fault while reading a catalogue.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueFault {
    /// A fault of the store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// A fault of a snapshot's file.
    #[error(transparent)]
    Snapshot(#[from] SnapshotFault),
    /// A fault in writing a file.
    #[error("a file of the catalogue cannot be written: {0}")]
    File(std::io::ErrorKind),
    /// A row in the store differs from the written one.
    #[error("a stored row of the catalogue cannot be read")]
    Row,
    /// It was published again and again while it was read.
    #[error("the catalogue changed again and again while it was read")]
    Overtaken,
    /// The thread that read its files panicked.
    #[error("reading the catalogue panicked")]
    Panicked,
}

impl CatalogueFault {
    /// True if there was no room on the disk.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Store(StoreFault::DiskFull) => true,
            Self::File(kind) => disk::is_full(*kind),
            // Two snapshots are compared through sort files of their own.
            Self::Snapshot(SnapshotFault::Io(error)) => disk::is_full(error.kind()),
            Self::Store(_) | Self::Snapshot(_) | Self::Row | Self::Overtaken | Self::Panicked => false,
        }
    }
}

impl From<std::io::Error> for CatalogueFault {
    fn from(error: std::io::Error) -> Self {
        Self::File(error.kind())
    }
}
