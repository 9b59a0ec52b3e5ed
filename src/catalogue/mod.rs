//! The catalogue that an account shows: immutable snapshots of its sections.

pub mod base;
pub mod changes;
pub mod difference;
mod fault;
pub mod find;
pub mod hold_reasons;
pub mod names;
pub mod position;
pub mod since;
pub mod snapshot;
pub mod write;
pub use self::fault::CatalogueFault;

#[cfg(test)]
mod changes_tests;
#[cfg(test)]
mod snapshot_damage_tests;
pub mod snapshot_diff;
mod snapshot_format;
pub mod snapshot_sort;
mod snapshot_table;
#[cfg(test)]
mod snapshot_tests;
pub mod snapshot_writer;
mod superseded_variants;
pub mod timeline;
pub mod visible;
