//! The real program, as a person or a script runs it.

mod check;
mod demo;
mod documents;
mod erasure;
mod errors;
mod folders;
mod key_folder;
mod keys;
mod ledger;
mod man;
pub mod program;
mod recovery;
mod server_found;
mod settings;
mod shop;
mod systemd;
mod verify;
mod watch;
mod why;
mod wrong_folder;
