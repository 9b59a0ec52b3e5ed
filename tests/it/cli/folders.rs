//! The folders of a server: reached through links, named twice, open to others.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::support::program::Program;

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().expect("it is there").permissions().mode() & 0o777
}

#[test]
fn folders_behind_links_are_looked_through() {
    let mut program = Program::new();
    for (real, link) in [("real", "lethe-data"), ("real-keys", "lethe-data-keys")] {
        std::fs::create_dir(program.path().join(real)).expect("a folder");
        symlink(real, program.path().join(link)).expect("a link");
    }
    let served = program.serve();
    program.account("shop");
    let user = r#"{"Users":[{"UserId":"7","Email":"ada.person@mail.example"}]}"#;
    assert_eq!(program.run_with("delta send - --wait --json", user).json()["Status"], 1);
    let forgotten = program.run("forget ada.person@mail.example --wait --yes --json").json();
    let certificate =
        program.run(&format!("erasure certificate {}", forgotten["Erasure"].as_str().expect("an id"))).json();
    assert_eq!(certificate["Body"]["Scan"]["Complete"], true, "{certificate}");
    for folder in ["real", "real-keys"] {
        let note = program.path().join(folder).join("note");
        std::fs::write(&note, "bob.person@mail.example").expect("a file");
        let seen = program.run("scan bob.person@mail.example --account shop --json");
        assert_eq!(seen.code, 5, "{folder}: {}", seen.err);
        let told: serde_json::Value = serde_json::from_str(&seen.out).expect("JSON");
        assert!(told["Scan"]["Files"].as_u64() > Some(3), "{folder}: {told}");
        std::fs::remove_file(note).expect("removed");
    }
    assert!(served.terminate().success());
    let database = program.path().join("real/lethe.db");
    std::fs::rename(&database, program.path().join("db")).expect("moved");
    symlink("../db", &database).expect("a link");
    let refused = program.run("account list");
    assert!(refused.code == 2 && refused.err.contains("lethe.db is a symbolic link"), "{}", refused.err);
}

#[test]
fn a_mirror_that_is_another_folder_of_the_server_is_refused() {
    let mut program = Program::new();
    assert_eq!(program.run("account create shop --new-store").code, 0);
    symlink("lethe-data-keys", program.path().join("link")).expect("a link");
    for (setting, name) in [("LETHE_KEY_MIRROR", "key_mirror"), ("LETHE_JOURNAL_MIRROR", "journal_mirror")] {
        for folder in ["lethe-data-keys", "./lethe-data", "link", "lethe-data/../link/"] {
            program.set(setting, folder);
            let refused = program.run("account list");
            assert!(
                refused.code == 2 && refused.err.contains(&format!("setting {name}: a folder of its own")),
                "{folder}"
            );
        }
        program.set(setting, "");
    }
}

#[test]
fn a_mirror_that_was_in_use_is_a_setting_that_has_to_be_there() {
    let mut program = Program::new();
    std::fs::create_dir(program.path().join("mirror")).expect("a folder");
    program.set("LETHE_JOURNAL_MIRROR", "mirror");
    assert_eq!(program.run("account create shop --new-store").code, 0);
    assert_eq!(program.run("backup first").code, 0);
    program.set("LETHE_JOURNAL_MIRROR", "");
    let refused = program.run("account list");
    assert!(refused.code == 2 && refused.err.contains("--journal-mirror"), "{}", refused.err);
    std::fs::rename(program.path().join("lethe-data"), program.path().join("old")).expect("moved away");
    let refused = program.run("restore first");
    assert!(refused.code != 0 && refused.err.contains("--journal-mirror"), "{}", refused.err);
    assert!(!program.path().join("lethe-data/lethe.db").exists(), "nothing was restored");
    program.set("LETHE_JOURNAL_MIRROR", "mirror");
    assert_eq!(program.run("restore first").code, 0);
}

#[test]
fn a_new_recovery_key_reaches_the_mirror_at_once() {
    let mut program = Program::new();
    std::fs::create_dir(program.path().join("mirror")).expect("a folder");
    program.set("LETHE_JOURNAL_MIRROR", "mirror");
    assert_eq!(program.run("account create shop --new-store").code, 0);
    let bundle = program.path().join("mirror/recognition.bundle");
    assert!(!bundle.exists());
    let mut bundles = Vec::new();
    for _ in 0..2 {
        assert!(program.run("recovery-key new --json").json()["RecoveryKey"].is_string());
        bundles.push(std::fs::read(&bundle).expect("the bundle"));
    }
    assert_ne!(bundles[0], bundles[1]);
    std::fs::remove_file(&bundle).expect("lost");
    assert_eq!(program.run("backup first").code, 0);
    assert!(bundle.exists());
}

#[test]
fn what_a_server_writes_is_closed_to_others() {
    let mut program = Program::new();
    for folder in ["lethe-data-keys", "mirror"] {
        let path = program.path().join(folder);
        std::fs::create_dir(&path).expect("a folder");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).expect("open to all");
    }
    program.set("LETHE_KEY_MIRROR", "mirror");
    let _served = program.serve();
    program.account("shop");
    assert_eq!(program.run("backup first").code, 0);
    let mut seen = 0;
    let mut folders =
        ["lethe-data", "lethe-data-keys", "mirror", "first"].map(|name| program.path().join(name)).to_vec();
    while let Some(folder) = folders.pop() {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path)
            } else {
                seen += 1;
                assert_eq!(mode(&path), 0o600, "{}", path.display());
            }
        }
    }
    assert!(seen > 12, "{seen}");
}
