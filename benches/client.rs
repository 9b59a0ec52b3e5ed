//! A load generator that costs little: prepared requests over connections that stay open.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// One request, ready to be sent.
pub fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

/// A question in an address, ready to be sent.
pub fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n").into_bytes()
}

/// A form, ready to be sent.
pub fn form(path: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Result of a run under load.
pub struct Run {
    pub per_second: f64,
    pub refused: usize,
    pub latencies: Vec<Duration>,
    pub bodies: Vec<Vec<u8>>,
}

/// Sends `request` over `connections` connections for `length`, one after the other on each.
pub async fn load(
    address: SocketAddr,
    request: &[u8],
    connections: usize,
    length: Duration,
    keep: usize,
) -> Run {
    load_each(address, [request.to_vec()].into(), connections, length, keep).await
}

/// The same with several requests: each connection sends its share in turn.
pub async fn load_each(
    address: SocketAddr,
    requests: Arc<[Vec<u8>]>,
    connections: usize,
    length: Duration,
    keep: usize,
) -> Run {
    let stop = Arc::new(AtomicBool::new(false));
    let began = Instant::now();
    let turns = |first: usize| (first..).step_by(connections);
    let tasks: Vec<_> = (0..connections)
        .map(|n| {
            let requests = requests.clone();
            let turns = turns(n);
            let stop = stop.clone();
            tokio::spawn(
                async move { connection(connect(address, n).await, requests, turns, stop, keep).await },
            )
        })
        .collect();
    tokio::time::sleep(length).await;
    stop.store(true, Ordering::Relaxed);
    let mut run = Run { per_second: 0.0, refused: 0, latencies: Vec::new(), bodies: Vec::new() };
    for task in tasks {
        let (latencies, refused, bodies) = task.await.expect("a connection ends");
        run.latencies.extend(latencies);
        run.refused += refused;
        run.bodies.extend(bodies);
    }
    run.per_second = (run.latencies.len() - run.refused) as f64 / began.elapsed().as_secs_f64();
    run
}

/// Sends each request once over `connections` connections, whatever is answered.
pub async fn each_once(address: SocketAddr, requests: Arc<[Vec<u8>]>, connections: usize) {
    let tasks: Vec<_> = (0..connections)
        .map(|first| {
            let requests = requests.clone();
            let turns = (first..requests.len()).step_by(connections);
            tokio::spawn(async move {
                let stream = connect(address, first).await;
                connection(stream, requests, turns, Arc::default(), 0).await
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("a connection ends");
    }
}

/// Connections that share a pace: more than are ever busy with it.
const PACED_CONNECTIONS: usize = 64;

/// Sends the requests that `make` gives, `per_second`, until `stop`. The time of an answer counts from when its
/// request was due, so that a slow server gets no fewer requests. `answered` gets each answered request and its due
/// time; 200 is expected.
pub async fn paced(
    address: SocketAddr,
    per_second: f64,
    make: impl Fn(usize) -> Vec<u8> + Send + Sync + 'static,
    answered: impl Fn(usize, Instant) + Send + Sync + 'static,
    stop: Arc<AtomicBool>,
) -> Run {
    let pause = Duration::from_secs_f64(1.0 / per_second);
    let began = tokio::time::Instant::now();
    let shared = Arc::new((make, answered));
    let tasks: Vec<_> = (0..PACED_CONNECTIONS)
        .map(|first| {
            let shared = shared.clone();
            let stop = stop.clone();
            tokio::spawn(async move {
                let (make, answered) = &*shared;
                let mut stream = connect(address, first).await;
                stream.set_nodelay(true).expect("no delay");
                let mut buffer = Vec::new();
                let mut latencies = Vec::new();
                let mut refused = 0;
                for turn in (first..).step_by(PACED_CONNECTIONS) {
                    let due = began + pause * u32::try_from(turn).expect("not so many");
                    tokio::time::sleep_until(due).await;
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    stream.write_all(&make(turn)).await.expect("sent");
                    let status = answer(&mut stream, &mut buffer).await.0;
                    latencies.push(due.elapsed());
                    if status == 200 { answered(turn, due.into_std()) } else { refused += 1 }
                }
                (latencies, refused)
            })
        })
        .collect();
    let mut run = Run { per_second: 0.0, refused: 0, latencies: Vec::new(), bodies: Vec::new() };
    for task in tasks {
        let (latencies, refused) = task.await.expect("a connection ends");
        run.latencies.extend(latencies);
        run.refused += refused;
    }
    run.per_second = (run.latencies.len() - run.refused) as f64 / began.elapsed().as_secs_f64();
    run
}

/// A connection from one of several addresses of this machine: each has a share of the server's.
async fn connect(address: SocketAddr, n: usize) -> TcpStream {
    connect_from(address, u8::try_from(1 + n / 400).expect("few addresses")).await
}

/// A connection from 127.0.0.`last`.
async fn connect_from(address: SocketAddr, last: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from(([127, 0, 0, last], 0))).expect("an address of this machine");
    socket.connect(address).await.expect("a connection")
}

async fn connection(
    mut stream: TcpStream,
    requests: Arc<[Vec<u8>]>,
    mut turns: impl Iterator<Item = usize>,
    stop: Arc<AtomicBool>,
    keep: usize,
) -> (Vec<Duration>, usize, Vec<Vec<u8>>) {
    stream.set_nodelay(true).expect("no delay");
    let mut latencies = Vec::new();
    let mut refused = 0;
    let mut bodies = Vec::new();
    let mut buffer = Vec::with_capacity(16 * 1024);
    while !stop.load(Ordering::Relaxed) {
        let Some(turn) = turns.next() else { break };
        let request = &requests[turn % requests.len()];
        let sent = Instant::now();
        stream.write_all(request).await.expect("sent");
        let (status, body) = answer(&mut stream, &mut buffer).await;
        latencies.push(sent.elapsed());
        refused += usize::from(status != 200);
        if bodies.len() < keep {
            bodies.push(body.to_vec());
        }
    }
    (latencies, refused, bodies)
}

/// A connection that stays open, for requests in sequence.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        Self::open_from(address, 1).await
    }

    /// The same from 127.0.0.`last`.
    pub async fn open_from(address: SocketAddr, last: u8) -> Self {
        Self { stream: connect_from(address, last).await, buffer: Vec::new() }
    }

    /// Sends a request; gives status and body.
    pub async fn ask(&mut self, request: &[u8]) -> (u16, &[u8]) {
        self.stream.write_all(request).await.expect("sent");
        answer(&mut self.stream, &mut self.buffer).await
    }

    /// Sends a request and reads the answer, whatever it is; gives its status, or `None` when the connection ended.
    pub async fn try_ask(&mut self, request: &[u8]) -> Option<u16> {
        self.stream.write_all(request).await.ok()?;
        try_answer(&mut self.stream, &mut self.buffer).await
    }
}

/// Status and size of an answer.
pub struct Answered {
    /// 0 when nothing came.
    pub status: u16,
    /// Bytes of head and body.
    pub bytes: usize,
}

/// The longest wait for the end of an answer: a stream of events has none.
const ANSWER_DURATION: Duration = Duration::from_secs(20);

/// Sends one request over a connection that ends with its answer.
pub async fn ask_once(address: SocketAddr, request: &[u8]) -> Answered {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let close = request.windows(2).position(|two| two == b"\r\n").unwrap_or_default();
    let head = [&request[..close], b"\r\nConnection: close", &request[close..]].concat();
    // A server that refuses early does not read the request to its end.
    let _ = stream.write_all(&head).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(ANSWER_DURATION, stream.read_to_end(&mut answer)).await;
    let status = answer.get(9..12).and_then(|status| std::str::from_utf8(status).ok()?.parse().ok());
    Answered { status: status.unwrap_or_default(), bytes: answer.len() }
}

/// Reads one answer; gives its status, or `None` when the connection ended before it did.
async fn try_answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<u16> {
    buffer.clear();
    loop {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
        let Some(head) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&buffer[..head]).to_ascii_lowercase();
        let length =
            text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok())?;
        while buffer.len() < head + 4 + length {
            if stream.read_buf(buffer).await.ok()? == 0 {
                return None;
            }
        }
        return text.get(9..12)?.parse().ok();
    }
}

