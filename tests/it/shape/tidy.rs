//! The shape of the code, checked: the table here is the architecture diagram.

use std::collections::BTreeMap;

use crate::support::sources::{
    all_rust, assert_none, collect, is_test, outer_items, root, sources, without_tests,
};

/// The rooms of the program by rank: a module may name those of the ranks below its own, and no other. Read downwards:
/// a request comes in, is accepted, waits, is done; the ranks below are their foundation.
const RANKS: &[&[&str]] = &[
    &["cli"],
    &["console"],
    &["admin"],
    &["api", "work"],
    &["transport"],
    &["accept", "evidence", "maintenance", "personalise"],
    &["node"],
    &["recovery"],
    &["erasure", "formats", "projections", "sample", "uploads"],
    &["accounts", "catalogue", "jobs", "ledger", "operators", "people", "submissions"],
    &["webhooks"],
    &["config", "keys", "reports", "sql", "zones"],
    &["admission", "blobs", "feeds", "outbound", "recommend", "search", "store", "templates"],
    &["ids"],
    &["addresses", "clock", "csv_injection", "dates", "disk", "help", "i18n", "telemetry"],
    &["limits"],
];

fn rank_of(module: &str) -> Option<usize> {
    RANKS.iter().rev().position(|rank| rank.contains(&module))
}

const FUNCTION_LINES: usize = 70;
const FILE_LINES: usize = 400;

/// The sources, with the tools that are not shipped.
fn sources_and_tools() -> Vec<(String, String)> {
    let mut files = sources();
    collect(&root(), "tools", "rs", &mut files);
    files
}

/// The modules of ours that a text names: `a` for `crate::a::b`, `a` and `b` for `crate::{a, b::c}`.
fn named_in(text: &str) -> Vec<String> {
    let lines = without_tests(text).lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut named = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        let path = &code[at + found.len()..];
        match path.strip_prefix('{') {
            Some(group) => named.extend(outer_items(group).into_iter().map(first_word)),
            None => named.push(first_word(path)),
        }
    }
    named
}

fn first_word(path: &str) -> String {
    path.trim_start().chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect()
}

#[test]
fn every_module_names_only_modules_of_lower_ranks() {
    let mut wrong = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let module = name.split('/').next().unwrap_or(name).trim_end_matches(".rs");
        if matches!(module, "lib" | "main") {
            continue;
        }
        let Some(rank) = rank_of(module) else {
            wrong.push(format!("{name}: {module} has no rank"));
            continue;
        };
        for named in named_in(text).into_iter().filter(|named| named != module) {
            if rank_of(&named).is_some_and(|named| named >= rank) {
                wrong.push(format!("{name} names {named}"));
            }
        }
    }
    wrong.dedup();
    assert_none("not of a lower rank", &wrong);
}

#[test]
fn the_names_in_a_group_of_imports_are_seen() {
    let text = "use crate::{args, keys::{Keys, Tag}, sql};\n// crate::http\nlet x = crate::clock::now();";
    assert_eq!(named_in(text), ["args", "keys", "sql", "clock"]);
}

#[test]
fn every_rank_is_of_modules_that_are_there() {
    let modules: Vec<&str> = include_str!("../../../src/lib.rs")
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let ranked: Vec<&str> = RANKS.iter().copied().flatten().copied().collect();
    assert_none(
        "no module",
        &ranked.iter().filter(|name| !modules.contains(name)).map(|n| (*n).to_owned()).collect::<Vec<_>>(),
    );
    assert_none(
        "no rank",
        &modules.iter().filter(|name| !ranked.contains(name)).map(|n| (*n).to_owned()).collect::<Vec<_>>(),
    );
}

#[test]
fn a_request_is_accepted_and_not_done() {
    let mut wrong = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| {
        ["api/", "admin/", "transport/"].iter().any(|room| name.starts_with(room)) && !is_test(name)
    }) {
        if named_in(text).iter().any(|named| named == "erasure") {
            wrong.push(name.clone());
        }
    }
    assert_none("done inside a request", &wrong);
}

