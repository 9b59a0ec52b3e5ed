//! Backup, restore and doctor as an operator runs them; and a restore that is killed.

use std::path::Path;
use std::time::Duration;

use lethe::config::Config;
use lethe::node::FolderLock;
use lethe::recovery::restore::{self, RestoreRequest};
use lethe::sample::{SampleShop, email, person};
use serde_json::Value;

use crate::support::program::Program;

/// A program with a shop of two people, a server that ran, and a backup made while it ran.
fn make_backup() -> Program {
    let mut program = Program::new();
    let served = program.serve();
    program.account("shop");
    let shop = SampleShop::default();
    let users = format!("[{},{}]", person(&shop, 1), person(&shop, 2));
    let delta = format!("{{\"Products\":[{{\"Id\":\"1\",\"Title\":\"A chair\"}}],\"Users\":{users}}}");
    std::fs::write(program.path().join("delta.json"), delta).expect("a file");
    assert_eq!(program.run("delta send delta.json --wait").code, 0);
    let made = program.run("backup first --json").json();
    assert_eq!(made["Rows"]["account"], 1);
    assert!(made["Target"].as_str().expect("a path").ends_with("/first"));
    let again = program.run("backup first");
    assert!(again.code == 1 && again.err.contains("not empty"), "{}", again.err);
    assert!(served.terminate().success());
    let offline = program.run("backup second");
    assert!(offline.code == 0 && offline.out.contains("checked by opening it"), "{}", offline.err);
    program
}

fn title(program: &mut Program) -> Value {
    let _served = program.serve();
    program.run("product 1 --json").json()["Item"]["Title"].clone()
}

#[test]
fn a_backup_is_made_and_restored_by_command() {
    let mut program = make_backup();
    let refused = program.run("restore first");
    assert!(refused.code == 1 && refused.err.contains("not empty"), "{}", refused.err);
    let to_old = |program: &Program| {
        let _ = std::fs::remove_dir_all(program.path().join("old"));
        std::fs::rename(program.path().join("lethe-data"), program.path().join("old")).expect("moved away");
    };
    to_old(&program);
    let restored = program.run("restore first --json").json();
    assert_eq!((&restored["Lost"], &restored["Replayed"]["Records"]), (&0.into(), &0.into()));
    // A return is in the journal too, and is no erasure.
    let served = program.serve();
    assert_eq!(program.run("forget nobody@people.test --wait --yes --account shop").code, 0);
    assert_eq!(program.run("return nobody@people.test --account shop").code, 0);
    assert!(served.terminate().success());
    to_old(&program);
    let restored = program.run("restore first --json").json();
    assert_eq!((&restored["Replayed"]["Records"], &restored["Replayed"]["Erasures"]), (&2.into(), &1.into()));
    assert_eq!(title(&mut program), "A chair");
}

#[test]
fn the_doctor_says_what_has_to_be_done_until_it_is_done() {
    let program = make_backup();
    let found = program.run("doctor");
    assert!(found.code == 1 && found.out.contains("ACT   recovery key"), "{}{}", found.out, found.err);
    let key = program.run("recovery-key new --json").json();
    assert!(key["RecoveryKey"].as_str().expect("a key").starts_with("lethe-recovery-"));
    let found = program.run("doctor");
    assert!(found.code == 0 && found.out.contains("weak  journal of erasures"), "{}{}", found.out, found.err);
}

#[test]
fn a_killed_restore_is_refused_by_the_server_and_repeated() {
    let mut program = make_backup();
    let [forgotten, other] = [1, 2].map(|n| email(&SampleShop::default(), n));
    let served = program.serve();
    assert_eq!(program.run(&format!("forget {forgotten} --wait --yes --json")).json()["State"], "verified");
    assert!(served.terminate().success());
    std::fs::rename(program.path().join("lethe-data"), program.path().join("old")).expect("moved away");
    let mut killed = 0;
    for round in 0..30_u64 {
        let (mut child, _out) = program.start("restore second");
        // A timer that is not the thread's own sleep: the child's end is looked for meanwhile.
        let deadline = std::time::Instant::now() + Duration::from_micros(500 * round);
        while std::time::Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
            std::thread::yield_now();
        }
        child.kill().expect("killed");
        if child.wait().expect("it ended").success() {
            break;
        }
        killed += 1;
        if program.path().join("lethe-data/restoring").exists() {
            let refused = program.run("serve --listen 127.0.0.1:0");
            assert!(
                refused.code == 2 && refused.err.contains("run the same `lethe restore` again"),
                "{}",
                refused.err
            );
        }
    }
    assert!(killed > 0);
    if !program.path().join("lethe-data/lethe.db").exists()
        || program.path().join("lethe-data/restoring").exists()
    {
        assert_eq!(program.run("restore second").code, 0);
    }
    assert_eq!(scan_person(&mut program, &forgotten), false);
    // One that was killed between its end and the replay: the server does that, before anybody can ask it anything.
    std::fs::rename(program.path().join("lethe-data"), program.path().join("older")).expect("moved away");
    unpack_backup(program.path(), "second");
    let served = program.serve();
    let log = served.log();
    assert!(log.contains("were done again") && log.contains("\"people\":1"), "{log}");
    assert_eq!(log.matches("\"the store was restored\"").count(), 1, "{log}");
    assert!(program.run(&format!("suppression check {forgotten}")).out.starts_with("Forgotten since "));
    let export = program.run(&format!("export {other} --json")).json();
    assert_eq!(export["Profiles"].as_array().map(Vec::len), Some(1));
    drop(served);
    assert_eq!(scan_person(&mut program, &forgotten), false);
    assert_eq!(title(&mut program), "A chair");
}

