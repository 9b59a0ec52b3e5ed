//! The real program, as a person or a script runs it.

mod answers;
mod check;
mod demo;
mod documents;
mod erasure;
mod errors;
mod eval;
mod events;
mod folders;
mod key_folder;
mod keys;
mod ledger;
mod man;
mod pages;
pub mod program;
mod recovery;
mod sample;
mod server_found;
mod settings;
mod shop;
mod systemd;
mod verify;
mod watch;
mod webhook;
mod why;
mod wrong_folder;
mod zones;
