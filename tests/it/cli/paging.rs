//! Lists of commands that come in pages, and answers that are bad: the second page, the second of two questions, and
//! the same end with `--json` as without.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::scripted_server::{program_for, serve_script};
use crate::support::program::Program;

const TOKEN: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

/// Commands whose list goes on: a run, its operation, and the member that says where the page begins.
const PAGED: [(&str, &str, &str, &str); 6] = [
    ("catalogue", "--from P-7", "/api/catalogue", "{\"From\": \"P-7\"}"),
    ("delta list", "--before 7", "/api/deltas", "{\"Before\": 7}"),
    ("erasure list", "--before 7", "/api/erasures", "{\"Before\": 7}"),
    ("issues", "--from 7", "/api/issues", "{\"From\": 7}"),
    ("search", "--page 7", "/api/search", "{\"Page\": 7}"),
    ("submissions", "--before 7", "/api/submissions", "{\"Before\": 7}"),
];

/// Options that are called like the begin of a page, and are none; or have a test of their own below.
const OTHERS: [(&str, &str); 6] = [
    ("erasure certificate", "--page"),
    ("export", "--page"),
    ("report", "--from"),
    ("zones preview", "--page"),
    ("operator acts", "--before"),
    ("operator acts", "--behind"),
];

/// Every command that has an option of this kind, by the script that completes commands.
fn options_that_begin_a_page() -> BTreeSet<(String, String)> {
    let script = Program::new().run("completions bash").out;
    let mut found = BTreeSet::new();
    let mut command = String::new();
    for line in script.lines().map(str::trim) {
        if let Some(named) = line.strip_prefix("lethe__subcmd__").and_then(|rest| rest.strip_suffix(')')) {
            command = named.split("__subcmd__").collect::<Vec<_>>().join(" ").replace("__", "-");
        }
        let Some(options) = line.strip_prefix("opts=\"") else { continue };
        for name in ["--before", "--behind", "--after", "--from", "--page", "--offset", "--cursor"] {
            if options.split(' ').any(|option| option == name) {
                found.insert((command.clone(), name.to_owned()));
            }
        }
    }
    found.retain(|(command, _)| !command.starts_with("help "));
    found
}

#[test]
fn no_command_with_pages_is_left_out() {
    let name = |option: &'static str| option.split(' ').next().unwrap_or_default();
    let paged = PAGED.iter().map(|(command, option, ..)| (*command, name(option)));
    let expected = paged.chain(OTHERS).map(|(command, option)| (command.to_owned(), option.to_owned()));
    assert_eq!(options_that_begin_a_page(), expected.collect());
}

#[test]
fn what_a_page_begins_with_is_asked_for() {
    let (url, asked) = serve_script(|_| (200, "", json!([]).to_string()));
    let program = program_for(&url);
    for (command, option, path, expected) in PAGED {
        let about = match command {
            "issues" => TOKEN,
            "search" => "chair",
            _ => "",
        };
        let ended = program.run(&format!("{command} {about} {option} --json"));
        assert_eq!(ended.code, 0, "{command}: {}", ended.err);
        let (of, body) = asked.lock().expect("what was asked").pop().expect("a question");
        assert_eq!(of, path);
        let expected: Value = serde_json::from_str(expected).expect("JSON");
        for (member, value) in expected.as_object().expect("members") {
            assert_eq!(&body[member], value, "{command}: {body}");
        }
    }
}

#[test]
fn all_issues_are_asked_for_page_by_page() {
    let page = AtomicUsize::new(0);
    let (url, asked) = serve_script(move |_| {
        let number = page.fetch_add(1, Ordering::SeqCst) % 3;
        let next = [json!(200), json!(400), Value::Null];
        let issue = json!({"Row": number, "Code": "id_missing"});
        (200, "", json!({"Counts": [], "Kept": 3, "Issues": [issue], "Next": next[number]}).to_string())
    });
    let all = program_for(&url).run(&format!("issues {TOKEN} --all --json")).json();
    let rows: Vec<_> = all["Issues"].as_array().expect("issues").iter().map(|issue| &issue["Row"]).collect();
    assert_eq!((rows, &all["Next"]), (vec![&json!(0), &json!(1), &json!(2)], &Value::Null));
    let begins: Vec<_> =
        asked.lock().expect("what was asked").iter().map(|(_, body)| body["From"].clone()).collect();
    assert_eq!(begins, [0, 200, 400]);
    let first = program_for(&url).run(&format!("issues {TOKEN} --json")).json();
    assert_eq!((first["Issues"].as_array().map(Vec::len), &first["Next"]), (Some(1), &json!(200)));
}

