//! Pieces of an upload to the real server.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::server::{Answer, Keys, Server};

pub fn encode_form(keys: &Keys, name: &str, piece: &str) -> String {
    url::form_urlencoded::Serializer::new(String::new())
        .append_pair("accessKey", &keys.access)
        .append_pair("secretKey", &keys.secret)
        .append_pair("feedName", name)
        .append_pair("payLoad", piece)
        .finish()
}

pub fn format_head(path: &str, length: usize, more: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: l\r\nConnection: close\r\nContent-Length: {length}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n{more}\r\n"
    )
}

/// Sends a piece of an upload.
pub fn send_piece(server: &Server, keys: &Keys, path: &str, name: &str, piece: &str) -> Answer {
    let body = encode_form(keys, name, piece);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all((format_head(path, body.len(), "") + &body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    Answer::parse(&answer).unwrap()
}
