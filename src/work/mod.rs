//! Jobs are run here: one file or folder per kind of job; every step may run twice.

mod clock_guard;
pub mod delta;
mod delta_parts;
pub mod delta_read;
mod delta_targets;
mod delta_variants;
pub mod erasure;
mod fault;
pub mod feed;
mod key_epoch;
mod key_slots;
mod kinds;
pub mod order_events;
pub mod orders;
mod people;
pub mod retention;
mod time_slice;
pub mod upload;
mod variant_cache;
pub mod webhooks;
mod workers;

pub use self::kinds::{JobKind, KINDS};
pub use self::workers::{end_what_is_kept, run_due, start};

pub use self::fault::WorkFault;
