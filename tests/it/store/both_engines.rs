//! The store's promises on both engines: one schema, whole units, answers only after COMMIT.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use lethe::args;
use lethe::ids::AccountId;
use lethe::store::{Owner, Row, Statement, Store, StoreFault, StoreOptions, Tx};
use serde_json::json;

use crate::support::columns::read_sqlite_columns;
use crate::support::steps;
use crate::support::world::{World, on_both_engines, statement};

on_both_engines! {
    every_statement_prepares_and_names_its_columns
    the_failing_unit_of_a_batch_fails_alone
    the_panicking_unit_of_a_batch_fails_alone
    a_unit_that_hides_a_failed_statement_takes_no_effect
    a_unit_that_loses_the_whole_transaction_takes_nobody_along
    a_full_disk_fails_the_unit_that_filled_it_and_no_other
    an_answer_comes_only_after_its_commit
    a_unit_that_writes_what_is_not_its_owners_is_found_by_the_tests
    two_writers_of_one_counter_lose_no_count
    a_unit_that_is_undone_leaves_no_gap_in_its_counter
    units_in_each_others_way_are_run_again
    of_two_inserts_of_one_key_the_second_one_runs_again
    who_waits_for_an_answer_goes_before_jobs
    jobs_go_on_however_much_is_asked
    jobs_of_another_account_do_not_wait_for_all_of_one
    look_ups_that_wait_share_a_transaction
    a_look_up_that_fails_fails_alone
    a_read_that_may_take_long_keeps_nobody_waiting
    a_node_that_is_gone_gives_no_sign_of_life
    who_waits_for_an_account_sees_what_was_done_meanwhile
    what_was_acknowledged_is_there_for_every_later_unit
    a_forget_racing_a_user_row_leaves_no_record
    a_newer_schema_is_refused_with_exit_code_4
    a_store_of_the_earlier_format_is_refused_with_exit_code_4
    a_store_with_other_tables_of_the_same_version_is_refused_with_exit_code_4
    another_stores_key_folder_is_refused
}

const MAKE: Statement = statement("make", "CREATE TABLE tried (n BIGINT PRIMARY KEY, filler TEXT)");
const PUT: Statement = statement("put", "INSERT INTO tried (n, filler) VALUES ($1, $2)");
const LIST: Statement = statement("list", "SELECT n FROM tried ORDER BY n");
const GET: Statement = statement("get", "SELECT count(*) AS counted FROM tried WHERE n = $1");
/// Ends the transaction as a fault of the engine would: SQLite undoes it by itself, PostgreSQL goes away.
const LOSE: Statement = Statement::new("lose", "ROLLBACK", "SELECT pg_terminate_backend(pg_backend_pid())");
/// Writes a row of the first account.
const TOUCH: Statement = statement("touch", "UPDATE job SET reading_ms = 0 WHERE account_id = 1");
/// Raises the database's error for one of two transactions that are in each other's way.
const CONFLICT: Statement =
    statement("conflict", "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END $$");
/// Raises the database's error for the second of two that insert one key.
const TAKEN: Statement =
    statement("taken", "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'unique_violation'; END $$");
/// Longer than any of this takes.
const WAIT: std::time::Duration = std::time::Duration::from_secs(60);
/// Identity of the transaction; always the same where none is shared.
const TRANSACTION: Statement = Statement::new(
    "transaction",
    "SELECT 'one' AS transaction_id",
    "SELECT virtualtransaction AS transaction_id FROM pg_locks WHERE locktype = 'virtualxid' AND pid = pg_backend_pid()",
);
const FAIL: Statement = statement("fail", "SELECT no_such_function()");

fn store(world: &World) -> Store {
    world.node().store.clone()
}

