//! Operations of the control socket: accounts, operators, keys, backups and checks. The route table is `routes`.

mod account;
mod account_feed;
mod account_search;
mod backup;
mod config;
mod doctor;
mod key_epoch;
mod ledger;
mod model;
mod operators;
pub mod routes;
#[cfg(test)]
mod testing;
