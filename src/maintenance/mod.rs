//! Maintenance of a running node: backups, and advice to the operator before something is lost.

pub mod backup;
pub mod doctor;
