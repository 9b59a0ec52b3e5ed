//! Lethe: the personalisation and search backend for online shops that forgets exactly.
//!
//! The modules in reading order: a request comes in, is accepted, waits, is done.

pub mod http;

pub mod accept;
pub mod jobs;
pub mod work;

pub mod accounts;
pub mod catalogue;
pub mod erase;
pub mod evidence;
pub mod feeds;
pub mod ledger;
pub mod recovery;
pub mod subjects;
pub mod submissions;
pub mod uploads;

pub mod sql;
pub mod store;

pub mod ballast;
pub mod blobs;
pub mod cli;
pub mod clock;
pub mod config;
pub mod ids;
pub mod keys;
pub mod limits;
pub mod node;
pub mod outbound;
pub mod residue;
pub mod sample;
pub mod spelling;
pub mod telemetry;