#[test]
fn functions_and_files_are_short() {
    let mut long = Vec::new();
    for (name, text) in &sources_and_tools() {
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
                "pub(crate) fn ",
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

/// The formatter does this for code, and not for comments.
#[test]
fn comments_are_no_wider_than_code() {
    let mut wide = Vec::new();
    for (name, text) in sources_and_tools() {
        for (line, number) in text.lines().zip(1..) {
            let comment = line.trim_start();
            // The name of a test that has to turn red is as long as it is.
            let is_comment = comment.starts_with("//") && !comment.starts_with("// red: ");
            if is_comment && line.chars().count() > 120 {
                wide.push(format!("{name}:{number}"));
            }
        }
    }
    assert_none("comments of more than 120 letters in a line", &wide);
}

/// Size of the code that an auditor has to read: neither tests, nor comments, nor empty lines count.
#[test]
fn the_verifier_is_small_enough_to_be_read() {
    let mut files = Vec::new();
    collect(&root(), "verify/src", "rs", &mut files);
    let read = files.iter().filter(|(name, _)| !is_test(name)).flat_map(|(_, text)| text.lines());
    let lines = read.map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    assert!((400..=650).contains(&lines), "{lines}");
    let manifest = include_str!("../../../verify/Cargo.toml");
    let section = manifest.split("[dependencies]\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    assert!(section.is_some_and(|named| named.lines().count() < 10), "{section:?}");
}

/// Returns true if the word stands there, and not as the end of a longer one.
fn names_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(|before: char| before.is_alphanumeric()) || word.starts_with('.')
    })
}

/// One module decides whether written data survives a power cut, and who may read it.
#[test]
fn the_disk_is_written_in_one_module() {
    const WRITES: [&str; 14] = [
        "OpenOptions",
        "DirBuilder",
        "File::create",
        "File::options",
        "fs::copy",
        "fs::create_dir",
        "fs::remove",
        "fs::rename",
        "fs::set_permissions",
        "fs::write",
        ".set_len(",
        ".sync_all(",
        ".sync_data(",
        ".write_all_at(",
    ];
    let mut found = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name) && !name.starts_with("disk/")) {
        for word in WRITES {
            if names_word(without_tests(text), word) {
                found.push(format!("{name}: {word}"));
            }
        }
    }
    assert_none("written outside of disk", &found);
}

/// One function decides how a database is reached, and that its certificate is checked.
#[test]
fn one_function_connects_to_postgresql() {
    let mut found = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let code = without_tests(text);
        let connects = code.matches(".config.connect(").count();
        let expected = usize::from(name == "store/postgres_connect.rs");
        if connects != expected || code.contains("NoTls)") || code.contains("Client::connect(") {
            found.push(name.clone());
        }
    }
    assert_none("connects to PostgreSQL", &found);
}

#[test]
fn routes_stand_in_three_files() {
    let routed: Vec<_> = sources()
        .into_iter()
        .filter(|(name, text)| {
            !["admin/routes.rs", "api/routes.rs", "console/routes.rs"].contains(&name.as_str())
                && !is_test(name)
                && text.contains(".route(")
        })
        .map(|(name, _)| name)
        .collect();
    assert_none("routes outside the three tables of them", &routed);
}

/// A job whose kind has no row would wait for ever.
#[test]
fn every_lane_has_its_kind_of_jobs() {
    let mut named = Vec::new();
    for (_, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        for part in without_tests(text).split("Self::new(\"").skip(1) {
            named.extend(part.split('"').next().map(str::to_owned));
        }
    }
    let mut kinds: Vec<&str> = lethe::work::KINDS.iter().map(|kind| kind.lane.as_str()).collect();
    named.sort_unstable();
    kinds.sort_unstable();
    assert_eq!(named, kinds);
    kinds.dedup();
    assert_eq!(kinds.len(), named.len(), "two kinds share a lane");
    assert!(lethe::work::KINDS.iter().all(|kind| kind.workers > 0));
}

