//! Lethe: the personalisation and search backend for online shops that forgets exactly.
//!
//! The modules by rank: each names only those of the ranks below it.

pub mod cli;

pub mod console;

pub mod admin;

pub mod api;
pub mod work;

pub mod transport;

pub mod accept;
pub mod evidence;
pub mod maintenance;
pub mod personalise;

pub mod node;

pub mod recovery;

pub mod erasure;
pub mod projections;
pub mod uploads;

pub mod formats;

pub mod accounts;
pub mod catalogue;
pub mod jobs;
pub mod ledger;
pub mod operators;
pub mod people;
pub mod submissions;

pub mod webhooks;

pub mod config;
pub mod keys;
pub mod reports;
pub mod sample;
pub mod sql;
pub mod zones;

pub mod admission;
pub mod blobs;
pub mod feeds;
pub mod outbound;
pub mod recommend;
pub mod search;
pub mod store;
pub mod templates;

pub mod ids;

pub mod addresses;
pub mod clock;
pub mod csv_injection;
pub mod dates;
pub mod disk;
pub mod help;
pub mod i18n;
pub mod telemetry;

pub mod limits;
