//! `lethe restore` when the key folder is lost: the recovery key, from a file and from standard input, and what is told.

use serde_json::{Value, json};

use crate::support::program::Program;

/// A program whose data and keys are lost: a backup is left, and the recovery key, in a file as it was printed.
fn lose_everything() -> Program {
    let mut program = Program::new();
    program.account("shop");
    let printed = program.run("recovery-key new").out;
    std::fs::write(program.path().join("key.txt"), &printed).expect("written");
    let served = program.serve();
    let delta = r#"{"Products":[{"Id":"1","Title":"A chair"}],"Users":[{"UserId":"1"},{"UserId":"2"}]}"#;
    assert_eq!(program.run_with("delta send - --wait --json", delta).json()["Status"], 1);
    let made = program.run("backup made --json").json();
    assert_eq!((&made["Bundle"], &made["Rows"]["subject"]), (&true.into(), &2.into()));
    assert!(served.terminate().success());
    for folder in ["lethe-data", "lethe-data-keys"] {
        std::fs::rename(program.path().join(folder), program.path().join(format!("{folder}-old")))
            .expect("lost");
    }
    program
}

#[test]
fn a_lost_key_folder_is_restored_by_the_recovery_key_and_who_is_lost_is_told() {
    let program = lose_everything();
    let kept = program.run("restore made");
    assert!(kept.code != 0 && kept.err.contains("--recovery-key"), "{}", kept.err);
    let unaccepted = program.run("restore made --recovery-key key.txt");
    assert!(unaccepted.code == 1 && unaccepted.err.contains("--accept-journal-gap"), "{}", unaccepted.err);
    let absent = program.run("restore made --recovery-key absent.txt --accept-journal-gap");
    assert_eq!(absent.code, 2, "{}", absent.err);
    std::fs::write(program.path().join("wrong.txt"), "no key").expect("written");
    let wrong = program.run("restore made --recovery-key wrong.txt --accept-journal-gap --json");
    let fault: Value = serde_json::from_str(&wrong.err).expect("a fault");
    assert_eq!((wrong.code, &fault["ExitCode"], wrong.out.as_str()), (1, &1.into(), ""));
    let restored = program.run("restore made --recovery-key key.txt --accept-journal-gap");
    assert_eq!(restored.code, 0, "{}", restored.err);
    for line in [
        "Restored; a server may start.",
        "Forgotten since that backup, and again now: 0 erasures, 0 people who were in it.",
        "Lost: 2 people with orders and all, as the keys are gone. Nothing of them is stored any more.",
    ] {
        assert!(restored.out.lines().any(|told| told == line), "no {line}: {}", restored.out);
    }
    assert!(!restored.out.contains("accounts that came after"), "{}", restored.out);
    assert_eq!(program.run("product 1 --account shop --json").json()["Item"]["Title"], "A chair");
    // The same once more, for a script.
    for folder in ["lethe-data", "lethe-data-keys"] {
        std::fs::remove_dir_all(program.path().join(folder)).expect("lost again");
    }
    let key = std::fs::read_to_string(program.path().join("key.txt")).expect("the key");
    let restored = program.run_with("restore made --recovery-key - --accept-journal-gap --json", &key).json();
    let told =
        json!([restored["Lost"], restored["Replayed"]["GapAccepted"], restored["Replayed"]["Records"]]);
    assert_eq!(told, json!([2, true, 0]));
}
