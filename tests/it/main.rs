//! The integration suite.

mod cli;
mod console;
mod deltas;
mod docs;
mod erasure;
mod faults;
mod feeds;
mod jobs;
mod people;
mod personal;
mod randomised;
mod recovery;
mod search;
mod senders;
mod shape;
mod store;
mod support;
mod wire;
