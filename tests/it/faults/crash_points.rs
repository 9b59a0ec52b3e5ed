//! Crash points: the server is killed at the n-th call of one kind, for every n of a short life of a shop.

use super::ledger::{Ledger, shop_web, verify_files};
use super::machine::{has, times};
use super::server::{Home, Server, until};
use super::web::Web;

/// More points than any run has.
const LAST_POINT: usize = 100_000;

#[test]
fn a_crash_at_any_write_loses_and_halves_nothing() {
    crash_at_each("pwrite64", 16);
}

#[test]
fn a_crash_at_any_sync_loses_and_halves_nothing() {
    crash_at_each("fsync", 10);
    crash_at_each("fdatasync", 4);
}

#[test]
fn a_crash_at_any_rename_loses_and_halves_nothing() {
    crash_at_each("rename", 6);
}

/// A commit is at least two writes, so every third point meets every gap between two commits.
#[test]
fn a_crash_at_any_write_of_the_first_start_leaves_a_store_that_opens() {
    if !has("crash points", false, &["strace"]) {
        return;
    }
    let step = if times("LETHE_TEST_POINTS", 0) > 0 { 1 } else { 3 };
    for point in (1..LAST_POINT).step_by(step) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path());
        let mut server = start_to_crash(&home, "pwrite64", point);
        if server.is_alive() {
            println!("the first start has about {point} writes");
            assert!(point > step, "nothing was planted");
            return;
        }
        home.start();
    }
}

/// Starts a server that is killed at its n-th call of one kind; gives it when it is ready or dead.
fn start_to_crash(home: &Home, call: &str, point: usize) -> Server {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:signal=KILL:when={point}"));
    // -D: the server itself is our child, and strace ends with it.
    let strace = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    let mut server = home.spawn(&strace);
    until("the server is ready or dead", || (server.is_ready() || !server.is_alive()).then_some(()));
    server
}

/// Plants a crash at the first, second … call; of long runs `default` points spread over all of them.
fn crash_at_each(call: &str, default: usize) {
    if !has("crash points", false, &["strace"]) {
        return;
    }
    let web = shop_web();
    let last = last_point(call, &web);
    let points = times("LETHE_TEST_POINTS", default).clamp(1, last);
    println!("{call}: {points} of {last} points");
    for point in 0..points {
        crash_at(call, 1 + point * last / points, &web);
    }
}

/// How many calls of this kind one thread makes in a whole life: the smallest number that is survived,
/// found by halving.
fn last_point(call: &str, web: &Web) -> usize {
    let (mut crashes, mut survives) = (0, 16);
    while survives < LAST_POINT && crash_at(call, survives, web) {
        (crashes, survives) = (survives, survives * 2);
    }
    while survives - crashes > 1 {
        let middle = usize::midpoint(crashes, survives);
        if crash_at(call, middle, web) { crashes = middle } else { survives = middle }
    }
    crashes.max(1)
}

/// Lives a shop's life with a crash at one point, starts again and checks every promise; whether it crashed.
fn crash_at(call: &str, point: usize, web: &Web) -> bool {
    println!("a crash at {call} {point}");
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let mut server = start_to_crash(&home, call, point);
    let mut shop = live(&home, &mut server, web);
    let crashed = !server.is_alive();
    server.kill();
    let mut server = home.start();
    match &mut shop {
        Some(shop) => shop.verify(&home, &server),
        None => drop(home.account("later").expect("an account can be made")),
    }
    server.stop();
    let mut server = home.start();
    verify_files(&home);
    server.stop();
    crashed
}

/// A short life: an account, people, a feed, deltas, an erasure. Ends early when the server does.
fn live(home: &Home, server: &mut Server, web: &Web) -> Option<Ledger> {
    if !server.is_alive() {
        return None;
    }
    let mut shop = Ledger::new(home.account("shop")?);
    for _ in 0..2 {
        if !shop.turn(server, web) {
            break;
        }
        // A quiet moment lets every step have a commit of its own.
        until("nothing waits", || {
            if !server.is_alive() {
                return Some(());
            }
            let waiting = server.get("/ready").ok()?.json()["Waiting"].as_object()?.clone();
            waiting.values().all(|waiting| *waiting == 0).then_some(())
        });
    }
    Some(shop)
}
