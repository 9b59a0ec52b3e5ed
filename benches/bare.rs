//! The peers: a bare group-commit loop, and a bare echo of JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::routing::post;
use axum::{Json, Router};
use tokio::sync::oneshot;

type Waiting = (Arc<[u8]>, oneshot::Sender<()>);

/// Units a second of a loop that does nothing but insert one row a unit and commit what waits together, with
/// `in_flight` units under way and the pragmas of the store.
pub async fn group_commit(folder: &Path, body: &[u8], in_flight: usize, length: Duration) -> f64 {
    let (sender, queue) = flume::bounded::<Waiting>(4096);
    let path = folder.join("bare.db");
    let writer = std::thread::spawn(move || commit_loop(&path, &queue));
    let stop = Arc::new(AtomicBool::new(false));
    let done = Arc::new(AtomicU64::new(0));
    let body: Arc<[u8]> = body.into();
    let began = Instant::now();
    let tasks: Vec<_> = (0..in_flight)
        .map(|_| {
            let sender = sender.clone();
            let stop = stop.clone();
            let done = done.clone();
            let body = body.clone();
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let (reply, answer) = oneshot::channel();
                    sender.send_async((body.clone(), reply)).await.expect("the loop takes it");
                    answer.await.expect("the loop answers");
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    tokio::time::sleep(length).await;
    stop.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.expect("a task ends");
    }
    let per_second = done.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
    drop(sender);
    writer.join().expect("the loop ends");
    per_second
}

fn commit_loop(path: &Path, queue: &flume::Receiver<Waiting>) {
    let connection = rusqlite::Connection::open(path).expect("a database");
    for (name, value) in
        [("page_size", "8192"), ("journal_mode", "wal"), ("synchronous", "full"), ("secure_delete", "on")]
    {
        connection.pragma_update(None, name, value).expect("a pragma");
    }
    connection
        .execute_batch(
            "CREATE TABLE row (id INTEGER PRIMARY KEY, token BLOB NOT NULL UNIQUE, body BLOB) STRICT",
        )
        .expect("a table");
    while let Ok(first) = queue.recv() {
        let mut batch = vec![first];
        batch.extend(queue.try_iter().take(255));
        connection.execute_batch("BEGIN IMMEDIATE").expect("begun");
        for (body, _) in &batch {
            let token = uuid::Uuid::new_v4().into_bytes();
            let mut insert =
                connection.prepare_cached("INSERT INTO row (token, body) VALUES (?1, ?2)").expect("prepared");
            insert.execute((&token[..], &body[..])).expect("inserted");
        }
        connection.execute_batch("COMMIT").expect("committed");
        for (_, reply) in batch {
            let _ = reply.send(());
        }
    }
}

/// Units a second of loops that store a submission, its payload and a reason for its job in PostgreSQL for accounts in
/// turn: four connections, each with its part of the accounts, whose rows and counters it takes once a batch; three
/// statements for all rows of a batch.
pub async fn accounts(
    url: &str,
    accounts: usize,
    body: &Arc<[u8]>,
    in_flight: usize,
    length: Duration,
) -> f64 {
    const LOOPS: usize = 4;
    let made = url.to_owned();
    let count = accounts as i64;
    tokio::task::spawn_blocking(move || make_accounts(&made, count)).await.expect("tables");
    let (queues, loops): (Vec<_>, Vec<_>) = (0..LOOPS).map(|_| flume::bounded::<Unit>(4096)).unzip();
    let threads: Vec<_> = loops
        .into_iter()
        .map(|queue| {
            let url = url.to_owned();
            std::thread::spawn(move || account_loop(&url, &queue))
        })
        .collect();
    let stop = Arc::new(AtomicBool::new(false));
    let done = Arc::new(AtomicU64::new(0));
    let began = Instant::now();
    let tasks: Vec<_> = (0..in_flight)
        .map(|first| {
            let queues = queues.clone();
            let stop = stop.clone();
            let done = done.clone();
            let body = body.clone();
            tokio::spawn(async move {
                for turn in (first..).step_by(in_flight) {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let (account, (reply, answer)) = (turn % accounts + 1, oneshot::channel());
                    let unit = (account as i64, body.clone(), reply);
                    queues[account % LOOPS].send_async(unit).await.expect("the loop takes it");
                    answer.await.expect("the loop answers");
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    tokio::time::sleep(length).await;
    stop.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.expect("a task ends");
    }
    let per_second = done.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
    drop(queues);
    threads.into_iter().for_each(|thread| thread.join().expect("the loop ends"));
    per_second
}

type Unit = (i64, Arc<[u8]>, oneshot::Sender<()>);

fn make_accounts(url: &str, count: i64) {
    let mut client = postgres::Client::connect(url, postgres::NoTls).expect("PostgreSQL");
    let tables = "CREATE TABLE account (id BIGINT PRIMARY KEY, seq BIGINT NOT NULL);
        CREATE TABLE submission (account_id BIGINT, seq BIGINT, token BYTEA, PRIMARY KEY (account_id, seq));
        CREATE UNIQUE INDEX submission_token ON submission (account_id, token);
        CREATE TABLE payload (account_id BIGINT, seq BIGINT, body BYTEA, PRIMARY KEY (account_id, seq));
        CREATE TABLE job (account_id BIGINT PRIMARY KEY, wake BIGINT NOT NULL)";
    client.batch_execute(tables).expect("tables");
    let accounts = "INSERT INTO account SELECT n, 0 FROM generate_series(1, $1::bigint) AS n";
    client.execute(accounts, &[&count]).expect("accounts");
}

fn account_loop(url: &str, queue: &flume::Receiver<Unit>) {
    let mut client = postgres::Client::connect(url, postgres::NoTls).expect("PostgreSQL");
    let mut prepared = |text: &str| client.prepare(text).expect("prepared");
    let take = prepared("SELECT id, seq FROM account WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE");
    let rows = [
        prepared("INSERT INTO submission SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])"),
        prepared("INSERT INTO payload SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])"),
    ];
    let wake = prepared(
        "INSERT INTO job SELECT n, 1 FROM unnest($1::bigint[]) AS n ON CONFLICT (account_id) DO UPDATE SET wake = job.wake + 1",
    );
    let count = prepared(
        "UPDATE account SET seq = c.seq FROM unnest($1::bigint[], $2::bigint[]) AS c(id, seq) WHERE account.id = c.id",
    );
    while let Ok(first) = queue.recv() {
        let mut batch = vec![first];
        batch.extend(queue.try_iter().take(255));
        let accounts: Vec<i64> =
            batch.iter().map(|unit| unit.0).collect::<BTreeSet<_>>().into_iter().collect();
        let mut begun = client.transaction().expect("begun");
        let taken = begun.query(&take, &[&accounts]).expect("taken");
        let mut seqs: BTreeMap<i64, i64> = taken.iter().map(|row| (row.get(0), row.get(1))).collect();
        let mut of = Vec::new();
        let mut at = Vec::new();
        let mut tokens = Vec::new();
        let mut bodies = Vec::new();
        for (account, body, _) in &batch {
            let seq = seqs.entry(*account).or_default();
            *seq += 1;
            of.push(*account);
            at.push(*seq);
            tokens.push(uuid::Uuid::new_v4().into_bytes().to_vec());
            bodies.push(body.to_vec());
        }
        for (rows, last) in rows.iter().zip([&tokens, &bodies]) {
            begun.execute(rows, &[&of, &at, last]).expect("inserted");
        }
        begun.execute(&wake, &[&accounts]).expect("woken");
        begun.execute(&count, &[&accounts, &seqs.into_values().collect::<Vec<_>>()]).expect("counted");
        begun.commit().expect("committed");
        for (_, _, reply) in batch {
            let _ = reply.send(());
        }
    }
}

/// A bare axum server that reads JSON and sends it back.
pub async fn echo() -> SocketAddr {
    let router =
        Router::new().route("/echo", post(|Json(value): Json<serde_json::Value>| async move { Json(value) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
