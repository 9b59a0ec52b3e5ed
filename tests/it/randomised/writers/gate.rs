//! A way to PostgreSQL that can be shut in front of any statement.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

/// Statements that may still pass.
#[derive(Default)]
struct Passing {
    /// Statements; `None`: all.
    left: Option<usize>,
    /// True if a statement stands in front of the gate.
    is_waiting: bool,
}

/// The way, open at first.
#[derive(Clone)]
pub struct Gate {
    address: SocketAddr,
    passing: Arc<(Mutex<Passing>, Condvar)>,
}

impl Gate {
    /// A way to the server at this address; it lasts as long as the test.
    pub fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let gate = Self { address, passing: Arc::default() };
        let passing = gate.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let gate = passing.clone();
                let server = TcpStream::connect(server).expect("the server");
                let mut from = server.try_clone().expect("a copy");
                let mut to = client.try_clone().expect("a copy");
                std::thread::spawn(move || {
                    let _ = io::copy(&mut from, &mut to);
                    let _ = to.shutdown(Shutdown::Both);
                });
                std::thread::spawn(move || {
                    let _ = gate.pass(client, &server);
                    let _ = server.shutdown(Shutdown::Both);
                });
            }
        });
        gate
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets so many statements pass and no further one.
    pub fn shut_after(&self, statements: usize) {
        *self.passing.0.lock().expect("a gate") = Passing { left: Some(statements), is_waiting: false };
    }

    /// Lets all pass.
    pub fn open(&self) {
        *self.passing.0.lock().expect("a gate") = Passing::default();
        self.passing.1.notify_all();
    }

    /// Returns true if a statement stands in front of the gate.
    pub fn is_waiting(&self) -> bool {
        self.passing.0.lock().expect("a gate").is_waiting
    }

    /// Passes the messages of a client on: the first has no kind (it asks for the session), each other one a byte.
    fn pass(&self, mut client: TcpStream, mut server: &TcpStream) -> io::Result<()> {
        let mut is_first = true;
        loop {
            let mut message = vec![0; if is_first { 4 } else { 5 }];
            client.read_exact(&mut message)?;
            let length = message[message.len() - 4..].try_into().map_err(io::Error::other)?;
            let behind = usize::try_from(u32::from_be_bytes(length)).map_err(io::Error::other)? - 4;
            // A simple query, and the end of a prepared or bound one: the server then runs one statement.
            if !is_first && matches!(message[0], b'Q' | b'S') {
                self.wait();
            }
            let start = message.len();
            message.resize(start + behind, 0);
            client.read_exact(&mut message[start..])?;
            server.write_all(&message)?;
            is_first = false;
        }
    }

    fn wait(&self) {
        let mut passing = self.passing.0.lock().expect("a gate");
        while passing.left == Some(0) {
            passing.is_waiting = true;
            passing = self.passing.1.wait(passing).expect("a gate");
        }
        passing.left = passing.left.map(|left| left - 1);
    }
}
