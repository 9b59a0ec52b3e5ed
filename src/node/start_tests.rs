//! Refused starts: their exit codes, and what is looked at before anything is opened.

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::recovery::while_doing;

fn disk_error() -> io::Error {
    io::Error::other("broken")
}

#[test]
fn the_exit_code_says_whether_another_try_may_go_well() {
    let keys = |fault: KeyFault| StartFault::Recovery(RecoveryFault::Keys(fault)).exit_code();
    let journal = |fault: JournalFault| StartFault::Recovery(RecoveryFault::Journal(fault)).exit_code();
    let store = |fault: StoreFault| StartFault::from(fault).exit_code();
    let broken = || KeyFault::Disk { doing: "Reading", source: disk_error() };
    assert_eq!(
        [KeyFault::InUse, broken(), KeyFault::PoolEmpty, KeyFault::Cryptography].map(keys),
        [3, 1, 1, 1]
    );
    assert_eq!(
        [KeyFault::InUse.in_mirror(), broken().in_mirror(), KeyFault::MirrorGone].map(keys),
        [3, 1, 2]
    );
    assert_eq!(keys(KeyFault::FileMissing { file: "static.key" }), 2);
    let failed = JournalFault::Disk { which: "the journal", error: disk_error() };
    assert_eq!([failed, JournalFault::BrokeOff, JournalFault::Diverged].map(journal), [1, 1, 2]);
    assert_eq!([KeyFault::InUse, KeyFault::MirrorGone].map(JournalFault::Keys).map(journal), [3, 2]);
    let newer = || StoreFault::NewerSchema { found: 9, known: 8 };
    let older = StoreFault::OtherSchema { found: 7, known: 8 };
    assert_eq!([newer(), older, StoreFault::Damaged, StoreFault::DiskFull].map(store), [4, 4, 1, 1]);
    let away = PostgresFault::Unreachable { server: "db.test".to_owned(), reason: "refused".to_owned() };
    assert_eq!(
        [PostgresFault::Address("it names no host"), away].map(StoreFault::Postgres).map(store),
        [2, 1]
    );
    assert_eq!(StartFault::Recovery(RecoveryFault::Store(newer())).exit_code(), 4);
    let other = while_doing("a file cannot be read")(disk_error());
    for (fault, code) in [
        (StartFault::InUse("elsewhere"), 3),
        (StartFault::from(KeyFault::InUse), 3),
        (StartFault::from(KeyFault::RestoreUnfinished), 2),
        (StartFault::OtherKeys, 2),
        (StartFault::OtherEngine { belongs: "sqlite".to_owned(), named: "postgres" }, 2),
        (StartFault::OtherCopy, 2),
        (StartFault::OlderKeys, 2),
        (StartFault::KeysLost, 2),
        (StartFault::DataLost, 2),
        (StartFault::RestoreBrokeOff, 2),
        (StartFault::Link("/x".into()), 2),
        (StartFault::Recovery(other), 1),
        (file("a folder cannot be read")(disk_error()), 1),
    ] {
        assert_eq!(fault.exit_code(), code, "{fault}");
    }
}

#[test]
fn a_store_on_the_other_engine_is_told_with_the_one_that_the_keys_belong_to() {
    let said =
        |belongs: &str, named| StartFault::OtherEngine { belongs: belongs.to_owned(), named }.to_string();
    assert!(said("postgres", "sqlite").starts_with(
        "the key folder belongs to a store on PostgreSQL, and --store names SQLite: name that store with --store \
         postgres://…, or"
    ));
    assert!(said("sqlite", "postgres").starts_with(
        "the key folder belongs to a store on SQLite, and --store names PostgreSQL: name that store with --store sqlite: \
         (also the default), or"
    ));
}

#[test]
fn room_is_given_up_for_a_full_disk_and_for_no_other_server() {
    let folder = tempfile::tempdir().unwrap();
    let ballast = Ballast::open(folder.path().join("ballast"));
    assert!(StartFault::from(StoreFault::DiskFull).may_lack_room(&ballast));
    assert!(!StartFault::InUse("elsewhere").may_lack_room(&ballast));
    assert!(!StartFault::from(StoreFault::Damaged).may_lack_room(&ballast), "there is room");
}

/// Slot files: a header alone is of no store.
fn with_slots(folder: &Path, bytes: usize) {
    std::fs::write(folder.join("slots.key"), vec![0; bytes]).unwrap();
}

