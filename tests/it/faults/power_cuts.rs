//! Power cuts: whatever was acknowledged before the current went is there when it comes back.
//!
//! The server is frozen before the cut, so every acknowledgement that arrives was sent before it.

use rustix::process::Signal;

use super::rounds::hurt_repeatedly;
use super::server::{Home, Server};
use crate::support::machine::{Disk, has, repetitions};

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    if !has("power cuts", true, &["mkfs.ext4", "mount", "python3"]) {
        return;
    }
    let disk = Disk::ext4();
    let cut = |server: &Server| {
        server.freeze();
        disk.cut_power();
        server.signal(Signal::KILL);
    };
    hurt_repeatedly(&Home::new(disk.path()), repetitions("LETHE_TEST_CUTS", 10), cut, || disk.restore());
}
