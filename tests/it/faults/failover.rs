//! The primary of PostgreSQL dies, and another server takes its place.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use postgres::{Client, NoTls};
use serde_json::{Value, json};

use super::ledger::{Ledger, shop_web};
use super::server::{Home, Keys, Server};
use crate::support::postgres::{Private, run_on, value_of};
use crate::support::replica::Replica;
use crate::support::waits::{pause, wait_until};

/// Shops that send at the same time.
const SHOPS: usize = 4;

/// Finds the server that takes writes.
const WHO_WRITES: &str = "target_session_attrs=read-write&connect_timeout=2";
const NEW_DATABASE: &str = "CREATE DATABASE lethe_test TEMPLATE template0";

/// A primary and its standby.
struct Pair {
    primary: Private,
    standby: Replica,
}

impl Pair {
    fn start() -> Option<Self> {
        let primary = Private::start()?;
        primary.run(NEW_DATABASE);
        let standby = Replica::follow(&primary);
        Some(Self { primary, standby })
    }

    /// A server that knows both.
    fn home(&self, folder: &Path) -> Home {
        let first = self.primary.port();
        let second = self.standby.port();
        let store =
            format!("postgres://postgres@127.0.0.1:{first},127.0.0.1:{second}/lethe_test?{WHO_WRITES}");
        Home::new(folder).on_servers(&store, &format!("postgres://postgres@127.0.0.1:{first}/lethe_test"))
    }

    /// From now on a commit waits for the standby.
    fn wait_for_standby(&self) {
        self.primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.primary.run("SELECT pg_reload_conf()");
        let synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        wait_until("the standby is synchronous", || {
            (value_of(self.primary.url(), synchronous) == 1).then_some(())
        });
    }

    /// The primary is gone with everything that it has not sent; the standby takes its place.
    fn fail_over(&self, home: &mut Home) {
        self.primary.kill();
        self.standby.take_over();
        home.look_at(&self.standby.url("lethe_test"));
    }
}

#[test]
fn another_server_takes_the_primarys_place_and_nothing_acknowledged_is_lost() {
    let Some(pair) = Pair::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    pair.wait_for_standby();
    nothing_is_lost(&mut pair.home(folder.path()), |home| pair.fail_over(home));
}

#[test]
#[ignore = "runs with scripts/measure/with-patroni --synchronous"]
fn patroni_puts_another_server_in_the_primarys_place_and_nothing_acknowledged_is_lost() {
    let variable = |name| std::env::var(name).expect("scripts/measure/with-patroni runs this");
    let servers = format!("{}?{WHO_WRITES}", variable("LETHE_TEST_PATRONI"));
    run_on(servers.clone(), NEW_DATABASE.to_owned());
    let store = servers.replace("/postgres?", "/lethe_test?");
    let folder = tempfile::tempdir().unwrap();
    nothing_is_lost(&mut Home::new(folder.path()).on_servers(&store, &store), |_| {
        let killed = Command::new(variable("LETHE_TEST_PATRONI_KILL")).status();
        assert!(killed.unwrap().success());
        wait_until("another one takes writes", || Client::connect(&store, NoTls).ok().map(drop));
    });
}

/// Four shops send while the primary dies and another server takes its place.
fn nothing_is_lost(home: &mut Home, fail_over: impl FnOnce(&mut Home)) {
    let web = shop_web();
    let mut server = home.start();
    let named = |n: usize| Ledger::new(home.account(&format!("shop-{n}")).unwrap());
    let mut shops: Vec<_> = (0..SHOPS).map(named).collect();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for shop in &mut shops {
            let server = &server;
            let web = &web;
            let is_over = &is_over;
            // Requests refused meanwhile are sent again.
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    shop.turn(server, web);
                }
            });
        }
        pause(Duration::from_millis(700));
        fail_over(home);
        pause(Duration::from_millis(700));
        is_over.store(true, Ordering::Relaxed);
    });
    wait_until("the server is back by itself", || {
        assert!(server.is_alive(), "{}", home.log_text());
        server.is_ready().then_some(())
    });
    for shop in &mut shops {
        shop.verify(home, &server);
        wait_until("it accepts again", || shop.turn(&server, &web).then_some(()));
        shop.verify(home, &server);
    }
    let counted = "SELECT coalesce(sum(account.seq), 0)::bigint FROM account";
    let there = "SELECT (SELECT count(*) FROM submission) + (SELECT count(*) FROM erasure)";
    assert_eq!(home.count(counted), home.count(there), "a counter has a gap");
    assert_eq!(server.metric("lethe_acknowledged_lost"), 0);
    server.stop();
}

#[test]
fn a_server_that_lost_commits_is_noticed_and_who_was_erased_stays_erased() {
    let Some(pair) = Pair::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut home = pair.home(folder.path());
    let server = home.start();
    let keys = home.account("shop").unwrap();
    let ada = json!({"Users": [{"UserId": "ada", "Email": "ada@shop.test"}]});
    assert_accepted(&server, &keys, "/api/delta", &ada);
    let people = |home: &Home| home.count("SELECT count(*) FROM subject");
    wait_until("ada is stored", || (people(&home) == 1).then_some(()));
    let far = pair.standby.url("lethe_test");
    let tables_there = "SELECT count(*) FROM pg_class WHERE relname = 'subject'";
    wait_until("the standby has its table", || (value_of(far.clone(), tables_there) == 1).then_some(()));
    let people_there = "SELECT count(*) FROM subject";
    wait_until("the standby has her", || (value_of(far.clone(), people_there) == 1).then_some(()));
    pair.standby.fall_behind();
    assert_accepted(&server, &keys, "/api/user/forget", &json!({"Identifier": "userid:ada"}));
    wait_until("she is erased", || (people(&home) == 0).then_some(()));
    for n in 0..3 {
        assert_accepted(
            &server,
            &keys,
            "/api/delta",
            &json!({"Products": [{"Id": "d", "Title": n.to_string()}]}),
        );
    }
    assert_eq!(value_of(far, people_there), 1, "the standby is behind");
    pair.fail_over(&mut home);
    let home = &home;
    wait_until("the loss is noticed", || {
        home.log_text().contains("the database has lost requests").then_some(())
    });
    wait_until("the server is back by itself", || server.is_ready().then_some(()));
    let ready = server.get("/ready").unwrap().json();
    let told = ready["Warnings"].as_array().unwrap().iter().filter_map(Value::as_str);
    assert!(told.clone().any(|warning| warning.contains("has lost: 4 (accounts: 1)")), "{ready}");
    assert_eq!(server.metric("lethe_acknowledged_lost"), 4);
    assert_eq!(people(home), 0, "who was erased is there again");
    assert_accepted(&server, &keys, "/api/delta", &ada);
    assert_accepted(&server, &keys, "/api/delta", &json!({"Products": [{"Id": "d", "Title": "new"}]}));
    wait_until("it is shown", || (server.title(&keys, "Products", "d")? == "new").then_some(()));
    assert_eq!(people(home), 0, "who was forgotten came back");
}

fn assert_accepted(server: &Server, keys: &Keys, path: &str, body: &Value) {
    let answer = server.post(keys, path, body.clone()).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
}
