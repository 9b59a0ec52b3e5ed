//! The edges of every command, as a table: in another time zone, and where the server or the store fails.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;
use lethe::clock::{Clock, day_name, day_of};
use serde_json::{Value, json};

use super::scripted_server::{ScriptedAnswer, program_for, serve_control_script, serve_script};
use crate::support::program::{Ended, Program, web_server};
use crate::support::tables::rename_tables_in;
use crate::support::waits::wait_until;
use crate::support::world::NOON;

/// A word that stands for an id of something that is not there.
const NONE: &str = "00000000-0000-0000-0000-000000000000";

/// Time zones: in two of them the day is another than in UTC for hours.
const ZONES: [&str; 3] = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"];

/// In the place of a code: each run says something else, or takes long.
const VARIES: i32 = -1;

/// Sentence of a server that fails.
const SENTENCE: &str = "the store is ill";

/// Commands of a shop, and the codes with which they end in one that has something of everything.
const OF_SHOP: &[(&str, i32)] = &[
    ("catalogue", 0),
    ("complete lamp", 0),
    ("delta list", 0),
    ("delta send delta.json", 0),
    ("erasure certificate ERASURE", 0),
    ("erasure count", 0),
    ("erasure letter ERASURE", 0),
    ("erasure list", 0),
    ("erasure reference ERASURE --clear", 0),
    ("erasure show ERASURE", 0),
    ("events import views.ndjson", 0),
    ("export ann@mail.example", 0),
    ("feed cancel TOKEN", 0),
    ("feed difference TOKEN", 0),
    ("feed publish NONE", 7),
    ("feed status TOKEN", 0),
    ("feed submit http://10.0.0.1/feed.json", 1),
    ("feed watch TOKEN", 0),
    ("forget ann@mail.example --dry-run", 0),
    ("forget nobody@mail.example --yes", VARIES),
    ("health", 0),
    ("issues TOKEN", 0),
    ("product p1", 0),
    ("product p1 --why", 0),
    ("quality", 0),
    ("recommend", 0),
    ("refused", 0),
    ("report zones", 0),
    ("return ann@mail.example", 0),
    ("rules apply rules.json", 0),
    ("rules history", 0),
    ("rules list", 0),
    ("rules preview rules.json lamp", 0),
    ("rules undo 9", 7),
    ("scan nobody@mail.example", 0),
    ("search lamp", 0),
    ("snapshot back 999", 7),
    ("snapshot compare 998 999", 7),
    ("snapshot list", 0),
    ("status TOKEN", 0),
    ("submissions", 0),
    ("suppression check bea@mail.example", 0),
    ("webhook remove", VARIES),
    ("webhook rotate", 0),
    ("webhook set http://127.0.0.1:9/hook", 0),
    ("webhook show", 0),
    ("webhook test", VARIES),
    ("zones apply zones.json", 0),
    ("zones history", 0),
    ("zones list", 0),
    ("zones preview HP-01", 0),
    ("zones undo 9", 7),
];

/// Forms of these that have no JSON beside them.
const WITHOUT_JSON: &[(&str, i32)] = &[
    ("erasure certificate ERASURE --page -", 0),
    ("export ann@mail.example --page -", 0),
    ("report days --csv", 0),
];

/// Commands of the operator, likewise.
const OF_OPERATOR: &[(&str, i32)] = &[
    ("account create shop", 1),
    ("account deletion confirm shop", 7),
    ("account deletion dismiss shop", 7),
    ("account deletion list", 0),
    ("account feed shop", 0),
    ("account guard shop", 0),
    ("account list", 0),
    ("account quota shop", 0),
    ("account search shop", 0),
    ("account set shop --language en", 0),
    ("backup copy", VARIES),
    ("config show --running", 0),
    ("doctor", 1),
    ("key list shop", 0),
    ("key revoke shop 9", 7),
    ("key rotate nobody", 7),
    ("key-epoch rotate", VARIES),
    ("key-epoch show", 0),
    ("ledger check", 0),
    ("ledger checkpoint shop", 0),
    ("ledger export shop", 0),
    ("ledger growth shop checkpoint.json", 0),
    ("ledger key", 0),
    ("model verify", 0),
    ("operator acts", 0),
    ("operator add ann", 1),
    ("operator disable nobody", 7),
    ("operator enable nobody", 7),
    ("operator list", 0),
    ("operator remove nobody", 7),
    ("operator reset nobody", 7),
    ("operator set nobody", 7),
];