/// The writer is held while units of jobs come, and then a unit with a waiting caller.
async fn who_waits_for_an_answer_goes_before_jobs(world: World) {
    let store = store(&world);
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let begun = Arc::new(tokio::sync::Semaphore::new(0));
    let begins = begun.clone();
    let holding = store.write(AccountId(1), move |_| {
        begins.add_permits(1);
        let _ = gate.lock().expect("one holds it").recv();
        Ok::<_, StoreFault>(())
    });
    let order = Arc::new(Mutex::new(Vec::new()));
    let noted = |name: &'static str| {
        let order = order.clone();
        move |_: &mut Tx<'_>| {
            order.lock().expect("one notes").push(name);
            Ok::<_, StoreFault>(())
        }
    };
    let queued = async {
        // From here on the batch of the one that holds the writer takes no other.
        drop(begun.acquire().await.expect("it begins"));
        let jobs = [(); 3].map(|()| store.write_of_job(AccountId(1), noted("a job")));
        let jobs = jobs.map(|job| tokio::time::timeout(WAIT, job));
        let [first, second, third] = jobs;
        let asked = tokio::time::timeout(WAIT, store.write(AccountId(1), noted("who waits")));
        let release = async {
            while store.waiting() < 4 {
                tokio::task::yield_now().await;
            }
            open.send(()).expect("it is held");
        };
        tokio::join!(first, second, third, asked, release)
    };
    let (held, _) = tokio::join!(holding, queued);
    held.expect("it was let go");
    assert_eq!(*order.lock().expect("all have ended"), ["who waits", "a job", "a job", "a job"]);
}

/// While very many requests wait for their answers a job waits, and runs before all are answered. The account has the
/// writer that the gate holds.
async fn jobs_go_on_however_much_is_asked(world: World) {
    const MANY: usize = 3000;
    let store = store(&world);
    let (opened, blocked) = gate(&store).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let job = store.write_of_job(AccountId(4), move |_| Ok::<_, StoreFault>(counted.load(Ordering::SeqCst)));
    let many = (0..MANY).map(|_| {
        let asked = asked.clone();
        store.write(AccountId(4), move |_| {
            asked.fetch_add(1, Ordering::SeqCst);
            Ok::<_, StoreFault>(())
        })
    });
    let release = async { opened.send(()).expect("it is held") };
    let (before, _, ()) = tokio::join!(biased; job, futures_util::future::join_all(many), release);
    blocked.await.expect("it ends").expect("it was let go");
    let before = before.expect("it ran");
    assert!(before < MANY / 2, "{before} were answered before");
}

/// While the writer is held, one account's jobs send three units, and then another account's jobs one. Both accounts
/// have the writer that the gate holds.
async fn jobs_of_another_account_do_not_wait_for_all_of_one(world: World) {
    let store = store(&world);
    let (opened, blocked) = gate(&store).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let unit = |account| {
        let order = order.clone();
        store.write_of_job(AccountId(account), move |_| {
            order.lock().expect("one notes").push(account);
            Ok::<_, StoreFault>(())
        })
    };
    let units = futures_util::future::join_all([4, 4, 4, 8].map(unit));
    let release = async { opened.send(()).expect("it is held") };
    let (ended, ()) = tokio::join!(biased; units, release);
    blocked.await.expect("it ends").expect("it was let go");
    assert!(ended.into_iter().all(|unit| unit.is_ok()));
    assert_eq!(*order.lock().expect("all have ended"), [4, 8, 4, 4]);
}

/// Holds both readers, lets `send` send its reads, so that they wait together, and gives its answer.
async fn while_readers_are_held<T>(store: &Store, send: impl Future<Output = T>) -> T {
    let is_open = Arc::new(AtomicBool::new(false));
    let begun = Arc::new(tokio::sync::Semaphore::new(0));
    let [first, second] = [(); 2].map(|()| {
        let is_open = is_open.clone();
        let begun = begun.clone();
        store.read(move |_| {
            begun.add_permits(1);
            while !is_open.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            Ok::<_, StoreFault>(())
        })
    });
    let together = async {
        drop(begun.acquire_many(2).await.expect("both are held"));
        let release = async { is_open.store(true, Ordering::SeqCst) };
        // In this order: all reads are sent before the readers are let go.
        tokio::join!(biased; send, release).0
    };
    tokio::join!(first, second, together).2
}

/// Eight look-ups that wait together.
async fn look_up_together<T: Send + 'static>(
    store: &Store,
    body: impl Fn(&mut Tx<'_>, usize) -> Result<T, StoreFault> + Send + Clone + 'static,
) -> Vec<Result<T, StoreFault>> {
    let reads = (0..8).map(|n| {
        let body = body.clone();
        store.look_up(move |tx| body(tx, n))
    });
    while_readers_are_held(store, futures_util::future::join_all(reads)).await
}

async fn look_ups_that_wait_share_a_transaction(world: World) {
    let store = store(&world);
    let answers = look_up_together(&store, |tx, _| {
        Ok(tx.run(&TRANSACTION, args![])?[0].text("transaction_id")?.to_owned())
    })
    .await;
    let answers: Vec<String> = answers.into_iter().map(|name| name.expect("a name")).collect();
    let transactions = answers.iter().collect::<BTreeSet<_>>().len();
    // The first reader takes one and three of the seven that are left.
    assert!(answers.len() == 8 && transactions <= 5, "{answers:?}");
}

