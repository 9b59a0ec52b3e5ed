//! Recovery: preparation for the day a disk is lost, and the way back, which brings no forgotten person along.
//!
//! Three things with three lives. A *backup* holds the database and the files it names, never a key of a person. The
//! *bundle* holds the keys that recognise, sealed to the operator. The *journal* lists the erasures, is replayed at
//! every start, and has a copy of every account's ledger. The keys of people are in none of the three: they have one
//! live second copy at most (`--key-mirror`).

pub mod bundle;
pub mod content;
mod fault;
pub mod folder_progress;
mod hpke;
pub mod journal;
pub(crate) mod layout;
pub mod ledger_copy;
pub mod lost_keys;
mod manifest;
mod progress;
pub mod replay;
pub mod replay_fault;
pub mod restore;
pub mod start;

pub use self::manifest::{MANIFEST, Manifest, ManifestFault, blob_path};

pub use self::fault::{RecoveryFault, while_doing};

pub use self::layout::DATABASE;

pub use self::progress::{RecoveryProgress, ReportProgress};
