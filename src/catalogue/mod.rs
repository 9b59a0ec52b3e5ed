//! What an account shows: immutable snapshots of its sections.

pub mod snapshot;
#[cfg(test)]
mod snapshot_damage_tests;
pub mod snapshot_diff;
mod snapshot_format;
mod snapshot_sort;
mod snapshot_table;
#[cfg(test)]
mod snapshot_tests;
pub mod snapshot_writer;
