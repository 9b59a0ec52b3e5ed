//! The real program, as a person or a script runs it.

mod check;
mod demo;
mod erasure;
mod folders;
mod key_folder;
mod keys;
mod ledger;
pub mod program;
mod recovery;
mod settings;
mod shop;
mod watch;
mod why;
mod wrong_folder;