#[test]
fn keys_without_their_database_are_refused_and_a_new_folder_of_keys_is_not() {
    let above = tempfile::tempdir().unwrap();
    let keys = above.path().join("keys");
    disk::make_folder(&keys).unwrap();
    let database = above.path().join("lethe.db");
    let store = StoreOptions::Sqlite(database.clone());
    let is_lost = || matches!(check_database(&store, &keys), Err(StartFault::DataLost));
    assert!(!has_keys(&keys) && !is_lost());
    with_slots(&keys, 64);
    assert!(!has_keys(&keys) && !is_lost());
    with_slots(&keys, 65);
    assert!(has_keys(&keys) && is_lost());
    let busy = KeyFolder::claim(&keys).unwrap();
    assert!(matches!(check_database(&store, &keys), Err(StartFault::InUse(_))), "the better answer");
    drop(busy);
    std::fs::write(&database, "").unwrap();
    assert!(check_database(&store, &keys).is_ok());
}

#[test]
fn keys_of_a_store_on_the_other_engine_are_refused_once_they_hold_some() {
    let above = tempfile::tempdir().unwrap();
    let keys = above.path().join("keys");
    disk::make_folder(&keys).unwrap();
    let store = StoreOptions::Sqlite(above.path().join("lethe.db"));
    with_slots(&keys, 65);
    assert!(check_engine(&store, &keys).is_ok(), "they belong to no store");
    let mark = |engine: &str| StoreMark { engine: engine.to_owned(), history: 1, starts: 1 };
    mark("sqlite").write(&keys, None).unwrap();
    assert!(check_engine(&store, &keys).is_ok());
    mark("postgres").write(&keys, None).unwrap();
    let refused = || check_engine(&store, &keys);
    assert!(matches!(
        refused(),
        Err(StartFault::OtherEngine { belongs, named: "sqlite" }) if belongs == "postgres"
    ));
    let busy = KeyFolder::claim(&keys).unwrap();
    assert!(matches!(refused(), Err(StartFault::InUse(_))), "the better answer");
    drop(busy);
    with_slots(&keys, 64);
    assert!(refused().is_ok(), "nobody's keys can be lost");
}

#[test]
fn a_folder_has_no_keys_if_it_has_no_file_of_them_and_no_mirror_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::local(folder.path().join("data"), folder.path().to_path_buf());
    assert!(has_no_keys(&config));
    for name in ["slots.key", "epoch.key", "static.key"] {
        std::fs::write(folder.path().join(name), "").unwrap();
        assert!(!has_no_keys(&config), "{name}");
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    config.key_mirror = Some(folder.path().join("mirror"));
    assert!(!has_no_keys(&config));
}

#[test]
fn folders_of_a_broken_restore_of_an_unnamed_mirror_or_with_a_link_are_refused() {
    let above = tempfile::tempdir().unwrap();
    let [data, keys] = ["data", "keys"].map(|name| above.path().join(name));
    [&data, &keys].into_iter().for_each(|folder| disk::make_folder(folder).unwrap());
    let config = Config::local(data.clone(), keys.clone());
    assert!(check_folders(&config).is_ok());
    let link = keys.join("link");
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    assert!(matches!(check_folders(&config), Err(StartFault::Link(found)) if found == link));
    std::fs::write(keys.join(crate::recovery::journal::MIRRORED), "").unwrap();
    let unnamed =
        |fault| matches!(fault, StartFault::Recovery(RecoveryFault::Journal(JournalFault::MirrorUnnamed)));
    assert!(check_folders(&config).is_err_and(unnamed));
    std::fs::write(data.join(RESTORING), "").unwrap();
    assert!(matches!(check_folders(&config), Err(StartFault::RestoreBrokeOff)));
}

#[test]
fn a_data_folder_is_made_closed_and_locked_for_one_process() {
    let above = tempfile::tempdir().unwrap();
    let data = above.path().join("one/data");
    let held = FolderLock::acquire(&data).unwrap();
    let refused = FolderLock::acquire(&data).err().map(|fault| fault.to_string());
    let sentence = "another lethe runs on this data folder; stop it, or choose another with --data-dir";
    assert_eq!(refused.as_deref(), Some(sentence));
    drop(held);
    std::fs::set_permissions(&data, PermissionsExt::from_mode(0o755)).unwrap();
    drop(FolderLock::acquire(&data).unwrap());
    assert_eq!(std::fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
}
