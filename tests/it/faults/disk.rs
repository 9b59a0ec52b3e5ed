//! Disks that fail and disks that are full.

use std::io::Write;

use serde_json::json;

use super::machine::{Disk, Strace, has};
use super::server::{Answer, Home, Keys, Server, until};

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
    until("the node accepts again", || {
        assert!(server.is_alive(), "the process ended: {}", home.log_text());
        delta(&server, &keys, "after").ok().filter(|answer| answer.status == 200)
    });
    for id in ["before", "after"] {
        until("it is applied", || server.title(&keys, "Products", id));
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
    until("it is applied", || server.title(&keys, "Products", "before"));
    let filler = disk.path().join("filler");
    fill(&filler);
    let mut accepted = Vec::new();
    let refused = until("a write is refused", || {
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
    until("the server writes again", || {
        delta(&server, &keys, "after").ok().filter(|answer| answer.status == 200)
    });
    accepted.push("after".to_owned());
    for id in &accepted {
        until("what was accepted is applied", || server.title(&keys, "Products", id));
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
    until("the people are stored", || (subjects() == 300).then_some(()));
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
    until("the erasure is verified", || (open() == 0).then_some(()));
    assert_eq!(subjects(), 0);
    assert!(disk.path().join("filler").exists() && server.is_alive());
}

#[test]
fn a_full_disk_takes_requests_to_forget_and_a_server_starts_on_it_to_end_them() {
    if !has("a full disk", true, &["mount"]) {
        return;
    }
    let disk = Disk::tmpfs(48 << 20);
    let home = Home::new(disk.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    let people: Vec<_> = (0..40).map(|n| json!({"UserId": format!("p{n}")})).collect();
    assert_eq!(server.post(&keys, "/api/delta", json!({"Users": people})).unwrap().status, 200);
    let subjects = || home.count("SELECT count(*) FROM subject");
    until("the people are stored", || (subjects() == 40).then_some(()));
    let open = || home.count("SELECT count(*) FROM erasure WHERE verified_at IS NULL");
    let filler = disk.path().join("filler");
    fill(&filler);
    // What room SQLite's log has in itself is used up by them.
    for n in 0..20 {
        let forget = json!({"Identifier": format!("userid:p{n}")});
        assert_eq!(server.post(&keys, "/api/user/forget", forget).unwrap().status, 200, "{n}");
    }
    until("the erasures are verified", || (open() == 0).then_some(()));
    server.kill();
    fill(&disk.path().join("filler-2"));
    let mut server = home.start();
    let forget = json!({"Identifier": "userid:p20"});
    assert_eq!(server.post(&keys, "/api/user/forget", forget).unwrap().status, 200);
    until("the erasure is verified", || (open() == 0).then_some(()));
    assert!(filler.exists() && server.is_alive());
}

/// Takes all the space there is.
fn fill(path: &std::path::Path) {
    let mut filler = std::fs::File::create(path).unwrap();
    for piece in [1 << 20, 1 << 12, 1] {
        while filler.write_all(&vec![0; piece]).is_ok() {}
    }
}
