//! `kill -9` at random moments under load.

use rustix::process::Signal;

use super::machine::times;
use super::power_cuts::hurt;
use super::server::{Home, Server};
use crate::support::postgres::Database;

#[test]
fn killing_the_server_under_load_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    hurt(&Home::new(folder.path()), times("LETHE_TEST_KILLS", 20), kill, || ());
}

/// Fewer: a start waits until the dead server's last sign of life in the database is old.
#[test]
fn killing_the_server_under_load_loses_and_doubles_nothing_on_postgres() {
    let folder = tempfile::tempdir().unwrap();
    let Some(database) = Database::create() else { return };
    hurt(&Home::new(folder.path()).on(database), times("LETHE_TEST_KILLS", 8), kill, || ());
}

fn kill(server: &Server) {
    server.signal(Signal::KILL);
}
