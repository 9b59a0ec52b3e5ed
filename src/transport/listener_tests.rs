//! Clients of a listener that has one place, over pipes.

use std::net::Ipv4Addr;

use axum::routing::get;
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::sync::{Notify, mpsc};

use super::*;
use crate::admission::SemaphoreLimits;
use crate::config::Config;

/// The time in which all of this happens: a connection closes by itself only later.
const SOON: Duration = Duration::from_secs(limits::HEAD_DURATION.as_secs() / 2);

/// Connections that come when the test says so.
struct Arrivals(mpsc::UnboundedReceiver<(DuplexStream, Peer)>);

impl ConnectionListener for Arrivals {
    type Stream = DuplexStream;

    async fn next(&mut self) -> std::io::Result<(DuplexStream, Peer)> {
        self.0.recv().await.ok_or_else(|| std::io::Error::other("no more clients"))
    }
}

/// Connects the client of this number, and asks for a path.
async fn connect(
    arrivals: &mpsc::UnboundedSender<(DuplexStream, Peer)>,
    number: u8,
    path: &str,
) -> DuplexStream {
    let (mut client, server) = tokio::io::duplex(4096);
    let request = format!("GET {path} HTTP/1.1\r\nHost: shop\r\n\r\n");
    client.write_all(request.as_bytes()).await.expect("room for a request");
    let peer = Peer::Address(Ipv4Addr::new(203, 0, 113, number).into());
    arrivals.send((server, peer)).expect("a listener");
    client
}

/// True if a client is answered soon.
async fn is_answered(client: &mut DuplexStream) -> bool {
    let mut head = [0; 12];
    let reading = tokio::time::timeout(SOON, client.read_exact(&mut head)).await;
    reading.is_ok_and(|read| read.is_ok()) && head == *b"HTTP/1.1 200"
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_has_ended_is_not_closed_for_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::local(folder.path().join("data"), folder.path().join("keys"));
    let node = Node::open(config).await.expect("a node");
    let begun = Arc::new(Notify::new());
    let go_on = Arc::new(Notify::new());
    let notices = (begun.clone(), go_on.clone());
    let wait = move || {
        let (begun, go_on) = notices.clone();
        async move {
            begun.notify_one();
            go_on.notified().await;
        }
    };
    let router = Router::new().route("/", get(|| async {})).route("/wait", get(wait));
    let shares = TenantSemaphore::new(SemaphoreLimits::SINGLE_PERMIT);
    let stop = CancellationToken::new();
    let (arrivals, coming) = mpsc::unbounded_channel();
    let serving = serve_among(shares.clone(), Arrivals(coming), node.clone(), router, stop.clone());
    let serving = tokio::spawn(serving);

    let mut first = connect(&arrivals, 1, "/").await;
    assert!(is_answered(&mut first).await);
    drop(first);
    let leaving = async {
        while shares.is_used_up() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(SOON, leaving).await.expect("its place is free");
    // The next one has the place, and is asked for something; the last one finds nobody who is silent.
    let mut second = connect(&arrivals, 2, "/wait").await;
    tokio::time::timeout(SOON, begun.notified()).await.expect("the second client has a place");
    let mut third = connect(&arrivals, 3, "/").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    go_on.notify_one();
    assert!(is_answered(&mut second).await);
    assert!(is_answered(&mut third).await, "the second one, now silent, closes for it");

    drop((second, third));
    stop.cancel();
    serving.await.expect("the listener ends");
    node.release().await;
}
