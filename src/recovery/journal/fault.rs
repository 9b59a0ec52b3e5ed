//! Faults of the journal. Each stops an erasure or a start: going on would bring people back.

use std::io;

use crate::disk;
use crate::keys::KeyFault;
use crate::recovery::layout::RESTORED;

/// A fault of the journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalFault {
    /// The disk refused.
    #[error("{which} cannot be read or written: {error}")]
    Disk {
        /// The copy.
        which: &'static str,
        /// Error of the system.
        error: io::Error,
    },
    /// The file was taken away.
    #[error("{which} is gone from its folder; is its volume mounted?")]
    Gone {
        /// The copy.
        which: &'static str,
    },
    /// The mirror has nothing, and had something.
    #[error(
        "the mirror of the journal is empty, and one was in use; is its volume mounted? To begin a new one, remove \
         {} from the key folder",
        MIRRORED
    )]
    MirrorEmpty,
    /// There was a mirror, and none is named.
    #[error(
        "a mirror of the journal of erasures was in use, and none is named: after a snapshot of the machine came back, \
         who was forgotten since would too. Name it with --journal-mirror; to go on without one, remove {} from the key \
         folder",
        MIRRORED
    )]
    MirrorUnnamed,
    /// A record was changed.
    #[error(
        "{which} is damaged behind record {records}; put a whole copy in its place (its mirror, or the one in the \
         newest backup), or start with --accept-journal-gap: who was forgotten in what is lost may come back"
    )]
    Damaged {
        /// The copy.
        which: &'static str,
        /// Number of whole records before it.
        records: u64,
    },
    /// A copy belongs to another set of keys.
    #[error("{which} belongs to another set of keys")]
    Foreign {
        /// The copy.
        which: &'static str,
    },
    /// Two copies contradict each other.
    #[error(
        "the journal and its mirror tell different stories: two servers have gone on from one state; move the copy \
         of the one that is given up away"
    )]
    Diverged,
    /// The store has seen other records.
    #[error(
        "the store has seen another record {records} than this journal of erasures has; put the right one in its \
         place, or start with --accept-journal-gap: who was forgotten in what is missing may come back"
    )]
    OtherStory {
        /// The last record the store has seen.
        records: u64,
    },
    /// The store has seen more.
    #[error(
        "the store has seen {seen} records of the journal of erasures, and it has {records}; put the newest copy in \
         its place (--journal-mirror, or restore with --journal), or start with --accept-journal-gap: who was \
         forgotten in what is lost may come back"
    )]
    Gap {
        /// Records the store has seen.
        seen: u64,
        /// Records there are.
        records: u64,
    },
    /// The store does not know erasures that the journal has.
    #[error(
        "the store is an older copy: the journal has {missing} erasures that it does not know, and a start would \
         destroy the keys of everybody who came since. Put the newest data in its place, or `lethe restore` the newest \
         backup; to go on with this copy and lose them, make an empty file `{}` in the data folder",
        RESTORED
    )]
    OlderStore {
        /// Number of erasures that the store does not know.
        missing: usize,
    },
    /// The keys.
    #[error(transparent)]
    Keys(#[from] KeyFault),
    /// A thread ended in the middle.
    #[error("the work broke off")]
    BrokeOff,
}

impl JournalFault {
    /// True if there was no room on the disk.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        matches!(self, Self::Disk { error, .. } if disk::is_full(error.kind()))
    }
}

/// In the key folder once the journal has had a mirror: from then on an empty mirror is a volume that is not mounted.
pub const MIRRORED: &str = "journal.mirrored";
