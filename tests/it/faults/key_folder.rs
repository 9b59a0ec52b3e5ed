//! The key folder of a running server: old copies, its place, and its protection in memory.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::server::Home;
use crate::support::machine::{Disk, has};
use crate::support::waits::wait_until;

const PEOPLE: i64 = 20;

fn copy(from: &Path, to: &Path) -> PathBuf {
    std::fs::create_dir_all(to).unwrap();
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(0o700)).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    to.to_owned()
}

/// Number of people of a copied database who have a key in a copied key folder.
fn readable(data: &Path, keys: &Path) -> usize {
    let keys = lethe::keys::Keys::open(keys).unwrap_or_else(|fault| panic!("{fault}"));
    let database = rusqlite::Connection::open(data.join("lethe.db")).unwrap();
    let mut statement = database.prepare("SELECT slot FROM subject").unwrap();
    let slots: Vec<i64> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(slots.len(), PEOPLE as usize, "the copy has the people");
    let sealer = |slot: i64| keys.sealer(lethe::keys::SlotNumber::from_row(slot).unwrap());
    slots.into_iter().filter(|slot| sealer(*slot).is_ok()).count()
}

/// A thief with old copies: with an old slot file they read nothing once the epoch has been rotated. A copy of the
/// *whole* key folder has its own epoch key and opens everything of its time; the only remedy is not to make one, and
/// the documents say so.
#[test]
fn an_old_slot_file_and_an_old_database_open_nobody_after_a_rotation() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    let people: Vec<_> = (0..PEOPLE).map(|n| json!({"UserId": format!("p-{n}")})).collect();
    assert_eq!(server.post(&keys, "/api/delta", json!({"Users": people})).unwrap().status, 200);
    wait_until("they are stored", || (home.count("SELECT count(*) FROM subject") == PEOPLE).then_some(()));
    server.stop();
    let old_data = copy(&home.data, &folder.path().join("old-data"));
    let old_keys = copy(&home.keys, &folder.path().join("old-keys"));

    let mut server = home.start();
    for number in 0..PEOPLE {
        let forget = json!({"Identifier": format!("userid:p-{number}")});
        assert_eq!(server.post(&keys, "/api/user/forget", forget).unwrap().status, 200);
    }
    wait_until("they are erased", || (home.count("SELECT count(*) FROM subject") == 0).then_some(()));
    let thief = |name: &str| {
        let mixed = copy(&home.keys, &folder.path().join(name));
        std::fs::copy(old_keys.join("slots.key"), mixed.join("slots.key")).unwrap();
        readable(&old_data, &mixed)
    };
    assert_eq!(thief("before"), PEOPLE as usize, "why there are epochs");
    assert_eq!(home.command(&[], &["key-epoch", "rotate"]).status().unwrap().code(), Some(0));
    assert_eq!(thief("after"), 0, "old keys and an old database");
    assert_eq!(readable(&old_data, &copy(&home.keys, &folder.path().join("now"))), 0);
    server.stop();
    assert_eq!(readable(&old_data, &old_keys), PEOPLE as usize, "a copy of the whole folder");
}

#[test]
fn an_epoch_that_is_overdue_is_rotated_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    // Opened without a clock: its epoch counts as made in 1970.
    drop(lethe::keys::Keys::open(&home.keys));
    let server = home.start();
    wait_until("the epoch is rotated", || {
        (server.get("/ready").ok()?.json()["KeyEpoch"]["Number"] == 2).then_some(())
    });
    assert!(server.metric("lethe_key_epoch_age_seconds") < 60);
    // The log line comes after its effect.
    wait_until("it is told", || home.log_text().contains("the key epoch was rotated").then_some(()));
}

#[test]
fn a_key_folder_whose_file_system_keeps_old_blocks_is_told() {
    if !has("keys on a journal of data", true, &["mkfs.ext4", "tune2fs", "mount"]) {
        return;
    }
    for in_superblock in [false, true] {
        let disk = Disk::ext4_journaling_data(in_superblock);
        let home = Home::new(disk.path());
        let server = home.start();
        let said = server.get("/ready").unwrap().json()["Warnings"].to_string();
        assert!(said.contains("the key folder is on ext4, mounted with data=journal"), "{said}");
        assert!(home.log_text().contains("data=journal"));
    }
    let disk = Disk::ext4();
    let home = Home::new(disk.path());
    let said = home.start().get("/ready").unwrap().json()["Warnings"].to_string();
    assert!(said.contains("there is no key mirror") && !said.contains("the key folder is on"), "{said}");
}

#[test]
fn a_server_leaves_no_core_and_lets_no_other_process_read_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    let server = Home::new(folder.path()).start();
    let proc = PathBuf::from(format!("/proc/{}", server.child.id()));
    let limits = std::fs::read_to_string(proc.join("limits")).unwrap();
    let core = limits.lines().find_map(|line| line.strip_prefix("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().take(2).collect::<Vec<_>>(), ["0", "0"], "{limits}");
    // Files of a process that cannot be dumped belong to root, whoever runs it.
    assert_eq!(std::fs::metadata(proc.join("environ")).unwrap().uid(), 0);
}
