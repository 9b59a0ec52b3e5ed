//! The keys: one for each subject and job (its destruction erases everything that it sealed), and the keyed hashes.
//!
//! They live apart from the data, in a folder of their own that no backup holds. `slots.key` has the key of
//! each subject and job, `epoch.key` the keys that wrap those, `static.key` the keys of the hashes and of the ledger.

mod constant_time;
mod epoch;
mod fault;
pub mod filesystem_check;
mod key_file;
mod key_pool;
mod key_set;
mod lookup_keys;
mod mirror;
mod operator_sealing;
mod replicas;
mod reserved_slots;
mod rotation;
mod sealer;
pub mod secret;
mod slot_number;
mod slots;
mod static_keys;
mod storage;
mod store_binding;
mod stream;
pub mod user_token;
mod webhook;

pub use self::fault::KeyFault;
pub use self::key_pool::SlotSweep;
pub use self::lookup_keys::{KeyFolder, LookupKeys};
pub use self::operator_sealing::random_code_secret;
pub use self::reserved_slots::{ReservedSlot, ReservedSlots};
pub use self::rotation::{Epoch, Rotation};
pub use self::sealer::Sealer;
pub use self::slot_number::SlotNumber;
pub use self::static_keys::Tag;
pub use self::store_binding::StoreMark;
pub use self::stream::{SealedReader, SealedWriter};

pub use self::constant_time::constant_time_eq;
pub use self::key_set::Keys;

#[cfg(test)]
mod earlier_tests;
#[cfg(test)]
mod faults_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
