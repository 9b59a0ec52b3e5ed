//! Backup and restore of a large store on both engines: time, CPU and memory.

use std::path::Path;

use tempfile::TempDir;

use crate::erasure::store_people;
use crate::process::{self, Used};
use crate::report::{Options, load};
use crate::server::{Server, fresh_database, scratch};

/// `--people` of about 5 KB (a million make a store of about 5 GB): stored on the embedded engine, backed up there and
/// restored into either engine; then the same from PostgreSQL.
pub async fn backup(options: &Options) {
    println!("\n== backup and restore of {} people (target 150 MB of memory)", options.people);
    let server = Server::start(None).await;
    store_people(&server, options.people).await;
    println!("  the store has {:.2} GB", server.stored_bytes() as f64 / 1e9);
    let backup = backed_up("SQLite", &server);
    let keys = copy_of_keys(server.folder());
    drop(server);
    drop(restored("SQLite", backup.path(), keys.path(), None));
    let Some(url) = &options.postgres else {
        println!("  PostgreSQL: not run; no server is named (--postgres URL, or scripts/with-postgres)");
        return;
    };
    let database = fresh_database(url).await;
    let folder = restored("PostgreSQL", backup.path(), keys.path(), Some(&database));
    drop(backup);
    let server = Server::start_in(folder, Some(database)).await;
    let backup = backed_up("PostgreSQL", &server);
    drop(server);
    let database = fresh_database(url).await;
    drop(restored("PostgreSQL, from its own", backup.path(), keys.path(), Some(&database)));
}

fn folder() -> TempDir {
    tempfile::tempdir_in(scratch()).expect("a folder")
}

/// A backup of a server; its cost is the server's.
fn backed_up(engine: &str, server: &Server) -> TempDir {
    let folder = folder();
    let before = server.cpu_seconds();
    let resident = server.resident_bytes();
    process::forget_peak(server.process());
    let data = server.folder().join("data");
    let target = folder.path().join("backup");
    let mut words = vec!["backup", text(&target), "--data-dir", text(&data)];
    words.extend(server.database().iter().flat_map(|database| ["--store", database]));
    let command = process::lethe(&words);
    let used = Used {
        cpu_seconds: server.cpu_seconds() - before,
        peak_bytes: server.peak_bytes(),
        elapsed: command.elapsed,
    };
    show(&format!("backup, {engine}"), &used);
    println!("    the server had {} MB before", resident >> 20);
    folder
}

/// A backup in new folders, or in a database.
fn restored(engine: &str, backup: &Path, keys: &Path, database: Option<&str>) -> TempDir {
    let folder = folder();
    copy_folder(&keys.join("keys"), &folder.path().join("data-keys"));
    let backup = backup.join("backup");
    let data = folder.path().join("data");
    let mut words = vec!["restore", text(&backup), "--data-dir", text(&data)];
    // The keys are a copy of those of the first store, which is not asked any more.
    words.extend(database.iter().flat_map(|database| ["--store", database, "--change-engine"]));
    show(&format!("restore, {engine}"), &process::lethe(&words));
    folder
}

fn show(what: &str, used: &Used) {
    println!(
        "  {what}: {:.1?}, {:.1} CPU-s, peak {} MB, load {}",
        used.elapsed,
        used.cpu_seconds,
        used.peak_bytes >> 20,
        load()
    );
}

/// A copy of the keys next to a data folder, for another one.
fn copy_of_keys(beside: &Path) -> TempDir {
    let copy = folder();
    copy_folder(&beside.join("data-keys"), &copy.path().join("keys"));
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp").arg("-r").arg(from).arg(to).status();
    assert!(copied.expect("cp runs").success());
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}
