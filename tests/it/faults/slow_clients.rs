//! Clients that are slow, silent, greedy or too many, and a server that is told to stop.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::time::{Duration, Instant};

use lethe::limits;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use serde_json::json;

use super::server::{Answer, Home};
use crate::support::machine::has;
use crate::support::waits::{pause, wait_until};

const DRIP_DURATION: Duration = Duration::from_millis(500);
/// Sockets that do nothing while others work.
const SLOW_SOCKETS: usize = 1100;

/// Behaviour of a slow client: its first bytes, the bytes that it goes on sending bit by bit, and whether it reads.
struct Slow {
    name: &'static str,
    first: String,
    drip: &'static [u8],
    reads: bool,
    limit: Duration,
}

fn post_head(length: usize) -> String {
    format!(
        "POST /api/delta HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
}

#[test]
fn every_slow_client_is_closed_at_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let server = Home::new(folder.path()).start();
    let slow =
        |name, first: &str, drip, limit| Slow { name, first: first.to_owned(), drip, reads: true, limit };
    let clients = [
        slow("silent", "", b"", limits::HEAD_DURATION),
        slow("half a request line", "P", b"", limits::HEAD_DURATION),
        slow("half a head", "GET /health HTTP/1.1\r\nHost: l\r\n", b"", limits::HEAD_DURATION),
        slow("dripping head", "GET /health HTTP/1.1\r\nX: ", b"x", limits::HEAD_DURATION),
        slow("silent body", &post_head(100), b"", limits::BODY_RATE_DURATION),
        slow("dripping body", &post_head(10_000), b" ", limits::BODY_RATE_DURATION),
        slow("slow body", &post_head(250_000), &[b' '; 8192], limits::BODY_TOTAL_DURATION),
        slow("idle after an answer", "GET /health HTTP/1.1\r\nHost: l\r\n\r\n", b"", limits::HEAD_DURATION),
        Slow {
            name: "never reads",
            first: "GET /openapi.json HTTP/1.1\r\nHost: l\r\n\r\n".repeat(2000),
            drip: b"",
            reads: false,
            limit: limits::WRITE_DURATION,
        },
    ];
    std::thread::scope(|scope| {
        for client in &clients {
            let address = server.address;
            scope.spawn(move || {
                let took = client.closed_after(address);
                let least = client.limit.mul_f64(0.9);
                let most = client.limit.mul_f64(1.1);
                // Beyond that: the lingering close, and the pace of this client.
                let most = most + limits::LINGER_DURATION + 2 * DRIP_DURATION;
                assert!((least..most).contains(&took), "{} was closed after {took:?}", client.name);
            });
        }
    });
    assert!(server.is_ready());
}

impl Slow {
    fn closed_after(&self, address: SocketAddr) -> Duration {
        let mut stream = TcpStream::connect(address).unwrap();
        let began = Instant::now();
        stream.set_nonblocking(true).unwrap();
        let mut rest = self.first.as_bytes();
        loop {
            let sent = if rest.is_empty() { stream.write(self.drip) } else { stream.write(rest) };
            match sent {
                Ok(bytes) if !rest.is_empty() => rest = &rest[bytes..],
                Err(error) if error.kind() != ErrorKind::WouldBlock => return began.elapsed(),
                _ => {}
            }
            let took_error = stream.take_error().unwrap().is_some();
            if took_error || (self.reads && is_closed(&mut stream)) {
                return began.elapsed();
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{} is never closed", self.name);
            pause(DRIP_DURATION);
        }
    }
}

fn is_closed(stream: &mut TcpStream) -> bool {
    let mut piece = [0; 4096];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
}

/// A connection from an address of this machine; each address has a share of the connections.
fn connection_from(last: usize, server: SocketAddr) -> TcpStream {
    let source = Ipv4Addr::new(127, 0, 0, u8::try_from(last).unwrap());
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    bind(&socket, &SocketAddrV4::new(source, 0)).unwrap();
    connect(&socket, &server).unwrap();
    TcpStream::from(socket)
}

#[test]
fn a_thousand_slow_sockets_leave_other_requests_working() {
    if !has("a thousand slow sockets", false, &["prlimit"]) {
        return;
    }
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    // The usual soft limit, which the server has to raise by itself.
    let server = home.start_under(&["prlimit", "--nofile=1024:4096"]);
    let keys = home.account("shop").unwrap();
    let slow: Vec<_> = (0..SLOW_SOCKETS)
        .map(|n| {
            let mut stream = connection_from(2 + n / limits::CONNECTIONS_OF_CLIENT, server.address);
            stream
                .write_all(
                    if n % 2 == 0 { b"GET /hea".to_vec() } else { post_head(100).into_bytes() }.as_slice(),
                )
                .unwrap();
            stream
        })
        .collect();
    wait_until("every slow socket is held", || {
        (server.metric("process_open_fds") > SLOW_SOCKETS as u64).then_some(())
    });
    let mut worked = 0;
    for n in 0..200 {
        let body = json!({"Products": [{"Id": n.to_string(), "Title": "x"}]});
        worked += usize::from(server.post(&keys, "/api/delta", body).unwrap().status == 200);
    }
    assert_eq!(worked, 200);
    drop(slow);
}

#[test]
fn a_body_that_is_announced_too_large_is_refused_at_once_and_the_sentence_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let server = Home::new(folder.path()).start();
    // Announced only; then with as much sent as the server promises to throw away.
    for sent in [0, 512 * 1024] {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let began = Instant::now();
        stream.write_all(post_head(50_000_000).as_bytes()).unwrap();
        stream.write_all(&vec![b' '; sent]).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        // Many clients read only when all is sent: the bytes that they send meanwhile must meet no reset.
        for _ in 0..10 {
            stream.write_all(&[b' '; 1000]).unwrap();
            pause(Duration::from_millis(5));
        }
        let answer = Answer::parse(&String::from_utf8_lossy(&answer)).unwrap();
        assert_eq!(answer.status, 413);
        assert!(answer.json()["Error"].as_str().unwrap().contains("256000 bytes"));
        assert!(began.elapsed() < Duration::from_secs(3), "it took {:?}", began.elapsed());
    }
}

#[test]
fn a_stop_lets_a_running_request_end_and_exits_0() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let mut server = home.start();
    let keys = home.account("shop").unwrap();
    let body = json!({"AccessKey": keys.access, "SecretKey": keys.secret, "Products": []}).to_string();
    let (first, rest) = body.split_at(10);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all((post_head(body.len()) + first).as_bytes()).unwrap();
    pause(Duration::from_millis(200));
    server.signal(Signal::TERM);
    wait_until("nobody new is let in", || TcpStream::connect(server.address).err());
    stream.write_all(rest.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(Answer::parse(&answer).unwrap().status, 200);
    let status = wait_until("the server has ended", || server.child.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_second_signal_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Home::new(folder.path()).start();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(post_head(100).as_bytes()).unwrap();
    pause(Duration::from_millis(200));
    server.signal(Signal::TERM);
    wait_until("nobody new is let in", || TcpStream::connect(server.address).err());
    let began = Instant::now();
    server.signal(Signal::TERM);
    wait_until("the server has ended", || server.child.try_wait().unwrap());
    assert!(began.elapsed() < Duration::from_secs(1));
}
