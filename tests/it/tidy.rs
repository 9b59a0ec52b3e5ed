//! The shape of the code, checked: the table here is the architecture diagram.

use std::fs;
use std::path::Path;

/// Which modules of ours each module may name. Read downwards: a request comes in, is accepted, waits, is done;
/// below them what they stand on. `main`, `cli` and `node` wire everything together.
const LAYERS: &[(&str, &[&str])] = &[
    ("cli", &["*"]),
    ("sample", &["feeds", "limits"]),
    (
        "node",
        &[
            "accounts",
            "catalogue",
            "config",
            "clock",
            "jobs",
            "keys",
            "ledger",
            "outbound",
            "recovery",
            "subjects",
            "work",
            "ballast",
            "blobs",
            "store",
            "sql",
            "limits",
        ],
    ),
    (
        "http",
        &[
            "accept",
            "accounts",
            "catalogue",
            "clock",
            "evidence",
            "feeds",
            "ids",
            "jobs",
            "keys",
            "ledger",
            "limits",
            "node",
            "outbound",
            "recovery",
            "store",
            "sql",
            "submissions",
            "subjects",
            "telemetry",
            "uploads",
        ],
    ),
    (
        "accept",
        &[
            "accounts",
            "catalogue",
            "clock",
            "erase",
            "ids",
            "jobs",
            "keys",
            "ledger",
            "limits",
            "store",
            "submissions",
            "subjects",
            "uploads",
        ],
    ),
    (
        "work",
        &[
            "accept",
            "accounts",
            "blobs",
            "catalogue",
            "clock",
            "erase",
            "evidence",
            "feeds",
            "ids",
            "jobs",
            "keys",
            "ledger",
            "limits",
            "node",
            "outbound",
            "recovery",
            "store",
            "sql",
            "submissions",
            "subjects",
            "uploads",
        ],
    ),
    (
        "recovery",
        &[
            "accounts",
            "blobs",
            "catalogue",
            "clock",
            "config",
            "erase",
            "ids",
            "jobs",
            "keys",
            "ledger",
            "limits",
            "node",
            "sql",
            "store",
            "subjects",
        ],
    ),
    (
        "evidence",
        &[
            "accounts",
            "catalogue",
            "clock",
            "erase",
            "feeds",
            "ids",
            "keys",
            "ledger",
            "node",
            "residue",
            "sql",
            "store",
            "subjects",
        ],
    ),
    ("jobs", &["clock", "ids", "limits", "store", "sql"]),
    ("erase", &["clock", "ids", "keys", "limits", "store", "sql", "subjects"]),
    ("ledger", &["clock", "keys", "store", "sql"]),
    ("submissions", &["clock", "feeds", "ids", "keys", "limits", "store", "sql"]),
    ("catalogue", &["blobs", "clock", "feeds", "ids", "limits", "store", "sql"]),
    ("uploads", &["blobs", "clock", "ids", "keys", "limits", "store", "sql", "submissions"]),
    ("subjects", &["clock", "ids", "keys", "limits", "store", "sql"]),
    ("accounts", &["clock", "ids", "keys", "limits", "store", "sql"]),
    ("feeds", &["limits"]),
    // A tag is made of an identifier in its one normal form.
    ("keys", &["clock", "ids", "limits", "subjects"]),
    ("outbound", &["limits"]),
    ("sql", &["store"]),
    ("config", &["store"]),
    ("telemetry", &[]),
    ("store", &[]),
    ("ballast", &["limits"]),
    ("blobs", &[]),
    ("residue", &[]),
    ("clock", &[]),
    ("ids", &["clock"]),
    ("limits", &[]),
];

const FUNCTION_LINES: usize = 70;
const FILE_LINES: usize = 400;

/// Every source file: its path below `src` and its text.
pub fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    collect(Path::new(env!("CARGO_MANIFEST_DIR")), "src", "rs", &mut files);
    files.into_iter().map(|(name, text)| (name.trim_start_matches("src/").to_owned(), text)).collect()
}

fn collect(root: &Path, folder: &str, ending: &str, files: &mut Vec<(String, String)>) {
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
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

fn is_test(name: &str) -> bool {
    name.ends_with("tests.rs") || name.contains("/tests/") || name.ends_with("testing.rs")
}

fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn every_module_names_only_what_its_row_allows() {
    let mut wrong = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let module = name.split('/').next().unwrap_or(name).trim_end_matches(".rs");
        if matches!(module, "lib" | "main") {
            continue;
        }
        let Some((_, allowed)) = LAYERS.iter().find(|(known, _)| *known == module) else {
            wrong.push(format!("{name}: {module} is not in the table"));
            continue;
        };
        let code: String = without_tests(text)
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n");
        for (at, _) in code.match_indices("crate::") {
            let rest = &code[at + 7..];
            let named: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            let is_ours = LAYERS.iter().any(|(known, _)| *known == named);
            if is_ours && named != module && !allowed.contains(&"*") && !allowed.contains(&named.as_str()) {
                wrong.push(format!("{name} names {named}"));
            }
        }
    }
    wrong.dedup();
    assert_none("not in the table", &wrong);
}

