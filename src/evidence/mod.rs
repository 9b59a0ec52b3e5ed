//! Evidence for a data-protection officer: the data held about a person, the places of it, and the removals of an
//! erasure.

pub mod documents;
pub mod erasures;
mod fault;
pub mod person;
pub mod residue;
pub mod search;

pub use self::fault::EvidenceFault;
