//! The integration suite.

mod feed_server;
mod postgres;
mod world;

mod cli;
mod contacts;
mod data_map;
mod deltas;
mod every_store;
mod faults;
mod feeds;
mod issues;
mod issues_page;
mod jobs;
mod orders;
mod people;
mod plugin;
mod residue;
mod sent_again;
mod tidy;
mod uploads;
mod wire;
