//! `lethe-verify`, as an auditor runs it.

use std::path::Path;
use std::process::{Command, Output};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use lethe_verify::tree::{Frontier, leaf_hash};
use lethe_verify::{Checkpoint, Entry, Growth, Hex, day};
use uuid::Uuid;

fn key() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[3; 32]).expect("a key")
}

fn public_key() -> String {
    Hex::<32>(key().public_key().as_ref().try_into().expect("32 bytes")).to_string()
}

/// Entries and their checkpoint.
fn ledger(size: u128) -> (String, Checkpoint) {
    let ledger = Uuid::from_u128(99);
    let mut lines = String::new();
    let mut tree = Frontier::default();
    for n in 0..size {
        let id = Uuid::from_u128(n);
        let day = day(0);
        let entry = match n {
            0 => Entry::Genesis { ledger, day },
            _ => Entry::Consent { ledger, consent: id, day },
        };
        tree.push(leaf_hash(entry.to_string().as_bytes()));
        lines += &format!("{entry}\n");
    }
    let mut checkpoint = Checkpoint {
        ledger,
        size: tree.size(),
        root: Hex(tree.root()),
        at: 1_795_262_400_000,
        key: public_key().parse().expect("a key"),
        signature: Hex([0; 64]),
    };
    checkpoint.signature = Hex(key().sign(&checkpoint.message()).as_ref().try_into().expect("64 bytes"));
    (lines, checkpoint)
}

fn run(folder: &Path, arguments: &str) -> (i32, String) {
    let program = env!("CARGO_BIN_EXE_lethe-verify");
    let ran = Command::new(program).args(arguments.split(' ')).current_dir(folder).output().expect("it runs");
    let Output { status, stdout, stderr } = ran;
    (
        status.code().expect("it ended"),
        String::from_utf8(stdout).expect("text") + &String::from_utf8_lossy(&stderr),
    )
}

#[test]
fn it_says_in_words_and_by_its_exit_code_what_is_proved() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    let ((lines, new), (_, old)) = (ledger(8), ledger(4));
    write("ledger", &format!("{lines}{new}\n"));
    write("dropped", &format!("{}{new}\n", lines.split_once('\n').expect("a line").1));
    write("old", &format!("{old}\n"));
    // From 4 to 8 entries the proof is one hash: that of the last four.
    let mut right = Frontier::default();
    lines.lines().skip(4).for_each(|line| right.push(leaf_hash(line.as_bytes())));
    let growth = Growth { proof: vec![Hex(right.root())], checkpoint: new };
    write("growth", &growth.to_string());
    write("key", &format!("{}\n", public_key()));
    let with_key = format!("--key {}", public_key());
    for (arguments, code, says) in [
        ("ledger ledger", 0, "NOT COMPARED"),
        ("ledger ledger --key key", 0, "the expected key"),
        (&format!("ledger ledger --earlier old {with_key}"), 0, "is the beginning of this one"),
        (
            "growth old growth --key key",
            0,
            "00000000-0000-0000-0000-000000000063 had 8 entries on 2026-11-21",
        ),
        ("growth old growth --json", 0, "\"Good\":true"),
        ("ledger ledger --ledger 00000000-0000-0000-0000-000000000063", 0, "GOOD"),
        (
            "ledger ledger --ledger 00000000-0000-0000-0000-000000000062",
            5,
            "BAD: it belongs to the ledger of another",
        ),
        (
            "growth old growth --ledger 00000000-0000-0000-0000-000000000062",
            5,
            "BAD: it belongs to the ledger",
        ),
        ("growth old growth --ledger shop", 2, "cannot parse argument \"shop\""),
        ("ledger dropped", 5, "BAD: the ledger does not begin"),
        ("ledger dropped --json", 5, "\"Error\":\"the ledger does not begin"),
        ("ledger old", 5, "BAD: "),
        ("certificate growth", 5, "BAD: the certificate cannot be read"),
        (&format!("ledger ledger --key {}", "0".repeat(64)), 5, "BAD: another key signed it"),
        ("ledger ledger --key no-such-file", 2, "NOT CHECKED: a file cannot be read"),
        ("ledger no-such-file", 2, "NOT CHECKED: a file cannot be read"),
        ("growth old", 2, "Usage"),
        ("growth old growth --earlier old", 2, "Usage"),
        ("ledger ledger --kye key", 2, "invalid option '--kye'"),
        ("ledger ledger --key", 2, "missing argument for option '--key'"),
        ("--help", 0, "Exit codes: 0"),
        ("--version", 0, "lethe-verify "),
    ] {
        let (ended, said) = run(folder.path(), arguments);
        assert_eq!(ended, code, "{arguments}: {said}");
        assert!(said.contains(says), "{arguments}: {said}");
    }
}

/// An auditor builds it with a Rust compiler and nothing else.
#[test]
fn nothing_that_it_is_built_from_needs_a_compiler_for_c() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "tree",
        "--locked",
        "--package",
        "lethe-verify",
        "--features",
        "program",
        "--edges",
        "normal,build",
    ]);
    cargo.args(["--target", "all", "--prefix", "none", "--format", "{p}"]);
    let Output { status, stdout, stderr } = cargo.output().expect("cargo runs");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let tree = String::from_utf8(stdout).expect("text");
    let names: Vec<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"sha2"), "{tree}");
    let compiles = |name: &&str| matches!(*name, "cc" | "cmake" | "bindgen") || name.ends_with("-sys");
    let found: Vec<_> = names.into_iter().filter(compiles).collect();
    assert_eq!(found, [""; 0]);
}
