//! Doing an account's erasures: fence, destroy the keys, delete, unlearn, settle, prove. Each step is durable before
//! the next and may run twice. One job works through all open erasures: a slow step is done once for all.

pub(super) mod address_check;
mod context;
mod journal;
mod late_arrivals;
mod lost_key;
mod proof;
pub(super) mod run;
mod shred;
mod suppression;

pub use self::run::run;
