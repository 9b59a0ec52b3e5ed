//! Ends of commands: what is bad, broken off or busy is no success, with `--json` as without, also where it is the
//! second of two.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lethe::api::events::LATER;
use lethe::limits;
use serde_json::{Value, json};

use super::scripted_server::{ScriptedAnswer, program_for, serve_control_script, serve_script};
use crate::support::program::Program;
use crate::support::waits::pause;

const TOKEN: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

/// Runs a command for people and for scripts; gives its exit code, which has to be the same, with the two sentences.
fn end_of(program: &Program, words: &str) -> (i32, String, String) {
    let told = program.run(words);
    let json = program.run(&format!("{words} --json"));
    assert_eq!(told.code, json.code, "{words}: {} {}", told.err, json.err);
    if json.code != 0 {
        let fault: Value =
            serde_json::from_str(json.err.trim().lines().last().unwrap_or_default()).expect("a fault");
        assert_eq!(fault["ExitCode"], json.code, "{words}: {fault}");
    }
    (told.code, told.out + &told.err, json.out)
}

/// Answers with one after the other, and then the last again and again.
fn in_turn(answers: Vec<ScriptedAnswer>) -> impl Fn(&str) -> ScriptedAnswer + Send + 'static {
    let next = AtomicUsize::new(0);
    move |_| answers[next.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1)].clone()
}

fn refusal(status: u16) -> ScriptedAnswer {
    (status, "", json!({"Error": "a sentence"}).to_string())
}

#[test]
fn each_refusal_has_its_exit_code() {
    for (status, code) in [(400, 1), (403, 6), (404, 7), (409, 1), (410, 7), (429, 1), (500, 1), (503, 1)] {
        let (url, _) = serve_script(move |_| refusal(status));
        let program = program_for(&url);
        let (ended, told, _) = end_of(&program, "submissions");
        assert_eq!((ended, told.as_str()), (code, "lethe: a sentence\n"), "{status}");
        let fault: Value = serde_json::from_str(&program.run("submissions --json").err).expect("a fault");
        assert_eq!(fault["Status"], status);
        let (operator, _) = serve_control_script(move |_| refusal(status));
        assert_eq!(end_of(&operator, "account list").0, code, "{status}");
        assert_eq!(end_of(&operator, "ledger export shop").0, code, "{status}");
        assert_eq!(end_of(&operator, "ledger export shop --output l.ndjson").0, code, "{status}");
        assert_eq!(end_of(&operator, "ledger check shop").0, code, "{status}");
    }
}

#[test]
fn a_server_that_is_not_well_is_not_healthy() {
    let (ill, _) = serve_script(|_| (503, "", "{}".to_owned()));
    let (well, _) = serve_script(|_| (200, "", "{}".to_owned()));
    let (code, told, _) = end_of(&program_for(&ill), "health");
    assert!(code == 1 && told.contains("answers with status 503"), "{told}");
    assert_eq!(end_of(&program_for(&well), "health").0, 0);
    // The address of the command line counts before that of the variable.
    let listen = |url: &str| format!("health --listen {}", url.trim_start_matches("http://"));
    assert_eq!(end_of(&program_for(&ill), &listen(&well)).0, 0);
    assert_eq!(end_of(&program_for(&well), &listen(&ill)).0, 1);
    let port = well.rsplit(':').next().expect("a port");
    let everywhere = program_for(&ill).run(&format!("health --listen 0.0.0.0:{port} --json")).json();
    assert_eq!(everywhere["Url"], format!("http://127.0.0.1:{port}"));
}

#[test]
fn an_answer_that_breaks_off_is_no_backup_and_no_ledger() {
    let progress = "event: progress\ndata: {\"Step\":\"copying\",\"Done\":1,\"Total\":2}\n\n";
    for (last, code, said) in [
        ("", 1, "broke off"),
        ("event: error\ndata: {\"Error\":\"the disk is full\"}\n\n", 1, "the disk is full"),
        ("event: end\ndata: {\"Files\":3,\"Rows\":{\"account\":1}}\n\n", 0, "1 account, 0 people, 3 files"),
    ] {
        let (program, asked) = serve_control_script(move |_| (200, "", format!("{progress}{last}")));
        let (ended, told, json) = end_of(&program, "backup made");
        assert_eq!((ended, told.contains(said)), (code, true), "{told}");
        assert_eq!(json.is_empty(), code != 0, "{json}");
        let (_, body) = asked.lock().expect("what was asked").pop().expect("a question");
        assert!(body["Target"].as_str().is_some_and(|target| target.starts_with('/')), "{body}");
    }
    let cut = |_: &str| (200, "content-length: 900\r\n", "{\"Kind\":\"genesis\"}\n".to_owned());
    let (program, _) = serve_control_script(cut);
    let kept = program.path().join("l.ndjson");
    std::fs::write(&kept, "entries of before").expect("a file");
    for words in ["ledger export shop", "ledger export shop --output l.ndjson", "account list"] {
        let (code, told, _) = end_of(&program, words);
        assert!(code == 1 && told.contains("broke off"), "{words}: {told}");
    }
    assert_eq!(std::fs::read_to_string(&kept).expect("a file"), "entries of before");
}

