//! A connection that is not secure is never used.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::scripted::{SECRET, door, fetch, transient};

const NOT_SECURE: &str =
    "no secure connection: the server's certificate is not valid or it speaks no accepted TLS";

/// A child that ends with the test. Its output stays open, or its next line would end it.
struct Killed {
    child: Child,
    _output: BufReader<ChildStdout>,
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A TLS server with a certificate of its own making; gives its port.
fn self_signed(folder: &std::path::Path) -> Option<(Killed, u16)> {
    let made = Command::new("openssl")
        .current_dir(folder)
        .args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out cert".split(' '))
        .args("-days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=CA:FALSE".split(' '))
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
    let mut output = BufReader::new(server.stdout.take()?);
    let accept = output.by_ref().lines().map_while(Result::ok).find(|line| line.starts_with("ACCEPT "))?;
    let port = accept.rsplit(':').next()?.trim().parse().ok()?;
    Some((Killed { child: server, _output: output }, port))
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
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/{SECRET}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut hello = vec![0; 4096];
        let count = stream.read(&mut hello).await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        String::from_utf8_lossy(&hello[..count]).into_owned()
    });
    assert_eq!(transient(fetch(&door(), &url).await), NOT_SECURE);
    assert!(!server.await.unwrap().contains(SECRET));
}
