//! Backups, restores and refused starts.

pub mod backups;
pub mod key_folder_and_store;
pub mod many_and_second;
pub mod refused_starts;
pub mod standby;
