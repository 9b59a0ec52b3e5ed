//! Sources of the program, as they were written.

use std::fs;
use std::path::{Path, PathBuf};

/// Folder of the sources as they were written: `scripts/mutant` builds a copy with switches.
pub fn root() -> PathBuf {
    std::env::var("LETHE_TEST_SOURCES").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned()).into()
}

/// Every source file: its path below `src` and its text.
pub fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    collect(&root(), "src", "rs", &mut files);
    files.into_iter().map(|(name, text)| (name.trim_start_matches("src/").to_owned(), text)).collect()
}

pub fn collect(root: &Path, folder: &str, ending: &str, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(root.join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(root, &name, ending, files);
        } else if name.ends_with(&format!(".{ending}")) {
            files.push((name, fs::read_to_string(entry.path()).expect("a text")));
        }
    }
}

/// The text up to the unit tests.
pub fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

pub fn is_test(name: &str) -> bool {
    name.ends_with("tests.rs") || name.contains("/tests/") || name.ends_with("testing.rs")
}

pub fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// The production code: each file up to its unit tests.
pub fn production_sources() -> Vec<(String, String)> {
    let mut files = sources();
    files.retain(|(name, _)| !is_test(name));
    files.iter_mut().for_each(|(_, text)| text.truncate(without_tests(text).len()));
    files
}

/// The items of a group of imports, up to its closing brace; groups inside it stay whole.
pub fn outer_items(group: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut begin = 0;
    let mut depth = 1;
    for (at, sign) in group.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && sign == ',') {
            items.push(&group[begin..at]);
            begin = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    items
}

/// Fails when a count rose, and when it fell below its bound: then the bound follows.
pub fn assert_fell(what: &str, bound: usize, found: usize, examples: &[String]) {
    assert!(found <= bound, "{what}: {found}, more than the {bound} there were:\n{}", examples.join("\n"));
    assert!(found == bound, "{what}: only {found} are left: lower the bound from {bound}");
}

/// Every file of Rust of the repository but `tidy.rs`, which spells out the code that it forbids.
pub fn all_rust() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["src", "tools", "verify", "tests", "benches", "fuzz"] {
        collect(&root(), folder, "rs", &mut files);
    }
    files.retain(|(name, _)| name != "tests/it/shape/tidy.rs");
    files
}
