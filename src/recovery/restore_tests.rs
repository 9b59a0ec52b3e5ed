//! Refusals of a restore before it changes anything, and its marks.

use super::*;
use crate::recovery::bundle;

fn asked(backup: &Path) -> RestoreRequest {
    RestoreRequest {
        backup: backup.to_path_buf(),
        recovery_key: None,
        journal: None,
        accept_gap: false,
        change_engine: false,
    }
}

fn sentence<T>(outcome: Result<T, RecoveryFault>) -> String {
    outcome.err().expect("a fault").to_string()
}

#[test]
fn keys_of_a_store_on_the_other_engine_are_left_to_it_unless_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path();
    let mut config = Config::local(folder.path().join("data"), keys.to_path_buf());
    let mut request = asked(folder.path());
    assert!(check_engine(&config, keys, &request).is_ok(), "it belongs to no store yet");
    let belong = |engine: &str| {
        let mark = StoreMark { engine: engine.to_owned(), history: 7, starts: 1 };
        mark.write(keys, None).unwrap();
    };
    belong("sqlite");
    assert!(check_engine(&config, keys, &request).is_ok());
    config.store = "postgres://u@db.test/shops".to_owned();
    let refused = sentence(check_engine(&config, keys, &request));
    assert!(
        refused.starts_with("the key folder belongs to a store on SQLite, which --store does not"),
        "{refused}"
    );
    assert!(refused.contains("with --store sqlite:, rehearse"), "{refused}");
    belong(StoreOptions::POSTGRES);
    assert!(check_engine(&config, keys, &request).is_ok());
    config.store = "sqlite:".to_owned();
    let refused = sentence(check_engine(&config, keys, &request));
    assert!(refused.starts_with("the key folder belongs to a store on PostgreSQL, which"), "{refused}");
    assert!(refused.contains("with --store postgres://…, rehearse"), "{refused}");
    request.change_engine = true;
    assert!(check_engine(&config, keys, &request).is_ok());
}

#[test]
fn a_journal_is_lost_if_neither_the_keys_have_one_nor_another_was_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut request = asked(folder.path());
    let refused = sentence(is_journal_lost(folder.path(), &request));
    assert!(
        refused.starts_with("the key folder has no journal of erasures, and the one in the backup"),
        "{refused}"
    );
    request.accept_gap = true;
    assert!(is_journal_lost(folder.path(), &request).ok().unwrap());
    request.journal = Some(folder.path().to_path_buf());
    assert!(!is_journal_lost(folder.path(), &request).ok().unwrap());
    request.journal = None;
    // A header that was never finished is no journal.
    std::fs::write(folder.path().join(JOURNAL), [0; 31]).unwrap();
    assert!(is_journal_lost(folder.path(), &request).ok().unwrap());
    std::fs::write(folder.path().join(JOURNAL), [0; 32]).unwrap();
    assert!(!is_journal_lost(folder.path(), &request).ok().unwrap());
}

#[test]
fn the_bundle_of_the_backup_comes_before_that_of_the_mirror() {
    let above = tempfile::tempdir().unwrap();
    let [keys, backup, mirror] = ["keys", "backup", "mirror"].map(|name| above.path().join(name));
    [&backup, &mirror].into_iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    drop(Keys::open(&keys).unwrap());
    let mut request = asked(&backup);
    request.journal = Some(mirror.clone());
    assert!(
        sentence(from_bundle(&request)).starts_with("the key folder has no static.key: name the right one")
    );
    let key = RecoveryKey::random().ok().unwrap();
    key.adopt(&keys).ok().unwrap();
    let recognition = LookupKeys::load(&keys).unwrap().unwrap();
    let sealed = bundle::seal(&recognition, &keys).ok().unwrap().unwrap();
    request.recovery_key = Some(key);
    assert!(
        sentence(from_bundle(&request)).starts_with("the backup has no recognition.bundle; the mirror of")
    );
    std::fs::write(mirror.join(BUNDLE), &sealed).unwrap();
    assert_eq!(from_bundle(&request).ok().unwrap().set_id(), recognition.set_id());
    std::fs::write(backup.join(BUNDLE), "damaged").unwrap();
    let damaged = "the recognition bundle is damaged, or of a version that is not known";
    assert_eq!(sentence(from_bundle(&request)), damaged);
}

#[test]
fn the_end_of_a_restore_turns_its_mark_and_keeps_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    assert!(sentence(end(folder.path())).starts_with("the data folder cannot be written: "));
    note_gap(folder.path()).ok().unwrap();
    end(folder.path()).ok().unwrap();
    assert_eq!(std::fs::read(folder.path().join(RESTORED)).unwrap(), GAP);
    assert_eq!(disk::names(folder.path()).unwrap(), [RESTORED]);
}

/// Sentence of the fault of copying from a folder that has no database.
fn copied(config: &Config, backup: &Path) -> String {
    disk::make_folder(&config.data_dir).unwrap();
    let lock = disk::lock(&config.data_dir).unwrap().unwrap();
    drop(Keys::open(&config.key_dir).unwrap());
    let recognition = LookupKeys::load(&config.key_dir).unwrap().unwrap();
    let manifest = Manifest::new(&recognition, "sqlite", String::new());
    sentence(copy_in(config, &lock, backup, &manifest, &mut |_| ()))
}

#[test]
fn a_data_folder_in_use_is_not_touched_and_one_of_a_broken_restore_is_emptied() {
    let above = tempfile::tempdir().unwrap();
    let data = above.path().join("data");
    let config = Config::local(data.clone(), above.path().join("keys"));
    disk::make_folder(&data).unwrap();
    std::fs::write(data.join("file"), "of somebody").unwrap();
    let refused = "the data folder is not empty; move it away, or name another with --data-dir";
    assert_eq!(copied(&config, above.path()), refused);
    assert!(data.join("file").exists() && !data.join(RESTORING).exists());
    std::fs::write(data.join(RESTORING), GAP).unwrap();
    assert_ne!(copied(&config, above.path()), refused);
    assert!(!data.join("file").exists() && data.join(LOCK).exists());
    assert_eq!(std::fs::read(data.join(RESTORING)).unwrap(), GAP, "a gap stays told");
}
