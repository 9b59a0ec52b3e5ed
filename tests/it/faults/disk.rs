//! Disks that fail and disks that are full.

use std::io::Write;

use serde_json::json;

use super::server::{Answer, Home, Keys, Server};
use super::web::{Web, send};
use crate::support::machine::{Disk, Strace, has};
use crate::support::waits::wait_until;

fn delta(server: &Server, keys: &Keys, id: &str) -> std::io::Result<Answer> {
    server.post(keys, "/api/delta", json!({"Products": [{"Id": id, "Title": id}]}))
}

#[test]
fn a_failed_sync_is_no_acknowledgement_and_the_node_starts_again_by_itself() {
    if !has("a disk that cannot sync", true, &["strace"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    assert_eq!(delta(&server, &keys, "before").unwrap().status, 200);
    let strace =
        Strace::attach(server.child.id(), Some(&home.data.join("lethe.db-wal")), "fsync,fdatasync:error=EIO");
    let mut asked = 0;
    while !home.log_text().contains("a commit failed") || asked < 3 {
        if let Ok(answer) = delta(&server, &keys, "during") {
            assert_ne!(answer.status, 200, "acknowledged although nothing could be synced");
        }
        asked += 1;
    }
    drop(strace);
    wait_until("the node accepts again", || {
        assert!(server.is_alive(), "the process ended: {}", home.log_text());
        delta(&server, &keys, "after").ok().filter(|answer| answer.status == 200)
    });
    for id in ["before", "after"] {
        wait_until("it is applied", || server.title(&keys, "Products", id));
    }
}

#[test]
fn a_full_disk_refuses_writes_serves_reads_and_heals_without_a_restart() {
    if !has("a full disk", true, &["mount"]) {
        return;
    }
    let disk = Disk::tmpfs(48 << 20);
    let home = Home::new(disk.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    assert_eq!(delta(&server, &keys, "before").unwrap().status, 200);
    wait_until("it is applied", || server.title(&keys, "Products", "before"));
    let filler = disk.path().join("filler");
    fill(&filler);
    let mut accepted = Vec::new();
    let refused = wait_until("a write is refused", || {
        let id = format!("full-{}", accepted.len());
        let answer = delta(&server, &keys, &id).unwrap();
        if answer.status == 200 {
            accepted.push(id);
            return None;
        }
        Some(answer)
    });
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.header("retry-after").is_some());
    for path in ["/health", "/ready", "/metrics"] {
        assert_eq!(server.get(path).unwrap().status, 200, "{path}");
    }
    assert_eq!(server.title(&keys, "Products", "before").as_deref(), Some("before"));
    assert!(server.is_alive());
    std::fs::remove_file(filler).unwrap();
    wait_until("the server writes again", || {
        delta(&server, &keys, "after").ok().filter(|answer| answer.status == 200)
    });
    accepted.push("after".to_owned());
    for id in &accepted {
        wait_until("what was accepted is applied", || server.title(&keys, "Products", id));
    }
    assert!(server.is_alive());
    assert!(server.stop().success());
}

#[test]
fn an_erasure_ends_on_a_full_disk_in_the_room_kept_for_it() {
    if !has("a full disk", true, &["mount", "strace"]) {
        return;
    }
    let disk = Disk::tmpfs(48 << 20);
    let home = Home::new(disk.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    let people: Vec<_> =
        (0..300).map(|n| json!({"UserId": format!("p{n}"), "Email": "ada@shop.example"})).collect();
    assert_eq!(server.post(&keys, "/api/delta", json!({"Users": people})).unwrap().status, 200);
    let subjects = || home.count("SELECT count(*) FROM subject");
    wait_until("the people are stored", || (subjects() == 300).then_some(()));
    let forget = json!({"Identifier": "ada@shop.example"});
    // Destroying the keys takes so long that the disk is full when the rows have to go.
    let strace = Strace::attach(
        server.child.id(),
        Some(&home.keys.join("slots.key")),
        "fdatasync:delay_enter=3000000",
    );
    assert_eq!(server.post(&keys, "/api/user/forget", forget).unwrap().status, 200);
    fill(&disk.path().join("filler"));
    assert_eq!(subjects(), 300);
    drop(strace);
    let open = || home.count("SELECT count(*) FROM erasure WHERE verified_at IS NULL");
    wait_until("the erasure is verified", || (open() == 0).then_some(()));
    assert_eq!(subjects(), 0);
    assert!(disk.path().join("filler").exists() && server.is_alive());
}

/// A server with forty people on a disk that is full.
fn on_a_full_disk(disk: &Disk) -> (Home, Server, Keys) {
    let home = Home::new(disk.path());
    let server = home.start();
    let keys = home.account("shop").unwrap();
    let people: Vec<_> = (0..40).map(|n| json!({"UserId": format!("p{n}")})).collect();
    assert_eq!(server.post(&keys, "/api/delta", json!({"Users": people})).unwrap().status, 200);
    wait_until("the people are stored", || (home.count("SELECT count(*) FROM subject") == 40).then_some(()));
    fill(&disk.path().join("filler"));
    (home, server, keys)
}

fn forget_some(home: &Home, server: &Server, keys: &Keys) {
    // More than SQLite's log has room for in itself.
    for n in 0..20 {
        let forget = json!({"Identifier": format!("userid:p{n}")});
        assert_eq!(server.post(keys, "/api/user/forget", forget).unwrap().status, 200, "{n}");
    }
    let open = || home.count("SELECT count(*) FROM erasure WHERE verified_at IS NULL");
    wait_until("the erasures are verified", || (open() == 0).then_some(()));
}

#[test]
fn a_full_disk_takes_requests_to_forget() {
    if !has("a full disk", true, &["mount"]) {
        return;
    }
    let disk = Disk::tmpfs(48 << 20);
    let (home, mut server, keys) = on_a_full_disk(&disk);
    forget_some(&home, &server, &keys);
    assert!(disk.path().join("filler").exists() && server.is_alive());
}

#[test]
fn a_server_starts_on_a_full_disk_in_the_room_kept_for_erasures() {
    if !has("a full disk", true, &["mount"]) {
        return;
    }
    let disk = Disk::tmpfs(48 << 20);
    let (home, mut server, keys) = on_a_full_disk(&disk);
    server.kill();
    assert!(home.data.join("ballast").exists());
    let server = home.start();
    assert!(home.log_text().contains("the start goes on in the room"));
    forget_some(&home, &server, &keys);
    assert!(disk.path().join("filler").exists());
}

#[test]
fn a_feed_that_finds_the_disk_full_is_fetched_again_after_a_pause() {
    if !has("a full disk", true, &["mount"]) {
        return;
    }
    let rows: Vec<_> = (0..12).map(|n| json!({"Id": n.to_string(), "Title": "x".repeat(1 << 20)})).collect();
    let feed = json!({"Products": rows}).to_string();
    let web = Web::start(([127, 0, 0, 1], 0).into(), move |_, stream| send(stream, &feed));
    let disk = Disk::tmpfs(64 << 20);
    let home = Home::new(disk.path());
    let server = home.start();
    let keys = home.account("shop").unwrap();
    let path = disk.path().join("filler");
    fill(&path);
    // The database can go on, and the feed has no room.
    let filler = std::fs::File::options().write(true).open(&path).unwrap();
    filler.set_len(filler.metadata().unwrap().len() - (6 << 20)).unwrap();
    // A file that is open keeps its room when it is removed.
    drop(filler);
    let token = server.submit(&keys, &web.url("/feed")).unwrap_or_else(|refused| panic!("{}", refused.body));
    wait_until("it waits and says why", || {
        let told = server.post(&keys, "/api/submissions", json!({"Token": token})).ok()?.body;
        (told.contains("waiting to fetch again") && told.contains("the disk of the server is full"))
            .then_some(())
    });
    std::fs::remove_file(path).unwrap();
    assert_eq!(server.feed_end(&keys, &token), Ok(()));
}

/// Takes all the space there is.
fn fill(path: &std::path::Path) {
    let mut filler = std::fs::File::create(path).unwrap();
    for piece in [1 << 20, 1 << 12, 1] {
        while filler.write_all(&vec![0; piece]).is_ok() {}
    }
}
