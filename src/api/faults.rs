//! Faults of the rooms below, as refusals.

use crate::evidence::EvidenceFault;
use crate::keys::KeyFault;
use crate::people::subject::SubjectFault;
use crate::store::StoreFault;
use crate::transport::refusal::Refusal;

impl From<EvidenceFault> for Refusal {
    fn from(fault: EvidenceFault) -> Self {
        match fault {
            EvidenceFault::Store(fault) => fault.into(),
            EvidenceFault::Keys(fault) if fault.is_lost() => {
                tracing::warn!(%fault, "somebody was asked for whose key is lost");
                Self::person_lost()
            }
            EvidenceFault::Keys(fault) => key_fault(fault),
            fault => {
                tracing::error!(%fault, "evidence could not be gathered");
                Self::fault()
            }
        }
    }
}

impl From<SubjectFault> for Refusal {
    fn from(fault: SubjectFault) -> Self {
        match fault {
            SubjectFault::Store(fault) => fault.into(),
            SubjectFault::Keys(fault) => key_fault(fault),
        }
    }
}

impl From<StoreFault> for Refusal {
    fn from(fault: StoreFault) -> Self {
        if fault.is_told() {
            Self::busy()
        } else if fault.is_passing() {
            tracing::warn!(%fault, "a request was refused for now");
            Self::busy()
        } else {
            tracing::error!(%fault, "a request failed");
            Self::fault()
        }
    }
}

/// A fault of the keys while accepting: nothing was stored.
pub(crate) fn key_fault(fault: KeyFault) -> Refusal {
    tracing::error!(%fault, "a request was refused because of the keys");
    Refusal::busy()
}