/// A type that one of these traits is derived for could be logged; the compiler checks each assertion.
#[test]
fn what_cannot_be_printed_cannot_be_printed_in_any_way() {
    const ASSERTION: &str = "static_assertions::assert_not_impl_any!(";
    const TRAITS: &str = ": std::fmt::Debug, std::fmt::Display, serde::Serialize);";
    let files = sources();
    let lines = files.iter().flat_map(|(name, text)| text.lines().map(move |line| (name, line)));
    let asserted: Vec<_> = lines.filter(|(_, line)| line.contains("assert_not_impl_any!")).collect();
    let partly = asserted.iter().filter(|(_, line)| !line.starts_with(ASSERTION) || !line.ends_with(TRAITS));
    assert_none(
        "an assertion without all three",
        &partly.map(|(name, line)| format!("{name}: {line}")).collect::<Vec<_>>(),
    );
    assert!(asserted.len() >= 71, "{} types that cannot be printed", asserted.len());
}

/// Places where a job's code writes without the job's lease, with the number of writes and the reason.
const WRITES_WITHOUT_LEASE: &[(&str, usize, &str)] = &[
    ("work/feed/publish.rs", 1, "the job has ended; what no longer shows is swept, also twice"),
    ("work/upload.rs", 1, "no job: uploads that nothing is added to are given up by the clock"),
    ("work/workers.rs", 1, "no job: statuses past their time go by the clock"),
    ("work/order_events.rs", 1, "no job: orders are noted behind whoever brought them, also twice"),
    ("work/webhooks/mod.rs", 2, "no job: a message is tried by the clock, also twice"),
    (
        "work/webhooks/notices.rs",
        1,
        "no job: what goes on is told by the clock, behind a mark that moves once",
    ),
    (
        "work/retention.rs",
        5,
        "no job: what is kept for a time, and what is left of who was given up, goes by the clock",
    ),
];

#[test]
fn work_writes_through_its_lease() {
    let mut found = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| name.starts_with("work/")) {
        let code: String = without_tests(text).split_whitespace().collect();
        let writes = ["store.write(", "store.write_of_job("]
            .map(|call| code.matches(call).count())
            .iter()
            .sum::<usize>();
        let allowed = WRITES_WITHOUT_LEASE.iter().find(|(allowed, ..)| allowed == name);
        if writes != allowed.map_or(0, |(_, writes, _)| *writes) {
            found.push(format!("{name}: {writes} writes without the lease"));
        }
    }
    assert_none("writes of work that no lease fences", &found);
}

#[test]
fn records_of_people_are_written_in_one_place() {
    let files = sources().into_iter();
    let naming = files
        .filter(|(name, text)| name != "sql.rs" && text.contains("record_put") | text.contains("record_add"));
    let naming: Vec<_> = naming.map(|(name, _)| name).collect();
    assert_eq!(
        naming,
        ["people/writable_subject.rs"],
        "nothing but admit() gives a subject that may be written to"
    );
}

