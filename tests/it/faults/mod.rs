//! Tests of the real binary while the machine, the network or a client misbehaves: it is started as a child process,
//! hurt, and asked afterwards whether it kept its promises.
//!
//! Tests that need root, `strace` or a loop mount say `NOT RUN` without them; `LETHE_TEST_STRICT=1` makes that
//! a failure. `LETHE_TEST_CUTS`, `LETHE_TEST_KILLS` and `LETHE_TEST_POINTS` set how often each fault is planted.

#![expect(clippy::unwrap_used, reason = "what fails here is the test")]
#![expect(
    clippy::print_stdout,
    reason = "what was not run, and how often a fault was planted, is for people"
)]

mod addresses;
mod batches;
mod crash_points;
mod disk;
mod erasure_steps;
mod failover;
mod folder;
mod key_folder;
mod kills;
mod ledger;
mod memory;
mod names;
mod pieces;
mod power_cuts;
mod residue;
mod rounds;
mod server;
mod slow_clients;
mod uploads;
mod web;
