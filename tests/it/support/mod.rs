//! Shared parts of the tests: a world, feed servers, databases, residue in files and logs.

pub mod feed_server;
pub mod log_traces;
pub mod paths;
pub mod postgres;
pub mod replica;
pub mod residue;
pub mod statements;
pub mod steps;
pub mod world;
