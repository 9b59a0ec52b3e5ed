//! Proof of an erasure by Lethe: the formats of its ledger and certificates, and their check without the service.
//!
//! Every account has a **ledger** of its own: a list of entries, lines of JSON without any identifier of a person, in
//! a Merkle tree as RFC 6962 describes it. A **checkpoint** is the signed root of that tree. A **certificate**
//! describes the work of one erasure, is signed itself, and proves that the ledger has an entry with its hash.
//! **Growth** proves that the tree of one checkpoint is the beginning of the tree of a later one.
//!
//! Everything is text in one exact form: the input has to be, byte by byte, the output of this library. The service
//! writes with the types that are checked here.

mod arguments;
mod certificate;
mod checkpoint;
mod entry;
mod exact;
mod fault;
pub mod hex;
mod ledger;
pub mod program;
pub mod tree;

pub use arguments::HELP;
pub use certificate::{
    Body, Certificate, CheckedCertificate, Kept, Place, Remains, Scan, VERSION, certificate_message,
    check_certificate,
};
pub use checkpoint::{Checkpoint, LEDGER_ENTRIES, read_checkpoint};
pub use entry::{Entry, day};
pub use exact::FILE_BYTES;
pub use fault::Fault;
pub use hex::Hex;
pub use ledger::{CheckedLedger, ENTRY_BYTES, Growth, check_growth, check_ledger};

/// An Ed25519 public key: who keeps the ledger.
pub type Key = Hex<32>;

#[cfg(test)]
mod tests;
