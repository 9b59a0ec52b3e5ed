//! `kill -9` at random moments under load.

use rustix::process::Signal;

use super::machine::times;
use super::power_cuts::hurt;
use super::server::{Home, Server};

#[test]
fn killing_the_server_under_load_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let kill = |server: &Server| server.signal(Signal::KILL);
    hurt(&Home::new(folder.path()), times("LETHE_TEST_KILLS", 20), kill, || ());
}
