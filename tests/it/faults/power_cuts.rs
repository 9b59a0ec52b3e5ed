//! Power cuts: whatever was acknowledged before the current went is there when it comes back.
//!
//! The server is frozen before the cut, so every acknowledgement that arrives was sent before it.

use std::time::Duration;

use rustix::process::Signal;

use super::ledger::{Ledger, shop_web, verify_files};
use super::machine::{Disk, has, times};
use super::server::{Home, Server, pause};

/// Shops that send at the same time, so that several share a commit.
const SHOPS: usize = 4;

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    if !has("power cuts", true, &["mkfs.ext4", "mount", "python3"]) {
        return;
    }
    let disk = Disk::ext4();
    let cut = |server: &Server| {
        server.freeze();
        disk.cut();
        server.signal(Signal::KILL);
    };
    hurt(&Home::new(disk.path()), times("LETHE_TEST_CUTS", 10), cut, || disk.restore());
}

/// Hurts a loaded server again and again and checks every promise after each time.
pub fn hurt(home: &Home, rounds: usize, fault: impl Fn(&Server), repair: impl Fn()) {
    let web = shop_web();
    let mut server = home.start();
    let named = |n: usize| Ledger::new(home.account(&format!("shop-{n}")).unwrap());
    let mut shops: Vec<_> = (0..SHOPS).map(named).collect();
    for round in 0..rounds {
        std::thread::scope(|scope| {
            for shop in &mut shops {
                let server = &server;
                let web = &web;
                scope.spawn(move || while shop.turn(server, web) {});
            }
            pause(random_pause());
            fault(&server);
        });
        server.kill();
        repair();
        server = home.start();
        for shop in &mut shops {
            shop.verify(home, &server);
        }
        println!("round {round}: {} acknowledged", shops.iter().map(Ledger::acknowledged).sum::<usize>());
    }
    server.stop();
    let mut server = home.start();
    verify_files(home);
    server.stop();
}

fn random_pause() -> Duration {
    Duration::from_millis(40 + u64::from(uuid::Uuid::new_v4().as_bytes()[0]))
}
