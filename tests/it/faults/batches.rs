//! Units of work that fail in the middle of a shared commit, and holders of a lease that come too late.

use std::sync::Mutex;
use std::sync::mpsc;

use lethe::accept;
use lethe::args;
use lethe::config::Config;
use lethe::jobs::{self, Lane};
use lethe::node::Node;
use lethe::sql;
use lethe::store::{Owner, Statement, Store, StoreFault, StoreOptions, Tx};
use lethe::submissions::{SubmissionPayload, SubmissionState, by_token};
use lethe::work::{WorkFault, delta};

use crate::support::postgres::Database;
use crate::support::steps;
use crate::support::world::{SUPPRESSED, statement};

const ACCOUNT: i64 = 1;

fn put_row(tx: &mut Tx<'_>, n: i64) -> Result<(), StoreFault> {
    tx.exec(&sql::suppression_put, args![ACCOUNT, &n.to_be_bytes(), 1, 1, n, 0]).map(drop)
}

#[tokio::test]
async fn a_unit_that_fails_or_panics_in_a_shared_commit_is_undone_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).unwrap();
    let (open, gate) = mpsc::channel();
    let gate = Mutex::new(gate);
    // Holds the writer until all the others wait, so that they share one commit.
    let first = store.clone();
    let first = tokio::spawn(async move {
        first
            .write(Owner::STORE, move |tx| {
                Ok::<_, StoreFault>((gate.lock().unwrap().recv().unwrap(), put_row(tx, 0)?))
            })
            .await
    });
    let unit = |n: i64| {
        let store = store.clone();
        tokio::spawn(async move {
            let work = move |tx: &mut Tx<'_>| {
                put_row(tx, n)?;
                match n {
                    3 => Err(StoreFault::Busy),
                    6 => panic!("a unit of work panics"),
                    _ => Ok(()),
                }
            };
            store.write(Owner::STORE, work).await
        })
    };
    let units: Vec<_> = (1..10).map(unit).collect();
    while store.waiting() < 9 {
        tokio::task::yield_now().await;
    }
    // Twice: the first unit may run again, alone, when something of its batch failed.
    open.send(()).and_then(|()| open.send(())).unwrap();
    assert!(first.await.unwrap().is_ok());
    for (n, unit) in (1..10).zip(units) {
        assert_eq!(unit.await.unwrap().is_ok(), n != 3 && n != 6, "unit {n}");
    }
    let stored =
        store.read(|tx| tx.row(&SUPPRESSED, args![ACCOUNT])?.map_or(Ok(0), |row| row.int("counted")));
    assert_eq!(stored.await.unwrap(), 8, "only what was acknowledged is stored");
}

#[tokio::test]
async fn a_commit_that_fails_acknowledges_nobody_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions::Sqlite(folder.path().join("lethe.db"));
    no_acknowledgement_before_the_commit(&Store::open(&options).unwrap()).await;
}

#[tokio::test]
async fn a_commit_that_fails_acknowledges_nobody_on_postgres() {
    let Some(database) = Database::create() else { return };
    let options = StoreOptions::Postgres(database.url().into());
    let store = tokio::task::spawn_blocking(move || Store::open(&options)).await.unwrap().unwrap();
    no_acknowledgement_before_the_commit(&store).await;
}

/// A unit that fails has its batch run a second time; then too no caller is answered before the COMMIT. A constraint
/// that is checked only at the COMMIT makes it fail.
async fn no_acknowledgement_before_the_commit(store: &Store) {
    const PARENT: Statement = statement("parent", "CREATE TABLE parent (id BIGINT PRIMARY KEY)");
    const CHILD: Statement = statement(
        "child",
        "CREATE TABLE child (id BIGINT REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)",
    );
    const ORPHAN: Statement = statement("orphan", "INSERT INTO child (id) VALUES ($1)");
    for statement in [&PARENT, &CHILD] {
        store.write(Owner::STORE, move |tx| tx.exec(statement, args![])).await.unwrap();
    }
    let mut held = steps::hold_writer(store).await;
    let mut units = Vec::new();
    for n in 1..=5 {
        let store = store.clone();
        units.push(tokio::spawn(async move {
            let work = move |tx: &mut Tx<'_>| {
                tx.exec(&ORPHAN, args![n])?;
                if n == 3 { Err(StoreFault::Busy) } else { Ok(()) }
            };
            store.write(steps::SHOP, work).await
        }));
        held.drive_until_waiting(units.len(), &mut std::future::pending::<()>()).await;
    }
    held.release_one_writer();
    for (n, unit) in (1..).zip(units) {
        assert!(unit.await.unwrap().is_err(), "unit {n} was acknowledged, and nothing was committed");
    }
}

#[tokio::test]
async fn a_holder_that_lost_its_lease_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::local(folder.path().join("data"), folder.path().join("keys"));
    // Nothing works here but the test's own units.
    let node = Node::open(config).await.unwrap();
    let keys = node.keys.clone();
    let now = node.clock.now();
    let token = lethe::ids::SubmissionToken::issue(now);
    let made = node.store.write(Owner::STORE, move |tx| {
        lethe::accept::account::create(tx, &keys, "shop", None, now).map(|(account, _)| account)
    });
    let account = made.await.unwrap().id;
    let accepted = node.store.write(account, move |tx| {
        let payload = br#"{"Products":[{"Id":"1","Title":"t"}]}"#;
        accept::delta::accept(tx, account, token, SubmissionPayload::Plain(payload), None, now)
    });
    accepted.await.unwrap();
    let claim = async || jobs::claim(&node.store, Lane::DELTA, &node.id, now, None).await.unwrap().unwrap();
    let state =
        async || node.store.read(move |tx| by_token(tx, account, token)).await.unwrap().unwrap().state;
    let late = claim().await;
    node.store.write(Owner::STORE, |tx| tx.exec(&sql::job_void_all, args![])).await.unwrap();
    let holder = claim().await;
    assert!(matches!(delta::run(&node, &late).await, Err(WorkFault::LeaseLost)));
    assert!(state().await == SubmissionState::Open, "the late holder applied the delta");
    assert!(delta::run(&node, &holder).await.is_ok());
    assert!(state().await == SubmissionState::Done);
}
