//! `lethe feed submit FILE`: a feed of this machine, sent in pieces.

use std::fs::File;
use std::io::Write;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::scripted_server::{program_for, serve_script};
use crate::support::program::{Program, sample_feed};
use crate::support::waits::wait_until;

const TOKEN: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

fn write_files(program: &Program, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        std::fs::write(program.path().join(name), bytes).expect("written");
    }
}

#[test]
fn a_feed_is_sent_from_a_file_or_from_standard_input_and_ends_as_one_by_url() {
    let mut program = Program::new();
    let _served = program.serve();
    program.account("shop");
    let feed = sample_feed(4000);
    assert!(feed.len() > 2 << 20, "more than two pieces");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&feed).expect("memory");
    let packed = packed.finish().expect("memory");
    write_files(&program, &[("feed.json", feed.as_slice()), ("feed.json.gz", packed.as_slice())]);
    let dry = program.run("feed submit feed.json --dry-run --wait");
    assert!(dry.code == 0 && dry.out.contains("The dry run "), "{}{}", dry.out, dry.err);
    assert_eq!(program.run("catalogue --json").json()["Counts"]["Products"], 0);
    let sent = program.run("feed submit feed.json --wait");
    assert_eq!((sent.code, sent.err.as_str()), (0, ""), "{}", sent.out);
    let last = sent.out.lines().last().expect("lines");
    assert!(last.starts_with("The feed ") && last.contains(" is complete: 4,000 products shown, "), "{last}");
    for words in
        ["feed upload feed.json.gz --wait --json", "feed submit feed.json --wait --json --account shop"]
    {
        let ended = program.run(words).json();
        assert_eq!((&ended["Status"], &ended["Kind"]), (&"Complete".into(), &"feed".into()), "{words}");
        let told = program.run("submissions --json").json();
        assert_eq!(told[0]["Source"], "upload");
    }
    let small = r#"{"Products":[{"Id":"1","Title":"Chair","Prices":["1 GBP"]}]}"#;
    let held = program.run_with("feed upload - --wait", small);
    assert!(held.code == 1 && held.err.contains("would remove 4000 of 4000 products"), "{}", held.err);
    let told = program.run_with("feed upload - --json", small).json();
    assert!(told["Token"].is_string(), "{told}");
    let bad = program.run_with("feed upload - --wait", r#"{"Products":[{"Title":"nobody"}]}"#);
    assert!(bad.code == 1 && bad.err.contains("no usable product among 1 rows"), "{}", bad.err);
}

#[test]
fn a_file_that_is_no_feed_is_not_sent() {
    let (url, asked) = serve_script(|_| (500, "", json!({"Error": "asked"}).to_string()));
    let program = program_for(&url);
    let files: [(&str, &[u8]); 5] = [
        ("empty.json", b""),
        ("page.html", b"<html>no feed</html>"),
        ("list.pdf", b"%PDF-1.7"),
        ("cut.json.gz", b"\x1f\x8b\x08 and no more of gzip"),
        ("feed.json", br#"{"Products":[]}"#),
    ];
    write_files(&program, &files);
    for (words, code, said) in [
        (
            "feed submit nowhere.json",
            2,
            "there is no file nowhere.json; a feed is a file, or an absolute URL that",
        ),
        ("feed submit shop.example/feed.json", 2, "begins with https:// or http://"),
        ("feed submit .", 2, ". cannot be read: it is a folder"),
        ("feed submit empty.json", 1, "empty.json was not sent: the feed is empty"),
        ("feed submit page.html", 1, "page.html was not sent: this is a web page, not a feed"),
        ("feed submit list.pdf", 1, "list.pdf was not sent: this is a PDF"),
        ("feed submit cut.json.gz", 1, "cut.json.gz: the feed"),
        ("feed submit feed.json --token 4711", 2, "--token is for a feed with a URL"),
    ] {
        let ended = program.run(words);
        assert_eq!((ended.code, ended.out.as_str()), (code, ""), "{words}: {}", ended.err);
        assert!(ended.err.contains(said), "{words}: {}", ended.err);
    }
    assert!(asked.lock().expect("what was asked").is_empty(), "nothing was sent");
}

#[test]
fn an_upload_is_begun_with_the_first_piece_and_cancelled_after_a_refusal() {
    let large = [b"{\"Products\":[".as_slice(), &vec![b' '; 512 << 10], b"]}"].concat();
    let cases: [(&str, &[&str]); 4] = [
        ("/feed-create", &["/feed-create"]),
        ("/feed-append", &["/feed-create", "/feed-append", "/api/feed/cancel"]),
        ("/feed-close", &["/feed-create", "/feed-append", "/feed-append", "/feed-close", "/api/feed/cancel"]),
        ("/none", &["/feed-create", "/feed-append", "/feed-append", "/feed-close"]),
    ];
    for (refused, paths) in cases {
        let (url, asked) = serve_script(move |path| match path {
            path if path == refused => (409, "", json!({"Error": "a sentence"}).to_string()),
            "/feed-create" | "/feed-close" => {
                (200, "x-feed-token: 6f9619ff-8b86-4011-b42d-00c04fc964ff\r\n", "OK".to_owned())
            }
            _ => (200, "", "OK".to_owned()),
        });
        let program = program_for(&url);
        write_files(&program, &[("feed.json", large.as_slice())]);
        let ended = program.run("feed submit feed.json");
        let is_sent = refused == "/none";
        assert_eq!(ended.code, i32::from(!is_sent), "{refused}: {}", ended.err);
        assert_eq!(ended.out.trim_end(), if is_sent { TOKEN } else { "" });
        assert!(is_sent || ended.err.contains("a sentence"), "{refused}: {}", ended.err);
        let asked = asked.lock().expect("what was asked");
        let sent: Vec<_> = asked.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(sent, paths, "{refused}");
        let cancelled = asked.iter().find(|(path, _)| path == "/api/feed/cancel");
        assert!(cancelled.is_none_or(|(_, body)| body["Token"] == TOKEN), "{cancelled:?}");
    }
    // A server that takes a feed and tells no token has taken none.
    let (url, _) = serve_script(|_| (200, "", "OK".to_owned()));
    let program = program_for(&url);
    write_files(&program, &[("feed.json", br#"{"Products":[]}"#.as_slice())]);
    let ended = program.run("feed submit feed.json --json");
    let fault: Value = serde_json::from_str(&ended.err).expect("a fault");
    assert_eq!((ended.code, &fault["Error"]), (1, &"the server told no token".into()));
}

#[test]
fn an_interrupted_upload_is_cancelled() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        assert_cancelled_by(signal);
    }
}

fn assert_cancelled_by(signal: Signal) {
    let (url, asked) = serve_script(|path| match path {
        "/feed-create" => (200, "x-feed-token: 6f9619ff-8b86-4011-b42d-00c04fc964ff\r\n", "OK".to_owned()),
        _ => (200, "", "OK".to_owned()),
    });
    let program = program_for(&url);
    let pipe = program.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let (mut child, _out) = program.start("feed submit pipe");
    let mut sender = File::options().write(true).open(&pipe).expect("a reader");
    // One piece and a part of the next, which never comes to its end.
    sender.write_all(&[b"{\"Products\":[".as_slice(), &vec![b' '; 300 << 10]].concat()).expect("taken");
    let paths = || -> Vec<String> {
        asked.lock().expect("what was asked").iter().map(|(path, _)| path.clone()).collect()
    };
    wait_until("it begins", || (paths() == ["/feed-create"]).then_some(()));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, signal).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    assert_eq!(paths(), ["/feed-create", "/api/feed/cancel"]);
    drop(sender);
}
