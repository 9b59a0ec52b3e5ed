//! Failure of a job, and its result.

use crate::catalogue::CatalogueFault;
use crate::disk;
use crate::evidence::EvidenceFault;
use crate::jobs::{End, Lease, LeaseLost, NodeStopped};
use crate::keys::KeyFault;
use crate::ledger::LedgerFault;
use crate::node::Node;
use crate::people::subject::SubjectFault;
use crate::recovery::replay_fault::ReplayFault;
use crate::store::StoreFault;

/// A fault of Lethe's in a job; it is tried again a bounded number of times.
#[derive(Debug, thiserror::Error)]
pub enum WorkFault {
    /// Fault of the store.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// Fault of the keys.
    #[error(transparent)]
    Keys(#[from] KeyFault),
    /// Fault of a catalogue file.
    #[error(transparent)]
    Catalogue(#[from] CatalogueFault),
    /// Fault of the journal of erasures.
    #[error(transparent)]
    Journal(#[from] crate::recovery::journal::JournalFault),
    /// Fault of the disk, without the name of the file.
    #[error("a file could not be read or written: {0}")]
    File(std::io::ErrorKind),
    /// The lease went to another worker; nothing of this run may take effect.
    #[error("the lease of the job was lost")]
    LeaseLost,
    /// The node stops between two slices of the work.
    #[error(transparent)]
    Stopped(#[from] NodeStopped),
    /// The process ended each time this job ran.
    #[error("the server ended each time it worked on this")]
    Fatal,
    /// Data of a forgotten person was found; names the places.
    #[error("something of a forgotten person was found in: {0}")]
    Residue(String),
    /// The search of the files proves nothing; holds the reason.
    #[error("{0}")]
    Unproven(String),
    /// The ledger does not match the entry to prove.
    #[error(transparent)]
    Ledger(LedgerFault),
    /// A thread of the job panicked.
    #[error("the work panicked")]
    Panicked,
}

impl WorkFault {
    /// Returns true if there was no room on the disk.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Store(StoreFault::DiskFull) => true,
            Self::Keys(KeyFault::Disk { source, .. }) => disk::is_full(source.kind()),
            Self::File(kind) => disk::is_full(*kind),
            Self::Journal(fault) => fault.is_disk_full(),
            Self::Catalogue(fault) => fault.is_disk_full(),
            _ => false,
        }
    }

    /// Returns true if waiting heals it (a full disk, a busy store). Such a fault is no fault of the job, which is
    /// tried until it has passed.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Store(fault) | Self::Catalogue(CatalogueFault::Store(fault)) => fault.is_passing(),
            Self::Keys(KeyFault::PoolEmpty) | Self::Stopped(_) => true,
            _ => self.is_disk_full(),
        }
    }

    /// Returns true if the key of a payload is gone, as after a restore: trying again does not help.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Keys(fault) if fault.is_lost())
    }

    /// Fault that stopped the reading of a sealed payload. A payload that can no longer be opened is lost.
    pub(super) fn of_reading(error: &std::io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<KeyFault>()) {
            Some(fault) if fault.is_lost() => Self::Keys(KeyFault::SealBroken),
            _ => Self::File(error.kind()),
        }
    }

    /// Message for waiting clients while the job is to be tried again after this fault.
    pub(super) fn setback(&self) -> &'static str {
        if self.is_disk_full() {
            "the disk of the server is full"
        } else if self.is_passing() {
            "the server could not do this now"
        } else {
            "the server failed on this; the fault was logged"
        }
    }

    /// Reason shown to the sender of the input that this fault ended.
    pub(super) fn reason(&self) -> &'static str {
        if self.is_lost() {
            "what was sent can no longer be read, its key is gone, as after a restore; send it again"
        } else {
            "the server failed on this again and again; the fault was logged"
        }
    }
}

impl From<LeaseLost> for WorkFault {
    fn from(LeaseLost: LeaseLost) -> Self {
        Self::LeaseLost
    }
}

impl From<SubjectFault> for WorkFault {
    fn from(fault: SubjectFault) -> Self {
        match fault {
            SubjectFault::Store(fault) => Self::Store(fault),
            SubjectFault::Keys(fault) => Self::Keys(fault),
        }
    }
}

impl From<ReplayFault> for WorkFault {
    fn from(fault: ReplayFault) -> Self {
        match fault {
            ReplayFault::Journal(fault) => Self::Journal(fault),
            ReplayFault::Store(fault) => Self::Store(fault),
            ReplayFault::Keys(fault) => Self::Keys(fault),
        }
    }
}

impl From<LedgerFault> for WorkFault {
    fn from(fault: LedgerFault) -> Self {
        match fault {
            LedgerFault::Store(fault) => Self::Store(fault),
            LedgerFault::Keys(fault) => Self::Keys(fault),
            other => Self::Ledger(other),
        }
    }
}