/// A running node does this by the clock, and a drill reads the records in a process of its own.
async fn a_node_that_is_gone_gives_no_sign_of_life(world: World) {
    let store = store(&world);
    let beats = |holder: &'static str| {
        store.write(Owner::STORE, move |tx| tx.exec(&lethe::sql::node_beat, args![holder]))
    };
    assert_eq!(beats("another").await.expect("a store"), 0);
    let records = store.read(|tx| Ok::<_, StoreFault>(tx.run(&lethe::sql::record_keyed, args![])?.len()));
    assert_eq!(records.await.expect("a store"), 0, "nobody is stored");
}

async fn a_look_up_that_fails_fails_alone(world: World) {
    let store = store(&world);
    let body = |tx: &mut Tx<'_>, n: usize| match n {
        2 => tx.run(&FAIL, args![]).map(|_| 0),
        3 => panic!("as a fault of ours would"),
        _ => tx.run(&TRANSACTION, args![]).map(|_| n),
    };
    for (n, answer) in look_up_together(&store, body).await.into_iter().enumerate() {
        match n {
            2 => assert!(matches!(answer, Err(StoreFault::Refused { .. })), "{answer:?}"),
            3 => assert!(matches!(answer, Err(StoreFault::Panicked)), "{answer:?}"),
            _ => assert_eq!(answer.ok(), Some(n)),
        }
    }
}

