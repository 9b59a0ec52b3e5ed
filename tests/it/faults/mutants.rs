//! Mutants: the list holds together, and no release can be built with them. Planting them is done by
//! `scripts/mutant`.

use std::process::Command;

use super::machine::has;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_mutant_has_a_name_of_its_own_and_a_test_that_exists() {
    if !has("the list of mutants", false, &["python3"]) {
        return;
    }
    let checked =
        Command::new("python3").args(["scripts/mutant", "check"]).current_dir(ROOT).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

/// Builds the one file alone, with debug assertions (a test build) or without (a release).
fn build_with_mutants(debug_assertions: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let built = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--cfg=feature=\"mutants\""])
        .args(["-C", debug_assertions, "src/mutants.rs", "--out-dir"])
        .arg(folder.path())
        .current_dir(ROOT)
        .output()
        .unwrap();
    (built.status.success(), String::from_utf8(built.stderr).unwrap())
}

#[test]
fn a_release_cannot_be_built_with_mutants() {
    let (is_built, said) = build_with_mutants("debug-assertions=on");
    assert!(is_built, "{said}");
    let (is_built, said) = build_with_mutants("debug-assertions=off");
    assert!(!is_built && said.contains("a release is built without it"), "{said}");
}
