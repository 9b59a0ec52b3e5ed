//! `kill -9` at every step of an erasure: a trigger in the database holds the server up where the next step would be
//! written, so that it is killed exactly there; started again, it ends the erasure as if nothing had happened.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::pieces::send_piece;
use super::server::{Home, Keys, Server};
use crate::support::postgres::Database;
use crate::support::waits::{pause, wait_until};

/// Each step that an erasure can be at, and the next one. On PostgreSQL nothing is settled.
const STEPS: [(&str, &str); 7] = [
    ("accepted", "fenced"),
    ("fenced", "shredded"),
    ("shredded", "deleted"),
    ("deleted", "unlearned"),
    ("unlearned", "settled"),
    ("settled", "verified"),
    ("unlearned", "verified"),
];
/// Pauses before each kill: at once, and a little later, when work between two steps has begun.
const PAUSES_MILLIS: [u64; 3] = [0, 15, 60];

#[test]
fn an_erasure_killed_at_any_step_ends_once_on_sqlite() {
    kill_at_each_step(|| Some(None), |steps| *steps != ("unlearned", "verified"));
}

#[test]
fn an_erasure_killed_at_any_step_ends_once_on_postgres() {
    kill_at_each_step(|| Database::create().map(Some), |(step, next)| ![step, next].contains(&&"settled"));
}

/// A scan of the files must not give up the locks of the database: whoever looks into it from outside would be the last
/// to close it, and take its log away.
#[test]
fn what_is_acknowledged_after_an_erasure_outlives_a_look_from_outside_and_kill_9() {
    let victim = Victim::new(None);
    let mut server = victim.home.start();
    let keys = victim.home.account("shop").unwrap();
    let erasure = forget_person(&server, &keys, "nobody@shop.example");
    wait_until("the erasure is verified", || is_verified(&server, &keys, &erasure).then_some(()));
    assert_eq!(victim.home.texts("SELECT name FROM account"), ["shop"]);
    let products = json!({"Products": [{"Id": "after", "Title": "after"}]});
    assert_eq!(server.post(&keys, "/api/delta", products).unwrap().status, 200);
    server.kill();
    let server = victim.home.start();
    wait_until("what was acknowledged is there", || server.title(&keys, "Products", "after"));
}

/// Asks to forget a person; returns the id of the erasure.
fn forget_person(server: &Server, keys: &Keys, identifier: &str) -> String {
    let forget = server.post(keys, "/api/user/forget", json!({"Identifier": identifier})).unwrap();
    assert_eq!(forget.status, 200, "{}", forget.body);
    forget.header("x-erasure-id").unwrap()
}

fn is_verified(server: &Server, keys: &Keys, erasure: &str) -> bool {
    let shown = server.post(keys, "/api/erasure", json!({"Erasure": erasure}));
    shown.is_ok_and(|shown| shown.json()["State"] == "verified")
}

/// Each step on a server and a store of its own, side by side. `store` gives no database for the embedded store, and
/// nothing at all where there is no PostgreSQL.
fn kill_at_each_step(store: fn() -> Option<Option<Database>>, is_there: fn(&(&str, &str)) -> bool) {
    std::thread::scope(|scope| {
        for (step, next) in STEPS.into_iter().filter(is_there) {
            scope.spawn(move || {
                if let Some(database) = store() {
                    kill_at(database, step, next);
                }
            });
        }
    });
}

/// A server that is killed and started again, with a look into its database from outside.
struct Victim {
    home: Home,
    _folder: tempfile::TempDir,
}

impl Victim {
    fn new(database: Option<Database>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path());
        let home = match database {
            None => home,
            Some(database) => home.on(database),
        };
        Self { home, _folder: folder }
    }

    /// From now on the writing of a step never ends.
    fn hold_up(&self, step: &str) {
        self.home.execute(
            &format!(
                "CREATE VIEW endless AS WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT n FROM n;
                 CREATE TRIGGER hold_up BEFORE INSERT ON erasure_step WHEN NEW.state = '{step}'
                 BEGIN SELECT count(*) FROM endless; END"
            ),
            &format!(
                "CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql
                 AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END';
                 CREATE TRIGGER hold_up BEFORE INSERT ON erasure_step FOR EACH ROW WHEN (NEW.state = '{step}')
                 EXECUTE FUNCTION hold_up()"
            ),
        );
    }

    /// Removes the obstacle. Without it a dead server's unit on PostgreSQL would go on.
    fn let_go(&self) {
        self.home.execute(
            "DROP TRIGGER hold_up; DROP VIEW endless",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid();
             DROP FUNCTION hold_up() CASCADE",
        );
    }

    /// The steps that the newest erasure has reached.
    fn steps(&self) -> Vec<String> {
        self.home.texts("SELECT state FROM erasure_step WHERE seq = (SELECT max(seq) FROM erasure)")
    }
}