/// A read that takes until the later look-ups are answered.
async fn a_read_that_may_take_long_keeps_nobody_waiting(world: World) {
    let store = store(&world);
    let is_answered = Arc::new(AtomicBool::new(false));
    let answered = is_answered.clone();
    let long = store.read(move |_| {
        while !answered.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        Ok::<_, StoreFault>(())
    });
    let look_ups = (0..6).map(|n| store.look_up(move |_| Ok::<_, StoreFault>(n)));
    let look_ups = tokio::time::timeout(WAIT / 6, futures_util::future::join_all(look_ups));
    let sent = async {
        let ended = async {
            let look_ups = look_ups.await;
            is_answered.store(true, Ordering::SeqCst);
            look_ups
        };
        tokio::join!(biased; long, ended).1
    };
    // The reads are sent, and the readers let go, before the test waits for any.
    let look_ups = while_readers_are_held(&store, sent).await.expect("nobody waits for the long one");
    assert_eq!(look_ups.into_iter().filter_map(Result::ok).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
}

async fn make_table(store: &Store) {
    store
        .write(Owner::STORE, |tx| tx.exec(&MAKE, args![]).map(drop))
        .await
        .map_err(|fault: StoreFault| fault)
        .expect("made");
}

async fn list_numbers(store: &Store) -> Vec<i64> {
    let rows = store.read(|tx| tx.run(&LIST, args![])?.iter().map(|row: &Row| row.int("n")).collect());
    rows.await.map_err(|fault: StoreFault| fault).expect("rows")
}

fn put_number(tx: &mut Tx<'_>, n: i64) -> Result<i64, StoreFault> {
    tx.exec(&PUT, args![n, "filler"])?;
    Ok(n)
}

/// Sends `count` units that are certain to meet in batches, number `bad` with another body; gives the answers.
async fn batch(
    store: &Store,
    count: i64,
    bad: i64,
    body: impl Fn(&mut Tx<'_>) -> Result<i64, StoreFault> + Send + Sync + Clone + 'static,
) -> Vec<Result<i64, StoreFault>> {
    // The writer is busy before the first unit is sent, so that all units wait together.
    let (opened, blocked) = gate(store).await;
    let units: Vec<_> = (0..count)
        .map(|n| {
            let store = store.clone();
            let body = body.clone();
            tokio::spawn(async move {
                store.write(Owner::STORE, move |tx| if n == bad { body(tx) } else { put_number(tx, n) }).await
            })
        })
        .collect();
    while store.waiting() < usize::try_from(count).expect("a count") {
        tokio::task::yield_now().await;
    }
    drop(opened);
    blocked.await.expect("it ran").expect("nothing was written");
    let mut answers = Vec::new();
    for unit in units {
        answers.push(unit.await.expect("it ran"));
    }
    answers
}

type Blocked = tokio::task::JoinHandle<Result<(), StoreFault>>;

/// Keeps the writer of rows without an account busy until the sender goes.
async fn gate(store: &Store) -> (mpsc::Sender<()>, Blocked) {
    let (open, closed) = mpsc::channel::<()>();
    let (began, beginning) = tokio::sync::oneshot::channel();
    let store = store.clone();
    let closed = Mutex::new(closed);
    let began = Mutex::new(Some(began));
    let blocked = tokio::spawn(async move {
        store
            .write(Owner::STORE, move |_| {
                // It runs again when its batch does; then the gate is open already.
                if let Some(began) = began.lock().ok().and_then(|mut began| began.take()) {
                    let _ = began.send(());
                }
                let _ = closed.lock().map(|closed| closed.recv());
                Ok(())
            })
            .await
    });
    beginning.await.expect("a writer took it");
    (open, blocked)
}

/// Exactly the others took effect, and every answer says what happened.
async fn assert_others(store: &Store, answers: &[Result<i64, StoreFault>], bad: i64) {
    let kept: Vec<i64> = (0..answers.len() as i64).filter(|n| *n != bad).collect();
    assert_eq!(list_numbers(store).await, kept);
    for (n, answer) in (0..).zip(answers) {
        match answer {
            Ok(answer) => assert_eq!((*answer, n != bad), (n, true)),
            Err(fault) => assert_eq!(n, bad, "{fault}"),
        }
    }
    assert!(answers[usize::try_from(bad).expect("a number")].is_err());
}

async fn every_statement_prepares_and_names_its_columns(world: World) {
    for statement in lethe::sql::ALL {
        assert_numbered(statement.name, statement.sqlite());
        assert_numbered(statement.name, statement.postgres());
    }
    if let Some(database) = &world.database {
        let url = database.url();
        let prepared = tokio::task::spawn_blocking(move || {
            let mut client = ::postgres::Client::connect(&url, ::postgres::NoTls).expect("a connection");
            let file = rusqlite::Connection::open_in_memory().expect("a database");
            for migration in lethe::store::sqlite_texts() {
                file.execute_batch(migration).expect("its tables");
            }
            for statement in lethe::sql::ALL {
                let prepared = client.prepare(statement.postgres());
                let prepared = prepared.unwrap_or_else(|error| panic!("{}: {error:?}", statement.name));
                let named: Vec<_> = prepared.columns().iter().map(::postgres::Column::name).collect();
                let embedded = file.prepare(statement.sqlite()).expect("prepared");
                assert_eq!(
                    named,
                    embedded.column_names().collect::<Vec<_>>(),
                    "{} on both engines",
                    statement.name
                );
            }
        });
        prepared.await.expect("all prepare");
    } else {
        let file = rusqlite::Connection::open(world.config.data_dir.join("lethe.db")).expect("the file");
        for statement in lethe::sql::ALL {
            let prepared = file.prepare(statement.sqlite());
            let prepared = prepared.unwrap_or_else(|error| panic!("{}: {error}", statement.name));
            assert_named(statement.name, &prepared.column_names().collect::<Vec<_>>());
        }
    }
}

/// Columns are read by their names: each has one of its own, and an expression was given one.
fn assert_named(name: &str, columns: &[&str]) {
    let is_word = |column: &&&str| column.bytes().all(|sign| sign.is_ascii_lowercase() || sign == b'_');
    let words: BTreeSet<_> = columns.iter().filter(is_word).collect();
    assert_eq!(words.len(), columns.len(), "{name}: {columns:?}");
}

/// `$1` to the highest number, none left out.
fn assert_numbered(name: &str, text: &str) {
    let numbers: BTreeSet<usize> = text
        .split('$')
        .skip(1)
        .map(|rest| {
            rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().expect("a number")
        })
        .collect();
    assert!(numbers.iter().copied().eq(1..=numbers.len()), "{name}: {numbers:?}");
}

async fn the_failing_unit_of_a_batch_fails_alone(world: World) {
    let store = store(&world);
    make_table(&store).await;
    let answers = batch(&store, 40, 17, |tx| {
        put_number(tx, 1000)?;
        Err(StoreFault::Panicked)
    })
    .await;
    assert_others(&store, &answers, 17).await;
}

async fn the_panicking_unit_of_a_batch_fails_alone(world: World) {
    let store = store(&world);
    make_table(&store).await;
    let answers = batch(&store, 40, 0, |tx| {
        put_number(tx, 1000)?;
        panic!("as planned")
    })
    .await;
    assert_others(&store, &answers, 0).await;
    assert!(matches!(answers[0], Err(StoreFault::Panicked)));
}

async fn a_unit_that_hides_a_failed_statement_takes_no_effect(world: World) {
    let store = store(&world);
    make_table(&store).await;
    // After the last one no other statement would fail on the rest of the transaction.
    for bad in [39, 17] {
        let answers = batch(&store, 40, bad, move |tx| {
            put_number(tx, 1000)?;
            let _ = tx.exec(&FAIL, args![]);
            Ok(bad)
        })
        .await;
        assert_others(&store, &answers, bad).await;
        empty_table(&store).await;
    }
    let read = store.read(|tx| {
        let _ = tx.row(&FAIL, args![]);
        Ok::<_, StoreFault>(7)
    });
    assert!(matches!(read.await, Err(StoreFault::Refused { statement: "fail", .. })));
}

async fn empty_table(store: &Store) {
    const EMPTY: Statement = statement("empty", "DELETE FROM tried");
    let emptied = store.write(Owner::STORE, |tx| tx.exec(&EMPTY, args![]).map(drop));
    emptied.await.map_err(|fault: StoreFault| fault).expect("empty");
}

async fn a_unit_that_loses_the_whole_transaction_takes_nobody_along(world: World) {
    let store = store(&world);
    make_table(&store).await;
    for bad in [0, 20, 39] {
        let answers = batch(&store, 40, bad, |tx| {
            put_number(tx, 1000)?;
            tx.exec(&LOSE, args![])?;
            Ok(1000)
        })
        .await;
        assert_others(&store, &answers, bad).await;
        empty_table(&store).await;
    }
}

async fn a_full_disk_fails_the_unit_that_filled_it_and_no_other(world: World) {
    let store = store(&world);
    make_table(&store).await;
    let answers = if world.is_postgres() {
        const FULL: Statement =
            statement("full", "DO $do$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $do$");
        batch(&store, 40, 17, |tx| {
            put_number(tx, 1000)?;
            tx.exec(&FULL, args![])?;
            Ok(1000)
        })
        .await
    } else {
        const PAGES: Statement = statement("pages", "PRAGMA page_count");
        // Room for the small rows, not for the large one.
        let pages = store
            .write(Owner::STORE, |tx| tx.row(&PAGES, args![])?.map_or(Ok(0), |row| row.int("page_count")));
        let pages = pages.await.map_err(|fault: StoreFault| fault).expect("a number") + 20;
        let limit = Box::leak(format!("PRAGMA max_page_count = {pages}").into_boxed_str());
        let limit = statement("limit", limit);
        store
            .write(Owner::STORE, move |tx| tx.run(&limit, args![]).map(drop))
            .await
            .map_err(|f: StoreFault| f)
            .expect("set");
        let filler = "x".repeat(2_000_000);
        batch(&store, 40, 17, move |tx| tx.exec(&PUT, args![1000, filler.as_str()]).map(|_| 1000)).await
    };
    assert_others(&store, &answers, 17).await;
    assert!(matches!(answers[17], Err(StoreFault::DiskFull)), "{:?}", answers[17]);
    store
        .write(Owner::STORE, |tx| put_number(tx, 50))
        .await
        .map_err(|fault: StoreFault| fault)
        .expect("the store goes on");
}

async fn an_answer_comes_only_after_its_commit(world: World) {
    let store = store(&world);
    make_table(&store).await;
    for n in 0..50 {
        store
            .write(Owner::STORE, move |tx| put_number(tx, n))
            .await
            .map_err(|fault: StoreFault| fault)
            .expect("written");
        let seen = store.read(move |tx| tx.row(&GET, args![n])?.map_or(Ok(0), |row| row.int("counted")));
        assert_eq!(seen.await.map_err(|fault: StoreFault| fault).expect("a count"), 1);
    }
}

/// The store of another program on the same database.
async fn another(world: &World) -> Store {
    let options = world.node().store.options().clone();
    tokio::task::spawn_blocking(move || Store::open(&options)).await.expect("opened").expect("a store")
}

/// For example a job that was claimed and then writes: its lease must be there, whatever waits came in between.
async fn what_was_acknowledged_is_there_for_every_later_unit(world: World) {
    world.shop("one").await;
    let stores = [store(&world), another(&world).await];
    make_table(&stores[0]).await;
    let count = |tx: &mut Tx<'_>| tx.run(&LIST, args![]).map(|rows| rows.len());
    // Each waits for the other's transaction again and again.
    let sends = stores.map(|store| {
        tokio::spawn(async move {
            for _ in 0..100 {
                let put = store.write(AccountId(1), move |tx| {
                    let before = count(tx)?;
                    put_number(tx, i64::try_from(before).unwrap_or(-1))
                });
                let put = put.await.map_err(|fault: StoreFault| fault).expect("written");
                let seen = store.write(AccountId(1), count).await.map_err(|fault: StoreFault| fault);
                assert!(seen.expect("a count") > usize::try_from(put).expect("a number"), "row {put}");
            }
        })
    });
    for sent in sends {
        sent.await.expect("each row is there when it was acknowledged");
    }
    assert_eq!(list_numbers(&store(&world)).await.len(), 200);
}

async fn who_waits_for_an_account_sees_what_was_done_meanwhile(world: World) {
    world.shop("one").await;
    let first = store(&world);
    let second = another(&world).await;
    make_table(&first).await;
    let (open, opened) = mpsc::channel::<()>();
    let opened = Mutex::new(opened);
    let has_put = Arc::new(AtomicUsize::new(0));
    let put_first = has_put.clone();
    let holds = tokio::spawn(async move {
        let unit = first.write(AccountId(1), move |tx| {
            put_number(tx, 1)?;
            put_first.store(1, Ordering::SeqCst);
            let _ = opened.lock().map(|opened| opened.recv());
            Ok(())
        });
        unit.await.map_err(|fault: StoreFault| fault)
    });
    while has_put.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let waits = tokio::spawn(async move {
        second.write(AccountId(1), |tx| tx.run(&LIST, args![]).map(|rows| rows.len())).await
    });
    // Long enough to be at the row; a later one waits for less.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    drop(open);
    holds.await.expect("it ran").expect("written");
    assert_eq!(waits.await.expect("it ran").map_err(|fault: StoreFault| fault).expect("a count"), 1);
}

async fn a_unit_that_writes_what_is_not_its_owners_is_found_by_the_tests(world: World) {
    let shop = world.shop("one").await;
    world.shop("two").await;
    world.delta(&shop, json!({"Products": []})).await;
    let store = store(&world);
    // SQLite has one writer: there nothing can come between.
    let is_watched = world.is_postgres();
    for (owner, is_its_own) in
        [(Owner::from(AccountId(1)), true), (AccountId(2).into(), false), (Owner::STORE, true)]
    {
        let written = store.write(owner, |tx| tx.exec(&TOUCH, args![]));
        let is_refused = written.await.map_err(|fault: StoreFault| fault).is_err();
        assert_eq!(is_refused, is_watched && !is_its_own, "{owner:?}");
    }
    let written = store.write(AccountId(1), |tx| tx.exec(&lethe::sql::node_backed_up, args![1]));
    assert_eq!(written.await.map_err(|fault: StoreFault| fault).is_err(), is_watched);
}

async fn two_writers_of_one_counter_lose_no_count(world: World) {
    let shop = world.shop("one").await;
    let stores = [store(&world), another(&world).await];
    let units: Vec<_> = (0..300)
        .map(|n| {
            let store = stores[n % 2].clone();
            tokio::spawn(async move {
                let unit = store.write(AccountId(1), move |tx| lethe::accounts::next_seq(tx, AccountId(1)));
                unit.await.map_err(|fault: StoreFault| fault).expect("a number")
            })
        })
        .collect();
    let mut numbers = BTreeSet::new();
    for unit in units {
        numbers.insert(unit.await.expect("it ran"));
    }
    assert!(numbers.iter().copied().eq(1..=300), "no gap, no number twice");
    world.delta(&shop, json!({})).await;
}

async fn a_unit_that_is_undone_leaves_no_gap_in_its_counter(world: World) {
    world.shop("one").await;
    let mut held = steps::hold_writer(&store(&world)).await;
    let mut units = Vec::new();
    for n in 0..10 {
        let store = store(&world);
        units.push(tokio::spawn(async move {
            let unit = store.write(steps::SHOP, move |tx| {
                let seq = lethe::accounts::next_seq(tx, steps::SHOP)?;
                if n == 4 { Err(StoreFault::Busy) } else { Ok(seq) }
            });
            unit.await
        }));
        held.drive_until_waiting(units.len(), &mut std::future::pending::<()>()).await;
    }
    held.release_one_writer();
    let mut numbers = Vec::new();
    for unit in units {
        numbers.extend(unit.await.expect("it ran").ok());
    }
    assert_eq!(numbers, (1..=9).collect::<Vec<i64>>());
}

/// Two units that write beyond their own account, which none of ours does: the database ends one of them.
async fn units_in_each_others_way_are_run_again(world: World) {
    const SWAP: Statement = statement("swap", "UPDATE tried SET filler = 'seen' WHERE n = $1");
    if !world.is_postgres() {
        return;
    }
    let store = store(&world);
    make_table(&store).await;
    let filled = store.write(Owner::STORE, |tx| put_number(tx, 0).and_then(|_| put_number(tx, 1)));
    filled.await.map_err(|fault: StoreFault| fault).expect("filled");
    let meet = Arc::new(std::sync::Barrier::new(2));
    let runs = Arc::new(AtomicUsize::new(0));
    let units = [0, 1].map(|n| {
        let store = store.clone();
        let meet = meet.clone();
        let runs = runs.clone();
        tokio::spawn(async move {
            let unit = store.write(AccountId(n + 1), move |tx| {
                tx.exec(&SWAP, args![n])?;
                if runs.fetch_add(1, Ordering::SeqCst) < 2 {
                    meet.wait();
                }
                tx.exec(&SWAP, args![1 - n])
            });
            unit.await.map_err(|fault: StoreFault| fault)
        })
    });
    for unit in units {
        assert_eq!(unit.await.expect("it ran").expect("it ran again"), 1);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    // More than once: a unit that fails has its batch run a second time in any case.
    let tries = Arc::new(AtomicUsize::new(0));
    let tried = tries.clone();
    let unlucky = store.write(AccountId(1), move |tx| match tried.fetch_add(1, Ordering::SeqCst) {
        0..4 => tx.exec(&CONFLICT, args![]),
        _ => tx.exec(&SWAP, args![0]),
    });
    assert_eq!(unlucky.await.map_err(|fault: StoreFault| fault).expect("it ran again"), 1);
    assert_eq!(tries.load(Ordering::SeqCst), 5);
}

/// Both look before either has inserted. SQLite has one writer: there the second one sees the first in any case.
async fn of_two_inserts_of_one_key_the_second_one_runs_again(world: World) {
    let store = store(&world);
    make_table(&store).await;
    let meet = world.is_postgres().then(|| Arc::new(std::sync::Barrier::new(2)));
    let looks = Arc::new(AtomicUsize::new(0));
    let units = [1, 2].map(|account| {
        let store = store.clone();
        let meet = meet.clone();
        let looks = looks.clone();
        tokio::spawn(async move {
            let unit = store.write(AccountId(account), move |tx| {
                let found = tx.row(&GET, args![7])?.map_or(Ok(0), |row| row.int("counted"))?;
                if let Some(meet) = meet.as_ref().filter(|_| looks.fetch_add(1, Ordering::SeqCst) < 2) {
                    meet.wait();
                }
                if found == 0 { put_number(tx, 7).map(|_| true) } else { Ok(false) }
            });
            unit.await.map_err(|fault: StoreFault| fault)
        })
    });
    let mut inserted = Vec::new();
    for unit in units {
        inserted.push(unit.await.expect("it ran").expect("it ran again"));
    }
    inserted.sort_unstable();
    assert_eq!(inserted, [false, true]);
    assert_eq!(list_numbers(&store).await, [7]);
    if world.is_postgres() {
        // More than once: a unit that fails has its batch run a second time in any case.
        let tries = AtomicUsize::new(0);
        let unlucky = store.write(AccountId(1), move |tx| match tries.fetch_add(1, Ordering::SeqCst) {
            0..4 => tx.exec(&TAKEN, args![]),
            _ => Ok(7),
        });
        assert_eq!(unlucky.await.map_err(|fault: StoreFault| fault).expect("it ran again"), 7);
    }
}

async fn a_forget_racing_a_user_row_leaves_no_record(world: World) {
    let shop = world.shop("one").await;
    for round in 0..40 {
        let email = format!("racer-{round}@shop.test");
        let row = json!({"UserId": format!("racer-{round}"), "Email": email});
        if round % 2 == 0 {
            world.apply_delta(&shop, json!({"Users": [row]})).await;
        }
        world.delta(&shop, json!({"Users": [row]})).await;
        let (forgotten, _) =
            tokio::join!(world.forget(&shop, &email), world.run_jobs(lethe::jobs::Lane::DELTA));
        let () = forgotten;
        world.run_all_jobs().await;
        world.apply_delta(&shop, json!({"Users": [row]})).await;
        assert_eq!(world.subjects(&shop).await, 0, "round {round}");
    }
    for table in ["record", "identifier", "subject"] {
        let count = statement(
            "count",
            Box::leak(format!("SELECT count(*) AS counted FROM {table}").into_boxed_str()),
        );
        let left = world
            .node()
            .store
            .read(move |tx| tx.row(&count, args![])?.map_or(Ok(-1), |row| row.int("counted")));
        assert_eq!(left.await.map_err(|fault: StoreFault| fault).expect("a count"), 0, "{table}");
    }
}

/// Changes the store's record of its schema, and returns why it is not opened any more.
async fn refuse_after(world: &mut World, change: &'static Statement) -> StoreFault {
    let store = store(world);
    store
        .write(Owner::STORE, |tx| tx.exec(change, args![]).map(drop))
        .await
        .map_err(|f: StoreFault| f)
        .expect("written");
    drop(store);
    world.stop().await;
    let options = world.config.store_options();
    let opened = tokio::task::spawn_blocking(move || Store::open(&options)).await.expect("it ran");
    let Err(fault) = opened else { panic!("a store with another schema was opened") };
    assert_eq!(lethe::node::StartFault::from(fault.clone()).exit_code(), 4);
    fault
}

async fn a_newer_schema_is_refused_with_exit_code_4(mut world: World) {
    const NEWER: Statement = statement(
        "newer",
        "INSERT INTO refinery_schema_history (version, name, applied_on, checksum)
         SELECT 999, 'from_the_future', applied_on, checksum FROM refinery_schema_history WHERE version = 2",
    );
    let fault = refuse_after(&mut world, &NEWER).await;
    assert!(matches!(fault, StoreFault::NewerSchema { found: 999, .. }), "{fault}");
}

async fn a_store_of_the_earlier_format_is_refused_with_exit_code_4(mut world: World) {
    const EARLIER: Statement =
        statement("earlier", "UPDATE refinery_schema_history SET version = 1 WHERE version = 2");
    let fault = refuse_after(&mut world, &EARLIER).await;
    assert!(matches!(fault, StoreFault::OtherSchema { found: 1, .. }), "{fault}");
    assert!(fault.to_string().contains("begin anew: an empty data folder"), "{fault}");
}

async fn a_store_with_other_tables_of_the_same_version_is_refused_with_exit_code_4(mut world: World) {
    const OTHER: Statement = statement("other", "UPDATE refinery_schema_history SET checksum = '1'");
    let fault = refuse_after(&mut world, &OTHER).await;
    assert!(matches!(fault, StoreFault::OtherSchema { .. }), "{fault}");
}

async fn another_stores_key_folder_is_refused(mut world: World) {
    world.shop("one").await;
    world.stop().await;
    let folder = tempfile::tempdir().expect("a folder");
    world.config.key_dir = folder.path().join("other-keys");
    let fault = world.open_fault().await;
    assert!(matches!(fault, lethe::node::StartFault::KeysLost), "{fault}");
    drop(lethe::keys::Keys::open(&world.config.key_dir).expect("new keys"));
    let fault = world.open_fault().await;
    assert!(matches!(fault, lethe::node::StartFault::OtherKeys), "{fault}");
}

#[test]
fn both_engines_have_the_same_schema() {
    let Some(database) = crate::support::postgres::Database::create() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lethe.db");
    drop(Store::open(&StoreOptions::Sqlite(file.clone())).expect("SQLite opens"));
    drop(Store::open(&StoreOptions::Postgres(database.url().into())).expect("PostgreSQL opens"));
    let one = read_sqlite_columns(&file);
    assert!(one.len() > 80, "{}", one.len());
    assert_eq!(one, postgres_columns(&database.url()));
}

fn postgres_columns(url: &str) -> BTreeSet<String> {
    let mut client = ::postgres::Client::connect(url, ::postgres::NoTls).expect("a connection");
    let text = "SELECT table_name::text, column_name::text, data_type::text, is_nullable::text
                FROM information_schema.columns
                WHERE table_schema = 'public' AND table_name NOT LIKE 'refinery%'";
    let rows = client.query(text, &[]).expect("columns");
    rows.iter()
        .map(|row| {
            let kind = match row.get::<_, &str>(2) {
                "bigint" => "INTEGER",
                "bytea" => "BLOB",
                "text" => "TEXT",
                other => other,
            };
            let required = if row.get::<_, &str>(3) == "NO" { " NOT NULL" } else { "" };
            format!("{}.{} {kind}{required}", row.get::<_, &str>(0), row.get::<_, &str>(1))
        })
        .collect()
}
