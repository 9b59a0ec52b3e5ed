//! Mutants by rules: small breaks of Rust and of SQL, each with the place where it stands and how a run-time switch
//! chooses it. `scripts/mutant --generate` writes the switches and runs the tests (docs/mutants.md).

pub mod cli;
pub mod mutant;
pub mod rust;
pub mod sql;

mod source;
