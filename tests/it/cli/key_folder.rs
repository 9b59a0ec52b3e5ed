//! The epoch and the mirror of the keys, by command.

use serde_json::json;

use crate::support::program::Program;

#[test]
fn the_epoch_is_shown_and_rotated_with_and_without_a_running_server() {
    let mut program = Program::new();
    program.account("shop");
    let shown = program.run("key-epoch show --json").json();
    assert_eq!((&shown["Number"], &shown["Rotating"]), (&json!(1), &json!(false)));
    assert!(shown["DueAt"].as_i64() > shown["MadeAt"].as_i64());
    assert_eq!(program.run("key-epoch rotate --json").json()["Number"], 2);
    let _served = program.serve();
    let rotated = program.run("key-epoch rotate");
    assert_eq!(rotated.code, 0, "{}", rotated.err);
    assert!(rotated.out.contains("Epoch 3 is in force."), "{}", rotated.out);
    let shown = program.run("key-epoch show");
    assert!(shown.out.contains("Epoch:    3") && shown.out.contains("Next:"), "{}", shown.out);
    assert_eq!(program.run("submissions --json").code, 0, "secrets work as before");
}

#[test]
fn a_lost_key_folder_is_refused_with_the_command_that_restores_it() {
    let mut program = Program::new();
    program.set("LETHE_KEY_MIRROR", "mirror");
    program.account("shop");
    let keys = program.path().join("lethe-data-keys");
    assert_eq!(program.run("key-mirror restore").code, 2, "the key folder is not empty");
    std::fs::remove_dir_all(&keys).expect("it was there");
    let refused = program.run("account list");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("lethe key-mirror restore"), "{}", refused.err);
    assert!(!keys.join("static.key").exists(), "no new keys are made");
    assert_eq!(program.run("key-mirror restore --json").json(), json!({"Restored": true}));
    let _served = program.serve();
    assert_eq!(program.run("submissions --json").code, 0, "the secret is recognised");
}

#[test]
fn the_mirror_is_a_setting_like_any_other() {
    let mut program = Program::new();
    program.set("LETHE_KEY_MIRROR", "mirror");
    let shown = program.run("config show --json").json();
    let real = program.path().canonicalize().expect("a folder").join("mirror");
    assert_eq!(shown["key_mirror"], json!({"Value": real, "Source": "environment"}));
    program.set("LETHE_KEY_MIRROR", "lethe-data-keys");
    let refused = program.run("config show");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("key_mirror"), "{}", refused.err);
    program.set("LETHE_KEY_MIRROR", "");
    assert_eq!(program.run("key-mirror restore").code, 2, "there is none");
}
