//! The integration suite.

mod feed_server;
mod postgres;
mod world;

mod deltas;
mod feeds;
mod people;
mod residue;
mod tidy;
mod wire;
