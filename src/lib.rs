//! Lethe: the personalisation and search backend for online shops that forgets exactly.
//!
//! The modules in reading order: a request comes in, is accepted, waits, is done.

pub mod blobs;
pub mod catalogue;
pub mod clock;
pub mod feeds;
pub mod ids;
pub mod keys;
pub mod limits;
pub mod outbound;
pub mod subjects;