#[test]
fn nothing_below_them_names_the_entrances() {
    for (module, allowed) in LAYERS.iter().filter(|(module, _)| !matches!(*module, "cli" | "node")) {
        assert!(!allowed.contains(&"http") && !allowed.contains(&"cli"), "{module}");
    }
    let http = LAYERS.iter().find(|(module, _)| *module == "http").expect("http").1;
    assert!(!http.contains(&"work") && !http.contains(&"erase"));
}

#[test]
fn functions_and_files_are_short() {
    let mut long = Vec::new();
    for (name, text) in &sources() {
        let lines: Vec<_> = text.lines().collect();
        if lines.len() > FILE_LINES {
            long.push(format!("{name} has {} lines", lines.len()));
        }
        for (number, line) in lines.iter().enumerate() {
            let start = line.trim_start();
            let is_function = [
                "fn ",
                "pub fn ",
                "async fn ",
                "pub async fn ",
                "pub(super) fn ",
                "pub(crate) fn ",
                "const fn ",
                "pub const fn ",
            ]
            .iter()
            .any(|begin| start.starts_with(begin));
            if !is_function || start.ends_with(';') {
                continue;
            }
            let indent = line.len() - start.len();
            let end = format!("{}}}", " ".repeat(indent));
            let length = lines[number..].iter().position(|line| *line == end).map_or(1, |end| end + 1);
            if length > FUNCTION_LINES {
                long.push(format!("{name}:{} a function of {length} lines", number + 1));
            }
        }
    }
    assert_none("too long", &long);
}

/// What an auditor has to read: neither tests, nor comments, nor empty lines count.
#[test]
fn the_verifier_is_small_enough_to_be_read() {
    let mut files = Vec::new();
    collect(Path::new(env!("CARGO_MANIFEST_DIR")), "verify/src", "rs", &mut files);
    let read = files.iter().filter(|(name, _)| !is_test(name)).flat_map(|(_, text)| text.lines());
    let lines = read.map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    assert!((400..=600).contains(&lines), "{lines}");
    let manifest = include_str!("../../verify/Cargo.toml");
    let section = manifest.split("[dependencies]\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    assert!(section.is_some_and(|named| named.lines().count() < 10), "{section:?}");
}

#[test]
fn routes_stand_in_one_file() {
    let routed: Vec<_> = sources()
        .into_iter()
        .filter(|(name, text)| name != "http/mod.rs" && text.contains(".route("))
        .map(|(name, _)| name)
        .collect();
    assert_none("routes outside http/mod.rs", &routed);
}

#[test]
fn nothing_is_unfinished_or_silenced() {
    let mut found = Vec::new();
    for (name, text) in &sources() {
        for word in ["todo!", "unimplemented!", "dbg!", "#[allow(", "#![allow("] {
            if text.contains(word) {
                found.push(format!("{name}: {word}"));
            }
        }
    }
    assert_none("unfinished or silenced", &found);
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<_> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(name, _)| name).collect();
    assert_none("first line is no //!", &silent);
    let mut statements = Vec::new();
    for folder in ["sql", "migrations"] {
        collect(Path::new(env!("CARGO_MANIFEST_DIR")), folder, "sql", &mut statements);
    }
    let silent: Vec<_> = statements
        .iter()
        .filter(|(_, text)| !text.starts_with("-- "))
        .map(|(name, _)| name.clone())
        .collect();
    assert_none("first line is no comment", &silent);
    let on_disk = statements
        .iter()
        .filter(|(name, _)| !name.starts_with("migrations") && !name.starts_with("sql/postgres"))
        .count();
    assert_eq!(on_disk, lethe::sql::ALL.len(), "every file below sql/ is a statement of the program");
}

#[test]
fn no_statement_stands_in_code() {
    let mut found = Vec::new();
    // A copy of the database is made from the schema's own list of tables.
    let is_copy = |name: &str| name.starts_with("store/copy");
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name) && !is_copy(name)) {
        for word in ["\"SELECT ", "\"INSERT ", "\"UPDATE ", "\"DELETE "] {
            if without_tests(text).contains(word) {
                found.push(format!("{name}: {word}"));
            }
        }
    }
    assert_none("statements outside sql/", &found);
}