#[test]
fn a_model_that_differs_is_a_failure_wherever_it_stands_in_the_list() {
    let model = |same: bool, alike: u64, pending: bool| json!({"Name": "s", "SameBytes": same, "AnsweredAlike": alike, "Asked": 9, "Pending": pending});
    let good = model(true, 9, false);
    for (models, code) in [
        (json!([good, good]), 0),
        (json!([good, model(false, 9, false)]), 1),
        (json!([model(false, 9, false), good]), 1),
        (json!([good, model(true, 8, false)]), 1),
        (json!([model(false, 8, true), good]), 0),
    ] {
        let answer = models.to_string();
        let (program, _) = serve_control_script(move |_| (200, "", answer.clone()));
        assert_eq!(end_of(&program, "model verify").0, code, "{models}");
    }
    let finding = |standing: &str| json!({"Check": "x", "Standing": standing, "Sentence": "y"});
    for (standings, code, said) in [
        (["Good", "Weak"], 0, "weak  x: y"),
        (["Good", "Act"], 1, "one thing has to be done"),
        (["Act", "Act"], 1, "2 things have to be done"),
    ] {
        let answer = json!(standings.map(finding)).to_string();
        let (program, _) = serve_control_script(move |_| (200, "", answer.clone()));
        let (ended, told, json) = end_of(&program, "doctor");
        assert_eq!((ended, told.contains(said)), (code, true), "{told}");
        assert!(serde_json::from_str::<Value>(&json).is_ok_and(|said| said.is_array()), "{json}");
    }
}

/// The command tells what the server knew of a person; a caller who may not ask forgets nobody.
#[test]
fn what_was_known_of_a_person_is_told_and_a_busy_server_holds_no_erasure_up() {
    for (status, held, known, said) in [
        (200, json!({"Known": true}), json!(true), "Somebody was known"),
        (200, json!({"Known": false, "FoundAnywhere": true}), json!(true), "orders of others came"),
        (200, json!({"Suppression": {"Suppressed": true}}), json!(false), "it was forgotten before"),
        (200, json!({}), json!(false), "Was it mistyped?"),
        (410, json!({"Error": "lost"}), json!(true), "their key is lost"),
        (429, json!({"Error": "busy"}), Value::Null, "could not be looked up now"),
        (500, json!({"Error": "ill"}), Value::Null, "could not be looked up now"),
        (503, json!({"Error": "busy"}), Value::Null, "could not be looked up now"),
    ] {
        let answer = held.to_string();
        let (url, asked) = serve_script(move |path| match path {
            "/api/user/held" => (status, "", answer.clone()),
            _ => (200, "x-erasure-id: 4711\r\n", json!("OK").to_string()),
        });
        let (code, told, json) = end_of(&program_for(&url), "forget userid:1 --yes");
        assert!(code == 0 && told.contains(said) && told.contains("Erasure: 4711\n"), "{status}: {told}");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json, json!({"Answer": "OK", "Erasure": "4711", "Known": known}));
        let asked = asked.lock().expect("what was asked");
        assert_eq!(asked.iter().filter(|(path, _)| path == "/api/user/forget").count(), 2);
    }
    for (status, code) in [(400, 1), (403, 6), (404, 7)] {
        let (url, asked) = serve_script(move |_| refusal(status));
        assert_eq!(end_of(&program_for(&url), "forget userid:1 --yes").0, code);
        assert!(asked.lock().expect("what was asked").iter().all(|(path, _)| path == "/api/user/held"));
    }
}