#[test]
fn nothing_is_unfinished_or_silenced() {
    let mut found = Vec::new();
    for (name, text) in &sources_and_tools() {
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
    let silent: Vec<_> = sources_and_tools()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(name, _)| name)
        .collect();
    assert_none("first line is no //!", &silent);
    let mut statements = Vec::new();
    for folder in ["sql", "migrations"] {
        collect(&root(), folder, "sql", &mut statements);
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

/// Files without room for these sections: the number of their functions without one, and the text that replaces it.
const WITHOUT_SECTION: &[(&str, usize, &str)] = &[
    ("config/read.rs", 1, "what `check_environment` refuses is all that its first line says"),
    ("erasure/mod.rs", 6, "the head of the file says that they fail only when the store does"),
];

/// The lines of public functions that may fail and do not say when. Handlers list it in their `responses`: their
/// documentation becomes the description that callers over HTTP read.
fn silent_on_errors(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = without_tests(text).lines().collect();
    let mut silent = Vec::new();
    let mut is_in_trait = false;
    for (number, line) in lines.iter().enumerate() {
        is_in_trait = line.starts_with("pub trait ") || (is_in_trait && *line != "}");
        let start = line.trim_start();
        let begins = |with: &[&str]| with.iter().any(|begin| start.starts_with(begin));
        let is_public = begins(&["pub fn ", "pub async fn ", "pub const fn "]);
        if !(is_public || is_in_trait && begins(&["fn ", "async fn "])) {
            continue;
        }
        let ends = |line: &&str| line.ends_with(['{', ';', '}']);
        let signature = lines[number..].split_inclusive(ends).next().unwrap_or_default().concat();
        let returned = signature.split(" where").next().and_then(|all| all.rsplit_once(") -> "));
        let may_fail = returned.is_some_and(|(_, returned)| returned.contains("Result<"));
        let before = lines[..number].iter().rev();
        let mut head = before.take_while(|line| !line.is_empty() && !line.ends_with(['{', '}']));
        if may_fail && !head.any(|line| line.contains("# Errors") || line.contains("#[utoipa::path(")) {
            silent.push(number + 1);
        }
    }
    silent
}

#[test]
fn a_public_function_says_when_it_fails() {
    let mut found = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let silent = silent_on_errors(text);
        let allowed = WITHOUT_SECTION.iter().find(|(allowed, ..)| allowed == name);
        if silent.len() != allowed.map_or(0, |(_, silent, _)| *silent) {
            found.push(format!("{name}: functions in the lines {silent:?}"));
        }
    }
    assert_none("a section `# Errors` is missing, or not missing any more", &found);
}

#[test]
fn a_function_that_does_not_say_when_it_fails_is_seen() {
    let says =
        "/// Reads.\n///\n/// # Errors\n/// When it cannot.\npub fn read(\n) -> Result<u8, Fault> {\n}\n";
    let of_trait = format!("pub trait Read {{\n{}}}\n", says.replace("pub fn", "    fn"));
    assert!(silent_on_errors(&format!("{says}{of_trait}")).is_empty());
    let without = |text: &str| text.replace("# Errors", "");
    assert_eq!(silent_on_errors(&without(says)), [5_usize]);
    assert_eq!(silent_on_errors(&without(&of_trait)), [6_usize]);
    let of_handler = without(says).replace("pub fn", "#[utoipa::path(post)]\npub fn");
    let that_cannot_fail = without(says).replace("Result<u8, Fault>", "u8");
    assert!(silent_on_errors(&format!("{of_handler}{that_cannot_fail}")).is_empty());
}

#[test]
fn no_statement_stands_in_code() {
    let mut found = Vec::new();
    // A copy of the database is made from the schema's own list of tables, and one statement for many arguments from
    // that for one.
    let is_copy = |name: &str| {
        name.starts_with("store/cop")
            || name.starts_with("store/prefetch")
            || name.starts_with("store/batched_sql")
    };
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name) && !is_copy(name)) {
        for word in ["\"SELECT ", "\"INSERT ", "\"UPDATE ", "\"DELETE "] {
            if without_tests(text).contains(word) {
                found.push(format!("{name}: {word}"));
            }
        }
    }
    assert_none("statements outside sql/", &found);
}

/// Modules of `tests/it` by path, each with its file and whether others may not name it.
type TestModules<'a> = BTreeMap<Vec<&'a str>, (&'a str, bool)>;

/// The module of a file: `people`, `events` for `tests/it/people/events.rs`, `people` for its `mod.rs`.
fn module_of(name: &str) -> Vec<&str> {
    let path = name.trim_start_matches("tests/it/").trim_end_matches(".rs");
    path.split('/').filter(|part| *part != "mod").collect()
}

fn test_modules(files: &[(String, String)]) -> TestModules<'_> {
    let mut modules = TestModules::new();
    for (name, text) in files {
        let is_test = |line: &str| line.contains("#[test]") || line.starts_with("on_both_engines! {");
        // Files of `support` test themselves.
        let has_tests = !name.starts_with("tests/it/support/") && text.lines().any(is_test);
        modules.insert(module_of(name), (name, has_tests));
    }
    modules
}

/// Paths that follow this text, those of a group one by one.
fn paths_after(code: &str, before: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, found) in code.match_indices(before) {
        let rest = &code[at + found.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(rest.len());
        let path = &rest[..end];
        match rest[end..].strip_prefix('{') {
            Some(group) => {
                paths.extend(outer_items(group).into_iter().map(|item| format!("{path}{}", item.trim())));
            }
            None => paths.push(path.to_owned()),
        }
    }
    paths
}