fn kill_at(database: Option<Database>, step: &str, next: &str) {
    let victim = Victim::new(database);
    let mut server = victim.home.start();
    let keys = victim.home.account("shop").unwrap();
    for (turn, millis) in PAUSES_MILLIS.into_iter().enumerate() {
        let email = live(&victim, &server, &keys, turn);
        victim.hold_up(next);
        let erasure = forget_person(&server, &keys, &email);
        wait_until("the step is reached", || {
            victim.steps().iter().any(|reached| reached == step).then_some(())
        });
        pause(Duration::from_millis(millis));
        server.kill();
        victim.let_go();
        let reached = victim.steps();
        assert!(reached.iter().any(|reached| reached == step), "{step} was not durable: {reached:?}");
        assert!(reached.iter().all(|reached| reached != next), "{next} was not held up");
        server = victim.home.start();
        verify(&victim, &server, &keys, &erasure, turn);
    }
    assert!(server.stop().success());
}

/// Stores a person with a profile and two orders; returns their email.
fn live(victim: &Victim, server: &Server, keys: &Keys, turn: usize) -> String {
    let user = format!("customer-{turn}-xyz");
    let email = format!("person{turn}@shop.example");
    let people = json!({"Users": [{"UserId": user, "Email": email, "FirstName": "Quintessa"}]});
    assert_eq!(server.post(keys, "/api/delta", people).unwrap().status, 200);
    let file = format!(
        "OrderID,UserId,Email,DateTime,ProdCode\n{turn}-1,{user},{email},{day},p\n{turn}-2,{user},{email},{day},p\n",
        day = today(),
    );
    for (path, piece) in [("/feed-create", file.as_str()), ("/feed-close", "")] {
        assert_eq!(send_piece(server, keys, path, "orders-1", piece).status, 200, "{path}");
    }
    let stored = "SELECT kind FROM record ORDER BY kind";
    wait_until("the person is stored", || {
        (victim.home.texts(stored) == ["order", "order", "profile"]).then_some(())
    });
    email
}

/// Yesterday at noon: the server's clock is the machine's.
fn today() -> String {
    let now = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24);
    now.strftime("%Y-%m-%d 12:00:00").to_string()
}

/// The erasure is verified, each step happened once, and it is certified once.
fn verify(victim: &Victim, server: &Server, keys: &Keys, erasure: &str, turn: usize) {
    let ask = |path: &str| server.post(keys, path, json!({"Erasure": erasure})).ok();
    wait_until("the erasure is verified", || is_verified(server, keys, erasure).then_some(()));
    let done = ask("/api/erasure").unwrap().json();
    let counts = |field: &str| -> BTreeMap<String, i64> {
        let places = done["Places"].as_array().unwrap().iter();
        let counted = places.filter_map(|place| Some((place["Name"].as_str()?, place[field].as_i64()?)));
        counted.filter(|(_, count)| *count != 0).map(|(name, count)| (name.to_owned(), count)).collect()
    };
    let expected = [("identifiers", 2), ("keys", 1), ("order-numbers", 2), ("records", 3), ("subjects", 1)];
    assert_eq!(counts("Removed"), expected.map(|(name, count)| (name.to_owned(), count)).into());
    assert_eq!(counts("Left"), BTreeMap::new());
    let entries = victim.home.texts("SELECT entry FROM ledger ORDER BY n");
    let entries = entries.iter().filter_map(|entry| serde_json::from_str(entry).ok());
    let erasures: Vec<Value> = entries.filter(|entry: &Value| entry["Kind"] == "erasure").collect();
    assert_eq!(erasures.len(), turn + 1, "one entry for each erasure");
    assert_eq!(erasures.iter().filter(|entry| entry["Erasure"] == erasure).count(), 1);
    let certificate = ask("/api/erasure/certificate").unwrap();
    let checked = lethe_verify::check_certificate(&certificate.body, None);
    let checked = checked.unwrap_or_else(|fault| panic!("{fault}: {}", certificate.body));
    assert_eq!(checked.body.erasure.to_string(), erasure);
}
