//! What an operator hands to an auditor, with and without a running server.

use lethe_verify::{check_growth, check_ledger, read_checkpoint};

use super::program::Program;

#[test]
fn the_ledger_is_handed_out_and_proves_its_growth() {
    let mut program = Program::new();
    program.account("shop");
    let key = program.run("ledger key").out.trim().parse().expect("a key");
    let first = program.run("ledger checkpoint").out;
    std::fs::write(program.path().join("first.json"), &first).expect("a file");
    let first = read_checkpoint(&first).expect("a checkpoint");
    first.check(Some(&key)).expect("signed");
    let offline = program.run("ledger export").out;
    check_ledger(offline.as_bytes(), Some(&key), Some(&first)).expect("good");
    let _served = program.serve();
    assert_eq!(program.run("ledger key --json").json()["Key"], key.to_string());
    let grown = program.run("ledger growth first.json");
    assert_eq!(grown.code, 0, "{}", grown.err);
    check_growth(&first, &grown.out, Some(&key)).expect("grown");
    assert_eq!(program.run("ledger export --output ledger.ndjson").code, 0);
    let online = std::fs::read(program.path().join("ledger.ndjson")).expect("a file");
    let checked = check_ledger(online.as_slice(), Some(&key), Some(&first)).expect("good");
    assert_eq!(checked.checkpoint.root, first.root);
}

#[test]
fn a_checkpoint_of_another_ledger_gets_no_proof() {
    let (mut one, mut other) = (Program::new(), Program::new());
    one.account("shop");
    other.account("shop");
    let foreign = other.run("ledger checkpoint").out;
    std::fs::write(one.path().join("foreign.json"), &foreign).expect("a file");
    let refused = one.run("ledger growth foreign.json");
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("another key"), "{}", refused.err);
    std::fs::write(one.path().join("changed.json"), foreign.replace("\"At\":", "\"At\": ")).expect("a file");
    assert_eq!(one.run("ledger growth changed.json").code, 2);
    assert_eq!(one.run("ledger growth no-such-file").code, 2);
}
