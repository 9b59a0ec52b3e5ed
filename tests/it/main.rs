//! The integration suite.

mod feed_server;
mod postgres;
mod world;

mod faults;
mod feeds;

mod cli;
