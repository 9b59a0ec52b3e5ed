//! `require_standby`: nothing is accepted that would stand in one place only.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::log_traces;
use crate::support::postgres::{Database, Private, text_of, value_of};
use crate::support::program::Program;
use crate::support::world::{Shop, World, runtime};

/// A standby as far as commits are concerned: it keeps the log and says so. It ends with this value.
struct Standby {
    child: Child,
    _folder: tempfile::TempDir,
}

impl Standby {
    fn start(server: &Private) -> Self {
        let programs = text_of(server.url(), "SELECT setting FROM pg_config WHERE name = 'BINDIR'");
        let folder = tempfile::tempdir().expect("a folder");
        let child = Command::new(format!("{programs}/pg_receivewal"))
            .args(["--synchronous", "--host=127.0.0.1", "--username=postgres", "--no-password"])
            .arg(format!("--port={}", server.port()))
            .arg(format!("--directory={}", folder.path().display()))
            .env("PGAPPNAME", "second")
            .stderr(Stdio::null())
            .spawn()
            .expect("pg_receivewal runs");
        Self { child, _folder: folder }
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Polls `/ready` until it says the expected words.
async fn until_ready(world: &World, is_wanted: bool, words: &str) {
    let began = Instant::now();
    loop {
        world.node().standby.check(&world.node().store).await;
        let reply = world.get("/ready").await;
        if (reply.status == 200) == is_wanted && reply.text.contains(words) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{}", reply.text);
    }
}

async fn assert_refused(world: &World, shop: &Shop) {
    let bodies: [(&str, Value); 6] = [
        ("/api/delta", json!({"Products": [{"Id": "1", "Title": "t"}]})),
        ("/api/productdelta", json!({"Products": [{"Id": "1", "Title": "t"}]})),
        ("/api/productfeed", json!({"ProductFeed": "http://127.0.0.1/feed.json"})),
        ("/api/user/forget", json!({"Identifier": "userid:1"})),
        ("/api/user/return", json!({"Identifier": "userid:1"})),
        ("/feed-create", json!({})),
    ];
    for (path, body) in bodies {
        let reply = world.ask(shop, path, body).await;
        let said = reply.expect_refusal(503);
        assert!(said.contains("the database has no second copy of it; send it again"), "{path}: {said}");
        assert_eq!(reply.header("retry-after"), "5", "{path}");
    }
    let statuses = world.ask(shop, "/api/deltastatus", json!({"Tokens": []})).await;
    assert_ne!(statuses.status, 503, "what is read is read: {}", statuses.text);
}

#[test]
fn nothing_is_accepted_while_the_database_has_no_synchronous_standby() {
    let Some(server) = Private::start() else { return };
    log_traces::capture_logs();
    runtime().block_on(with_and_without(&server));
    log_traces::assert_clean();
}

async fn with_and_without(server: &Private) {
    let mut world = World::open(Some(Database::create_on(server))).await;
    let shop = world.shop("one").await;
    world.config.require_standby = true;
    world.restart().await;
    // A follower that no commit waits for may lack the last accepted requests.
    let standby = Standby::start(server);
    await_connection(server);
    until_ready(&world, false, "synchronous_standby_names is empty").await;
    assert_refused(&world, &shop).await;

    change_setting(server, "ALTER SYSTEM SET synchronous_standby_names = 'second'");
    until_ready(&world, true, "").await;
    world.delta(&shop, json!({"Products": [{"Id": "1", "Title": "t"}]})).await;

    drop(standby);
    until_ready(&world, false, "no synchronous standby is connected").await;
    assert_refused(&world, &shop).await;
    assert_eq!(log_traces::read_log().matches("nothing is accepted: the database has").count(), 2);
    // Commits end if they wait for no standby.
    change_setting(server, "ALTER SYSTEM RESET synchronous_standby_names");
    world.stop().await;
}

fn await_connection(server: &Private) {
    let began = Instant::now();
    let count = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
    while value_of(server.url(), count) == 0 {
        assert!(began.elapsed() < Duration::from_secs(10), "the standby connects");
    }
}

fn change_setting(server: &Private, statement: &'static str) {
    let url = server.url();
    crate::support::postgres::run_on(url.clone(), statement.to_owned());
    crate::support::postgres::run_on(url, "SELECT pg_reload_conf()".to_owned());
}

#[test]
fn an_embedded_store_has_no_standby_to_require() {
    let ended = Program::new().run("config show --require-standby");
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("setting require_standby: only PostgreSQL has standbys"), "{}", ended.err);
}
