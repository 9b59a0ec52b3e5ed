//! Faults as programs read them: exit codes and JSON.

use serde_json::{Value, json};

use crate::support::program::{Ended, Program};

const UNKNOWN: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

fn fault(ended: &Ended) -> Value {
    assert_eq!(ended.out, "", "nothing but the fault is told");
    serde_json::from_str(&ended.err).expect("exactly one JSON value")
}

#[test]
fn exit_codes_tell_wrong_keys_from_what_is_not_there() {
    let mut program = Program::new();
    let served = program.serve();
    program.account("shop");
    for words in ["issues", "feed cancel", "feed difference", "erasure show"] {
        assert_eq!(program.run(&format!("{words} {UNKNOWN}")).code, 7, "{words}");
    }
    assert_eq!(program.run("key list nobody").code, 7);
    assert_eq!(program.run("delta send absent.json").code, 2);
    let other = program.run("account create other --json").json();
    program.set("LETHE_SECRET_KEY", other["SecretKey"].as_str().expect("a secret"));
    for words in ["issues", "status", "erasure show"] {
        assert_eq!(program.run(&format!("{words} {UNKNOWN}")).code, 6, "{words}");
    }
    assert!(served.terminate().success());
    assert_eq!(program.run(&format!("status {UNKNOWN}")).code, 1, "no server");
}

#[test]
fn a_fault_is_json_where_json_was_asked_for() {
    let mut program = Program::new();
    let served = program.serve();
    program.account("shop");
    let unknown = fault(&program.run(&format!("feed cancel {UNKNOWN} --json")));
    assert_eq!(unknown, json!({"Error": "The token is not known", "ExitCode": 7, "Status": 404}));
    let usage = fault(&program.run("feed cancel --json"));
    assert_eq!(usage["ExitCode"], 2);
    assert!(usage["Error"].as_str().is_some_and(|told| told.contains("required")), "{usage}");
    assert!(served.terminate().success());
    let gone = fault(&program.run(&format!("--json status {UNKNOWN}")));
    assert_eq!((&gone["ExitCode"], gone.get("Status")), (&json!(1), None));
    let refused = fault(&program.run("account list --json --data-dir nowhere"));
    assert_eq!(refused["ExitCode"], 2);
}
