//! Storing people: a user feed of many profiles, compared with a plain loop that inserts the same rows.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use crate::process;
use crate::report::{Options, load, median};
use crate::server::{FeedServer, Server, scratch};

/// Profiles in the feed.
const PROFILES: u64 = 200_000;
/// Rows of one transaction of the plain loop.
const COMMIT_ROWS: u64 = 2_000;
/// Bytes of a sealed profile of the feed, of a sealed identifier, and of a keyed hash.
const RECORD_BYTES: usize = 190;
const SEALED_BYTES: usize = 50;
const TAG_BYTES: usize = 16;

/// Profiles per CPU-second on the embedded store and, where there is one, on PostgreSQL with its backends.
pub async fn people(options: &Options) {
    println!("\n== storing {PROFILES} people from a user feed");
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let path = folder.path().join("users.json");
    write_users(&path);
    let feed = FeedServer::start(&path).await;
    let bare = median((0..options.rounds).map(|round| plain_loop(folder.path(), round)).collect());
    println!("  plain loop of inserts, SQLite: {bare:.0} people per CPU-second");
    let sqlite = stored(options, None, &feed.url).await;
    println!(
        "  median, SQLite: {sqlite:.0} per CPU-second, {:.0} % of the plain loop (target 25,000)",
        100.0 * sqlite / bare
    );
    if let Some(url) = &options.postgres {
        let postgres = stored(options, Some(url), &feed.url).await;
        println!(
            "  median, PostgreSQL with its backends: {postgres:.0} per CPU-second, {:.0} % of SQLite (target 60 %)",
            100.0 * postgres / sqlite
        );
    }
}

/// Profiles per CPU-second of the server and of the database's processes.
async fn stored(options: &Options, postgres: Option<&str>, feed: &str) -> f64 {
    let mut rates = Vec::new();
    for round in 0..options.rounds {
        let server = Server::start(postgres).await;
        let before = server.cpu_seconds();
        let seconds = server.import(feed).await;
        let cpu = server.cpu_seconds() - before;
        let rate = PROFILES as f64 / cpu;
        println!(
            "  round {round}: {rate:>8.0} per CPU-second, {:.0}/s, {cpu:.2} CPU-s, peak {:.0} MB (target 120), load {}",
            PROFILES as f64 / seconds,
            server.peak_bytes() as f64 / 1e6,
            load()
        );
        rates.push(rate);
    }
    median(rates)
}

/// A feed of people as shops send them: id, address, names, a postcode, a few fields of the shop's own.
fn write_users(path: &Path) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a feed"));
    file.write_all(b"{\"Users\":[").expect("room");
    for n in 0..PROFILES {
        let comma = if n == 0 { "" } else { "," };
        write!(
            file,
            "{comma}{{\"UserId\":\"{n}\",\"Email\":\"person{n}@people.example\",\"FirstName\":\"First{n}\",\
             \"LastName\":\"Last{n}\",\"Postcode\":\"AB{} {}CD\",\"Country\":\"GB\",\"Newsletter\":{},\"Group\":\"retail\"}}",
            n % 97,
            n % 9,
            n % 3 == 0
        )
        .expect("room");
    }
    file.write_all(b"]}").expect("room");
    file.flush().expect("room");
}

/// People per CPU-second of a loop that inserts a subject, two identifiers and a record for each, with the keys that
/// the store gives them and its pragmas, and does nothing else.
fn plain_loop(folder: &Path, round: usize) -> f64 {
    let connection =
        rusqlite::Connection::open(folder.join(format!("plain-{round}.db"))).expect("a database");
    for (name, value) in [
        ("page_size", "8192"),
        ("journal_mode", "wal"),
        ("synchronous", "full"),
        ("secure_delete", "on"),
        ("cache_size", "-65536"),
    ] {
        connection.pragma_update(None, name, value).expect("a pragma");
    }
    connection
        .execute_batch(
            "CREATE TABLE subject (account_id INTEGER NOT NULL, id BLOB NOT NULL, slot INTEGER NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (account_id, id)) STRICT;
             CREATE TABLE identifier (account_id INTEGER NOT NULL, tag BLOB NOT NULL, subject_id BLOB NOT NULL, kind INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (account_id, tag, subject_id)) STRICT;
             CREATE INDEX identifier_by_subject ON identifier (account_id, subject_id);
             CREATE TABLE record (account_id INTEGER NOT NULL, subject_id BLOB NOT NULL, kind TEXT NOT NULL, n INTEGER NOT NULL, seq INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (account_id, subject_id, kind, n)) STRICT;",
        )
        .expect("tables");
    let own_cpu_seconds = || process::cpu_seconds(std::process::id()).expect("we run");
    let began = Instant::now();
    let before = own_cpu_seconds();
    for from in (0..PROFILES).step_by(COMMIT_ROWS as usize) {
        connection.execute_batch("BEGIN IMMEDIATE").expect("begun");
        for n in from..from + COMMIT_ROWS {
            insert_person(&connection, n).expect("inserted");
        }
        connection.execute_batch("COMMIT").expect("committed");
    }
    let cpu = own_cpu_seconds() - before;
    println!("  plain loop, round {round}: {cpu:.2} CPU-s, {:.1?}", began.elapsed());
    PROFILES as f64 / cpu
}

fn insert_person(connection: &rusqlite::Connection, n: u64) -> rusqlite::Result<()> {
    let id = uuid::Uuid::new_v4().into_bytes();
    let sealed = [0x5a_u8; RECORD_BYTES];
    connection.prepare_cached("INSERT INTO subject VALUES (1, ?1, ?2, 0)")?.execute((&id, n as i64))?;
    for kind in 0..2 {
        let tag = uuid::Uuid::new_v4().into_bytes();
        let mut insert = connection.prepare_cached("INSERT INTO identifier VALUES (1, ?1, ?2, ?3, ?4)")?;
        insert.execute((&tag[..TAG_BYTES], &id, kind, &sealed[..SEALED_BYTES]))?;
    }
    let mut insert = connection.prepare_cached("INSERT INTO record VALUES (1, ?1, 'profile', 0, 1, ?2)")?;
    insert.execute((&id, &sealed[..]))?;
    Ok(())
}
