//! Uploads in pieces against the real server: killed between pieces, and clients that ask before they send.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::server::{Answer, Home};

use super::pieces::{encode_form, format_head, send_piece};

#[test]
fn an_upload_goes_on_after_kill_9_between_any_two_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    let rows: Vec<_> = (0..6).map(|n| format!(r#",{{"Id":"{n}","Title":"t{n}"}}"#)).collect();
    let mut pieces = vec![("/feed-create", r#"{"Version": 2, "Products":["#)];
    pieces.extend(rows.iter().map(|row| ("/feed-append", row.as_str())));
    pieces.push(("/feed-close", "]}"));
    let mut token = None;
    for (path, piece) in pieces {
        let answer = send_piece(&server, &keys, path, "product-1", piece);
        assert_eq!((answer.status, answer.body.as_str()), (200, "OK"), "{path}");
        token = answer.header("x-feed-token");
        server.kill();
        server = home.start();
    }
    server.feed_end(&keys, &token.unwrap()).unwrap();
    for n in 0..6 {
        let title = server.title(&keys, "Products", &n.to_string());
        assert_eq!(title, Some(format!("t{n}")));
    }
    assert_eq!(home.count("SELECT count(*) FROM upload_piece"), 0);
}

#[test]
fn a_client_that_expects_100_continue_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let server = home.start();
    let keys = home.account("shop").unwrap();
    let body = encode_form(&keys, "product-1", &"x".repeat(2_000_000));
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    stream.write_all(format_head("/feed-create", body.len(), "Expect: 100-continue\r\n").as_bytes()).unwrap();
    let mut told = [0; 25];
    stream.read_exact(&mut told).unwrap();
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(Answer::parse(&answer).unwrap().body, "OK");
}
