//! A server that answers any path as a script says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::support::program::Program;

/// The requests: paths and bodies.
pub type ScriptedRequests = Arc<Mutex<Vec<(String, Value)>>>;

/// A status, lines of the head, and a body.
pub type ScriptedAnswer = (u16, &'static str, String);

/// Answers each path as the script says; returns its address, and the requests.
pub fn serve_script(answer: impl Fn(&str) -> ScriptedAnswer + Send + 'static) -> (String, ScriptedRequests) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = ScriptedRequests::default();
    let seen = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            answer_request(stream.expect("a connection"), &seen, &answer);
        }
    });
    (url, asked)
}

/// The same at the control socket of a program's data folder: returns the program, and the requests.
pub fn serve_control_script(
    answer: impl Fn(&str) -> ScriptedAnswer + Send + 'static,
) -> (Program, ScriptedRequests) {
    let program = Program::new();
    let data = program.path().join("lethe-data");
    std::fs::create_dir(&data).expect("a folder");
    let listener = UnixListener::bind(data.join("control.sock")).expect("a socket");
    let asked = ScriptedRequests::default();
    let seen = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            answer_request(stream.expect("a connection"), &seen, &answer);
        }
    });
    (program, asked)
}

/// Answers one request; an answer whose head has a length of its own may be cut off.
fn answer_request(
    stream: impl Read + Write,
    seen: &ScriptedRequests,
    answer: &impl Fn(&str) -> ScriptedAnswer,
) {
    let mut stream = BufReader::new(stream);
    // A client that begins with a handshake of TLS, or goes away, gets nothing.
    if stream.fill_buf().map_or(true, |begun| begun.is_empty() || begun.first() == Some(&0x16)) {
        return;
    }
    let mut path = String::new();
    let mut length = 0;
    let mut line = String::new();
    while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        } else if path.is_empty() {
            path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body");
    seen.lock()
        .expect("what was asked")
        .push((path.clone(), serde_json::from_slice(&body).unwrap_or_default()));
    let (status, head, text) = answer(&path);
    let length = if head.contains("content-length") {
        String::new()
    } else {
        format!("content-length: {}\r\n", text.len())
    };
    // A client that went away is a client's right.
    let _ = write!(
        stream.get_mut(),
        "HTTP/1.1 {status} Scripted\r\n{head}{length}connection: close\r\n\r\n{text}"
    );
}

/// A program whose commands reach this address.
pub fn program_for(url: &str) -> Program {
    let mut program = Program::new();
    for (name, value) in [("LETHE_URL", url), ("LETHE_ACCESS_KEY", "x"), ("LETHE_SECRET_KEY", "y")] {
        program.set(name, value);
    }
    program
}

/// A program whose server gives this answer to everything.
pub fn program_of(answer: Value) -> Program {
    program_for(&serve_script(move |_| (200, "", answer.to_string())).0)
}

/// The same over the control socket.
pub fn operator_of(answer: Value) -> Program {
    serve_control_script(move |_| (200, "", answer.to_string())).0
}

/// Output of a command that succeeds.
pub fn text(program: &Program, words: &str) -> String {
    let ended = program.run(words);
    assert_eq!(ended.code, 0, "{words}: {}", ended.err);
    ended.out
}
