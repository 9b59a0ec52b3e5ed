//! Evidence for a data-protection officer: the data held about a person, the places of it, and the removals of an
//! erasure.

pub mod documents;
pub mod erasures;
mod fault;
pub mod person;
pub mod person_scan;
pub mod residue;

pub use self::fault::EvidenceFault;
