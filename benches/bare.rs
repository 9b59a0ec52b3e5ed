//! The peers: a bare group-commit loop, and a bare echo of JSON.

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
    let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let body: Arc<[u8]> = body.into();
    let began = Instant::now();
    let tasks: Vec<_> = (0..in_flight)
        .map(|_| {
            let (sender, stop, done, body) = (sender.clone(), stop.clone(), done.clone(), body.clone());
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

/// A bare axum server that reads JSON and sends it back.
pub async fn echo() -> SocketAddr {
    let router =
        Router::new().route("/echo", post(|Json(value): Json<serde_json::Value>| async move { Json(value) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