impl From<EvidenceFault> for WorkFault {
    fn from(fault: EvidenceFault) -> Self {
        match fault {
            EvidenceFault::Store(fault) => Self::Store(fault),
            EvidenceFault::Keys(fault) => Self::Keys(fault),
            EvidenceFault::File(kind) => Self::File(kind),
            EvidenceFault::Ledger(fault) => fault.into(),
            EvidenceFault::Link | EvidenceFault::Unseen => Self::Unproven(fault.to_string()),
            EvidenceFault::Panicked => Self::Panicked,
        }
    }
}

impl From<std::io::Error> for WorkFault {
    fn from(error: std::io::Error) -> Self {
        Self::File(error.kind())
    }
}

/// Result of a run of a job, or the fault that prevented it.
pub(super) type JobResult = Result<End, WorkFault>;

/// Ends a job that finds nothing to do.
pub(super) async fn end_idle(node: &Node, lease: &Lease) -> JobResult {
    lease.write_last(&node.store, |_| Ok::<_, WorkFault>(Some(()))).await?;
    Ok(End::Done)
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;
    use crate::catalogue::snapshot::SnapshotFault;
    use crate::recovery::journal::JournalFault;

    #[test]
    fn a_full_disk_is_no_fault_of_the_job_wherever_it_was_met() {
        let met = |kind: ErrorKind| -> [WorkFault; 5] {
            [
                WorkFault::File(kind),
                WorkFault::Catalogue(CatalogueFault::File(kind)),
                WorkFault::Catalogue(SnapshotFault::from(Error::from(kind)).into()),
                WorkFault::Journal(JournalFault::Disk { which: "the journal", error: kind.into() }),
                WorkFault::Keys(KeyFault::Disk { doing: "writing", source: kind.into() }),
            ]
        };
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            assert!(met(kind).iter().all(|fault| fault.is_disk_full() && fault.is_passing()), "{kind}");
        }
        assert!(
            met(ErrorKind::PermissionDenied).iter().all(|fault| !fault.is_disk_full() && !fault.is_passing())
        );
        assert!(WorkFault::Catalogue(StoreFault::DiskFull.into()).is_disk_full());
    }

    #[test]
    fn a_payload_that_cannot_be_opened_is_lost_and_any_other_fault_is_one_of_the_disk() {
        let lost = WorkFault::of_reading(&Error::other(KeyFault::SealBroken));
        assert!(matches!(lost, WorkFault::Keys(KeyFault::SealBroken)) && lost.is_lost());
        let passing = WorkFault::of_reading(&Error::other(KeyFault::PoolEmpty));
        assert!(matches!(passing, WorkFault::File(ErrorKind::Other)) && !passing.is_lost());
        let cut = WorkFault::of_reading(&ErrorKind::UnexpectedEof.into());
        assert!(matches!(cut, WorkFault::File(ErrorKind::UnexpectedEof)) && !cut.is_lost());
    }

    #[test]
    fn a_fault_says_to_clients_whether_it_is_the_disk_passes_or_was_logged() {
        let full = || WorkFault::Store(StoreFault::DiskFull);
        let passing =
            || [WorkFault::Store(StoreFault::Busy), KeyFault::PoolEmpty.into(), NodeStopped.into(), full()];
        let lasting = || [WorkFault::Panicked, WorkFault::Fatal, KeyFault::SealBroken.into()];
        assert!(passing().iter().all(WorkFault::is_passing));
        assert!(!lasting().iter().any(WorkFault::is_passing));
        let [busy, empty, stopped, full] = passing().map(|fault| fault.setback());
        assert_eq!([busy, empty, stopped], ["the server could not do this now"; 3]);
        assert_eq!(full, "the disk of the server is full");
        let logged = "the server failed on this; the fault was logged";
        assert_eq!(lasting().map(|fault| fault.setback()), [logged; 3]);
        let again = "the server failed on this again and again; the fault was logged";
        let gone = "what was sent can no longer be read, its key is gone, as after a restore; send it again";
        assert_eq!(lasting().map(|fault| fault.reason()), [again, again, gone]);
    }

    #[test]
    fn a_search_that_proves_nothing_says_why() {
        let said = [EvidenceFault::Link, EvidenceFault::Unseen].map(|fault| fault.to_string());
        let unproven = [EvidenceFault::Link, EvidenceFault::Unseen].map(WorkFault::from);
        assert!(unproven.iter().all(|fault| matches!(fault, WorkFault::Unproven(_))));
        assert_eq!(unproven.map(|fault| fault.to_string()), said);
        assert!(matches!(WorkFault::from(EvidenceFault::Panicked), WorkFault::Panicked));
    }
}
