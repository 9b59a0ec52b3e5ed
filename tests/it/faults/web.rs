//! A web server of the shop: serves feeds, and counts who came.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server in a thread of the test; it ends with the test.
pub struct Web {
    pub address: SocketAddr,
    visits: Arc<AtomicUsize>,
}

impl Web {
    /// Answers each request's path with the output of `serve`.
    pub fn start(at: SocketAddr, serve: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(at).unwrap();
        let address = listener.local_addr().unwrap();
        let visits = Arc::new(AtomicUsize::new(0));
        let serve = Arc::new(serve);
        let counted = visits.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let serve = serve.clone();
                std::thread::spawn(move || serve_connection(stream, &*serve));
            }
        });
        Self { address, visits }
    }

    /// A server that no client may reach.
    pub fn canary(at: SocketAddr) -> Self {
        Self::start(at, |_, stream| send(stream, "{\"Products\":[]}"))
    }

    /// Connections so far.
    pub fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn serve_connection(mut stream: TcpStream, serve: &(impl Fn(&str, &mut TcpStream) + ?Sized)) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    serve(head.split(' ').nth(1).unwrap_or_default(), &mut stream);
}

/// A whole JSON answer.
pub fn send(stream: &mut TcpStream, body: &str) {
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    // The client may be dead by now.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}
