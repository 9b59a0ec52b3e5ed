//! Commands at a terminal, and without one.

use std::net::TcpListener;

use serde_json::{Value, json};

use super::scripted_server::{program_for, serve_script};
use crate::support::machine;
use crate::support::program::Program;

fn has_terminal() -> bool {
    machine::has("a terminal", false, &["script"])
}

#[test]
fn an_erasure_is_asked_about_only_where_the_question_is_seen_and_answered() {
    if !has_terminal() {
        return;
    }
    for (words, typed, code, told) in [
        ("forget userid:1", "y\n", 0, "Accepted"),
        ("forget userid:1 >/dev/null", "y\n", 0, "Go on? [y/N] "),
        ("forget userid:1", "n\n", 1, "nothing was changed"),
        ("forget userid:1", "\n", 1, "nothing was changed"),
        ("forget userid:1 </dev/null", "y\n", 2, "add --yes"),
        ("forget userid:1 2>/dev/null", "y\n", 2, ""),
        ("forget -", "userid:1\n", 2, "add --yes"),
    ] {
        let (url, asked) = serve_script(|path| match path {
            "/api/user/held" => (200, "", json!({"Known": true}).to_string()),
            _ => (200, "x-erasure-id: 4711\r\n", json!("OK").to_string()),
        });
        let ended = program_for(&url).run_at_terminal(words, typed);
        assert!(ended.code == code && ended.out.contains(told), "{words}: {} {}", ended.code, ended.out);
        let asked = asked.lock().expect("what was asked");
        let is_forgotten = asked.iter().any(|(path, _)| path == "/api/user/forget");
        assert_eq!((is_forgotten, asked.is_empty()), (code == 0, code == 2), "{words} {typed:?}");
    }
}

/// The port of the console is in use and the data folder is there, so that each start ends behind the key.
#[test]
fn a_first_start_makes_a_recovery_key_where_somebody_reads_it() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let console = taken.local_addr().expect("an address");
    let words = format!("serve --listen 127.0.0.1:0 --console-listen {console}");
    let program_with_folder = || {
        let program = Program::new();
        std::fs::create_dir(program.path().join("lethe-data")).expect("a folder");
        program
    };
    let program = program_with_folder();
    let unread = program.run(&words);
    assert_eq!((unread.code, unread.out.as_str()), (1, ""), "{}", unread.err);
    assert!(unread.err.contains("there is no recovery key"), "{}", unread.err);
    let first = program.run(&format!("{words} --json"));
    let told: Value = serde_json::from_str(&first.out).expect("one JSON value");
    assert!(told["RecoveryKey"].as_str().is_some_and(|key| key.starts_with("lethe-recovery-")), "{told}");
    for words in [words.clone(), format!("{words} --json")] {
        let next = program.run(&words);
        assert_eq!((next.code, next.out.as_str()), (1, ""), "{}", next.err);
        assert!(!next.err.contains("no recovery key"), "{}", next.err);
    }
    if has_terminal() {
        let other = program_with_folder();
        let first = other.run_at_terminal(&words, "").out;
        let next = other.run_at_terminal(&words, "").out;
        assert!(
            first.contains("Recovery key, shown only now:") && first.contains("lethe-recovery-"),
            "{first}"
        );
        assert!(!next.contains("ecovery key"), "{next}");
    }
}
