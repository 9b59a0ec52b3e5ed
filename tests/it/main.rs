//! The integration suite.

mod feed_server;
mod postgres;
mod world;

mod children;
mod churn;
mod cli;
mod contacts;
mod data_map;
mod deltas;
mod dictionary;
mod erasures;
mod events;
mod every_store;
mod faults;
mod feeds;
mod issues;
mod issues_page;
mod jobs;
mod ledger;
mod load;
mod ndjson;
mod orders;
mod people;
mod plugin;
mod product_why;
mod publishing;
mod recovery;
mod residue;
mod schedules;
mod senders;
mod sent_again;
mod tidy;
mod traces;
mod uploads;
mod wire;
