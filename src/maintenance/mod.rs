//! What keeps a running node safe: backups, and what the operator should do before something is lost.

pub mod backup;
pub mod doctor;