/// Commands that ask no server. `verify` is a program of its own.
const ALONE: &[(&str, i32)] = &[
    ("check feed.json", 0),
    ("completions bash", 0),
    ("config show", 0),
    ("config template", 0),
    ("demo", VARIES),
    ("drill", VARIES),
    ("key-mirror restore", 2),
    ("man pages", 0),
    ("recovery-key new", 0),
    ("restore absent", 2),
    ("sample --products 60 --events 5 --until 2026-11-01", 0),
    ("serve", VARIES),
    ("verify", VARIES),
];

/// Commands that succeed on a store with a shop that no server runs on.
const OFFLINE: [&str; 4] =
    ["account list", "key-epoch show", "ledger checkpoint shop", "status NONE --account shop"];

/// Longest distance of a masked moment from the beginning of the test, or from a whole number of days after it.
const MARGIN: i64 = 10 * 60_000;
const DAY: i64 = 24 * 3_600_000;
/// Digits of milliseconds since 1970.
const MILLIS_DIGITS: usize = 13;
/// Letters of ids, secrets and signatures, which differ in each run.
const RANDOM_LETTERS: usize = 32;

/// A text without what differs in each run: moments about `began` in UTC, and random words.
fn mask(text: &str, began: i64) -> String {
    let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || "-_.:+/=".contains(letter);
    let mut masked = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find(is_of_word) {
        masked.push_str(&rest[..begin]);
        let word = &rest[begin..];
        let end = word.find(|letter: char| !is_of_word(letter)).unwrap_or(word.len());
        masked.push_str(mask_word(&word[..end], began));
        rest = &word[end..];
    }
    masked + rest
}

fn mask_word(word: &str, began: i64) -> &str {
    let bare = word.trim_matches(['.', ':']);
    let at = match bare.parse::<Timestamp>() {
        Ok(at) if bare.ends_with('Z') => Some(at.as_millisecond()),
        _ => bare.parse::<i64>().ok().filter(|_| bare.len() == MILLIS_DIGITS),
    };
    if at.is_some_and(|at| (at - began + MARGIN).rem_euclid(DAY) < 2 * MARGIN) {
        "NOW"
    } else if bare.len() >= RANDOM_LETTERS && !bare.contains(':') {
        "RANDOM"
    } else {
        word
    }
}

/// Files that the commands read.
fn write_files(folder: &Path) {
    let product = json!({"Id": "1", "Title": "Chair", "Prices": ["1 GBP"], "StartDate": "2020-01-31"});
    let files = [
        ("delta.json", json!({"DeleteProducts": ["p9"], "Token": "6f9619ff-8b86-4011-b42d-00c04fc964ff"})),
        ("feed.json", json!({"Products": [product]})),
        ("rules.json", json!([{"Id": "r", "Query": "lamp", "Pin": ["p1"]}])),
        ("views.ndjson", json!({"Name": "product_view", "Product": "p1", "UserId": "u-1"})),
        ("zones.json", json!([{"Id": "c", "Zone": "HP-01", "Html": "<p>oak</p>"}])),
    ];
    for (name, content) in files {
        std::fs::write(folder.join(name), content.to_string()).expect("written");
    }
    std::fs::create_dir(folder.join("pages")).expect("a folder");
}