#[test]
fn more_tokens_that_wait_than_one_question_has_are_all_told() {
    const TOKENS: usize = 51;
    let token = |number: usize| format!("6f9619ff-8b86-4011-b42d-{number:012}");
    let (url, asked) = serve_script(move |path| {
        let each = |value: &Value| json!(vec![value.clone(); TOKENS]).to_string();
        let answer = match path {
            "/api/productfeedstatus" => each(&json!({"Status": "Processing"})),
            "/api/deltastatus" => each(&json!({"Reason": "The token is not known"})),
            _ => {
                let fault =
                    |number| json!({"Token": token(number), "Progress": {"Fault": format!("f{number}")}});
                json!((0..TOKENS).map(fault).collect::<Vec<_>>()).to_string()
            }
        };
        (200, "", answer)
    });
    let tokens: Vec<_> = (0..TOKENS).map(token).collect();
    let shown = program_for(&url).run(&format!("status {} --json", tokens.join(" "))).json();
    for number in 0..TOKENS {
        assert_eq!(shown[number]["Fault"], format!("f{number}"), "{number}");
    }
    let asked = asked.lock().expect("what was asked");
    let of = |body: &Value| body["Tokens"].as_array().map_or(0, Vec::len);
    let questions = asked.iter().filter(|(path, _)| path == "/api/submissions");
    assert_eq!(questions.map(|(_, body)| of(body)).collect::<Vec<_>>(), [50, 1]);
}

#[test]
fn acts_of_one_moment_go_on_behind_their_line() {
    let mut program = Program::new();
    program.account("shop");
    let data = program.path().join("lethe-data").join("lethe.db");
    let store = rusqlite::Connection::open(&data).expect("the store");
    for number in 0..101_u32 {
        let id = uuid::Uuid::new_v4();
        let act = format!("act-{number}");
        let row = rusqlite::params![7_i64, id.as_bytes().as_slice(), [1_u8; 16].as_slice(), act];
        store
            .execute("INSERT INTO operator_act (at, id, operator_id, act) VALUES ($1, $2, $3, $4)", row)
            .expect("a row");
    }
    drop(store);
    let first = program.run("operator acts --json").json();
    let last = first.as_array().expect("a list").last().expect("a line").clone();
    let line = last["Line"].as_str().expect("a line");
    let rest = program.run(&format!("operator acts --before {} --behind {line} --json", last["At"])).json();
    let lines = |page: &Value| -> BTreeSet<String> {
        page.as_array().into_iter().flatten().map(|act| act["Line"].to_string()).collect()
    };
    assert_eq!((lines(&first).len(), lines(&rest).len()), (100, 1));
    assert!(lines(&first).is_disjoint(&lines(&rest)));
}

/// A script that runs it looks only at the exit code.
#[test]
fn what_is_bad_ends_as_badly_with_json() {
    let (url, _) = serve_script(|path| {
        let (head, answer) = match path {
            "/api/user/scan" => ("", json!({"FoundAnywhere": true, "Places": [], "Scan": null})),
            "/api/user/held" => ("", json!({"Known": true})),
            "/api/user/forget" => ("x-erasure-id: 6f9619ff-8b86-4011-b42d-00c04fc964ff\r\n", json!("OK")),
            "/api/erasure" => ("", json!({"Erasure": TOKEN, "State": "lost", "DueAt": 0})),
            _ => ("", json!({})),
        };
        (200, head, answer.to_string())
    });
    let program = program_for(&url);
    for words in ["scan userid:1", "forget userid:1 --wait --yes"] {
        let told = program.run(words);
        let json = program.run(&format!("{words} --json"));
        assert_eq!(told.code, json.code, "{words}: {} {}", told.err, json.err);
        assert_ne!(json.code, 0, "{words}");
        assert!(serde_json::from_str::<Value>(&json.out).is_ok_and(|said| said.is_object()), "{}", json.out);
        let fault: Value = serde_json::from_str(&json.err).expect("the fault as JSON");
        assert_eq!(fault["ExitCode"], json.code, "{words}: {fault}");
    }
}