/// Other files with tests that a file names. A `super::` inside a line may belong to a module of the file itself: it
/// counts only where it leads to another file of the folder.
fn named_test_files<'a>(name: &str, text: &str, modules: &TestModules<'a>) -> Vec<&'a str> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .fold(String::new(), |code, line| code + "\n" + line);
    let own = module_of(name);
    let folder = &own[..own.len() - 1];
    let starts = [
        ("crate::", &own[..0], 1),
        ("super::", folder, own.len()),
        ("\nuse super::", folder, folder.len()),
        ("\nuse ", &own, own.len() + 1),
    ];
    let mut named = Vec::new();
    for (before, start, least) in starts {
        for path in paths_after(&code, before) {
            let mut whole = start.to_vec();
            whole.extend(path.split("::"));
            let file = (least..=whole.len()).rev().find_map(|end| modules.get(&whole[..end]));
            named.extend(file.filter(|(file, has_tests)| *has_tests && *file != name).map(|(file, _)| *file));
        }
    }
    named
}

/// Parts that several tests need stand in `tests/it/support`, or in a file without tests beside them.
#[test]
fn no_test_file_imports_from_another() {
    let mut files = Vec::new();
    collect(&root(), "tests/it", "rs", &mut files);
    let modules = test_modules(&files);
    assert!(modules.values().filter(|(_, has_tests)| *has_tests).count() > 100);
    let mut found = Vec::new();
    for (name, text) in &files {
        found.extend(
            named_test_files(name, text, &modules).iter().map(|other| format!("{name} names {other}")),
        );
    }
    assert_none("what several tests need belongs into tests/it/support", &found);
}

#[test]
fn an_import_from_another_test_file_is_seen() {
    let with_test = "#[test]\nfn it_is() {}\n";
    let file = |name: &str, text: &str| (format!("tests/it/{name}.rs"), text.to_owned());
    let files = [file("a/mod", with_test), file("a/b", with_test), file("a/c", ""), file("d/e", with_test)];
    let modules = test_modules(&files);
    let named = |name: &str, text: &str| named_test_files(&format!("tests/it/{name}.rs"), text, &modules);
    assert_eq!(named("d/e", "use crate::a::{c::C, b::{self, B}};"), ["tests/it/a/b.rs"]);
    assert_eq!(named("d/e", "let b = crate::a::b::count();"), ["tests/it/a/b.rs"]);
    assert_eq!(named("a/c", "use super::b::count;"), ["tests/it/a/b.rs"; 2]);
    assert_eq!(named("a/b", "use super::count;"), ["tests/it/a/mod.rs"]);
    assert_eq!(named("a/mod", "mod b;\nuse b::count;"), ["tests/it/a/b.rs"]);
    assert!(named("a/b", "use super::c::C;\nmod sqlite { super::count(); }\n// crate::d::e").is_empty());
}

#[test]
fn a_let_binds_one_value() {
    let mut found = Vec::new();
    for (name, text) in &all_rust() {
        for (at, _) in text.match_indices("let (") {
            let Some((names, value)) = text[at + 5..].split_once(") =") else { continue };
            let is_names = |letter: char| letter.is_alphanumeric() || "_, ".contains(letter);
            if names.contains(',') && names.chars().all(is_names) && value.trim_start().starts_with('(') {
                found.push(format!("{name}: let ({names}) = (…)"));
            }
        }
    }
    assert_none("a let for each value reads better", &found);
}

#[test]
fn a_bool_is_asked_with_if() {
    let mut found = Vec::new();
    for (name, text) in &all_rust() {
        for (line, number) in text.lines().zip(1..) {
            let arm = line.trim_start();
            if ["true", "false"].iter().any(|value| arm.starts_with(&format!("{value} =>"))) {
                found.push(format!("{name}:{number}"));
            }
        }
    }
    assert_none("a match on a bool; if and else read better", &found);
}

#[test]
fn columns_are_read_by_name() {
    let readers = [".int(", ".opt_int(", ".text(", ".opt_text(", ".blob(", ".opt_blob(", ".bytes("];
    let is_number = |rest: &str| rest.starts_with(|sign: char| sign.is_ascii_digit());
    let mut found = Vec::new();
    for (name, text) in all_rust() {
        for (number, line) in text.lines().enumerate() {
            if readers.iter().any(|reader| line.split(reader).skip(1).any(is_number)) {
                found.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert_none("columns read by number", &found);
}