/// Makes a shop that has something of everything; gives the token of its feed and the id of an erasure.
fn fill(program: &mut Program) -> [String; 2] {
    program.account("shop");
    let product = json!({"Id": "p1", "Title": "lamp", "Prices": ["1.00 GBP"]});
    let users = ["ann", "bea"].map(|name| json!({"UserId": name, "Email": format!("{name}@mail.example")}));
    let url = web_server(json!({"Products": [product], "Users": users}).to_string().into_bytes());
    let fed = program.run(&format!("feed submit {url} --wait --json")).json();
    let forgotten = program.run("forget bea@mail.example --wait --yes --json").json();
    for words in [
        "rules apply rules.json --yes",
        "zones apply zones.json --yes",
        "operator add ann",
        "webhook set http://127.0.0.1:9/hook",
    ] {
        let ended = program.run(words);
        assert_eq!(ended.code, 0, "{words}: {}", ended.err);
    }
    let checkpoint = program.run("ledger checkpoint shop").out;
    std::fs::write(program.path().join("checkpoint.json"), checkpoint).expect("written");
    wait_until("the products and the campaign are shown", || {
        let is_searched = program.run("search lamp").code == 0;
        (is_searched && program.run("zones preview HP-01").out.contains("oak")).then_some(())
    });
    [&fed["Token"], &forgotten["Erasure"]].map(|id| id.as_str().expect("an id").to_owned())
}

/// Runs a command in each time zone; describes what differs.
fn find_difference(program: &mut Program, words: &str, code: i32, began: i64) -> Option<String> {
    let mut run_in = |zone: &str| {
        program.set("TZ", zone);
        let ended = program.run(words);
        (ended.code, mask(&(ended.out + &ended.err), began))
    };
    let [utc, east, west] = ZONES.map(&mut run_in);
    let mut is_same = utc == east && utc == west;
    if !is_same {
        // Work behind a command, such as an index that is being made, may change its answer once.
        let again = run_in(ZONES[0]);
        is_same = [&east, &west].iter().all(|told| [&utc, &again].contains(told));
    }
    let told: String = format!("{words}: {utc:?} {east:?} {west:?}").chars().take(2_000).collect();
    (!is_same || utc.0 != code).then_some(told)
}

fn fail(status: u16) -> ScriptedAnswer {
    (status, "", json!({"Error": SENTENCE}).to_string())
}

/// The fault in the last line of a run for scripts.
fn parse_fault(ended: &Ended) -> Value {
    let line = ended.err.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|_| panic!("no fault: {}", ended.err))
}

/// Runs a command against servers that answer with 500 and with 503; describes each end that is none of a failure.
fn list_other_ends([ill, busy]: &[Program; 2], words: &str) -> Vec<String> {
    let asked = ["TOKEN", "ERASURE", "NONE"].iter().fold(words.to_owned(), |all, id| all.replace(id, NONE));
    // What was done before the failure is summed up.
    let is_import = words.starts_with("events import");
    let [told, again] = [ill, ill].map(|program| program.run(&asked));
    let last = told.err.lines().last().unwrap_or_default();
    let is_said = last == format!("lethe: {SENTENCE}") || last.ends_with(" answers with status 500");
    let is_same = (told.code, &told.out, &told.err) == (again.code, &again.out, &again.err);
    let mut others = Vec::new();
    if told.code != 1 || !is_said || !is_same || !(told.out.is_empty() || is_import) {
        others.push(format!("{words}: {} {} {}", told.code, told.out, told.err));
    }
    for (program, status) in [(ill, 500), (busy, 503)] {
        let ended = program.run(&format!("{asked} --json"));
        let fault = parse_fault(&ended);
        let is_alone = ended.err.lines().count() == 1 || is_import;
        let has_status = fault["Status"] == status;
        let is_told = fault["Error"].is_string() && fault["ExitCode"] == 1 && has_status;
        if ended.code != 1 || !is_alone || !is_told {
            others.push(format!("{words} --json with {status}: {} {}", ended.code, ended.err));
        }
    }
    others
}

#[test]
fn every_command_has_a_row_of_edges() {
    let known = Program::new().list_commands();
    let command_of = |(words, _): &(&str, i32)| {
        let row = words.replace(' ', "-");
        let is_its = |command: &&String| row == **command || row.starts_with(&format!("{command}-"));
        known.iter().filter(is_its).max_by_key(|command| command.len()).cloned().unwrap_or(row)
    };
    let told: BTreeSet<_> = [OF_SHOP, OF_OPERATOR, ALONE].concat().iter().map(command_of).collect();
    assert_eq!(told, known);
}

