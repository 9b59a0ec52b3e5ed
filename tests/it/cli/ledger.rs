//! Evidence that an operator hands to an auditor, with and without a running server.

use lethe_verify::{check_growth, check_ledger, read_checkpoint};
use serde_json::{Value, json};

use crate::support::program::Program;

#[test]
fn the_ledger_is_handed_out_and_proves_its_growth() {
    let mut program = Program::new();
    program.account("shop");
    let key = program.run("ledger key").out.trim().parse().expect("a key");
    let first = program.run("ledger checkpoint shop").out;
    std::fs::write(program.path().join("first.json"), &first).expect("a file");
    let first = read_checkpoint(&first).expect("a checkpoint");
    first.check(Some(&key)).expect("signed");
    let offline = program.run("ledger export shop").out;
    check_ledger(offline.as_bytes(), Some(&key), Some(&first)).expect("good");
    let _served = program.serve();
    assert_eq!(program.run("ledger key --json").json()["Key"], key.to_string());
    let grown = program.run("ledger growth shop first.json");
    assert_eq!(grown.code, 0, "{}", grown.err);
    check_growth(&first, &grown.out, Some(&key)).expect("grown");
    assert_eq!(program.run("ledger export shop --output ledger.ndjson").code, 0);
    let online = std::fs::read(program.path().join("ledger.ndjson")).expect("a file");
    let checked = check_ledger(online.as_slice(), Some(&key), Some(&first)).expect("good");
    assert_eq!(checked.checkpoint.root, first.root);
}

#[test]
fn the_ledgers_of_all_accounts_are_checked_and_no_checkpoint_is_taken_for_anothers() {
    let mut program = Program::new();
    program.account("shop");
    assert_eq!(program.run("account create other").code, 0);
    let checked = program.run("ledger check");
    assert_eq!((checked.code, checked.out.as_str()), (0, "shop: 1 entry, good\nother: 1 entry, good\n"));
    assert_ne!(program.run("ledger check nobody").code, 0);
    let others = program.run("ledger checkpoint other").out;
    std::fs::write(program.path().join("other.json"), &others).expect("a file");
    let refused = program.run("ledger growth shop other.json");
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("another account"), "{}", refused.err);
    // An entry was changed in the database.
    let file = rusqlite::Connection::open(program.path().join("lethe-data/lethe.db")).expect("the file");
    let changed =
        "UPDATE ledger SET entry = replace(entry, '\"Day\":\"2', '\"Day\":\"3') WHERE account_id = 1";
    assert_eq!(file.execute(changed, []).expect("changed"), 1);
    drop(file);
    let bad = program.run("ledger check");
    assert_eq!(bad.code, 1);
    assert!(bad.out.starts_with("shop: the entries are not those that were signed"), "{}", bad.out);
    assert!(bad.out.ends_with("other: 1 entry, good\n"), "{}", bad.out);
    assert!(bad.err.contains("not good: the ledger of shop"), "{}", bad.err);
    let told: Value = serde_json::from_str(&program.run("ledger check --json").out).expect("JSON");
    assert_eq!((&told[0]["Good"], &told[1]["Good"]), (&json!(false), &json!(true)));
}

#[test]
fn a_checkpoint_of_another_ledger_gets_no_proof() {
    let mut one = Program::new();
    let mut other = Program::new();
    one.account("shop");
    other.account("shop");
    let foreign = other.run("ledger checkpoint shop").out;
    std::fs::write(one.path().join("foreign.json"), &foreign).expect("a file");
    let refused = one.run("ledger growth shop foreign.json");
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("another key"), "{}", refused.err);
    std::fs::write(one.path().join("changed.json"), foreign.replace("\"At\":", "\"At\": ")).expect("a file");
    assert_eq!(one.run("ledger growth shop changed.json").code, 2);
    assert_eq!(one.run("ledger growth shop no-such-file").code, 2);
}
