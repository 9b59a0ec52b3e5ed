//! Lethe: the personalisation and search backend for online shops that forgets exactly.
//!
//! The modules by rank: each names only those of the ranks below it.

pub mod cli;

pub mod console;
pub mod http;
pub mod work;

pub mod accept;
pub mod evidence;
pub mod upkeep;

pub mod node;

pub mod recovery;

pub mod derived;
pub mod erase;
pub mod uploads;

pub mod accounts;
pub mod catalogue;
pub mod jobs;
pub mod ledger;
pub mod operators;
pub mod subjects;
pub mod submissions;

pub mod webhooks;

pub mod config;
pub mod keys;
pub mod reports;
pub mod sample;
pub mod sql;
pub mod zones;

pub mod blobs;
pub mod draw;
pub mod fairness;
pub mod feeds;
pub mod ids;
pub mod outbound;
pub mod recommend;
pub mod search;
pub mod store;

pub mod clock;
pub mod dates;
pub mod disk;
pub mod help;
pub mod spelling;
pub mod telemetry;
pub mod texts;
mod unprintable;

pub mod limits;