#[test]
fn an_erasure_that_fails_is_waited_for_no_longer_and_one_that_is_verified_is_a_success() {
    for (shown, code, said) in [
        (json!({"State": "verified", "Fault": null}), 0, "is verified"),
        (json!({"State": "verified", "Fault": "before"}), 0, "is verified"),
        (json!({"State": "deleted", "Fault": "the disk"}), 1, "the server goes on trying"),
    ] {
        let (url, _) = serve_script(move |path| match path {
            "/api/erasure" => (200, "", shown.to_string()),
            _ => (200, "x-erasure-id: 4711\r\n", json!({}).to_string()),
        });
        let (ended, told, json) = end_of(&program_for(&url), "forget userid:1 --yes --wait");
        assert_eq!((ended, told.contains(said)), (code, true), "{told}");
        assert!(serde_json::from_str::<Value>(&json).is_ok_and(|told| told["State"].is_string()), "{json}");
    }
    // A refusal is no state to wait on for another.
    let looked = AtomicUsize::new(0);
    let (url, _) = serve_script(move |path| match path {
        "/api/erasure" if looked.fetch_add(1, Ordering::SeqCst) < 2 => refusal(404),
        "/api/erasure" => (200, "", json!({"State": "verified"}).to_string()),
        _ => (200, "x-erasure-id: 4711\r\n", json!({}).to_string()),
    });
    let (code, told, _) = end_of(&program_for(&url), "forget userid:1 --yes --wait");
    assert!(code == 7 && told.contains("a sentence; erasure 4711 was accepted"), "{told}");
    // A server that is busy goes on with it.
    let looked = AtomicUsize::new(0);
    let (url, _) = serve_script(move |path| match path {
        "/api/erasure" if looked.fetch_add(1, Ordering::SeqCst) < 1 => refusal(503),
        "/api/erasure" => (200, "", json!({"State": "verified"}).to_string()),
        _ => (200, "x-erasure-id: 4711\r\n", json!({}).to_string()),
    });
    assert_eq!(end_of(&program_for(&url), "forget userid:1 --yes --wait").0, 0);
    let busy = program_for(&serve_script(|_| refusal(429)).0);
    let (code, told, _) = end_of(&busy, "scan userid:1");
    assert!(code == 1 && told.contains("too much to do"), "{told}");
}

/// A stream of events whose last says how a submission ended.
fn end_with(status: Value) -> ScriptedAnswer {
    let ended = json!({"Kind": "feed", "Token": TOKEN, "Status": status, "Reason": "no rows"});
    (200, "content-type: text/event-stream\r\n", format!(":\n\nevent: end\ndata: {ended}\n\n"))
}

#[test]
fn a_submission_is_followed_past_a_busy_server_and_a_restart() {
    let cut = (200, "content-type: text/event-stream\r\n", "event: progress\ndata: {}\n\n".to_owned());
    let error = (200, "", "event: error\ndata: {\"Error\":\"it is gone\"}\n\n".to_owned());
    for (answers, code, said) in [
        (vec![refusal(429), end_with(json!("Complete"))], 0, "is complete"),
        (vec![cut.clone(), refusal(503), end_with(json!("Complete"))], 0, "is complete"),
        (vec![cut.clone(), refusal(404)], 7, "a sentence"),
        (vec![cut, error], 1, "it is gone"),
    ] {
        let ended = program_for(&serve_script(in_turn(answers)).0).run(&format!("feed watch {TOKEN}"));
        assert_eq!(ended.code, code, "{said}: {} {}", ended.out, ended.err);
        assert!((ended.out + &ended.err).contains(said), "{said}");
    }
}

#[test]
fn a_submission_ends_the_command_as_it_ended() {
    for (answer, code, said) in [
        (refusal(503), 1, "a sentence"),
        (end_with(json!("Error")), 1, "failed: no rows"),
        (end_with(json!(2)), 1, "failed: no rows"),
        (end_with(json!(1)), 0, "is complete"),
    ] {
        let program = program_for(&serve_script(in_turn(vec![answer])).0);
        let (ended, told, _) = end_of(&program, &format!("feed watch {TOKEN}"));
        assert!(ended == code && told.contains(said), "{said}: {told}");
    }
    // A server that takes a feed and tells no token has taken none.
    let silent = program_for(&serve_script(|_| (200, "", json!("OK").to_string())).0);
    let (code, told, _) = end_of(&silent, "feed submit http://f.test/f");
    assert!(code == 1 && told.contains("told no token"), "{told}");
}

fn visit(number: usize, more: &str) -> String {
    format!("{{\"Name\":\"product_view\",\"Product\":\"{number}\",\"VisitorId\":\"v\"{more}}}\n")
}

