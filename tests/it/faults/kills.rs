//! `kill -9` at random moments under load.

use rustix::process::Signal;

use super::rounds::hurt_repeatedly;
use super::server::{Home, Server};
use crate::support::machine::repetitions;
use crate::support::postgres::Database;

#[test]
fn killing_the_server_under_load_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    hurt_repeatedly(&Home::new(folder.path()), repetitions("LETHE_TEST_KILLS", 20), kill, || ());
}

/// Fewer: a start waits until the dead server's last sign of life in the database is old.
#[test]
fn killing_the_server_under_load_loses_and_doubles_nothing_on_postgres() {
    let folder = tempfile::tempdir().unwrap();
    let Some(database) = Database::create() else { return };
    hurt_repeatedly(&Home::new(folder.path()).on(database), repetitions("LETHE_TEST_KILLS", 8), kill, || ());
}

fn kill(server: &Server) {
    server.signal(Signal::KILL);
}
