//! Rounds of load and faults, with every promise checked after each.

use std::time::Duration;

use super::ledger::{Ledger, shop_web, verify_files};
use super::server::{Home, Server};
use crate::support::waits::pause;

/// Shops that send at the same time, so that several share a commit.
pub const SHOPS: usize = 4;

/// Hurts a loaded server again and again and checks every promise after each time.
pub fn hurt_repeatedly(home: &Home, rounds: usize, fault: impl Fn(&Server), repair: impl Fn()) {
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

pub fn random_pause() -> Duration {
    Duration::from_millis(40 + u64::from(uuid::Uuid::new_v4().as_bytes()[0]))
}
