//! Erasures: steps, places, proof, and what they leave in models and files.

pub mod data_map;
pub mod dictionary_attack;
pub mod engine_residue;
pub mod idle_uploads;
pub mod ledger;
pub mod proof;
pub mod references;
pub mod register;
pub mod retention;
pub mod steps;
pub mod unlearning;