#[test]
fn a_time_of_another_zone_is_not_masked() {
    let own = "as of 2026-11-21T12:00:05.5Z. At: 1795262401000, until 2026-11-22T12:00:00Z";
    assert_eq!(mask(own, NOON), "as of NOW At: NOW, until NOW");
    for other in [
        "2026-11-22T02:00:00Z",
        "2026-11-21T04:00:00Z",
        "2026-11-21T12:00:00+00:00",
        "2026-11-21 12:00:00",
        "1795312800000",
    ] {
        assert_eq!(mask(other, NOON), other);
    }
}

#[test]
fn every_command_says_the_same_in_every_time_zone() {
    let began = Clock::system().now();
    let mut program = Program::new();
    write_files(program.path());
    program.set("TZ", ZONES[1]);
    let served = program.serve();
    let [token, erasure] = fill(&mut program);
    let told = program.run("report zones").out;
    let line = told.lines().next().unwrap_or_default();
    let days = [began, Clock::system().now()].map(|at| day_name(day_of(at)));
    assert!(days.iter().any(|day| line.ends_with(day.as_str())), "a server's day is that of UTC: {line}");
    let name_ids =
        |words: &str| words.replace("TOKEN", &token).replace("ERASURE", &erasure).replace("NONE", NONE);
    let mut others = Vec::new();
    for (words, code) in [OF_SHOP, WITHOUT_JSON, OF_OPERATOR, ALONE].concat() {
        if code != VARIES {
            others.extend(find_difference(&mut program, &name_ids(words), code, began));
        }
    }
    assert!(served.terminate().success());
    for words in OFFLINE {
        others.extend(find_difference(&mut program, &name_ids(words), 0, began));
    }
    assert_eq!(others, [""; 0]);
    for (number, zone) in ZONES.into_iter().enumerate() {
        program.set("TZ", zone);
        let made = program.run(&format!("backup copy-{number}"));
        assert!(mask(&made.out, began).contains("; as of NOW\n"), "{zone}: {} {}", made.out, made.err);
    }
}

#[test]
fn every_command_of_a_shop_fails_with_the_sentence_of_a_server_that_fails() {
    let programs = [500, 503].map(|status| program_for(&serve_script(move |_| fail(status)).0));
    programs.iter().for_each(|program| write_files(program.path()));
    let others: Vec<_> = OF_SHOP.iter().flat_map(|(words, _)| list_other_ends(&programs, words)).collect();
    assert_eq!(others, [""; 0]);
}

#[test]
fn every_command_of_the_operator_fails_with_the_sentence_of_a_server_that_fails() {
    let mut real = Program::new();
    real.account("shop");
    let checkpoint = real.run("ledger checkpoint shop").out;
    let programs = [500, 503].map(|status| serve_control_script(move |_| fail(status)).0);
    for program in &programs {
        std::fs::write(program.path().join("checkpoint.json"), &checkpoint).expect("written");
    }
    let others: Vec<_> =
        OF_OPERATOR.iter().flat_map(|(words, _)| list_other_ends(&programs, words)).collect();
    assert_eq!(others, [""; 0]);
}

#[test]
fn every_command_that_opens_a_store_fails_while_it_is_ill_and_succeeds_when_it_is_mended() {
    let mut program = Program::new();
    program.account("shop");
    let data = program.path().join("lethe-data");
    rename_tables_in(&data, ("", "_away"), |name| name != "refinery_schema_history");
    for words in OFFLINE.into_iter().chain(["backup copy", "serve --listen 127.0.0.1:0"]) {
        let words = words.replace("NONE", NONE);
        let told = program.run(&words);
        assert_eq!((told.code, told.out.as_str()), (1, ""), "{words}: {}", told.err);
        let last = told.err.lines().last().unwrap_or_default();
        let sentence = last.strip_prefix("lethe: ").expect("a sentence");
        // No server answered.
        let fault = parse_fault(&program.run(&format!("{words} --json")));
        assert_eq!(fault, json!({"Error": sentence, "ExitCode": 1}), "{words}");
    }
    rename_tables_in(&data, ("_away", ""), |name| name.ends_with("_away"));
    for words in OFFLINE {
        let ended = program.run(&words.replace("NONE", NONE));
        assert_eq!(ended.code, 0, "{words}: {}", ended.err);
    }
}
