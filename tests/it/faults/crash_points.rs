//! Crash points: the server is killed at the n-th call of one kind, for every n: of its first start, and of a
//! short life of a shop.

use super::ledger::{Ledger, shop_web, verify_files};
use super::server::{Home, Server};
use super::web::Web;
use crate::support::machine::{Strace, has, repetitions};
use crate::support::waits::wait_until;

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
    // Each commit of a search index is one.
    crash_at_each("rename", 10);
}

#[test]
fn a_crash_at_any_write_of_the_first_start_leaves_a_store_that_opens() {
    // A commit is at least two writes, so every third point meets every gap between two commits.
    crash_first_start("pwrite64", 3);
}

#[test]
fn a_crash_at_any_sync_or_rename_of_the_first_start_leaves_a_store_that_opens() {
    crash_first_start("fsync", 1);
    crash_first_start("rename", 1);
}

fn crash_first_start(call: &str, step: usize) {
    if !has("crash points", true, &["strace"]) {
        return;
    }
    let step = if repetitions("LETHE_TEST_POINTS", 0) > 0 { 1 } else { step };
    for point in (1..LAST_POINT).step_by(step) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path());
        let mut server = start_to_crash(&home, call, point);
        if server.is_alive() {
            println!("{call}: the first start has about {point} points");
            assert!(point > 1, "nothing was planted");
            return;
        }
        home.start();
    }
}

/// Starts a server that is killed at its n-th call of one kind; gives it when it is ready or dead.
fn start_to_crash(home: &Home, call: &str, point: usize) -> Server {
    let trace = format!("trace={call}");
    let inject = format!("inject={call}:signal=KILL:when={point}");
    // -D: the server itself is our child, and strace ends with it.
    let strace = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    let mut server = home.spawn(&strace);
    wait_until("the server is ready or dead", || (server.is_ready() || !server.is_alive()).then_some(()));
    server
}

/// Plants a crash at the first, second … call; in long runs at `default` points spread over all calls.
fn crash_at_each(call: &str, default: usize) {
    if !has("crash points", true, &["strace"]) {
        return;
    }
    let web = shop_web();
    let last = last_point(call, &web);
    let points = repetitions("LETHE_TEST_POINTS", default).clamp(1, last);
    println!("{call}: {points} of {last} points");
    for point in 0..points {
        crash_at(call, 1 + point * last / points, &web);
    }
}

/// Number of calls of this kind that one thread makes in a whole life: the smallest number that is survived, found by
/// halving.
fn last_point(call: &str, web: &Web) -> usize {
    let mut crashes = 0;
    let mut survives = 16;
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
    let mut server = home.start();
    // Attached only now: threads have counts of their own, and the start's thread would reach each number first.
    let strace = Strace::attach(server.child.id(), None, &format!("{call}:signal=KILL:when={point}"));
    let mut shop = live(&home, &server, web);
    let crashed = !server.is_ready();
    drop(strace);
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
fn live(home: &Home, server: &Server, web: &Web) -> Option<Ledger> {
    let mut shop = Ledger::new(home.account("shop")?);
    for _ in 0..2 {
        if !shop.turn(server, web) {
            break;
        }
        // A quiet moment lets every step have a commit of its own.
        wait_until("nothing waits", || {
            let Ok(ready) = server.get("/ready") else { return Some(()) };
            let waiting = ready.json()["Waiting"].as_object()?.clone();
            waiting.values().all(|waiting| *waiting == 0).then_some(())
        });
    }
    Some(shop)
}
