//! A shop's web server as a test scripts it: the answers of each address, and its requests.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// One answer to one request.
#[derive(Clone)]
pub struct Answer {
    status: u16,
    headers: String,
    body: Vec<u8>,
    announced_bytes: Option<usize>,
    is_length_told: bool,
    gate: Option<Arc<Semaphore>>,
    /// The gate stands before the head too.
    is_held: bool,
}

impl Answer {
    /// 200 with this body.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: String::new(),
            body: body.into(),
            announced_bytes: None,
            is_length_told: true,
            gate: None,
            is_held: false,
        }
    }

    /// Another status, without a body.
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::ok("") }
    }

    /// With one more header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    /// Announces more (or fewer) bytes than it sends, then closes.
    pub fn announce_bytes(mut self, bytes: usize) -> Self {
        self.announced_bytes = Some(bytes);
        self
    }

    /// Says nothing of the length of its body, which ends where the connection does.
    pub fn without_length(self) -> Self {
        Self { is_length_told: false, ..self }
    }

    /// Sends the second half of the body only when a permit is added to `gate`.
    pub fn gated_by(mut self, gate: &Arc<Semaphore>) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// Sends nothing before a permit is added to `gate`.
    pub fn held_by(self, gate: &Arc<Semaphore>) -> Self {
        Self { gate: Some(gate.clone()), is_held: true, ..self }
    }
}

#[derive(Default)]
struct Script {
    answers: HashMap<String, Vec<Answer>>,
    asked: Vec<String>,
}

/// The running server.
pub struct FeedServer {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
}

impl FeedServer {
    /// Starts it on a free port of this machine.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let script = Arc::new(Mutex::new(Script::default()));
        let scripted = script.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve_connection(stream, scripted.clone()));
            }
        });
        Self { address, script }
    }

    /// From now on `path` gives these answers in turn; the last one for ever. Gives the address to submit.
    pub fn serve(&self, path: &str, answers: impl IntoIterator<Item = Answer>) -> String {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        self.script.lock().expect("script").answers.insert(path.to_owned(), answers);
        format!("http://{}{path}", self.address)
    }

    /// The heads of all requests for `path` so far.
    pub fn requests_of(&self, path: &str) -> Vec<String> {
        let script = self.script.lock().expect("script");
        let wanted = format!("GET {path} ");
        script.asked.iter().filter(|head| head.starts_with(&wanted)).cloned().collect()
    }
}

async fn serve_connection(mut stream: TcpStream, script: Arc<Mutex<Script>>) {
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut piece).await {
            Ok(read @ 1..) => head.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let answer = {
        let mut script = script.lock().expect("script");
        script.asked.push(head);
        match script.answers.get_mut(&path) {
            Some(answers) if answers.len() > 1 => answers.pop().expect("one of several"),
            Some(answers) => answers.first().cloned().unwrap_or_else(|| Answer::status(500)),
            None => Answer::status(404),
        }
    };
    // A client that went away is a client's right.
    let _ = send(&mut stream, answer).await;
}

async fn send(stream: &mut TcpStream, answer: Answer) -> std::io::Result<()> {
    if let Some(gate) = answer.gate.as_ref().filter(|_| answer.is_held) {
        let _ = gate.acquire().await;
    }
    let bytes = answer.announced_bytes.unwrap_or(answer.body.len());
    let length = if answer.is_length_told { format!("Content-Length: {bytes}\r\n") } else { String::new() };
    let head =
        format!("HTTP/1.1 {} Scripted\r\n{}{length}Connection: close\r\n\r\n", answer.status, answer.headers);
    stream.write_all(head.as_bytes()).await?;
    let (first, second) = answer.body.split_at(answer.body.len() / 2);
    stream.write_all(first).await?;
    stream.flush().await?;
    if let Some(gate) = answer.gate.filter(|_| !answer.is_held) {
        let _ = gate.acquire().await;
    }
    stream.write_all(second).await?;
    stream.shutdown().await
}
