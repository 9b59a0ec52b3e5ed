//! The list of mutants: complete, plantable and in the document as it stands. Planting takes minutes each and
//! is done by `scripts/mutant run`.

use std::path::Path;
use std::process::Command;

use super::machine::has;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_mutant_can_be_planted() {
    for block in read("tests/mutants.txt").split("\n\n").filter(|block| block.contains("name:")) {
        let field = |name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            let text = line.unwrap_or_else(|| panic!("{name} is missing in {block}"));
            text.strip_prefix(' ').unwrap_or(text).to_owned()
        };
        let (file, old) = (field("file"), field("old"));
        assert_eq!(read(&file).matches(&old).count(), 1, "{file} has not exactly one: {old}");
        assert_ne!(old, field("new"), "{}", field("name"));
        let test = field("test");
        let function = format!("fn {}(", test.rsplit("::").next().unwrap());
        let folders: &[_] = if test.starts_with("it::") { &["tests/it"] } else { &["src", "verify/src"] };
        let is_there = folders.iter().any(|folder| is_somewhere(&Path::new(ROOT).join(folder), &function));
        assert!(is_there, "there is no test {test}");
    }
}

fn is_somewhere(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => is_somewhere(&path, text),
            false => std::fs::read_to_string(&path).is_ok_and(|found| found.contains(text)),
        }
    })
}

#[test]
fn the_table_of_mutants_is_current() {
    if !has("the table of mutants", false, &["python3"]) {
        return;
    }
    let made = Command::new("python3").args(["scripts/mutant", "table"]).current_dir(ROOT).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let table = String::from_utf8(made.stdout).unwrap();
    let document = read("docs/mutants.md");
    assert!(document.contains(table.trim()), "put the output of `scripts/mutant table` into docs/mutants.md");
}