/// Returns true if a scan finds anything of a person.
fn scan_person(program: &mut Program, email: &str) -> Value {
    let _served = program.serve();
    program.run(&format!("scan {email} --json")).json()["FoundAnywhere"].clone()
}

/// Restores as the program does, and ends where it would open the node.
fn unpack_backup(folder: &Path, backup: &str) {
    let config = Config::local(folder.join("lethe-data"), folder.join("lethe-data-keys"));
    let lock = FolderLock::acquire(&config.data_dir).expect("the folder is free");
    let backup = folder.join(backup);
    let asked =
        RestoreRequest { backup, recovery_key: None, journal: None, accept_gap: false, change_engine: false };
    restore::restore_backup(&config, &lock, &asked, &mut |_| ())
        .map_err(|fault| fault.to_string())
        .expect("restored");
}

#[test]
fn a_drill_finds_nothing_of_its_person_and_writes_a_dated_report() {
    let program = Program::new();
    let ended = program.run("drill --report drill.md");
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let report = std::fs::read_to_string(program.path().join("drill.md")).expect("a report");
    assert!(report.starts_with("# Erasure drill, 20") && !report.contains("**NO**"), "{report}");
    assert_eq!(ended.out, format!("{report}\n"), "the same is shown");
    assert_eq!(
        (report.matches("Planted: ").count(), report.matches("Shopped: ").count()),
        (4, 7),
        "{report}"
    );
    let json = std::fs::read_to_string(program.path().join("drill.json")).expect("a report");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["Failed"], 0);
}

/// The person's address is copied next to the keys, after the erasure was verified.
#[test]
fn a_drill_that_finds_its_person_exits_5_and_says_in_which_step() {
    let mut program = Program::new();
    let temporary = program.path().join("temporary");
    std::fs::create_dir(&temporary).expect("a folder");
    program.set("TMPDIR", &temporary.to_string_lossy());
    let (mut child, _out) = program.start("drill --report drill.md");
    let of_drill = |name: &str| {
        let folders = std::fs::read_dir(&temporary).expect("a folder").flatten();
        folders.map(|folder| folder.path().join(name)).find(|path| path.exists())
    };
    let verified = loop {
        match of_drill("backup-after/manifest.json") {
            Some(_) => break of_drill("backup-before/lethe.db").expect("the old backup"),
            None => std::thread::yield_now(),
        }
        assert!(matches!(child.try_wait(), Ok(None)), "the drill ended early");
    };
    let backup = std::fs::read(verified).expect("the old backup");
    let key = b"drill-key-";
    let number = memchr::memmem::find(&backup, key).expect("the key of a product") + key.len();
    let address = [b"drill-", &backup[number..number + 32], b"@person.example"].concat();
    let beside = of_drill("keys").expect("the keys").join("left-behind");
    std::fs::write(beside, address).expect("a file");
    assert_eq!(child.wait().expect("it ended").code(), Some(5));
    let report = std::fs::read_to_string(program.path().join("drill.md")).expect("a report");
    assert!(report.contains("| Nothing is in the restored files | **NO** | `{\"Found\":1,"), "{report}");
    assert!(report.contains("**Not everything was as it should be.**"), "{report}");
    let json = std::fs::read_to_string(program.path().join("drill.json")).expect("a report");
    assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON")["Failed"], 2, "{report}");
}

/// Below a name so long there is no control socket, so that no server starts.
#[test]
fn a_drill_or_a_demo_that_breaks_off_is_a_failure_and_leaves_nothing_behind() {
    let mut program = Program::new();
    let temporary = program.path().join("x".repeat(100));
    std::fs::create_dir(&temporary).expect("a folder");
    program.set("TMPDIR", &temporary.to_string_lossy());
    for words in ["drill --report drill.md", "drill --json", "demo --once", "demo --once --json"] {
        let ended = program.run(words);
        assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{words}: {}", ended.err);
        assert!(ended.err.contains("the control socket cannot be made"), "{words}: {}", ended.err);
    }
    assert_eq!(std::fs::read_dir(&temporary).expect("a folder").count(), 0);
    assert!(!program.path().join("drill.md").exists());
}
