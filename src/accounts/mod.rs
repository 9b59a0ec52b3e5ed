//! Accounts and their keys: one account is one shop view.

pub mod about;
mod account;
pub mod deletion;
mod directory;
mod fault;
pub mod feeds;
pub mod list_kind;
pub mod lists;
pub mod quota;
pub mod search;

pub use self::directory::{Directory, KnownAccount};

pub use self::fault::AccountFault;

pub(crate) use self::account::create;
pub use self::account::{
    Account, AccountSecret, by_id, by_key, by_name, changes, guard, list, next_delta, next_feed, next_seq,
    note_change, revoke, rotate, secrets,
};
