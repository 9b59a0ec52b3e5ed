//! The scripted server and resolver, and the fetch that every test here makes.

use std::collections::VecDeque;
use std::future;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;

use crate::outbound::{
    AddressPolicy, FaultKind, FeedBytes, FeedUrl, FetchFault, FetchLimits, FetchProgress, Fetched, Outbound,
    Resolve, Resolving, Validators,
};

/// Stands in every URL; may stand in no reason.
pub const SECRET: &str = "CANARY";

/// A server's answer to one request.
pub enum Answer {
    /// Sends these bytes and closes.
    Bytes(Vec<u8>),
    /// Sends these bytes, then the piece again and again with a pause before each.
    Repeat(Vec<u8>, Vec<u8>, Duration),
    /// Sends these bytes and then nothing, without closing.
    Stall(Vec<u8>),
}

/// A 200 with these header lines (each ended by CRLF) and this body, closed at its end.
pub fn ok(headers: &str, body: &[u8]) -> Answer {
    Answer::Bytes([format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body].concat())
}

/// A bodiless answer: status with reason phrase, and header lines.
pub fn status(line: &str, headers: &str) -> Answer {
    Answer::Bytes(format!("HTTP/1.1 {line}\r\n{headers}Content-Length: 0\r\n\r\n").into_bytes())
}

/// A redirect to `location`.
pub fn found(location: &str) -> Answer {
    status("302 Found", &format!("Location: {location}\r\n"))
}

/// A server on a loopback address that remembers the requests it saw.
pub struct Server {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    _task: AbortOnDropHandle<()>,
}

impl Server {
    /// Answers by the request's head, on 127.0.0.1.
    pub async fn new(script: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::on("127.0.0.1", script).await
    }

    pub async fn on(host: &str, script: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((host, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = requests.clone();
        let script = Arc::new(script);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, seen.clone(), script.clone()));
            }
        });
        Self { address, requests, _task: AbortOnDropHandle::new(task) }
    }

    /// The heads of all requests; a connection without one counts as an empty head.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// A URL of this server that holds a secret in path and query.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}-{SECRET}.json?token={SECRET}", self.address)
    }
}

async fn serve(
    mut stream: TcpStream,
    seen: Arc<Mutex<Vec<String>>>,
    script: Arc<impl Fn(&str) -> Answer>,
) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && stream.read_buf(&mut head).await? > 0 {}
    let head = String::from_utf8_lossy(&head).into_owned();
    seen.lock().unwrap().push(head.clone());
    match script(&head) {
        Answer::Bytes(bytes) => stream.write_all(&bytes).await?,
        Answer::Repeat(first, piece, pause) => {
            stream.write_all(&first).await?;
            loop {
                tokio::time::sleep(pause).await;
                stream.write_all(&piece).await?;
            }
        }
        Answer::Stall(first) => {
            stream.write_all(&first).await?;
            future::pending::<()>().await;
        }
    }
    stream.shutdown().await
}

/// Gives one scripted answer for each look-up, the last one for ever, and counts look-ups.
#[derive(Default)]
pub struct Script {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Script {
    pub fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |list: &&[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self { answers: Mutex::new(answers.iter().map(parse).collect()), asked: Mutex::default() })
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolve for Script {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a> {
        self.asked.lock().unwrap().push(host.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        Box::pin(future::ready(answer.ok_or_else(|| io::ErrorKind::NotFound.into())))
    }
}

/// A policy that trusts one network and no other.
pub fn trusting(network: &str) -> AddressPolicy {
    AddressPolicy { allow: vec![network.parse().unwrap()], ..AddressPolicy::default() }
}

/// A door that trusts the loopback network and knows no names.
pub fn door() -> Outbound {
    door_with(FetchLimits::default())
}

pub fn door_with(limits: FetchLimits) -> Outbound {
    Outbound::new(trusting("127.0.0.0/8"), Arc::new(Script::default()), limits)
}

/// Fetches a feed whole. Every fault of every test passes here, so none can tell a secret or an address.
pub async fn fetch(door: &Outbound, url: &str) -> Result<Vec<u8>, FetchFault> {
    let progress = Arc::<FetchProgress>::default();
    let url = FeedUrl::parse(url, door.policy()).unwrap_or_else(|refusal| panic!("{refusal}"));
    let read = match open(door, &url, progress).await {
        Ok(bytes) => read_whole(bytes).await,
        Err(fault) => Err(fault),
    };
    read.inspect_err(|fault| assert_tells_nothing(&format!("{fault} {fault:?}")))
}

pub async fn open(
    door: &Outbound,
    url: &FeedUrl,
    progress: Arc<FetchProgress>,
) -> Result<FeedBytes, FetchFault> {
    match door.fetch_feed(url, &Validators::default()).await? {
        Fetched::Body(body) => Ok(FeedBytes::new(body.into_wire(&Handle::current(), progress))),
        Fetched::NotModified => panic!("nothing was known"),
    }
}

/// Reads on a thread that may block, as the importer does.
pub async fn read_whole(mut bytes: FeedBytes) -> Result<Vec<u8>, FetchFault> {
    let read = tokio::task::spawn_blocking(move || {
        let mut whole = Vec::new();
        bytes.read_to_end(&mut whole).map(|_| whole)
    });
    read.await.unwrap().map_err(|error| FetchFault::from_io(&error).unwrap().clone())
}

fn assert_tells_nothing(text: &str) {
    for part in [SECRET, "127.0.0.", "://", "shop.test", "token"] {
        assert!(!text.contains(part), "{part} in {text}");
    }
}

/// The reason of a fault that may heal.
#[track_caller]
pub fn transient<T>(result: Result<T, FetchFault>) -> String {
    let fault = result.err().unwrap();
    assert!(matches!(fault.kind, FaultKind::Transient { .. }), "{fault}");
    fault.reason
}

/// The reason of a fault that lasts.
#[track_caller]
pub fn lasting<T>(result: Result<T, FetchFault>) -> String {
    let fault = result.err().unwrap();
    assert_eq!(fault.kind, FaultKind::Final, "{fault}");
    fault.reason
}

pub fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(plain: &[u8]) -> Vec<u8> {
    zstd::encode_all(plain, 3).unwrap()
}
