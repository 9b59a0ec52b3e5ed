//! `lethe feed watch` against a running server.

use std::io::{BufRead, BufReader};
use std::process::ChildStdout;

use serde_json::{Value, json};

use super::scripted_server::{program_for, serve_script};
use crate::support::program::{Program, gated_web_server, sample_feed, web_server};

const TOKEN: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

fn submit_feed(program: &Program, url: &str) -> String {
    let told = program.run(&format!("feed submit {url} --json")).json();
    told["Token"].as_str().expect("a token").to_owned()
}

/// The next change whose progress is as wanted; it comes long before the test runs out of time.
fn until(lines: &mut BufReader<ChildStdout>, is_wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).expect("a line") > 0, "the watch ended");
        let change: Value = serde_json::from_str(&line).expect("one JSON object a line");
        if is_wanted(&change["Progress"]) {
            return change;
        }
    }
}

#[test]
fn a_feed_is_watched_through_a_restart_of_the_server_to_its_end() {
    let mut program = Program::new();
    let served = program.serve();
    program.account("shop");
    let (url, gate) = gated_web_server(sample_feed(4000));
    let token = submit_feed(&program, &url);
    let (mut watching, mut lines) = program.start(&format!("feed watch {token} --json"));
    let half = until(&mut lines, |progress| progress["SecondsLeft"].is_u64());
    assert_eq!((&half["Progress"]["Phase"], &half["Status"]), (&"downloading".into(), &"Processing".into()));
    assert!(half["Progress"]["Bytes"].as_u64() > Some(100), "{half}");
    let address = served.url.trim_start_matches("http://").to_owned();
    assert!(served.terminate().success());
    let _served = program.serve_at(&address);
    let again = until(&mut lines, |progress| progress["Bytes"] == 0);
    assert!(again["Progress"]["SecondsLeft"].is_null(), "the numbers begin anew: {again}");
    drop(gate);
    let ended = until(&mut lines, Value::is_null);
    assert_eq!((&ended["Status"], &ended["Token"]), (&"Complete".into(), &token.as_str().into()));
    assert!(watching.wait().expect("it ends").success());
}

#[test]
fn on_a_pipe_a_watch_prints_lines_and_ends_as_the_submission_did() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let good = submit_feed(&program, &web_server(sample_feed(4000)));
    let ended = program.run(&format!("feed watch {good}"));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    let last = ended.out.lines().last().expect("lines");
    assert!(last.starts_with(&format!("The feed {good} is complete: 4,000 products shown, ")), "{last}");
    let bad = submit_feed(&program, &web_server(b"[]".to_vec()));
    let ended = program.run(&format!("feed watch {bad}"));
    assert_eq!(ended.code, 1);
    assert!(ended.err.starts_with(&format!("lethe: the feed {bad} failed: ")), "{}", ended.err);
    // A delta's token too, and as the operator.
    let sent = program.run_with("delta send - --json", r#"{"Products":[{"Id":"7"}]}"#).json();
    let watched = format!("feed watch {} --json --account shop", sent["Token"].as_str().expect("a token"));
    let told = program.run(&watched);
    let last: Value = serde_json::from_str(told.out.lines().last().expect("a line")).expect("JSON");
    assert_eq!((told.code, &last["Kind"], &last["Status"]), (0, &"delta".into(), &1.into()));
}

#[test]
fn a_watch_of_nothing_says_so_at_once() {
    let mut program = Program::new();
    let served = program.serve();
    program.account("shop");
    let unknown = "feed watch 6f9619ff-8b86-4011-b42d-00c04fc964ff";
    let ended = program.run(unknown);
    assert_eq!((ended.code, ended.err.as_str()), (7, "lethe: The token is not known\n"));
    assert!(served.terminate().success());
    let ended = program.run(unknown);
    assert!(ended.code == 1 && ended.err.starts_with("lethe: no server answers at "), "{}", ended.err);
    let ended = program.run(&format!("{unknown} --account shop"));
    assert!(ended.code == 1 && ended.err.starts_with("lethe: no server runs "), "{}", ended.err);
}

#[test]
fn a_feed_that_cannot_be_fetched_says_so_wherever_its_shop_looks() {
    let mut program = Program::new();
    let served = program.serve();
    program.account("shop");
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    let token = submit_feed(&program, &format!("http://{closed}/feed.json"));
    let (mut watching, mut lines) = program.start(&format!("feed watch {token} --json"));
    let waits = until(&mut lines, |progress| progress["Fault"].is_string());
    watching.kill().and_then(|()| watching.wait()).expect("it is ended");
    const FAULT: &str = "no connection to the feed's server could be made";
    assert_eq!(waits["Progress"]["Fault"], FAULT);
    for asked in
        [format!("feed status {token}"), format!("status {token}"), "submissions --account shop".to_owned()]
    {
        let told = program.run(&asked);
        assert_eq!(told.code, 0, "{}", told.err);
        let line = told.out.lines().find(|line| line.contains(&token)).expect("its line");
        assert!(line.contains(&format!("the last try failed: {FAULT}; next try at ")), "{asked}: {line}");
        assert!(line.contains("tries left"), "{asked}: {line}");
    }
    let told = program.run(&format!("feed status {token} --json")).json();
    assert_eq!(told[0]["Fault"], FAULT);
    assert!(told[0]["TriesLeft"].as_i64() > Some(30) && told[0]["NextTryAt"].is_i64(), "{told}");
    let log = served.log();
    let warnings: Vec<_> = log.lines().filter(|line| line.contains("a try failed")).collect();
    assert!(!warnings.is_empty(), "{log}");
    assert!(
        warnings.iter().all(|line| !line.contains(&closed.to_string()) && !line.contains("feed.json")),
        "{log}"
    );
}