#[test]
fn events_that_are_left_out_are_counted_with_their_first_line_and_later_ones_are_sent_again() {
    let taken = |left_out: [Option<&str>; 3]| {
        let events: Vec<_> = left_out.iter().map(|reason| json!({"LeftOut": reason})).collect();
        let accepted = left_out.iter().filter(|reason| reason.is_none()).count();
        (200, "", json!({"Accepted": accepted, "Events": events}).to_string())
    };
    let again = (200, "", json!({"Accepted": 1, "Events": [{"LeftOut": null}]}).to_string());
    let answers = vec![taken([None, Some("No product"), Some(LATER)]), again];
    let (url, asked) = serve_script(in_turn(answers.clone()));
    let file = format!("{}no json\n\n{}{}also none\n", visit(1, ""), visit(2, ""), visit(3, ""));
    let program = program_for(&url);
    let imported = program.run_with("events import - --json", &file).json();
    let reasons = json!([{"Reason": "No product", "Count": 1, "FirstLine": 4},
        {"Reason": "The line is no JSON object", "Count": 2, "FirstLine": 2}]);
    assert_eq!(imported, json!({"Accepted": 2, "LeftOut": reasons}));
    let asked = asked.lock().expect("what was asked");
    let products = |body: &Value| -> Vec<String> {
        let events = body["Events"].as_array().into_iter().flatten();
        events.map(|event| event["Product"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let sent: Vec<_> = asked.iter().map(|(_, body)| products(body)).collect();
    assert_eq!(sent, [vec!["1", "2", "3"], vec!["3"]]);
    let told = program_for(&serve_script(in_turn(answers)).0).run_with("events import -", &file).out;
    let summary = "2 events were taken, 3 left out:\n  1, the first in line 4: No product\n  \
        2, the first in line 2: The line is no JSON object\n";
    assert_eq!(told, summary);
}

#[test]
fn a_history_that_the_server_refuses_in_the_middle_is_a_failure_with_what_was_taken() {
    let all = limits::EVENTS_OF_REQUEST;
    let events = vec![json!({"LeftOut": null}); all];
    let first = (200, "", json!({"Accepted": all, "Events": events}).to_string());
    let file: String = (0..=all).map(|number| visit(number, "")).collect();
    for form in ["", " --json"] {
        let (url, asked) = serve_script(in_turn(vec![first.clone(), refusal(403)]));
        let broken = program_for(&url).run_with(&format!("events import -{form}"), &file);
        assert_eq!(broken.code, 6, "{}", broken.err);
        assert!(broken.err.contains(&format!("tail -n +{} FILE", all + 1)), "{}", broken.err);
        assert!(broken.out.contains(&all.to_string()), "{}", broken.out);
        let sizes = asked.lock().expect("what was asked");
        let sizes: Vec<_> =
            sizes.iter().map(|(_, body)| body["Events"].as_array().map_or(0, Vec::len)).collect();
        assert_eq!(sizes, [all, 1], "as many as a request may have");
    }
    // Long lines fill a request before its events do.
    let long = format!(",\"Note\":\"{}\"", "x".repeat(limits::EVENTS_BODY_BYTES / 4));
    let file: String = (0..5).map(|number| visit(number, &long)).collect();
    let (url, asked) = serve_script(|_| (200, "", json!({"Accepted": 1, "Events": []}).to_string()));
    assert_eq!(program_for(&url).run_with("events import -", &file).code, 0);
    let asked = asked.lock().expect("what was asked");
    let largest = asked.iter().map(|(_, body)| body.to_string().len()).max();
    assert!(asked.len() > 1 && largest < Some(limits::EVENTS_BODY_BYTES), "{largest:?}");
}

#[test]
fn a_file_that_cannot_be_written_is_a_failure() {
    let (url, _) = serve_script(|_| (200, "", json!({"At": 0, "Shop": "s"}).to_string()));
    let shop = program_for(&url);
    for words in ["export userid:1 --page absent/page.html", "sample --products 1 --output absent/feed.json"]
    {
        assert_eq!(end_of(&shop, words).0, 1, "{words}");
    }
    let (operator, asked) = serve_control_script(|_| (200, "", "{}\n".to_owned()));
    assert_eq!(end_of(&operator, "ledger export shop --output absent/l.ndjson").0, 1);
    assert!(asked.lock().expect("what was asked").is_empty());
    assert_eq!(end_of(&operator, "ledger export shop --output l.ndjson").0, 0);
    let told = operator.run("ledger export shop --output l.ndjson --json").json();
    assert_eq!(told, json!({"File": "l.ndjson", "Bytes": 3}));
}

/// The default address of the console may be in use; one that was named may not.
#[test]
fn a_console_that_was_named_and_cannot_listen_ends_the_start() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let program = Program::new();
    let (mut child, _out) = program.start(&format!("serve --listen 127.0.0.1:0 --console-listen {address}"));
    for _ in 0..2000 {
        if let Some(status) = child.try_wait().expect("a child") {
            assert_eq!(status.code(), Some(1));
            return;
        }
        pause(Duration::from_millis(10));
    }
    let _ = child.kill();
    panic!("it serves");
}