/// Sends one request; gives status, head and body.
pub async fn ask(address: SocketAddr, request: &[u8]) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(request).await.expect("sent");
    let mut buffer = Vec::new();
    let (status, body) = answer(&mut stream, &mut buffer).await;
    let body = body.to_vec();
    let head = String::from_utf8_lossy(&buffer[..buffer.len() - body.len()]).into_owned();
    (status, head, body)
}

/// Sends one request over a connection that ends with its answer, whatever that is.
pub async fn try_ask(address: SocketAddr, request: &[u8]) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let close = request.windows(2).position(|two| two == b"\r\n").unwrap_or_default();
    stream.write_all(&request[..close]).await?;
    stream.write_all(b"\r\nConnection: close").await?;
    stream.write_all(&request[close..]).await?;
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await.map(drop)
}

/// Reads one answer; gives status and body.
pub async fn answer<'a>(stream: &mut (impl AsyncRead + Unpin), buffer: &'a mut Vec<u8>) -> (u16, &'a [u8]) {
    buffer.clear();
    loop {
        let read = stream.read_buf(buffer).await.expect("an answer");
        assert!(read > 0, "the server closed the connection");
        let Some(head) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = std::str::from_utf8(&buffer[..head]).expect("a head");
        let length = text
            .lines()
            .find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
            })
            .expect("a length");
        let status = text[9..12].parse().expect("a status");
        while buffer.len() < head + 4 + length {
            assert!(stream.read_buf(buffer).await.expect("a body") > 0, "the body broke off");
        }
        return (status, &buffer[head + 4..head + 4 + length]);
    }
}