#[test]
fn a_feed_is_cancelled_and_one_that_has_ended_says_how() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let (url, gate) = gated_web_server(sample_feed(4000));
    let token = submit_feed(&program, &url);
    let cancelled = program.run(&format!("feed cancel {token}"));
    assert_eq!((cancelled.code, cancelled.err.as_str()), (0, ""));
    assert_eq!(cancelled.out, format!("The feed {token} is cancelled; the catalogue is as it was.\n"));
    drop(gate);
    let again = program.run(&format!("feed cancel {token} --account shop"));
    assert_eq!(again.out, format!("The feed {token} had ended before: Error, cancelled\n"));
    assert_eq!(program.run("catalogue --json").json()["Counts"]["Products"], 0);
    let unknown = program.run("feed cancel 6f9619ff-8b86-4011-b42d-00c04fc964ff");
    assert_eq!((unknown.code, unknown.err.as_str()), (7, "lethe: The token is not known\n"));
}

/// A server that takes a feed whose fetch fails for these reasons, one after the other, and then succeeds.
fn serve_failing_fetch(reasons: &[&str]) -> String {
    let submission = |status: &str, finished_at: Option<i64>, progress: Value| json!({"Kind": "feed", "Token": TOKEN, "Status": status, "FinishedAt": finished_at, "Progress": progress});
    let mut events = String::new();
    for (reason, second) in reasons.iter().zip(1_i64..) {
        let progress = json!({"Phase": "waiting to fetch again", "Fault": reason, "NextTryAt": second * 1000,
            "TriesLeft": 9});
        let told = submission("Processing", None, progress);
        // A second look before the next try tells nothing new.
        events += &format!("event: progress\ndata: {told}\n\n").repeat(2);
    }
    let ended = submission("Complete", Some(9), Value::Null);
    events += &format!("event: end\ndata: {ended}\n\n");
    let answer = move |path: &str| match path {
        "/api/submission/events" => (200, "content-type: text/event-stream\r\n", events.clone()),
        "/api/issues" => (200, "", json!({"Counts": [{"Count": 2}, {"Count": 10}]}).to_string()),
        "/api/catalogue" => (200, "", json!({"Counts": {"Products": 2000}}).to_string()),
        _ => (200, "x-feed-token: 6f9619ff-8b86-4011-b42d-00c04fc964ff\r\n", json!("OK").to_string()),
    };
    serve_script(answer).0
}

#[test]
fn who_waits_is_told_each_failed_try_and_not_kept_waiting_for_a_feed_that_is_not_there() {
    const MISSING: &str = "the feed's server answered with status 404";
    const CLOSED: &str = "no connection to the feed's server could be made";
    let missing = program_for(&serve_failing_fetch(&[MISSING; 4]));
    let ended = missing.run("feed submit http://f.test/f --wait");
    let told = |number: u32, fault: &str| {
        format!("lethe: try {number} failed: {fault}; next try at 00:00:0{number} UTC, 9 tries left\n")
    };
    let given_up = format!(
        "lethe: {MISSING}, 3 times in a row; the server goes on trying for 24 hours: `lethe feed watch {TOKEN}` follows \
         the feed, `lethe feed cancel {TOKEN}` ends it\n"
    );
    assert_eq!((ended.code, ended.out.as_str()), (1, format!("Token: {TOKEN}\n").as_str()));
    assert_eq!(ended.err, [1, 2, 3].map(|number| told(number, MISSING)).concat() + &given_up);
    let ended = missing.run("feed submit http://f.test/f --wait --json");
    let state: Value = serde_json::from_str(&ended.out).expect("one JSON value");
    assert_eq!((ended.code, &state["Status"], &state["Token"]), (1, &"Processing".into(), &TOKEN.into()));
    // Others may pass, and so does a feed that comes in the end.
    for reasons in [[MISSING, CLOSED, MISSING], [CLOSED; 3]] {
        let ended = program_for(&serve_failing_fetch(&reasons)).run("feed submit http://f.test/f --wait");
        let lines = [1, 2, 3].map(|number| told(number, reasons[number as usize - 1])).concat();
        assert_eq!((ended.code, ended.err), (0, lines));
        let last = format!(
            "The feed {TOKEN} is complete: 2,000 products shown, 12 issues; `lethe issues {TOKEN}` lists them.\n"
        );
        assert!(ended.out.ends_with(&last), "{}", ended.out);
    }
    // Who watches sees the same in the lines, to the end.
    let watched = missing.run(&format!("feed watch {TOKEN}"));
    assert_eq!((watched.code, watched.err.as_str()), (0, ""));
    assert!(
        watched.out.contains(&format!("the last try failed: {MISSING}; next try at ")),
        "{}",
        watched.out
    );
}

#[test]
fn an_interrupted_watch_ends_and_the_server_goes_on() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let (url, gate) = gated_web_server(sample_feed(4000));
    let token = submit_feed(&program, &url);
    let (mut watching, mut lines) = program.start(&format!("feed watch {token} --json"));
    until(&mut lines, |progress| progress["Phase"] == "downloading");
    let pid = rustix::process::Pid::from_child(&watching);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    assert_eq!(watching.wait().expect("it ends").code(), Some(1), "it ends by itself, and says why");
    drop(gate);
    assert_eq!(program.run(&format!("feed watch {token}")).code, 0);
}
