//! A connection that is not secure is never used.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::scripted::{SECRET, Server, door, fetch, ok, transient};

const NOT_SECURE: &str =
    "no secure connection: the server's certificate is not valid or it speaks no accepted TLS";

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A TLS server with a certificate of its own making; gives its port.
fn self_signed(folder: &std::path::Path) -> Option<(Killed, u16)> {
    let made = Command::new("openssl")
        .current_dir(folder)
        .args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out cert".split(' '))
        .args("-days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1".split(' '))
        .output()
        .ok()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let mut server = Command::new("openssl")
        .current_dir(folder)
        .args("s_server -accept 127.0.0.1:0 -key key -cert cert -www".split(' '))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let lines = BufReader::new(server.stdout.take()?).lines();
    let accept = lines.map_while(Result::ok).find(|line| line.starts_with("ACCEPT "))?;
    let port = accept.rsplit(':').next()?.trim().parse().ok()?;
    Some((Killed(server), port))
}

#[tokio::test]
async fn a_self_signed_certificate_is_never_accepted_but_may_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, port)) = self_signed(folder.path()) else {
        assert!(std::env::var_os("LETHE_TEST_STRICT").is_none(), "openssl is needed");
        println!("self-signed certificate: NOT RUN, install openssl");
        return;
    };
    let url = format!("https://127.0.0.1:{port}/feed?token={SECRET}");
    assert_eq!(transient(fetch(&door(), &url).await), NOT_SECURE);
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_gets_no_request() {
    let server = Server::new(|_| ok("", b"{}")).await;
    let url = server.url("feed").replace("http:", "https:");
    assert_eq!(transient(fetch(&door(), &url).await), NOT_SECURE);
    assert!(server.requests().iter().all(|head| !head.contains("GET")));
}
