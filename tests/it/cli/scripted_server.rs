//! A server that answers any path as a script says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::support::program::Program;

/// The requests: paths and bodies.
pub type ScriptedRequests = Arc<Mutex<Vec<(String, Value)>>>;

/// Answers each path with a status, lines of the head, and a body; returns its address, and the requests.
pub fn serve_script(
    answer: impl Fn(&str) -> (u16, &'static str, String) + Send + 'static,
) -> (String, ScriptedRequests) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = ScriptedRequests::default();
    let seen = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.expect("a connection"));
            // A client that begins with a handshake of TLS gets nothing.
            if stream.fill_buf().is_ok_and(|begun| begun.first() == Some(&0x16)) {
                continue;
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
            let length = text.len();
            // A client that went away is a client's right.
            let _ = write!(
                stream.get_mut(),
                "HTTP/1.1 {status} Scripted\r\n{head}content-length: {length}\r\nconnection: close\r\n\r\n{text}"
            );
        }
    });
    (url, asked)
}

/// A program whose commands reach this address.
pub fn program_for(url: &str) -> Program {
    let mut program = Program::new();
    for (name, value) in [("LETHE_URL", url), ("LETHE_ACCESS_KEY", "x"), ("LETHE_SECRET_KEY", "y")] {
        program.set(name, value);
    }
    program
}
