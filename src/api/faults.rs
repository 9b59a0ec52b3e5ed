//! Faults of the rooms below, as refusals.

use crate::evidence::EvidenceFault;
use crate::people::subject::SubjectFault;
use crate::transport::refusal::{Refusal, key_fault};

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
