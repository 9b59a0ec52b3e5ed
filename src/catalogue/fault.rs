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

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;

    #[test]
    fn a_disk_without_room_is_told_from_other_faults() {
        let of_disk = |kind: ErrorKind| {
            let of_file = CatalogueFault::from(Error::from(kind));
            let of_snapshot = CatalogueFault::from(SnapshotFault::from(Error::from(kind)));
            [of_file, of_snapshot].map(|fault| fault.is_disk_full())
        };
        assert_eq!(of_disk(ErrorKind::StorageFull), [true, true]);
        assert_eq!(of_disk(ErrorKind::PermissionDenied), [false, false]);
        assert!(CatalogueFault::from(StoreFault::DiskFull).is_disk_full());
        let others = [
            CatalogueFault::from(StoreFault::Busy),
            CatalogueFault::from(SnapshotFault::Damaged),
            CatalogueFault::Row,
            CatalogueFault::Overtaken,
            CatalogueFault::Panicked,
        ];
        assert!(!others.iter().any(CatalogueFault::is_disk_full));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_missing_damaged_or_refused() {
        let fault = |kind: ErrorKind| SnapshotFault::from(Error::from(kind));
        for kind in [ErrorKind::InvalidData, ErrorKind::UnexpectedEof] {
            assert!(matches!(fault(kind), SnapshotFault::Damaged), "{kind}");
        }
        assert!(matches!(fault(ErrorKind::NotFound), SnapshotFault::Missing));
        let refused = fault(ErrorKind::PermissionDenied);
        assert!(matches!(refused, SnapshotFault::Io(error) if error.kind() == ErrorKind::PermissionDenied));
    }
}
